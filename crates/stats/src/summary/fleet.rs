//! How several load hosts made a load.

use serde::{Deserialize, Serialize};

use crate::generator::ReasonKind;

/// How several load hosts made one load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetSummary {
    /// How many shares the load was divided into.
    pub shares: u32,
    /// Each worker ran the whole plan.
    pub each: bool,
    /// The workers.
    pub workers: Vec<FleetWorker>,
    /// Load that was planned and not made.
    pub missing: Vec<MissingLoad>,
    /// Samples that may be lost.
    pub lost: Vec<LostSamples>,
    /// Arrivals that were withheld without a lease or after a pause.
    pub withheld: u64,
}

/// One of several load hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetWorker {
    /// Its name.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Shares it worked on, from 1.
    pub shares: Vec<u32>,
    /// Its time of day less the controller's.
    pub clock_offset_ms: f64,
    /// Its clock was always known to within this.
    pub clock_error_ms: f64,
    /// Each measurement of its clock, in the order of time; of a run of many hours some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<ClockMeasured>,
    /// Whether its generator was the bottleneck.
    pub limited: bool,
    /// Why it was.
    pub reasons: Vec<ReasonKind>,
    /// Highest share of its allowed CPU that a load thread used in a second, 0 to 1.
    pub peak_cpu_share: f64,
}

/// One measurement of a load host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockMeasured {
    /// When, seconds since the run's start; before it: negative.
    pub at_s: f64,
    /// The host's time of day less the controller's.
    pub offset_ms: f64,
    /// It was known to within this.
    pub error_ms: f64,
}

/// A share of the load that nobody made for a while.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MissingLoad {
    /// The worker that should have made it.
    pub worker: String,
    /// Which share, from 1.
    pub share: u32,
    /// Of how many equal ones.
    pub of_shares: u32,
    /// Since when, seconds since the run's start.
    pub from_s: f64,
    /// Until when.
    pub to_s: f64,
}

/// Samples that a worker may have taken with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LostSamples {
    /// The worker.
    pub worker: String,
    /// Since when, seconds since the run's start.
    pub from_s: f64,
    /// Until when.
    pub to_s: f64,
    /// How many there can be at most.
    pub at_most: u64,
}
