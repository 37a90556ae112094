//! What is drawn of each kind of thing. A chart is drawn when the run has one of its series.

use plimsoll_stats::series::EntityKind;

/// A chart.
pub(super) struct Chart {
    pub(super) kind: EntityKind,
    /// Text id of its title.
    pub(super) title: &'static str,
    /// Its unit as shown; `/s` is put into the reader's language.
    pub(super) unit: &'static str,
    pub(super) lines: &'static [Line],
}

/// One line, or one for each value of an attribute.
pub(super) struct Line {
    /// The series' name.
    pub(super) series: &'static str,
    /// Only series with this attribute's value.
    pub(super) only: Option<(&'static str, &'static str)>,
    /// A line for each value of this attribute; the others are summed.
    pub(super) by: Option<&'static str>,
    /// Averaged over the series of a line instead of summed.
    pub(super) mean: bool,
    /// From the series' unit to the chart's.
    pub(super) scale: f64,
    /// Text id of the line's name; lines of an attribute bear its value.
    pub(super) name: &'static str,
}

const fn line(series: &'static str, name: &'static str) -> Line {
    Line {
        series,
        only: None,
        by: None,
        mean: false,
        scale: 1.0,
        name,
    }
}

impl Line {
    const fn by(self, attribute: &'static str) -> Self {
        Self {
            by: Some(attribute),
            ..self
        }
    }

    const fn only(self, attribute: &'static str, value: &'static str) -> Self {
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
    lines: &'static [Line],
) -> Chart {
    Chart {
        kind,
        title,
        unit,
        lines,
    }
}

const MIB: f64 = 1.0 / 1_048_576.0;
const PERCENT: f64 = 100.0;
const MS: f64 = 1_000.0;

use EntityKind::{Cache, Database, Host, Jvm, Pool, Process, Proxy, WebServer};

/// All charts, in the order in which they are shown.
pub(super) static CHARTS: &[Chart] = &[
    chart(
        Host,
        "target-cpu",
        "%",
        &[line("system.cpu.time", "")
            .by("cpu.mode")
            .mean()
            .scale(PERCENT)],
    ),
    chart(
        Host,
        "target-run-queue",
        "",
        &[
            line("system.cpu.run_queue", "target-running"),
            line("system.cpu.blocked", "target-blocked"),
        ],
    ),
    chart(
        Host,
        "target-memory",
        "MiB",
        &[
            line("system.linux.memory.available", "target-available").scale(MIB),
            line("system.paging.usage", "target-swap")
                .only("system.paging.state", "used")
                .scale(MIB),
        ],
    ),
    chart(
        Host,
        "target-disk-busy",
        "%",
        &[line("system.disk.io_time", "")
            .by("system.device")
            .scale(PERCENT)],
    ),
    chart(
        Host,
        "target-network",
        "MiB/s",
        &[line("system.network.io", "")
            .by("network.io.direction")
            .scale(MIB)],
    ),
    chart(
        Host,
        "target-tcp",
        "",
        &[line("system.network.connection.count", "").by("network.connection.state")],
    ),
    chart(
        Host,
        "target-tcp-trouble",
        "/s",
        &[
            line("system.tcp.retransmits", "target-retransmits"),
            line("system.tcp.listen.overflows", "target-overflows"),
        ],
    ),
    chart(
        Process,
        "target-process-cpu",
        "%",
        &[line("process.cpu.time", "").by("cpu.mode").scale(PERCENT)],
    ),
    chart(
        Process,
        "target-process-memory",
        "MiB",
        &[line("process.memory.usage", "target-memory-used").scale(MIB)],
    ),
    chart(
        Process,
        "target-switches",
        "/s",
        &[line("process.context_switches", "").by("process.context_switch.type")],
    ),
    chart(
        Jvm,
        "target-heap",
        "MiB",
        &[
            line("jvm.memory.used", "target-memory-used")
                .only("jvm.memory.type", "heap")
                .scale(MIB),
            line("jvm.memory.used_after_last_gc", "target-after-gc")
                .only("jvm.memory.type", "heap")
                .scale(MIB),
        ],
    ),
    chart(
        Jvm,
        "target-gc",
        "%",
        &[line("jvm.gc.pause.time", "target-gc-share").scale(PERCENT)],
    ),
    chart(
        Jvm,
        "target-threads",
        "",
        &[line("jvm.thread.count", "").by("jvm.thread.state")],
    ),
    chart(
        WebServer,
        "target-workers",
        "",
        &[
            line("tomcat.thread.busy.count", "target-busy"),
            line("tomcat.thread.count", "target-current"),
            line("tomcat.thread.limit", "target-limit"),
            line("jetty.thread.busy.count", "target-busy"),
            line("jetty.thread.count", "target-current"),
            line("jetty.thread.limit", "target-limit"),
            line("jetty.thread.queue.size", "target-pending"),
            line("undertow.thread.busy.count", "target-busy"),
            line("undertow.thread.count", "target-current"),
            line("undertow.thread.limit", "target-limit"),
            line("undertow.thread.queue.size", "target-pending"),
        ],
    ),
    chart(
        WebServer,
        "target-connections",
        "",
        &[
            line("tomcat.connection.count", "target-open"),
            line("tomcat.connection.keep_alive.count", "target-keep-alive"),
            line("tomcat.session.active.count", "target-sessions"),
            line("jetty.connection.count", "target-open"),
            line("undertow.connection.count", "target-open"),
        ],
    ),
    chart(
        Pool,
        "target-pool",
        "",
        &[
            line("db.client.connection.count", "").by("db.client.connection.state"),
            line("db.client.connection.pending_requests", "target-pending"),
            line("db.client.connection.max", "target-limit"),
        ],
    ),
    chart(
        Pool,
        "target-pool-wait",
        "ms",
        &[
            line("db.client.connection.wait_time.max", "target-longest-wait").scale(MS),
            line("db.client.connection.use_time.max", "target-longest-use").scale(MS),
        ],
    ),
    chart(
        Proxy,
        "target-connections",
        "",
        &[line("nginx.connections_current", "").by("nginx.connection.state")],
    ),
    chart(
        Proxy,
        "target-requests",
        "/s",
        &[line("nginx.requests", "target-requests-line")],
    ),
    chart(
        Database,
        "target-threads",
        "",
        &[
            line("mysql.threads", "target-running").only("mysql.thread.kind", "running"),
            line("mysql.threads", "target-open").only("mysql.thread.kind", "connected"),
        ],
    ),
    chart(
        Database,
        "target-queries",
        "/s",
        &[line("mysql.query.count", "target-queries-line")],
    ),
    chart(
        Cache,
        "target-commands",
        "/s",
        &[line("redis.commands.processed", "target-commands-line")],
    ),
    chart(
        Cache,
        "target-clients",
        "",
        &[line("redis.clients.connected", "target-open")],
    ),
];

#[cfg(test)]
mod tests {
    use super::CHARTS;

    /// Made from the names themselves, and compared with them by a test of the watcher.
    const SERIES: &str = include_str!("../../../../docs/series.md");

    #[test]
    fn charts_draw_series_that_there_are() {
        for line in CHARTS.iter().flat_map(|chart| chart.lines) {
            let row = format!("\n| `{}` | ", line.series);
            assert!(SERIES.contains(&row), "{}", line.series);
            let attributes = line.by.iter().chain(line.only.iter().map(|(name, _)| name));
            for attribute in attributes {
                assert!(SERIES.contains(&format!("`{attribute}`")), "{attribute}");
            }
        }
    }
}
