//! The figures, kind by kind.

use plimsoll_stats::names::{
    agent, application, attributes, host, jvm, mysql, nginx, php_fpm, pool, postgresql, process,
    redis, watcher, web_server,
};

use crate::commands::watch::cell::{Cell, CellForm, by, cell};

pub(super) const HOST: &[Cell] = &[
    by(
        "view-cpu-user",
        CellForm::Share,
        host::CPU_TIME,
        (attributes::CPU_MODE, "user"),
    )
    .per(host::CPU_TIME),
    by(
        "view-cpu-system",
        CellForm::Share,
        host::CPU_TIME,
        (attributes::CPU_MODE, "system"),
    )
    .per(host::CPU_TIME),
    by(
        "view-cpu-iowait",
        CellForm::Share,
        host::CPU_TIME,
        (attributes::CPU_MODE, "iowait"),
    )
    .per(host::CPU_TIME),
    by(
        "view-cpu-steal",
        CellForm::Share,
        host::CPU_TIME,
        (attributes::CPU_MODE, "steal"),
    )
    .per(host::CPU_TIME),
    by(
        "view-cpu-idle",
        CellForm::Share,
        host::CPU_TIME,
        (attributes::CPU_MODE, "idle"),
    )
    .per(host::CPU_TIME),
    cell("view-run-queue", CellForm::Number, host::RUN_QUEUE).limit(host::CPU_COUNT),
    cell("view-switches", CellForm::PerSecond, host::CONTEXT_SWITCHES),
    cell("view-available", CellForm::Bytes, host::MEMORY_AVAILABLE).limit(host::MEMORY_LIMIT),
    by(
        "view-swap",
        CellForm::Bytes,
        host::SWAP_USAGE,
        (attributes::SYSTEM_PAGING_STATE, "used"),
    ),
    by(
        "view-read",
        CellForm::BytesPerSecond,
        host::DISK_IO,
        (attributes::DISK_IO_DIRECTION, "read"),
    ),
    by(
        "view-write",
        CellForm::BytesPerSecond,
        host::DISK_IO,
        (attributes::DISK_IO_DIRECTION, "write"),
    ),
    by(
        "view-received",
        CellForm::BytesPerSecond,
        host::NETWORK_IO,
        (attributes::NETWORK_IO_DIRECTION, "receive"),
    ),
    by(
        "view-sent",
        CellForm::BytesPerSecond,
        host::NETWORK_IO,
        (attributes::NETWORK_IO_DIRECTION, "transmit"),
    ),
    cell(
        "view-retransmits",
        CellForm::PerSecond,
        host::TCP_RETRANSMITS,
    ),
    cell(
        "view-overflows",
        CellForm::PerSecond,
        host::TCP_LISTEN_OVERFLOWS,
    ),
    cell("view-time-wait", CellForm::Number, host::TCP_TIME_WAIT),
    cell("view-ports", CellForm::Number, host::PORTS_USED).limit(host::PORTS_LIMIT),
    cell(
        "view-throttled",
        CellForm::Share,
        host::CGROUP_THROTTLED_TIME,
    ),
];

pub(super) const PROCESS: &[Cell] = &[
    cell("view-cpu", CellForm::Share, process::CPU_TIME),
    cell("view-cpu-wait", CellForm::Share, process::CPU_WAIT),
    cell("view-memory", CellForm::Bytes, process::MEMORY),
    cell("view-threads", CellForm::Number, process::THREADS),
    cell(
        "view-switches",
        CellForm::PerSecond,
        process::CONTEXT_SWITCHES,
    ),
    cell("view-files", CellForm::Number, process::FILES).limit(process::FILES_LIMIT),
    by(
        "view-read",
        CellForm::BytesPerSecond,
        process::DISK_IO,
        (attributes::DISK_IO_DIRECTION, "read"),
    ),
    by(
        "view-write",
        CellForm::BytesPerSecond,
        process::DISK_IO,
        (attributes::DISK_IO_DIRECTION, "write"),
    ),
];

pub(super) const JVM: &[Cell] = &[
    by(
        "view-heap",
        CellForm::Bytes,
        jvm::MEMORY_USED,
        (attributes::JVM_MEMORY_TYPE, "heap"),
    )
    .limit_by(jvm::MEMORY_LIMIT),
    by(
        "view-after-gc",
        CellForm::Bytes,
        jvm::MEMORY_USED_AFTER_LAST_GC,
        (attributes::JVM_MEMORY_TYPE, "heap"),
    ),
    cell("view-gc", CellForm::PerSecond, jvm::GC_PAUSE_COUNT),
    cell("view-gc-share", CellForm::Share, jvm::GC_PAUSE_TIME),
    cell(
        "view-allocated",
        CellForm::BytesPerSecond,
        jvm::MEMORY_ALLOCATED,
    ),
    by(
        "view-blocked",
        CellForm::Number,
        jvm::THREAD_COUNT,
        (attributes::JVM_THREAD_STATE, "blocked"),
    ),
    cell("view-classes", CellForm::Number, jvm::CLASS_COUNT),
    cell("view-safepoint-share", CellForm::Share, jvm::SAFEPOINT_TIME),
];

pub(super) const WEB_SERVER: &[Cell] = &[
    cell("view-busy", CellForm::Number, web_server::TOMCAT_BUSY)
        .limit(web_server::TOMCAT_THREAD_LIMIT),
    cell(
        "view-connections",
        CellForm::Number,
        web_server::TOMCAT_CONNECTIONS,
    )
    .limit(web_server::TOMCAT_CONNECTION_LIMIT),
    cell(
        "view-sessions",
        CellForm::Number,
        web_server::TOMCAT_SESSIONS,
    ),
    cell(
        "view-requests",
        CellForm::PerSecond,
        web_server::TOMCAT_REQUESTS,
    ),
    cell(
        "view-errors",
        CellForm::PerSecond,
        web_server::TOMCAT_ERRORS,
    ),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        web_server::TOMCAT_REQUEST_TIME,
    )
    .per(web_server::TOMCAT_REQUESTS),
    cell("view-busy", CellForm::Number, php_fpm::ACTIVE).limit(php_fpm::LIMIT),
    cell("view-queued", CellForm::Number, php_fpm::QUEUE),
    cell("view-requests", CellForm::PerSecond, php_fpm::ACCEPTED),
    cell("view-busy", CellForm::Number, web_server::JETTY_BUSY)
        .limit(web_server::JETTY_THREAD_LIMIT),
    cell("view-queued", CellForm::Number, web_server::JETTY_QUEUE),
    cell(
        "view-connections",
        CellForm::Number,
        web_server::JETTY_CONNECTIONS,
    ),
    cell("view-busy", CellForm::Number, web_server::UNDERTOW_BUSY)
        .limit(web_server::UNDERTOW_THREAD_LIMIT),
    cell(
        "view-threads",
        CellForm::Number,
        web_server::UNDERTOW_THREADS,
    )
    .limit(web_server::UNDERTOW_THREAD_LIMIT),
    cell("view-queued", CellForm::Number, web_server::UNDERTOW_QUEUE),
    cell(
        "view-connections",
        CellForm::Number,
        web_server::UNDERTOW_CONNECTIONS,
    ),
    cell(
        "view-requests",
        CellForm::PerSecond,
        web_server::UNDERTOW_REQUESTS,
    ),
    cell(
        "view-errors",
        CellForm::PerSecond,
        web_server::UNDERTOW_ERRORS,
    ),
];

pub(super) const POOL: &[Cell] = &[
    by(
        "view-used",
        CellForm::Number,
        pool::CONNECTIONS,
        (attributes::DB_CLIENT_CONNECTION_STATE, "used"),
    )
    .limit(pool::MAX),
    by(
        "view-idle",
        CellForm::Number,
        pool::CONNECTIONS,
        (attributes::DB_CLIENT_CONNECTION_STATE, "idle"),
    ),
    cell("view-pending", CellForm::Number, pool::PENDING),
    cell("view-use-mean", CellForm::Milliseconds, pool::USE_TIME).per(pool::USE_COUNT),
    cell("view-wait-mean", CellForm::Milliseconds, pool::WAIT_TIME).per(pool::WAIT_COUNT),
    cell("view-timeouts", CellForm::PerSecond, pool::TIMEOUTS),
];

pub(super) const APPLICATION: &[Cell] = &[
    cell(
        "view-requests",
        CellForm::PerSecond,
        application::SERVER_REQUESTS,
    ),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        application::SERVER_TIME,
    )
    .per(application::SERVER_REQUESTS),
    cell(
        "view-log-events",
        CellForm::PerSecond,
        application::LOG_EVENTS,
    ),
];

pub(super) const CLIENT: &[Cell] = &[
    cell(
        "view-requests",
        CellForm::PerSecond,
        application::CLIENT_REQUESTS,
    ),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        application::CLIENT_TIME,
    )
    .per(application::CLIENT_REQUESTS),
    cell(
        "view-commands",
        CellForm::PerSecond,
        application::DB_OPERATIONS,
    ),
    cell(
        "view-command-mean",
        CellForm::Milliseconds,
        application::DB_TIME,
    )
    .per(application::DB_OPERATIONS),
];

pub(super) const PROXY: &[Cell] = &[
    cell("view-requests", CellForm::PerSecond, nginx::REQUESTS),
    by(
        "view-connections",
        CellForm::Number,
        nginx::CONNECTIONS,
        (attributes::NGINX_CONNECTION_STATE, "active"),
    ),
    by(
        "view-waiting",
        CellForm::Number,
        nginx::CONNECTIONS,
        (attributes::NGINX_CONNECTION_STATE, "waiting"),
    ),
    cell("view-mean", CellForm::Milliseconds, nginx::REQUEST_TIME).per(nginx::REQUEST_COUNT),
    cell(
        "view-upstream-mean",
        CellForm::Milliseconds,
        nginx::UPSTREAM_TIME,
    )
    .per(nginx::UPSTREAM_COUNT),
    cell("view-errors", CellForm::PerSecond, nginx::ERRORS),
];

pub(super) const DATABASE: &[Cell] = &[
    cell("view-queries", CellForm::PerSecond, mysql::QUERIES),
    cell("view-slow", CellForm::PerSecond, mysql::SLOW_QUERIES),
    by(
        "view-running",
        CellForm::Number,
        mysql::THREADS,
        (attributes::MYSQL_THREAD_KIND, "running"),
    ),
    by(
        "view-connected",
        CellForm::Number,
        mysql::THREADS,
        (attributes::MYSQL_THREAD_KIND, "connected"),
    ),
    by(
        "view-scanned",
        CellForm::PerSecond,
        mysql::HANDLERS,
        (attributes::MYSQL_HANDLER, "read_rnd_next"),
    ),
    by(
        "view-by-key",
        CellForm::PerSecond,
        mysql::HANDLERS,
        (attributes::MYSQL_HANDLER, "read_key"),
    ),
    cell(
        "view-lock-waits",
        CellForm::PerSecond,
        mysql::ROW_LOCK_WAITS,
    ),
    cell(
        "view-transactions",
        CellForm::PerSecond,
        postgresql::COMMITS,
    ),
    by(
        "view-running",
        CellForm::Number,
        postgresql::BACKENDS,
        (attributes::POSTGRESQL_STATE, "active"),
    ),
    cell("view-connected", CellForm::Number, postgresql::CONNECTIONS),
    by(
        "view-lock-waiting",
        CellForm::Number,
        postgresql::BACKENDS,
        (attributes::POSTGRESQL_WAIT_EVENT_TYPE, "Lock"),
    ),
];

pub(super) const CACHE: &[Cell] = &[
    cell("view-commands", CellForm::PerSecond, redis::COMMANDS),
    cell("view-clients", CellForm::Number, redis::CLIENTS),
    cell("view-hits", CellForm::PerSecond, redis::HITS),
    cell("view-misses", CellForm::PerSecond, redis::MISSES),
    cell("view-memory", CellForm::Bytes, redis::MEMORY_USED),
    cell("view-cpu", CellForm::Share, redis::CPU_TIME),
];

pub(super) const WATCHER: &[Cell] = &[
    cell("view-own-cpu", CellForm::Share, watcher::CPU_TIME),
    cell("view-agent-cpu", CellForm::Share, agent::CPU_TIME),
    cell(
        "view-clock-offset",
        CellForm::Milliseconds,
        agent::CLOCK_OFFSET,
    ),
    cell(
        "view-clock-error",
        CellForm::Milliseconds,
        agent::CLOCK_ERROR,
    ),
];
