//! The summary of a run, as JSON consumers see it.
//!
//! Field names are relied on by others (`schema/summary.schema.json`): add,
//! never rename. Times are milliseconds with a resolution of 1 µs.

mod changed;
mod fleet;
mod generator;
mod label;
mod probe;
mod times;
mod verdict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ErrorKind;
use crate::failures::FailureGroup;
use crate::goal::GoalResult;

pub use changed::LoadChanged;
pub use fleet::{ClockMeasured, FleetSummary, FleetWorker, LostSamples, MissingLoad};
pub use generator::GeneratorSummary;
pub use label::LabelSummary;
pub use probe::{ProbeLevel, ProbeSummary};
pub use times::{LabelPhases, PhaseTimes, Times, ms};
pub use verdict::{NO_SUCCESS, NOT_KEPT, Outcome, Verdict, worst_exit_code};

/// Version of the summary's schema; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// The summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name of the run.
    pub run: String,
    /// Name of the plan.
    pub plan: String,
    /// Start of the run, RFC 3339.
    pub started_at: String,
    /// Length of the measured window.
    pub duration_s: f64,
    /// Left out at the start.
    pub warm_up_s: f64,
    /// How it ended.
    pub verdict: Verdict,
    /// The process's exit code.
    pub exit_code: u8,
    /// How the load generator did.
    pub generator: GeneratorSummary,
    /// All users' requests together.
    pub total: LabelSummary,
    /// Every label by itself.
    pub labels: Vec<LabelSummary>,
    /// Errors of the total by kind.
    pub errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Codes of the total.
    pub status_codes: BTreeMap<String, u64>,
    /// What failed, by label, kind, code and message; absent from runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FailureGroup>,
    /// The goals' results.
    pub goals: Vec<GoalResult>,
    /// The plan's scenarios, if it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<ScenarioSummary>,
    /// What the load was changed to while the run went on, in order; absent if it was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_changes: Vec<LoadChanged>,
    /// What became of the load when it was raised or lowered at its end; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeSummary>,
    /// The load hosts, when there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetSummary>,
}

/// What a scenario of the plan was meant to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioSummary {
    /// Its name.
    pub name: String,
    /// Its load in words, e.g. "closed, 200 users for 10 min".
    pub load: String,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
