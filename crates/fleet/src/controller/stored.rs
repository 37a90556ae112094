//! What a run's folder holds of a fleet, so that a controller can take the run up again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clocks::{self, ClockFix};
use super::fleet::UnmadeLoad;
use crate::share::Assignment;
use crate::wire::{Announce, Change};

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

/// The note that holds what [`super::fleet::Fleet::pulses`] gives.
pub const PULSES: &str = "pulses";

/// What the names of the notes begin with that hold [`ClockSeen`]s.
const CLOCKS: &str = "clocks.";

/// The note that holds measurements of clocks, `before` of which others hold.
#[must_use]
pub fn clocks_key(before: usize) -> String {
    format!("{CLOCKS}{before}")
}

/// All measurements of clocks that notes hold, in their order.
pub(super) fn clocks(notes: &BTreeMap<String, String>) -> Vec<ClockSeen> {
    let all = notes.range(CLOCKS.to_owned()..);
    let all = all.map_while(|(name, json)| Some((name.strip_prefix(CLOCKS)?, json)));
    let mut parts: Vec<(usize, Vec<ClockSeen>)> = all
        .filter_map(|(before, json)| Some((before.parse().ok()?, serde_json::from_str(json).ok()?)))
        .collect();
    parts.sort_by_key(|(before, _)| *before);
    parts.into_iter().flat_map(|(_, seen)| seen).collect()
}

/// One measurement of a worker's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockSeen {
    /// The worker, by its place among the run's workers.
    pub worker: usize,
    /// When, on the run's clock; before its zero: negative.
    pub at_ns: i64,
    /// The worker's time of day less the controller's.
    pub wall_ns: i64,
    /// It was known to within this.
    pub error_ns: u64,
}

impl ClockSeen {
    /// A measurement of that worker's; `zero_ns`: zero of the run's clock on the controller's.
    pub(super) fn of(worker: usize, fix: ClockFix, zero_ns: u64) -> Self {
        Self {
            worker,
            at_ns: clocks::signed(fix.at_ns) - clocks::signed(zero_ns),
            wall_ns: fix.wall_ns,
            error_ns: fix.error_ns,
        }
    }
}

/// What may be unsure of a clock where nothing else was said.
fn clock_error_ns() -> u64 {
    50_000_000
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
    /// A worker whose clock is known less well than this is told of.
    #[serde(default = "clock_error_ns")]
    pub clock_error_ns: u64,
    /// Zero of the run's clock on the controller's.
    pub zero_ns: u64,
    /// When the load is over by the plan, on the run's clock; none: something else than time ends it.
    #[serde(default)]
    pub load_end_ns: Option<u64>,
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
    pub missing: Vec<UnmadeLoad>,
    /// Arrivals that were withheld and made by nobody.
    pub withheld: u64,
    /// What the load was changed to, in order.
    #[serde(default)]
    pub changes: Vec<Change>,
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
