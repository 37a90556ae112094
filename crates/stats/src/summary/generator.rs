//! How the load generator of a run did.

use serde::{Deserialize, Serialize};

use super::times::{Times, ms};
use crate::generator::{GeneratorReason, GeneratorSecond, GeneratorVerdict, ReasonKind, Touched};

/// How the load generator did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorSummary {
    /// Whether the generator was the bottleneck.
    pub limited: bool,
    /// Why, by name.
    pub reasons: Vec<ReasonKind>,
    /// Why, with the evidence.
    #[serde(default)]
    pub reason_details: Vec<GeneratorReason>,
    /// Seen, but not enough to be the limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<GeneratorReason>,
    /// The figures of the total's response times that are the generator's to a notable part,
    /// with and without it. The figures of `total` and `labels` are as measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// The total's response times without the generator's own time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_response_time_ms: Option<Times>,
    /// How long the process stood still altogether: neither ran nor waited for a CPU.
    #[serde(default)]
    pub stopped_ms: f64,
    /// Arrivals of open loads that were given to users.
    #[serde(default)]
    pub arrivals: u64,
    /// Of these, those that left together with the one before since both were late.
    #[serde(default)]
    pub arrivals_coalesced: u64,
    /// From when requests could have been sent to when they were.
    pub send_lateness_ms: Times,
    /// From the kernel's receipt of a response to the engine's notice; absent
    /// where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_lag_ms: Option<Times>,
    /// Highest share of its allowed CPU that a load thread used in a second,
    /// 0 to 1.
    pub peak_cpu_share: f64,
}

impl GeneratorSummary {
    /// What is said of a run's generator by its seconds and how they were judged.
    pub fn new(judged: GeneratorVerdict, seconds: &[GeneratorSecond]) -> Self {
        let threads = seconds.iter().flat_map(|second| &second.threads);
        let sum = |of: fn(&GeneratorSecond) -> u64| -> u64 { seconds.iter().map(of).sum() };
        Self {
            limited: judged.limited,
            reasons: judged.reasons.iter().map(|reason| reason.kind).collect(),
            reason_details: judged.reasons,
            warnings: judged.warnings,
            touched: judged.touched,
            corrected_response_time_ms: judged.corrected,
            stopped_ms: ms(sum(|second| second.stopped_ns) as f64),
            arrivals: sum(|second| second.arrivals),
            arrivals_coalesced: sum(|second| second.coalesced),
            peak_cpu_share: threads.map(|thread| thread.cpu_share).fold(0.0, f64::max),
            ..Self::default()
        }
    }
}
