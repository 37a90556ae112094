//! Micrometer: Spring Boot 2 and later, and others that use its binders.

use plimsoll_stats::series::EntityKind::{Application, Client, Jvm, Pool, WebServer};

use super::super::rule::{LabelRule, PrometheusRule, label, rule};
use super::super::text::PrometheusSample;
use crate::collectors::jvm::family::action_of;
use crate::names::{application as app, jvm, pool, web_server as web};

const POOL_NAME: &str = "jvm.memory.pool.name";
const TYPE: &str = "jvm.memory.type";
const MEMORY: &[LabelRule] = &[
    label("id", POOL_NAME),
    label("area", TYPE).values(&[("nonheap", "non_heap")]),
];
/// What the collector's name says counts more than its own word: that of CMS is another.
const GC: &[LabelRule] = &[
    label("action", "jvm.gc.action").made(action),
    label("gc", "jvm.gc.name").optional(),
];
const CAUSE: &[LabelRule] = &[
    label("action", "jvm.gc.action").made(action),
    label("cause", "jvm.gc.cause"),
];
const G1_CONCURRENT: &[(&str, &str)] = &[("gc", "G1 Concurrent GC")];
const BUFFER: &[LabelRule] = &[label("id", "jvm.buffer.pool.name")];
const STATE: &[LabelRule] =
    &[label("state", "jvm.thread.state").values(&[("timed-waiting", "timed_waiting")])];
const DAEMON: &[(&str, &str)] = &[("jvm.thread.daemon", "true")];
const USER: &[(&str, &str)] = &[("jvm.thread.daemon", "false")];
const CONNECTOR: &[LabelRule] = &[label("name", "tomcat.thread.pool.name")];
const PROCESSOR: &[LabelRule] = &[label("name", "tomcat.request.processor.name")];
const RECEIVE: &[(&str, &str)] = &[("network.io.direction", "receive")];
const TRANSMIT: &[(&str, &str)] = &[("network.io.direction", "transmit")];
const HIKARI: &[LabelRule] = &[label("pool", "db.client.connection.pool.name")];
const USED: &[(&str, &str)] = &[("db.client.connection.state", "used")];
const IDLE: &[(&str, &str)] = &[("db.client.connection.state", "idle")];
const SERVED: &[LabelRule] = &[
    label("method", "http.request.method"),
    label("status", "http.response.status_code"),
    label("uri", "http.route"),
];
const SENT: &[LabelRule] = &[
    label("method", "http.request.method"),
    label("status", "http.response.status_code"),
    label("client_name", "server.address").optional(),
    label("client.name", "server.address").optional(),
    label("uri", "url.template"),
];
const LETTUCE: &[LabelRule] = &[
    label("command", "db.operation.name"),
    label("remote", "server.address").optional(),
];
const REDIS: &[(&str, &str)] = &[("db.system.name", "redis")];
const LEVEL: &[LabelRule] = &[label("level", "log.level")];
const EXECUTOR: &[LabelRule] = &[label("name", "executor.name")];

fn action(sample: &PrometheusSample<'_>) -> Option<String> {
    let action = match sample.label("gc").and_then(action_of) {
        Some(known) => known,
        None => sample.label("action")?,
    };
    Some(action.to_owned())
}

pub(super) static RULES: &[PrometheusRule] = &[
    rule("jvm_memory_used_bytes", Jvm, &jvm::MEMORY_USED).labels(MEMORY),
    rule("jvm_memory_committed_bytes", Jvm, &jvm::MEMORY_COMMITTED).labels(MEMORY),
    rule("jvm_memory_max_bytes", Jvm, &jvm::MEMORY_LIMIT).labels(MEMORY),
    rule(
        "jvm_memory_usage_after_gc",
        Jvm,
        &jvm::MEMORY_USAGE_AFTER_GC,
    ),
    rule(
        "jvm_memory_usage_after_gc_percent",
        Jvm,
        &jvm::MEMORY_USAGE_AFTER_GC,
    ),
    rule("jvm_gc_live_data_size_bytes", Jvm, &jvm::GC_LIVE_DATA),
    rule("jvm_gc_max_data_size_bytes", Jvm, &jvm::GC_MAX_DATA),
    rule(
        "jvm_gc_memory_allocated_bytes_total",
        Jvm,
        &jvm::MEMORY_ALLOCATED,
    ),
    rule(
        "jvm_gc_memory_promoted_bytes_total",
        Jvm,
        &jvm::MEMORY_PROMOTED,
    ),
    rule("jvm_gc_pause_seconds_count", Jvm, &jvm::GC_CAUSE_COUNT)
        .labels(CAUSE)
        .also(),
    rule("jvm_gc_pause_seconds_count", Jvm, &jvm::GC_PAUSE_COUNT).labels(GC),
    rule("jvm_gc_pause_seconds_sum", Jvm, &jvm::GC_PAUSE_TIME).labels(GC),
    rule("jvm_gc_pause_seconds_max", Jvm, &jvm::GC_PAUSE_RECENT_MAX),
    // These stop the application, whatever Micrometer calls them.
    rule(
        "jvm_gc_concurrent_phase_time_seconds_count",
        Jvm,
        &jvm::GC_PAUSE_COUNT,
    )
    .only(G1_CONCURRENT)
    .labels(GC),
    rule(
        "jvm_gc_concurrent_phase_time_seconds_sum",
        Jvm,
        &jvm::GC_PAUSE_TIME,
    )
    .only(G1_CONCURRENT)
    .labels(GC),
    rule(
        "jvm_gc_concurrent_phase_time_seconds_sum",
        Jvm,
        &jvm::GC_CONCURRENT_TIME,
    ),
    rule("jvm_gc_overhead", Jvm, &jvm::GC_OVERHEAD),
    rule("jvm_gc_overhead_percent", Jvm, &jvm::GC_OVERHEAD),
    rule("jvm_threads_states_threads", Jvm, &jvm::THREAD_COUNT).labels(STATE),
    rule("jvm_threads_live_threads", Jvm, &jvm::THREAD_COUNT).fixed(USER),
    rule("jvm_threads_daemon_threads", Jvm, &jvm::THREAD_COUNT)
        .fixed(USER)
        .scale(-1.0)
        .also(),
    rule("jvm_threads_daemon_threads", Jvm, &jvm::THREAD_COUNT).fixed(DAEMON),
    rule("jvm_threads_peak_threads", Jvm, &jvm::THREAD_PEAK),
    rule(
        "jvm_threads_started_threads_total",
        Jvm,
        &jvm::THREAD_STARTED,
    ),
    rule("jvm_classes_loaded_classes", Jvm, &jvm::CLASS_COUNT),
    rule(
        "jvm_classes_loaded_count_classes_total",
        Jvm,
        &jvm::CLASS_LOADED,
    ),
    rule(
        "jvm_classes_unloaded_classes_total",
        Jvm,
        &jvm::CLASS_UNLOADED,
    ),
    rule(
        "jvm_buffer_memory_used_bytes",
        Jvm,
        &jvm::BUFFER_MEMORY_USED,
    )
    .labels(BUFFER),
    rule(
        "jvm_buffer_total_capacity_bytes",
        Jvm,
        &jvm::BUFFER_MEMORY_LIMIT,
    )
    .labels(BUFFER),
    rule("jvm_buffer_count_buffers", Jvm, &jvm::BUFFER_COUNT).labels(BUFFER),
    rule("jvm_compilation_time_ms_total", Jvm, &jvm::COMPILATION_TIME).scale(1e-3),
    rule("process_cpu_time_ns_total", Jvm, &jvm::CPU_TIME).scale(1e-9),
    rule("process_cpu_usage", Jvm, &jvm::CPU_RECENT_UTILIZATION),
    rule("system_cpu_count", Jvm, &jvm::CPU_COUNT),
    rule("process_uptime_seconds", Jvm, &jvm::UPTIME),
    rule(
        "tomcat_threads_current_threads",
        WebServer,
        &web::TOMCAT_THREADS,
    )
    .labels(CONNECTOR),
    rule("tomcat_threads_busy_threads", WebServer, &web::TOMCAT_BUSY).labels(CONNECTOR),
    rule(
        "tomcat_threads_config_max_threads",
        WebServer,
        &web::TOMCAT_THREAD_LIMIT,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_connections_current_connections",
        WebServer,
        &web::TOMCAT_CONNECTIONS,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_connections_keepalive_current_connections",
        WebServer,
        &web::TOMCAT_KEEP_ALIVE,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_connections_config_max_connections",
        WebServer,
        &web::TOMCAT_CONNECTION_LIMIT,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_global_request_seconds_count",
        WebServer,
        &web::TOMCAT_REQUESTS,
    )
    .labels(PROCESSOR),
    rule(
        "tomcat_global_request_seconds_sum",
        WebServer,
        &web::TOMCAT_REQUEST_TIME,
    )
    .labels(PROCESSOR),
    rule(
        "tomcat_global_request_max_seconds",
        WebServer,
        &web::TOMCAT_REQUEST_MAX,
    )
    .labels(PROCESSOR),
    rule("tomcat_global_error_total", WebServer, &web::TOMCAT_ERRORS).labels(PROCESSOR),
    rule(
        "tomcat_global_received_bytes_total",
        WebServer,
        &web::TOMCAT_IO,
    )
    .labels(PROCESSOR)
    .fixed(RECEIVE),
    rule("tomcat_global_sent_bytes_total", WebServer, &web::TOMCAT_IO)
        .labels(PROCESSOR)
        .fixed(TRANSMIT),
    rule(
        "tomcat_sessions_active_current_sessions",
        WebServer,
        &web::TOMCAT_SESSIONS,
    ),
    rule(
        "tomcat_sessions_active_max_sessions",
        WebServer,
        &web::TOMCAT_SESSIONS_PEAK,
    ),
    rule(
        "tomcat_sessions_created_sessions_total",
        WebServer,
        &web::TOMCAT_SESSIONS_CREATED,
    ),
    rule(
        "tomcat_sessions_expired_sessions_total",
        WebServer,
        &web::TOMCAT_SESSIONS_EXPIRED,
    ),
    rule(
        "tomcat_sessions_rejected_sessions_total",
        WebServer,
        &web::TOMCAT_SESSIONS_REJECTED,
    ),
    rule("jetty_threads_current", WebServer, &web::JETTY_THREADS),
    rule("jetty_threads_busy", WebServer, &web::JETTY_BUSY),
    rule("jetty_threads_idle", WebServer, &web::JETTY_IDLE),
    rule(
        "jetty_threads_config_max",
        WebServer,
        &web::JETTY_THREAD_LIMIT,
    ),
    rule("jetty_threads_jobs", WebServer, &web::JETTY_QUEUE),
    rule(
        "jetty_connections_current_connections",
        WebServer,
        &web::JETTY_CONNECTIONS,
    ),
    rule(
        "undertow_requests_total",
        WebServer,
        &web::UNDERTOW_REQUESTS,
    ),
    rule(
        "undertow_request_count_total",
        WebServer,
        &web::UNDERTOW_REQUESTS,
    ),
    rule(
        "undertow_request_errors_total",
        WebServer,
        &web::UNDERTOW_ERRORS,
    ),
    rule(
        "undertow_sessions_active",
        WebServer,
        &web::UNDERTOW_SESSIONS,
    ),
    rule("hikaricp_connections_active", Pool, &pool::CONNECTIONS)
        .labels(HIKARI)
        .fixed(USED),
    rule("hikaricp_connections_idle", Pool, &pool::CONNECTIONS)
        .labels(HIKARI)
        .fixed(IDLE),
    rule("hikaricp_connections_max", Pool, &pool::MAX).labels(HIKARI),
    rule("hikaricp_connections_min", Pool, &pool::IDLE_MIN).labels(HIKARI),
    rule("hikaricp_connections_pending", Pool, &pool::PENDING).labels(HIKARI),
    rule("hikaricp_connections_timeout_total", Pool, &pool::TIMEOUTS).labels(HIKARI),
    rule(
        "hikaricp_connections_usage_seconds_count",
        Pool,
        &pool::USE_COUNT,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_usage_seconds_sum",
        Pool,
        &pool::USE_TIME,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_usage_seconds_max",
        Pool,
        &pool::USE_MAX,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_acquire_seconds_count",
        Pool,
        &pool::WAIT_COUNT,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_acquire_seconds_sum",
        Pool,
        &pool::WAIT_TIME,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_acquire_seconds_max",
        Pool,
        &pool::WAIT_MAX,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_creation_seconds_count",
        Pool,
        &pool::CREATE_COUNT,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_creation_seconds_sum",
        Pool,
        &pool::CREATE_TIME,
    )
    .labels(HIKARI),
    rule(
        "hikaricp_connections_creation_seconds_max",
        Pool,
        &pool::CREATE_MAX,
    )
    .labels(HIKARI),
    rule(
        "http_server_requests_seconds_count",
        Application,
        &app::SERVER_REQUESTS,
    )
    .labels(SERVED),
    rule(
        "http_server_requests_seconds_sum",
        Application,
        &app::SERVER_TIME,
    )
    .labels(SERVED),
    rule(
        "http_server_requests_seconds_max",
        Application,
        &app::SERVER_MAX,
    )
    .labels(SERVED),
    rule(
        "http_server_requests_active_seconds_count",
        Application,
        &app::SERVER_ACTIVE,
    ),
    rule(
        "http_server_requests_active_seconds_active_count",
        Application,
        &app::SERVER_ACTIVE,
    ),
    rule(
        "http_server_requests_active_seconds_gcount",
        Application,
        &app::SERVER_ACTIVE,
    ),
    rule(
        "http_client_requests_seconds_count",
        Client,
        &app::CLIENT_REQUESTS,
    )
    .labels(SENT),
    rule(
        "http_client_requests_seconds_sum",
        Client,
        &app::CLIENT_TIME,
    )
    .labels(SENT),
    rule("http_client_requests_seconds_max", Client, &app::CLIENT_MAX).labels(SENT),
    rule(
        "lettuce_command_completion_seconds_count",
        Client,
        &app::DB_OPERATIONS,
    )
    .labels(LETTUCE)
    .fixed(REDIS),
    rule(
        "lettuce_command_completion_seconds_sum",
        Client,
        &app::DB_TIME,
    )
    .labels(LETTUCE)
    .fixed(REDIS),
    rule(
        "lettuce_command_completion_seconds_max",
        Client,
        &app::DB_MAX,
    )
    .labels(LETTUCE)
    .fixed(REDIS),
    rule(
        "lettuce_command_firstresponse_seconds_sum",
        Client,
        &app::DB_FIRST_TIME,
    )
    .labels(LETTUCE)
    .fixed(REDIS),
    rule("logback_events_total", Application, &app::LOG_EVENTS).labels(LEVEL),
    rule("log4j2_events_total", Application, &app::LOG_EVENTS).labels(LEVEL),
    rule(
        "executor_active_threads",
        Application,
        &app::EXECUTOR_ACTIVE,
    )
    .labels(EXECUTOR),
    rule("executor_queued_tasks", Application, &app::EXECUTOR_QUEUED).labels(EXECUTOR),
    rule(
        "executor_pool_size_threads",
        Application,
        &app::EXECUTOR_SIZE,
    )
    .labels(EXECUTOR),
    rule("executor_pool_max_threads", Application, &app::EXECUTOR_MAX).labels(EXECUTOR),
];
