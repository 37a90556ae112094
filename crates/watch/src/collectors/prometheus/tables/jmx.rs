//! The JMX exporter and Prometheus' own Java client (client_java), old names and new.

use plimsoll_stats::series::EntityKind::{Jvm, WebServer};

use super::super::rule::{LabelRule, PrometheusRule, label, rule};
use super::super::text::PrometheusSample;
use crate::collectors::jvm::family::{ALLOCATED_IN, CYCLES, action_of, counts_pauses};
use crate::names::{jvm, web_server as web};

/// A pool's name says whether it is of the heap.
const TYPES: &[(&str, &str)] = &[
    ("Eden Space", "heap"),
    ("Survivor Space", "heap"),
    ("Tenured Gen", "heap"),
    ("PS Eden Space", "heap"),
    ("PS Survivor Space", "heap"),
    ("PS Old Gen", "heap"),
    ("Par Eden Space", "heap"),
    ("Par Survivor Space", "heap"),
    ("CMS Old Gen", "heap"),
    ("G1 Eden Space", "heap"),
    ("G1 Survivor Space", "heap"),
    ("G1 Old Gen", "heap"),
    ("ZHeap", "heap"),
    ("ZGC Young Generation", "heap"),
    ("ZGC Old Generation", "heap"),
    ("Shenandoah", "heap"),
    ("Metaspace", "non_heap"),
    ("Compressed Class Space", "non_heap"),
    ("Code Cache", "non_heap"),
    ("CodeCache", "non_heap"),
    ("CodeHeap 'non-nmethods'", "non_heap"),
    ("CodeHeap 'profiled nmethods'", "non_heap"),
    ("CodeHeap 'non-profiled nmethods'", "non_heap"),
];
const IN_POOL: &[LabelRule] = &[
    label("pool", "jvm.memory.pool.name"),
    // Another JVM's pool has its name alone.
    label("pool", "jvm.memory.type").made(type_of).optional(),
];
const BUFFER: &[LabelRule] = &[label("pool", "jvm.buffer.pool.name")];
/// Another JVM's collector has its name alone.
const PAUSES: &[LabelRule] = &[
    label("gc", "jvm.gc.action")
        .made(|sample| Some(action_of(sample.label("gc")?)?.to_owned()))
        .optional(),
    label("gc", "jvm.gc.name"),
];
const COUNTED_PAUSES: &[LabelRule] = &[
    PAUSES[0],
    label("gc", "jvm.gc.name").made(|sample| {
        let name = sample.label("gc").filter(|name| counts_pauses(name))?;
        Some(name.to_owned())
    }),
];
const STATE: &[LabelRule] = &[label("state", "jvm.thread.state").values(&[
    ("NEW", "new"),
    ("RUNNABLE", "runnable"),
    ("BLOCKED", "blocked"),
    ("WAITING", "waiting"),
    ("TIMED_WAITING", "timed_waiting"),
    ("TERMINATED", "terminated"),
])];
const USER_THREADS: &[(&str, &str)] = &[("jvm.thread.daemon", "false")];
const DAEMON_THREADS: &[(&str, &str)] = &[("jvm.thread.daemon", "true")];
const PROCESSOR: &[LabelRule] = &[connector("tomcat.request.processor.name")];
const CONNECTOR: &[LabelRule] = &[connector("tomcat.thread.pool.name")];

/// Tomcat's name of a connector, `http-nio-8080`. The exporter's examples take it apart, and each
/// has other labels for it.
const fn connector(to: &'static str) -> LabelRule {
    label("protocol", to).made(connector_name).optional()
}

fn connector_name(sample: &PrometheusSample<'_>) -> Option<String> {
    let whole = ["name", "worker", "pool"];
    let whole = whole.iter().find_map(|label| sample.label(label));
    if let Some(name) = whole {
        return Some(name.trim_matches('"').to_owned());
    }
    let protocol = sample.label("protocol")?;
    Some(match sample.label("port") {
        Some(port) => format!("{protocol}-{port}"),
        None => protocol.to_owned(),
    })
}

fn type_of(sample: &PrometheusSample<'_>) -> Option<String> {
    let pool = sample.label("pool")?;
    let known = TYPES.iter().find(|(name, _)| *name == pool);
    known.map(|(_, of)| (*of).to_owned())
}

/// What was allocated in a pool of objects that are new; others grow by what is moved there.
const fn allocated(pool: &'static [(&'static str, &'static str)]) -> PrometheusRule {
    rule(
        "jvm_memory_pool_allocated_bytes_total",
        Jvm,
        &jvm::MEMORY_ALLOCATED,
    )
    .only(pool)
}

/// Time of concurrent cycles.
const fn cycles(gc: &'static [(&'static str, &'static str)]) -> PrometheusRule {
    rule(
        "jvm_gc_collection_seconds_sum",
        Jvm,
        &jvm::GC_CONCURRENT_TIME,
    )
    .only(gc)
}

/// The name of a sample as the tables have it. Without rules of its own the exporter writes a bean's
/// domain, type and attribute as they are: `Catalina_ThreadPool_maxThreads`.
pub(crate) fn plain_name(name: &str) -> Option<String> {
    let domains = ["Catalina_", "Tomcat_", "catalina_", "tomcat_"];
    let rest = domains
        .iter()
        .find_map(|domain| name.strip_prefix(domain))?;
    Some(format!("tomcat_{}", rest.to_ascii_lowercase()))
}

/// Written by the exporter's example for Tomcat too. Memory by area alone repeats its pools.
pub(super) static RULES: &[PrometheusRule] = &[
    rule("jvm_memory_pool_used_bytes", Jvm, &jvm::MEMORY_USED).labels(IN_POOL),
    rule("jvm_memory_pool_bytes_used", Jvm, &jvm::MEMORY_USED).labels(IN_POOL),
    rule(
        "jvm_memory_pool_committed_bytes",
        Jvm,
        &jvm::MEMORY_COMMITTED,
    )
    .labels(IN_POOL),
    rule(
        "jvm_memory_pool_bytes_committed",
        Jvm,
        &jvm::MEMORY_COMMITTED,
    )
    .labels(IN_POOL),
    rule("jvm_memory_pool_max_bytes", Jvm, &jvm::MEMORY_LIMIT).labels(IN_POOL),
    rule("jvm_memory_pool_bytes_max", Jvm, &jvm::MEMORY_LIMIT).labels(IN_POOL),
    rule(
        "jvm_memory_pool_collection_used_bytes",
        Jvm,
        &jvm::MEMORY_USED_AFTER_LAST_GC,
    )
    .labels(IN_POOL),
    allocated(&[("pool", ALLOCATED_IN[0])]),
    allocated(&[("pool", ALLOCATED_IN[1])]),
    allocated(&[("pool", ALLOCATED_IN[2])]),
    allocated(&[("pool", ALLOCATED_IN[3])]),
    allocated(&[("pool", ALLOCATED_IN[4])]),
    allocated(&[("pool", ALLOCATED_IN[5])]),
    allocated(&[("pool", ALLOCATED_IN[6])]),
    rule("jvm_gc_collection_seconds_count", Jvm, &jvm::GC_PAUSE_COUNT).labels(COUNTED_PAUSES),
    cycles(&[("gc", CYCLES[0])]),
    cycles(&[("gc", CYCLES[1])]),
    cycles(&[("gc", CYCLES[2])]),
    cycles(&[("gc", CYCLES[3])]),
    cycles(&[("gc", CYCLES[4])]),
    rule("jvm_gc_collection_seconds_sum", Jvm, &jvm::GC_PAUSE_TIME).labels(PAUSES),
    rule("jvm_threads_state", Jvm, &jvm::THREAD_COUNT).labels(STATE),
    rule("jvm_threads_current", Jvm, &jvm::THREAD_COUNT).fixed(USER_THREADS),
    rule("jvm_threads_daemon", Jvm, &jvm::THREAD_COUNT)
        .fixed(USER_THREADS)
        .scale(-1.0)
        .also(),
    rule("jvm_threads_daemon", Jvm, &jvm::THREAD_COUNT).fixed(DAEMON_THREADS),
    rule("jvm_threads_peak", Jvm, &jvm::THREAD_PEAK),
    rule("jvm_threads_started_total", Jvm, &jvm::THREAD_STARTED),
    rule("jvm_classes_currently_loaded", Jvm, &jvm::CLASS_COUNT),
    rule("jvm_classes_loaded", Jvm, &jvm::CLASS_COUNT),
    rule("jvm_classes_loaded_total", Jvm, &jvm::CLASS_LOADED),
    rule("jvm_classes_unloaded_total", Jvm, &jvm::CLASS_UNLOADED),
    rule("jvm_buffer_pool_used_bytes", Jvm, &jvm::BUFFER_MEMORY_USED).labels(BUFFER),
    rule(
        "jvm_buffer_pool_capacity_bytes",
        Jvm,
        &jvm::BUFFER_MEMORY_LIMIT,
    )
    .labels(BUFFER),
    rule("jvm_buffer_pool_used_buffers", Jvm, &jvm::BUFFER_COUNT).labels(BUFFER),
    rule(
        "jvm_compilation_time_seconds_total",
        Jvm,
        &jvm::COMPILATION_TIME,
    ),
    rule(
        "tomcat_requestcount_total",
        WebServer,
        &web::TOMCAT_REQUESTS,
    )
    .labels(PROCESSOR),
    rule("tomcat_errorcount_total", WebServer, &web::TOMCAT_ERRORS).labels(PROCESSOR),
    rule(
        "tomcat_processingtime_total",
        WebServer,
        &web::TOMCAT_REQUEST_TIME,
    )
    .labels(PROCESSOR)
    .scale(1e-3),
    rule("tomcat_maxtime_total", WebServer, &web::TOMCAT_REQUEST_MAX)
        .labels(PROCESSOR)
        .scale(1e-3),
    rule("tomcat_bytesreceived_total", WebServer, &web::TOMCAT_IO)
        .labels(PROCESSOR)
        .fixed(&[("network.io.direction", "receive")]),
    rule("tomcat_bytessent_total", WebServer, &web::TOMCAT_IO)
        .labels(PROCESSOR)
        .fixed(&[("network.io.direction", "transmit")]),
    rule(
        "tomcat_threadpool_currentthreadcount",
        WebServer,
        &web::TOMCAT_THREADS,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_threadpool_currentthreadsbusy",
        WebServer,
        &web::TOMCAT_BUSY,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_threadpool_maxthreads",
        WebServer,
        &web::TOMCAT_THREAD_LIMIT,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_threadpool_connectioncount",
        WebServer,
        &web::TOMCAT_CONNECTIONS,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_threadpool_maxconnections",
        WebServer,
        &web::TOMCAT_CONNECTION_LIMIT,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_threadpool_acceptcount",
        WebServer,
        &web::TOMCAT_ACCEPT_LIMIT,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_threadpool_keepalivecount",
        WebServer,
        &web::TOMCAT_KEEP_ALIVE,
    )
    .labels(CONNECTOR),
    rule(
        "tomcat_session_sessioncounter_total",
        WebServer,
        &web::TOMCAT_SESSIONS_CREATED,
    ),
    rule(
        "tomcat_session_expiredsessions_total",
        WebServer,
        &web::TOMCAT_SESSIONS_EXPIRED,
    ),
    rule(
        "tomcat_session_rejectedsessions_total",
        WebServer,
        &web::TOMCAT_SESSIONS_REJECTED,
    ),
    // Without rules of its own; the thread pools are above.
    rule(
        "tomcat_globalrequestprocessor_requestcount",
        WebServer,
        &web::TOMCAT_REQUESTS,
    )
    .labels(PROCESSOR),
    rule(
        "tomcat_globalrequestprocessor_errorcount",
        WebServer,
        &web::TOMCAT_ERRORS,
    )
    .labels(PROCESSOR),
    rule(
        "tomcat_globalrequestprocessor_processingtime",
        WebServer,
        &web::TOMCAT_REQUEST_TIME,
    )
    .labels(PROCESSOR)
    .scale(1e-3),
    rule(
        "tomcat_globalrequestprocessor_maxtime",
        WebServer,
        &web::TOMCAT_REQUEST_MAX,
    )
    .labels(PROCESSOR)
    .scale(1e-3),
    rule(
        "tomcat_globalrequestprocessor_bytesreceived",
        WebServer,
        &web::TOMCAT_IO,
    )
    .labels(PROCESSOR)
    .fixed(&[("network.io.direction", "receive")]),
    rule(
        "tomcat_globalrequestprocessor_bytessent",
        WebServer,
        &web::TOMCAT_IO,
    )
    .labels(PROCESSOR)
    .fixed(&[("network.io.direction", "transmit")]),
    rule(
        "tomcat_manager_activesessions",
        WebServer,
        &web::TOMCAT_SESSIONS,
    ),
    rule(
        "tomcat_manager_sessioncounter",
        WebServer,
        &web::TOMCAT_SESSIONS_CREATED,
    ),
    rule(
        "tomcat_manager_expiredsessions",
        WebServer,
        &web::TOMCAT_SESSIONS_EXPIRED,
    ),
    rule(
        "tomcat_manager_rejectedsessions",
        WebServer,
        &web::TOMCAT_SESSIONS_REJECTED,
    ),
];
