//! What a run's folder holds of a fleet, so that a controller can take the run up again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clocks::ClockFix;
use super::fleet::Missing;
use crate::share::Assignment;
use crate::wire::Announce;

/// The note that holds a [`StoredRun`].
pub const RUN: &str = "run";

/// The note that holds what an assignment calls its labels.
#[must_use]
pub fn labels_key(assignment: u32) -> String {
    format!("labels.{assignment}")
}

/// The note that holds how an assignment ended.
#[must_use]
pub fn end_key(assignment: u32) -> String {
    format!("end.{assignment}")
}

/// A run over workers, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRun {
    /// The run's token.
    pub run: String,
    /// How many shares.
    pub count: u32,
    /// Each worker works on the whole plan.
    pub each: bool,
    /// Seed of the run.
    pub seed: u64,
    /// How long a lease lasts.
    pub lease_ns: u64,
    /// Zero of the run's clock on the controller's.
    pub zero_ns: u64,
    /// Shares can be joined late.
    pub may_move: bool,
    /// Teardown runs at the end.
    pub tears_down: bool,
    /// What setup found, sealed to each worker; empty: nothing.
    pub values: Vec<String>,
    /// The workers.
    pub workers: Vec<StoredWorker>,
    /// Who worked on what.
    pub assignments: Vec<Assignment>,
    /// Load that was missing.
    pub missing: Vec<Missing>,
    /// Arrivals that were withheld and made by nobody.
    pub withheld: u64,
}

/// A worker of a run, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredWorker {
    /// What it said of itself.
    pub worker: Announce,
    /// Its clock, as measured last.
    pub clock: ClockFix,
    /// The largest error its clock was known with during the run.
    pub worst_error_ns: u64,
}

/// What was taken in of the reports, when a run is taken up again.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The last report of each assignment, and the second after its last.
    pub applied: BTreeMap<u32, (u64, u64)>,
    /// Notes.
    pub notes: BTreeMap<String, String>,
    /// Seconds before this one were told.
    pub told_before: u64,
}
