//! What became of a load that was raised or lowered at the end of its run.

use serde::{Deserialize, Serialize};

/// The load was raised at its end to see what room there is, or lowered to see whether requests wait for each other. These seconds are no part of the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProbeSummary {
    /// Where the result ends, seconds since the run's start.
    pub from_s: f64,
    /// The load before, and each that it was changed to, in order.
    pub levels: Vec<ProbeLevel>,
}

/// One load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProbeLevel {
    /// So many times the load of before: 1, 1.1, 1.5; or 1, 0.5. Users are whole, so that few of them are changed
    /// by more or less.
    pub load: f64,
    /// The whole seconds that count, since the run's start.
    pub from_s: u64,
    /// The one after the last.
    pub to_s: u64,
    /// Requests that ended, a second.
    pub throughput_per_s: f64,
    /// Their mean response time, ms; 0 without any.
    pub response_ms: f64,
}
