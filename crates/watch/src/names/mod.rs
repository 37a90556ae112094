//! Names of series: one table an area, from which the reference is made too. They follow
//! OpenTelemetry's semantic conventions where these say something; the rest begins with the
//! system's own name (`nginx.`, `mysql.`, `redis.`, `tomcat.`, `hikaricp.`).

pub mod agent;
pub mod application;
pub mod host;
pub mod jvm;
pub mod mysql;
pub mod nginx;
pub mod pool;
pub mod process;
pub mod redis;
pub mod watcher;
pub mod web_server;

use plimsoll_stats::series::SeriesKind;

/// A series' name, unit and kind.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name.
    pub name: &'static str,
    /// The unit, UCUM.
    pub unit: &'static str,
    /// How to read it.
    pub kind: SeriesKind,
}

/// A value at a moment.
pub(crate) const fn gauge(name: &'static str, unit: &'static str) -> Metric {
    Metric {
        name,
        unit,
        kind: SeriesKind::Gauge,
    }
}

/// A sum that grows.
pub(crate) const fn counter(name: &'static str, unit: &'static str) -> Metric {
    Metric {
        name,
        unit,
        kind: SeriesKind::Counter,
    }
}
