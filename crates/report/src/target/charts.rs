//! What is drawn of each kind of thing. A chart is drawn when the run has one of its series.

use plimsoll_stats::names::attributes::AttributeName;
use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::EntityKind;

/// A chart.
pub(super) struct Chart {
    pub(super) kind: EntityKind,
    /// Text id of its title.
    pub(super) title: &'static str,
    /// Its unit as shown; `/s` is put into the reader's language.
    pub(super) unit: &'static str,
    pub(super) lines: &'static [ChartLine],
}

/// One line, or one for each value of an attribute.
pub(super) struct ChartLine {
    /// The series' name.
    pub(super) series: SeriesName,
    /// Only series with this attribute's value.
    pub(super) only: Option<(AttributeName, &'static str)>,
    /// A line for each value of this attribute; the others are summed.
    pub(super) by: Option<AttributeName>,
    /// Averaged over the series of a line instead of summed.
    pub(super) mean: bool,
    /// From the series' unit to the chart's.
    pub(super) scale: f64,
    /// Text id of the line's name; lines of an attribute bear its value.
    pub(super) name: &'static str,
}

const fn line(series: SeriesName, name: &'static str) -> ChartLine {
    ChartLine {
        series,
        only: None,
        by: None,
        mean: false,
        scale: 1.0,
        name,
    }
}

impl ChartLine {
    const fn by(self, attribute: AttributeName) -> Self {
        Self {
            by: Some(attribute),
            ..self
        }
    }

    const fn only(self, attribute: AttributeName, value: &'static str) -> Self {
        Self {
            only: Some((attribute, value)),
            ..self
        }
    }

    const fn mean(self) -> Self {
        Self { mean: true, ..self }
    }

    const fn scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }
}

const fn chart(
    kind: EntityKind,
    title: &'static str,
    unit: &'static str,
    lines: &'static [ChartLine],
) -> Chart {
    Chart {
        kind,
        title,
        unit,
        lines,
    }
}

/// The charts in which most bottlenecks show, the first ones first.
const FIRST: &[(EntityKind, &str)] = &[
    (Process, "target-process-cpu"),
    (Host, "target-cpu"),
    (WebServer, "target-workers"),
    (WebServer, "target-processes"),
    (Pool, "target-pool"),
    (Jvm, "target-heap"),
    (Jvm, "target-gc"),
    (Proxy, "target-queues"),
    (Application, "target-executor-queues"),
    (Database, "target-threads"),
    (Database, "target-database-waits"),
    (Database, "target-row-locks"),
    (Cache, "target-main-thread"),
    (Host, "target-run-queue"),
    (Host, "target-accept-queues"),
    (Process, "target-accept-queues"),
    (Host, "target-disk-busy"),
    (Pool, "target-pool-wait"),
    (Process, "target-process-memory"),
    (Host, "target-memory"),
    (Proxy, "target-connections"),
];

impl Chart {
    /// Its place among those that matter most.
    pub(super) fn rank(&self) -> usize {
        let mut first = FIRST.iter();
        let place = first.position(|(kind, title)| *kind == self.kind && *title == self.title);
        place.unwrap_or(FIRST.len())
    }
}

const MIB: f64 = 1.0 / 1_048_576.0;
const PERCENT: f64 = 100.0;
const MS: f64 = 1_000.0;

use EntityKind::{Application, Cache, Database, Host, Jvm, Pool, Process, Proxy, WebServer};

/// As Micrometer calls it.
const EXECUTOR_NAME: AttributeName = AttributeName("executor.name");
const ACCEPT_QUEUES: ChartLine = line(names::host::LISTEN_QUEUE, "").by(attributes::SERVER_PORT);

/// All charts, in the order in which they are shown.
pub(super) static CHARTS: &[Chart] = &[
    chart(
        Host,
        "target-cpu",
        "%",
        &[line(names::host::CPU_TIME, "")
            .by(attributes::CPU_MODE)
            .mean()
            .scale(PERCENT)],
    ),
    chart(
        Host,
        "target-run-queue",
        "",
        &[
            line(names::host::RUN_QUEUE, "target-running"),
            line(names::host::BLOCKED, "target-blocked"),
        ],
    ),
    chart(
        Host,
        "target-memory",
        "MiB",
        &[
            line(names::host::MEMORY_AVAILABLE, "target-available").scale(MIB),
            line(names::host::SWAP_USAGE, "target-swap")
                .only(attributes::SYSTEM_PAGING_STATE, "used")
                .scale(MIB),
        ],
    ),
    chart(
        Host,
        "target-disk-busy",
        "%",
        &[line(names::host::DISK_IO_TIME, "")
            .by(attributes::SYSTEM_DEVICE)
            .scale(PERCENT)],
    ),
    chart(
        Host,
        "target-network",
        "MiB/s",
        &[line(names::host::NETWORK_IO, "")
            .by(attributes::NETWORK_IO_DIRECTION)
            .scale(MIB)],
    ),
    chart(
        Host,
        "target-tcp",
        "",
        &[line(names::host::CONNECTIONS, "").by(attributes::NETWORK_CONNECTION_STATE)],
    ),
    chart(Host, "target-accept-queues", "", &[ACCEPT_QUEUES]),
    chart(
        Host,
        "target-tcp-trouble",
        "/s",
        &[
            line(names::host::TCP_RETRANSMITS, "target-retransmits"),
            line(names::host::TCP_LISTEN_OVERFLOWS, "target-overflows"),
        ],
    ),
    chart(
        Process,
        "target-process-cpu",
        "%",
        &[line(names::process::CPU_TIME, "")
            .by(attributes::CPU_MODE)
            .scale(PERCENT)],
    ),
    chart(
        Process,
        "target-process-memory",
        "MiB",
        &[line(names::process::MEMORY, "target-memory-used").scale(MIB)],
    ),
    chart(Process, "target-accept-queues", "", &[ACCEPT_QUEUES]),
    chart(
        Process,
        "target-switches",
        "/s",
        &[line(names::process::CONTEXT_SWITCHES, "").by(attributes::PROCESS_CONTEXT_SWITCH_TYPE)],
    ),
    chart(
        Jvm,
        "target-heap",
        "MiB",
        &[
            line(names::jvm::MEMORY_USED, "target-memory-used")
                .only(attributes::JVM_MEMORY_TYPE, "heap")
                .scale(MIB),
            line(names::jvm::MEMORY_USED_AFTER_LAST_GC, "target-after-gc")
                .only(attributes::JVM_MEMORY_TYPE, "heap")
                .scale(MIB),
        ],
    ),
    chart(
        Jvm,
        "target-gc",
        "%",
        &[line(names::jvm::GC_PAUSE_TIME, "target-gc-share").scale(PERCENT)],
    ),
    chart(
        Jvm,
        "target-threads",
        "",
        &[line(names::jvm::THREAD_COUNT, "").by(attributes::JVM_THREAD_STATE)],
    ),
    chart(
        WebServer,
        "target-workers",
        "",
        &[
            line(names::web_server::TOMCAT_BUSY, "target-busy"),
            line(names::web_server::TOMCAT_THREADS, "target-current"),
            line(names::web_server::TOMCAT_THREAD_LIMIT, "target-limit"),
            line(names::web_server::JETTY_BUSY, "target-busy"),
            line(names::web_server::JETTY_THREADS, "target-current"),
            line(names::web_server::JETTY_THREAD_LIMIT, "target-limit"),
            line(names::web_server::JETTY_QUEUE, "target-pending"),
            line(names::web_server::UNDERTOW_BUSY, "target-busy"),
            line(names::web_server::UNDERTOW_THREADS, "target-current"),
            line(names::web_server::UNDERTOW_THREAD_LIMIT, "target-limit"),
            line(names::web_server::UNDERTOW_QUEUE, "target-pending"),
        ],
    ),
    chart(
        WebServer,
        "target-connections",
        "",
        &[
            line(names::web_server::TOMCAT_CONNECTIONS, "target-open"),
            line(names::web_server::TOMCAT_KEEP_ALIVE, "target-keep-alive"),
            line(names::web_server::TOMCAT_SESSIONS, "target-sessions"),
            line(names::web_server::JETTY_CONNECTIONS, "target-open"),
            line(names::web_server::UNDERTOW_CONNECTIONS, "target-open"),
        ],
    ),
    chart(
        WebServer,
        "target-processes",
        "",
        &[
            line(names::php_fpm::ACTIVE, "target-busy"),
            line(names::php_fpm::LIMIT, "target-limit"),
            line(names::php_fpm::QUEUE, "target-pending"),
        ],
    ),
    chart(
        Pool,
        "target-pool",
        "",
        &[
            line(names::pool::CONNECTIONS, "").by(attributes::DB_CLIENT_CONNECTION_STATE),
            line(names::pool::PENDING, "target-pending"),
            line(names::pool::MAX, "target-limit"),
        ],
    ),
    chart(
        Pool,
        "target-pool-wait",
        "ms",
        &[
            line(names::pool::WAIT_MAX, "target-longest-wait").scale(MS),
            line(names::pool::USE_MAX, "target-longest-use").scale(MS),
        ],
    ),
    chart(
        Application,
        "target-executor-queues",
        "",
        &[line(names::application::EXECUTOR_QUEUED, "").by(EXECUTOR_NAME)],
    ),
    chart(
        Proxy,
        "target-connections",
        "",
        &[line(names::nginx::CONNECTIONS, "").by(attributes::NGINX_CONNECTION_STATE)],
    ),
    chart(
        Proxy,
        "target-requests",
        "/s",
        &[line(names::nginx::REQUESTS, "target-requests-line")],
    ),
    chart(
        Proxy,
        "target-queues",
        "",
        &[line(names::haproxy::QUEUED, "").by(attributes::HAPROXY_PROXY_NAME)],
    ),
    chart(
        Proxy,
        "target-sessions-open",
        "",
        // A session of a backend is one of its server, too.
        &[line(names::haproxy::SESSIONS, "")
            .only(attributes::HAPROXY_SERVICE_NAME, "FRONTEND")
            .by(attributes::HAPROXY_PROXY_NAME)],
    ),
    chart(
        Database,
        "target-threads",
        "",
        &[
            line(names::mysql::THREADS, "target-running")
                .only(attributes::MYSQL_THREAD_KIND, "running"),
            line(names::mysql::THREADS, "target-open")
                .only(attributes::MYSQL_THREAD_KIND, "connected"),
            line(names::postgresql::BACKENDS, "target-running")
                .only(attributes::POSTGRESQL_STATE, "active"),
            line(names::postgresql::CONNECTIONS, "target-open"),
        ],
    ),
    chart(
        Database,
        "target-queries",
        "/s",
        &[line(names::mysql::QUERIES, "target-queries-line")],
    ),
    chart(
        Database,
        "target-transactions",
        "/s",
        &[
            line(names::postgresql::COMMITS, "target-commits"),
            line(names::postgresql::ROLLBACKS, "target-rollbacks"),
        ],
    ),
    chart(
        Database,
        "target-database-waits",
        "",
        &[line(names::postgresql::BACKENDS, "").by(attributes::POSTGRESQL_WAIT_EVENT_TYPE)],
    ),
    chart(
        Database,
        "target-row-locks",
        "",
        &[line(names::mysql::ROW_LOCK_CURRENT, "target-pending")],
    ),
    chart(
        Cache,
        "target-main-thread",
        "%",
        &[line(names::redis::MAIN_CPU_TIME, "")
            .by(attributes::CPU_MODE)
            .scale(PERCENT)],
    ),
    chart(
        Cache,
        "target-commands",
        "/s",
        &[line(names::redis::COMMANDS, "target-commands-line")],
    ),
    chart(
        Cache,
        "target-clients",
        "",
        &[line(names::redis::CLIENTS, "target-open")],
    ),
];

#[cfg(test)]
mod tests {
    use super::{AttributeName, CHARTS};

    /// Made from the names themselves, and compared with them by a test of the watcher.
    const SERIES: &str = include_str!("../../../../docs/series.md");

    #[test]
    fn what_matters_most_is_a_chart() {
        let of = |chart: &super::Chart| (chart.kind, chart.title);
        for first in super::FIRST {
            assert!(CHARTS.iter().any(|chart| of(chart) == *first), "{first:?}");
        }
    }

    #[test]
    fn charts_draw_series_that_there_are() {
        for line in CHARTS.iter().flat_map(|chart| chart.lines) {
            let row = format!("\n| `{}` | ", line.series.name);
            assert!(SERIES.contains(&row), "{}", line.series.name);
            let attributes = line.by.iter().chain(line.only.iter().map(|(name, _)| name));
            for AttributeName(attribute) in attributes {
                assert!(SERIES.contains(&format!("`{attribute}`")), "{attribute}");
            }
        }
    }
}
