//! The figures, kind by kind.

use crate::commands::watch::cell::{Cell, CellForm, by, cell};

const CPU: &str = "system.cpu.time";
const MODE: &str = "cpu.mode";
const DIRECTION: &str = "network.io.direction";

pub(super) const HOST: &[Cell] = &[
    by("view-cpu-user", CellForm::Share, CPU, (MODE, "user")).per(CPU),
    by("view-cpu-system", CellForm::Share, CPU, (MODE, "system")).per(CPU),
    by("view-cpu-iowait", CellForm::Share, CPU, (MODE, "iowait")).per(CPU),
    by("view-cpu-steal", CellForm::Share, CPU, (MODE, "steal")).per(CPU),
    by("view-cpu-idle", CellForm::Share, CPU, (MODE, "idle")).per(CPU),
    cell("view-run-queue", CellForm::Number, "system.cpu.run_queue")
        .limit("system.cpu.logical.count"),
    cell(
        "view-switches",
        CellForm::PerSecond,
        "system.cpu.context_switches",
    ),
    cell(
        "view-available",
        CellForm::Bytes,
        "system.linux.memory.available",
    )
    .limit("system.memory.limit"),
    by(
        "view-swap",
        CellForm::Bytes,
        "system.paging.usage",
        ("system.paging.state", "used"),
    ),
    by(
        "view-read",
        CellForm::BytesPerSecond,
        "system.disk.io",
        ("disk.io.direction", "read"),
    ),
    by(
        "view-write",
        CellForm::BytesPerSecond,
        "system.disk.io",
        ("disk.io.direction", "write"),
    ),
    by(
        "view-received",
        CellForm::BytesPerSecond,
        "system.network.io",
        (DIRECTION, "receive"),
    ),
    by(
        "view-sent",
        CellForm::BytesPerSecond,
        "system.network.io",
        (DIRECTION, "transmit"),
    ),
    cell(
        "view-retransmits",
        CellForm::PerSecond,
        "system.tcp.retransmits",
    ),
    cell(
        "view-overflows",
        CellForm::PerSecond,
        "system.tcp.listen.overflows",
    ),
    cell("view-time-wait", CellForm::Number, "system.tcp.time_wait"),
    cell(
        "view-ports",
        CellForm::Number,
        "system.network.ephemeral_port.used",
    )
    .limit("system.network.ephemeral_port.limit"),
    cell(
        "view-throttled",
        CellForm::Share,
        "cgroup.cpu.throttled.time",
    ),
];

pub(super) const PROCESS: &[Cell] = &[
    cell("view-cpu", CellForm::Share, "process.cpu.time"),
    cell("view-cpu-wait", CellForm::Share, "process.cpu.wait_time"),
    cell("view-memory", CellForm::Bytes, "process.memory.usage"),
    cell("view-threads", CellForm::Number, "process.thread.count"),
    cell(
        "view-switches",
        CellForm::PerSecond,
        "process.context_switches",
    ),
    cell(
        "view-files",
        CellForm::Number,
        "process.unix.file_descriptor.count",
    )
    .limit("process.unix.file_descriptor.limit"),
    by(
        "view-read",
        CellForm::BytesPerSecond,
        "process.disk.io",
        ("disk.io.direction", "read"),
    ),
    by(
        "view-write",
        CellForm::BytesPerSecond,
        "process.disk.io",
        ("disk.io.direction", "write"),
    ),
];

pub(super) const JVM: &[Cell] = &[
    by(
        "view-heap",
        CellForm::Bytes,
        "jvm.memory.used",
        ("jvm.memory.type", "heap"),
    )
    .limit_by("jvm.memory.limit"),
    by(
        "view-after-gc",
        CellForm::Bytes,
        "jvm.memory.used_after_last_gc",
        ("jvm.memory.type", "heap"),
    ),
    cell("view-gc", CellForm::PerSecond, "jvm.gc.pause.count"),
    cell("view-gc-share", CellForm::Share, "jvm.gc.pause.time"),
    cell(
        "view-allocated",
        CellForm::BytesPerSecond,
        "jvm.memory.allocated",
    ),
    by(
        "view-blocked",
        CellForm::Number,
        "jvm.thread.count",
        ("jvm.thread.state", "blocked"),
    ),
    cell("view-classes", CellForm::Number, "jvm.class.count"),
    cell(
        "view-safepoint-share",
        CellForm::Share,
        "jvm.safepoint.time",
    ),
];

pub(super) const WEB_SERVER: &[Cell] = &[
    cell("view-busy", CellForm::Number, "tomcat.thread.busy.count").limit("tomcat.thread.limit"),
    cell(
        "view-connections",
        CellForm::Number,
        "tomcat.connection.count",
    )
    .limit("tomcat.connection.limit"),
    cell(
        "view-sessions",
        CellForm::Number,
        "tomcat.session.active.count",
    ),
    cell("view-requests", CellForm::PerSecond, "tomcat.request.count"),
    cell("view-errors", CellForm::PerSecond, "tomcat.error.count"),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        "tomcat.request.duration.sum",
    )
    .per("tomcat.request.count"),
    cell("view-busy", CellForm::Number, "jetty.thread.busy.count").limit("jetty.thread.limit"),
    cell("view-queued", CellForm::Number, "jetty.thread.queue.size"),
    cell(
        "view-connections",
        CellForm::Number,
        "jetty.connection.count",
    ),
    cell("view-busy", CellForm::Number, "undertow.thread.busy.count")
        .limit("undertow.thread.limit"),
    cell("view-threads", CellForm::Number, "undertow.thread.count").limit("undertow.thread.limit"),
    cell(
        "view-queued",
        CellForm::Number,
        "undertow.thread.queue.size",
    ),
    cell(
        "view-connections",
        CellForm::Number,
        "undertow.connection.count",
    ),
    cell(
        "view-requests",
        CellForm::PerSecond,
        "undertow.request.count",
    ),
    cell("view-errors", CellForm::PerSecond, "undertow.error.count"),
];

pub(super) const POOL: &[Cell] = &[
    by(
        "view-used",
        CellForm::Number,
        "db.client.connection.count",
        ("db.client.connection.state", "used"),
    )
    .limit("db.client.connection.max"),
    by(
        "view-idle",
        CellForm::Number,
        "db.client.connection.count",
        ("db.client.connection.state", "idle"),
    ),
    cell(
        "view-pending",
        CellForm::Number,
        "db.client.connection.pending_requests",
    ),
    cell(
        "view-use-mean",
        CellForm::Milliseconds,
        "db.client.connection.use_time.sum",
    )
    .per("db.client.connection.use_time.count"),
    cell(
        "view-wait-mean",
        CellForm::Milliseconds,
        "db.client.connection.wait_time.sum",
    )
    .per("db.client.connection.wait_time.count"),
    cell(
        "view-timeouts",
        CellForm::PerSecond,
        "db.client.connection.timeouts",
    ),
];

pub(super) const APPLICATION: &[Cell] = &[
    cell(
        "view-requests",
        CellForm::PerSecond,
        "http.server.request.duration.count",
    ),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        "http.server.request.duration.sum",
    )
    .per("http.server.request.duration.count"),
    cell("view-log-events", CellForm::PerSecond, "logging.events"),
];

pub(super) const CLIENT: &[Cell] = &[
    cell(
        "view-requests",
        CellForm::PerSecond,
        "http.client.request.duration.count",
    ),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        "http.client.request.duration.sum",
    )
    .per("http.client.request.duration.count"),
    cell(
        "view-commands",
        CellForm::PerSecond,
        "db.client.operation.duration.count",
    ),
    cell(
        "view-command-mean",
        CellForm::Milliseconds,
        "db.client.operation.duration.sum",
    )
    .per("db.client.operation.duration.count"),
];

pub(super) const PROXY: &[Cell] = &[
    cell("view-requests", CellForm::PerSecond, "nginx.requests"),
    by(
        "view-connections",
        CellForm::Number,
        "nginx.connections_current",
        ("nginx.connection.state", "active"),
    ),
    by(
        "view-waiting",
        CellForm::Number,
        "nginx.connections_current",
        ("nginx.connection.state", "waiting"),
    ),
    cell(
        "view-mean",
        CellForm::Milliseconds,
        "nginx.request.duration.sum",
    )
    .per("nginx.request.duration.count"),
    cell(
        "view-upstream-mean",
        CellForm::Milliseconds,
        "nginx.upstream.duration.sum",
    )
    .per("nginx.upstream.duration.count"),
    cell("view-errors", CellForm::PerSecond, "nginx.error_log.events"),
];

pub(super) const DATABASE: &[Cell] = &[
    cell("view-queries", CellForm::PerSecond, "mysql.query.count"),
    cell("view-slow", CellForm::PerSecond, "mysql.query.slow.count"),
    by(
        "view-running",
        CellForm::Number,
        "mysql.threads",
        ("mysql.thread.kind", "running"),
    ),
    by(
        "view-connected",
        CellForm::Number,
        "mysql.threads",
        ("mysql.thread.kind", "connected"),
    ),
    by(
        "view-scanned",
        CellForm::PerSecond,
        "mysql.handlers",
        ("mysql.handler", "read_rnd_next"),
    ),
    by(
        "view-by-key",
        CellForm::PerSecond,
        "mysql.handlers",
        ("mysql.handler", "read_key"),
    ),
    cell(
        "view-lock-waits",
        CellForm::PerSecond,
        "mysql.row_locks.waits",
    ),
];

pub(super) const CACHE: &[Cell] = &[
    cell(
        "view-commands",
        CellForm::PerSecond,
        "redis.commands.processed",
    ),
    cell("view-clients", CellForm::Number, "redis.clients.connected"),
    cell("view-hits", CellForm::PerSecond, "redis.keyspace.hits"),
    cell("view-misses", CellForm::PerSecond, "redis.keyspace.misses"),
    cell("view-memory", CellForm::Bytes, "redis.memory.used"),
    cell("view-cpu", CellForm::Share, "redis.cpu.time"),
];

pub(super) const WATCHER: &[Cell] = &[
    cell("view-own-cpu", CellForm::Share, "plimsoll.watch.cpu.time"),
    cell("view-agent-cpu", CellForm::Share, "plimsoll.agent.cpu.time"),
    cell(
        "view-clock-offset",
        CellForm::Milliseconds,
        "plimsoll.clock.offset",
    ),
    cell(
        "view-clock-error",
        CellForm::Milliseconds,
        "plimsoll.clock.error",
    ),
];
