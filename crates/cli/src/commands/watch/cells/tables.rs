//! The figures, kind by kind.

use crate::commands::watch::cell::{Cell, Form, by, cell};

const CPU: &str = "system.cpu.time";
const MODE: &str = "cpu.mode";
const DIRECTION: &str = "network.io.direction";

pub(super) const HOST: &[Cell] = &[
    by("view-cpu-user", Form::Share, CPU, (MODE, "user")).per(CPU),
    by("view-cpu-system", Form::Share, CPU, (MODE, "system")).per(CPU),
    by("view-cpu-iowait", Form::Share, CPU, (MODE, "iowait")).per(CPU),
    by("view-cpu-steal", Form::Share, CPU, (MODE, "steal")).per(CPU),
    by("view-cpu-idle", Form::Share, CPU, (MODE, "idle")).per(CPU),
    cell("view-run-queue", Form::Number, "system.cpu.run_queue").limit("system.cpu.logical.count"),
    cell(
        "view-switches",
        Form::PerSecond,
        "system.cpu.context_switches",
    ),
    cell(
        "view-available",
        Form::Bytes,
        "system.linux.memory.available",
    )
    .limit("system.memory.limit"),
    by(
        "view-swap",
        Form::Bytes,
        "system.paging.usage",
        ("system.paging.state", "used"),
    ),
    by(
        "view-read",
        Form::BytesPerSecond,
        "system.disk.io",
        ("disk.io.direction", "read"),
    ),
    by(
        "view-write",
        Form::BytesPerSecond,
        "system.disk.io",
        ("disk.io.direction", "write"),
    ),
    by(
        "view-received",
        Form::BytesPerSecond,
        "system.network.io",
        (DIRECTION, "receive"),
    ),
    by(
        "view-sent",
        Form::BytesPerSecond,
        "system.network.io",
        (DIRECTION, "transmit"),
    ),
    cell(
        "view-retransmits",
        Form::PerSecond,
        "system.tcp.retransmits",
    ),
    cell(
        "view-overflows",
        Form::PerSecond,
        "system.tcp.listen.overflows",
    ),
    cell("view-time-wait", Form::Number, "system.tcp.time_wait"),
    cell(
        "view-ports",
        Form::Number,
        "system.network.ephemeral_port.used",
    )
    .limit("system.network.ephemeral_port.limit"),
    cell("view-throttled", Form::Share, "cgroup.cpu.throttled.time"),
];

pub(super) const PROCESS: &[Cell] = &[
    cell("view-cpu", Form::Share, "process.cpu.time"),
    cell("view-cpu-wait", Form::Share, "process.cpu.wait_time"),
    cell("view-memory", Form::Bytes, "process.memory.usage"),
    cell("view-threads", Form::Number, "process.thread.count"),
    cell("view-switches", Form::PerSecond, "process.context_switches"),
    cell(
        "view-files",
        Form::Number,
        "process.unix.file_descriptor.count",
    )
    .limit("process.unix.file_descriptor.limit"),
    by(
        "view-read",
        Form::BytesPerSecond,
        "process.disk.io",
        ("disk.io.direction", "read"),
    ),
    by(
        "view-write",
        Form::BytesPerSecond,
        "process.disk.io",
        ("disk.io.direction", "write"),
    ),
];

pub(super) const JVM: &[Cell] = &[
    by(
        "view-heap",
        Form::Bytes,
        "jvm.memory.used",
        ("jvm.memory.type", "heap"),
    )
    .limit_by("jvm.memory.limit"),
    by(
        "view-after-gc",
        Form::Bytes,
        "jvm.memory.used_after_last_gc",
        ("jvm.memory.type", "heap"),
    ),
    cell("view-gc", Form::PerSecond, "jvm.gc.pause.count"),
    cell("view-gc-share", Form::Share, "jvm.gc.pause.time"),
    cell(
        "view-allocated",
        Form::BytesPerSecond,
        "jvm.memory.allocated",
    ),
    by(
        "view-blocked",
        Form::Number,
        "jvm.thread.count",
        ("jvm.thread.state", "blocked"),
    ),
    cell("view-classes", Form::Number, "jvm.class.count"),
    cell("view-safepoint-share", Form::Share, "jvm.safepoint.time"),
];

pub(super) const WEB_SERVER: &[Cell] = &[
    cell("view-busy", Form::Number, "tomcat.thread.busy.count").limit("tomcat.thread.limit"),
    cell("view-connections", Form::Number, "tomcat.connection.count")
        .limit("tomcat.connection.limit"),
    cell("view-sessions", Form::Number, "tomcat.session.active.count"),
    cell("view-requests", Form::PerSecond, "tomcat.request.count"),
    cell("view-errors", Form::PerSecond, "tomcat.error.count"),
    cell(
        "view-mean",
        Form::Milliseconds,
        "tomcat.request.duration.sum",
    )
    .per("tomcat.request.count"),
    cell("view-busy", Form::Number, "jetty.thread.busy.count").limit("jetty.thread.limit"),
    cell("view-queued", Form::Number, "jetty.thread.queue.size"),
    cell("view-connections", Form::Number, "jetty.connection.count"),
    cell("view-busy", Form::Number, "undertow.thread.busy.count").limit("undertow.thread.limit"),
    cell("view-threads", Form::Number, "undertow.thread.count").limit("undertow.thread.limit"),
    cell("view-queued", Form::Number, "undertow.thread.queue.size"),
    cell(
        "view-connections",
        Form::Number,
        "undertow.connection.count",
    ),
    cell("view-requests", Form::PerSecond, "undertow.request.count"),
    cell("view-errors", Form::PerSecond, "undertow.error.count"),
];

pub(super) const POOL: &[Cell] = &[
    by(
        "view-used",
        Form::Number,
        "db.client.connection.count",
        ("db.client.connection.state", "used"),
    )
    .limit("db.client.connection.max"),
    by(
        "view-idle",
        Form::Number,
        "db.client.connection.count",
        ("db.client.connection.state", "idle"),
    ),
    cell(
        "view-pending",
        Form::Number,
        "db.client.connection.pending_requests",
    ),
    cell(
        "view-use-mean",
        Form::Milliseconds,
        "db.client.connection.use_time.sum",
    )
    .per("db.client.connection.use_time.count"),
    cell(
        "view-wait-mean",
        Form::Milliseconds,
        "db.client.connection.wait_time.sum",
    )
    .per("db.client.connection.wait_time.count"),
    cell(
        "view-timeouts",
        Form::PerSecond,
        "db.client.connection.timeouts",
    ),
];

pub(super) const APPLICATION: &[Cell] = &[
    cell(
        "view-requests",
        Form::PerSecond,
        "http.server.request.duration.count",
    ),
    cell(
        "view-mean",
        Form::Milliseconds,
        "http.server.request.duration.sum",
    )
    .per("http.server.request.duration.count"),
    cell("view-log-events", Form::PerSecond, "logging.events"),
];

pub(super) const CLIENT: &[Cell] = &[
    cell(
        "view-requests",
        Form::PerSecond,
        "http.client.request.duration.count",
    ),
    cell(
        "view-mean",
        Form::Milliseconds,
        "http.client.request.duration.sum",
    )
    .per("http.client.request.duration.count"),
    cell(
        "view-commands",
        Form::PerSecond,
        "db.client.operation.duration.count",
    ),
    cell(
        "view-command-mean",
        Form::Milliseconds,
        "db.client.operation.duration.sum",
    )
    .per("db.client.operation.duration.count"),
];

pub(super) const PROXY: &[Cell] = &[
    cell("view-requests", Form::PerSecond, "nginx.requests"),
    by(
        "view-connections",
        Form::Number,
        "nginx.connections_current",
        ("nginx.connection.state", "active"),
    ),
    by(
        "view-waiting",
        Form::Number,
        "nginx.connections_current",
        ("nginx.connection.state", "waiting"),
    ),
    cell(
        "view-mean",
        Form::Milliseconds,
        "nginx.request.duration.sum",
    )
    .per("nginx.request.duration.count"),
    cell(
        "view-upstream-mean",
        Form::Milliseconds,
        "nginx.upstream.duration.sum",
    )
    .per("nginx.upstream.duration.count"),
    cell("view-errors", Form::PerSecond, "nginx.error_log.events"),
];

pub(super) const DATABASE: &[Cell] = &[
    cell("view-queries", Form::PerSecond, "mysql.query.count"),
    cell("view-slow", Form::PerSecond, "mysql.query.slow.count"),
    by(
        "view-running",
        Form::Number,
        "mysql.threads",
        ("mysql.thread.kind", "running"),
    ),
    by(
        "view-connected",
        Form::Number,
        "mysql.threads",
        ("mysql.thread.kind", "connected"),
    ),
    by(
        "view-scanned",
        Form::PerSecond,
        "mysql.handlers",
        ("mysql.handler", "read_rnd_next"),
    ),
    by(
        "view-by-key",
        Form::PerSecond,
        "mysql.handlers",
        ("mysql.handler", "read_key"),
    ),
    cell("view-lock-waits", Form::PerSecond, "mysql.row_locks.waits"),
];

pub(super) const CACHE: &[Cell] = &[
    cell("view-commands", Form::PerSecond, "redis.commands.processed"),
    cell("view-clients", Form::Number, "redis.clients.connected"),
    cell("view-hits", Form::PerSecond, "redis.keyspace.hits"),
    cell("view-misses", Form::PerSecond, "redis.keyspace.misses"),
    cell("view-memory", Form::Bytes, "redis.memory.used"),
    cell("view-cpu", Form::Share, "redis.cpu.time"),
];

pub(super) const WATCHER: &[Cell] = &[
    cell("view-own-cpu", Form::Share, "plimsoll.watch.cpu.time"),
    cell("view-agent-cpu", Form::Share, "plimsoll.agent.cpu.time"),
    cell(
        "view-clock-offset",
        Form::Milliseconds,
        "plimsoll.clock.offset",
    ),
    cell(
        "view-clock-error",
        Form::Milliseconds,
        "plimsoll.clock.error",
    ),
];
