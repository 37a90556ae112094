//! What a label did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::times::{LabelPhases, Times};
use crate::{ErrorKind, LabelKind};

/// What one label did, or all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelSummary {
    /// Name of the label; `total` for all requests together.
    pub label: String,
    /// Request, transaction or part of a request.
    pub kind: LabelKind,
    /// The label it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Number of samples, failed ones included.
    pub samples: u64,
    /// Number of failed samples.
    pub errors: u64,
    /// Failed samples in all samples, 0 to 1; 0 without samples.
    #[serde(alias = "error_share")]
    pub error_rate: f64,
    /// Arrivals that could not begin, since all users allowed were busy.
    #[serde(alias = "not_started")]
    pub dropped_iterations: u64,
    /// Requests cut off by the end; not in samples.
    pub cut_off: u64,
    /// Requests that were sent again on a new connection; each is one sample.
    #[serde(default)]
    pub resent: u64,
    /// Samples that ended in the window, divided by its length.
    pub throughput_per_s: f64,
    /// Samples that began in the load and ended after it; in all figures but the throughput.
    #[serde(default)]
    pub ended_after_load: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// From the intended start, all samples.
    pub response_time_ms: Times,
    /// From the actual start, all samples.
    pub service_time_ms: Times,
    /// From the intended start, successes only.
    pub ok_response_time_ms: Times,
    /// The parts of the service time.
    pub phases: LabelPhases,
    /// Failed samples by kind.
    pub errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Samples by response code; empty text = no response.
    pub status_codes: BTreeMap<String, u64>,
}

impl LabelSummary {
    /// Whether any of its samples succeeded.
    pub const fn any_success(&self) -> bool {
        self.samples > self.errors
    }
}
