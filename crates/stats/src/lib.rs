//! Histograms, intervals, aggregates and the statistics that judge them.
//!
//! The way of a number: a load thread records a [`Sample`] into its
//! [`IntervalSet`]; once a second the set is swapped out and each
//! [`LabelInterval`] encoded; any set of intervals merges exactly into an
//! [`Aggregate`], which gives the [`summary`] and decides the [`goal`]s. Runs
//! are set against each other in [`compare`]; the loads of one run make its [`curve`], of
//! which only the [`steady`] seconds count.
//!
//! ```
//! use plimsoll_stats::{Goal, Histogram};
//!
//! let (mut first, mut second) = (Histogram::new(), Histogram::new());
//! first.record(1_500_000);
//! second.record(2_500_000);
//! let mut bytes = Vec::new();
//! second.encode(&mut bytes);
//! first.merge_encoded(&bytes).unwrap();
//! assert_eq!((first.count(), first.max_ns()), (2, 2_500_000));
//!
//! let goal = Goal::parse("checkout:ok.p95 < 300 ms").unwrap();
//! assert_eq!(goal.label.as_deref(), Some("checkout"));
//! ```
//!
//! This crate must not know plans, protocols, storage or presentation: it
//! knows no other crate of the project, does no I/O, reads no clock and has no
//! text for users (errors of goals carry their arguments, and the callers
//! translate them).

pub mod aggregate;
pub mod backlog;
pub mod batch_means;
pub mod ceiling;
pub mod coincidence;
pub mod compare;
pub mod curve;
pub mod error_kind;
pub mod failures;
pub mod generator;
pub mod goal;
pub mod hdr;
pub mod heat;
pub mod histogram;
pub mod hops;
pub mod interval;
pub mod java;
pub mod moments;
pub mod names;
pub mod sample;
pub mod search;
pub mod series;
pub mod sizing;
pub mod steady;
pub mod summary;
pub mod timeline;

mod t_test;
#[cfg(test)]
mod testing;

pub use aggregate::{Aggregate, LabelInfo, Window};
pub use batch_means::Estimate;
pub use ceiling::Ceiling;
pub use error_kind::ErrorKind;
pub use failures::{Detail, FailureGroup, FailureSample, Failures, KeptSample};
pub use generator::{
    GeneratorReason, GeneratorSecond, GeneratorVerdict, KeptOwnTime, OwnTime, ReasonKind,
    ThreadSecond, Touched, WorkerSecond, judge as judge_generator,
    judge_with as judge_generator_with,
};
pub use goal::{Goal, GoalError, GoalMetric, GoalOp, GoalResult, GoalUnit};
pub use hdr::HdrError;
pub use histogram::{DecodeError, Histogram, merge_streams};
pub use hops::HopTimes;
pub use interval::{Counts, IntervalSet, IntervalTotals, LabelInterval, Latency, PhaseSum};
pub use java::java_exception;
pub use sample::{Code, LabelId, LabelKind, Phase, Sample};
pub use summary::{
    FleetSummary, GeneratorSummary, LabelPhases, LabelSummary, Outcome, PhaseTimes,
    ScenarioSummary, Summary, Times, Verdict,
};
pub use t_test::{t_quantile as standard_errors, variance, variance_ratio_p};
pub use timeline::downsample;
