//! Names of series: one table an area, from which the reference is made too. They follow
//! OpenTelemetry's semantic conventions where these say something; the rest begins with the
//! system's own name (`nginx.`, `mysql.`, `postgresql.`, `redis.`, `tomcat.`, `hikaricp.`).

pub mod agent;
pub mod application;
pub mod attributes;
pub mod facts;
pub mod haproxy;
pub mod host;
pub mod jvm;
pub mod mysql;
pub mod nginx;
pub mod pgbouncer;
pub mod php_fpm;
pub mod pool;
pub mod postgresql;
pub mod process;
pub mod redis;
pub mod watcher;
pub mod web_server;

use crate::series::SeriesKind;

/// A series' name, unit and kind. Who looks for a series asks by one of these constants, so that a
/// name that nobody emits does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesName {
    /// The name.
    pub name: &'static str,
    /// The unit, UCUM.
    pub unit: &'static str,
    /// How to read it.
    pub kind: SeriesKind,
}

impl SeriesName {
    /// One value of several that a source tells apart and we do not: extremes, limits and shares
    /// are not summed.
    #[must_use]
    pub fn merge(&self, before: f64, value: f64) -> f64 {
        let highest = [".max", ".limit", ".peak", ".health"]
            .iter()
            .any(|end| self.name.ends_with(end));
        match highest || self.unit == "1" {
            true => before.max(value),
            false => before + value,
        }
    }
}

/// A value at a moment.
pub(crate) const fn gauge(name: &'static str, unit: &'static str) -> SeriesName {
    SeriesName {
        name,
        unit,
        kind: SeriesKind::Gauge,
    }
}

/// A sum that grows.
pub(crate) const fn counter(name: &'static str, unit: &'static str) -> SeriesName {
    SeriesName {
        name,
        unit,
        kind: SeriesKind::Counter,
    }
}
