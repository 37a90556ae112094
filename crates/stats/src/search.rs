//! The search for the most load that meets its goals.
//!
//! A state machine without a clock: [`Search::next`] says which load to measure,
//! [`Search::report`] takes what came of it. First the load grows geometrically until a goal
//! is missed (*bracketing*); then the bracket is narrowed, by interpolation where that works
//! and by halving where it does not; then both ends are measured again, because one noisy
//! measurement is no proof. What a measurement says is one number: how near the goal was to
//! being missed ([`LoadOutcome::ratio`]), with its standard error.
//!
//! Interpolation knows two shapes. Users who wait for their responses (closed): beyond the knee
//! R = N · D_max − Z, a straight line over the load whose slope follows from the requests under
//! way ([`LoadOutcome::concurrency`]). Arrivals that do not wait (open): R goes like
//! 1 / (capacity − load), so the ratio's inverse is a straight line; a target that fell behind
//! has told its capacity ([`LoadOutcome::capacity`]), and nothing above is tried.

mod judge;
mod level;
mod machine;

use serde::{Deserialize, Serialize};

pub use judge::{Judged, is_limit, judge};
pub use machine::Search;

use crate::curve::LoadModel;

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// What the load is counted in; users are whole numbers.
    pub model: LoadModel,
    /// The first load.
    pub from: f64,
    /// The largest load that may be tried.
    pub to: f64,
    /// How near the ends of the result should lie, as a share.
    pub precision: f64,
    /// Measurements at most.
    pub most_measurements: u32,
    /// How often each end of the result is measured, if measurements are left.
    pub repeats: u32,
    /// Who cannot carry so much is of no interest: the search ends once that is known.
    pub reach: Option<f64>,
}

impl SearchOptions {
    /// The usual search over a range.
    #[must_use]
    pub fn new(model: LoadModel, from: f64, to: f64) -> Self {
        Self {
            model,
            from,
            to,
            precision: 0.03,
            most_measurements: 12,
            repeats: 2,
            reach: None,
        }
    }
}

/// What a measurement said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadOutcome {
    /// The worst goal's value by its limit: 1 is the limit, above is missed.
    pub ratio: f64,
    /// Standard error of the ratio, as a share of it; 0 where it is not known.
    pub error: f64,
    /// The load that the target kept up with, if it fell behind the load offered.
    pub capacity: Option<f64>,
    /// Requests under way on average (throughput times response time), if known.
    pub concurrency: Option<f64>,
}

/// Why a load is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchPhase {
    /// Looking for a load that fails, or for one that does not.
    Bracket,
    /// Closing in.
    Narrow,
    /// Making sure.
    Repeat,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchEnd {
    /// The limit lies between two loads as near as was asked for.
    Found,
    /// The goals are met at the largest load that may be tried.
    MetAtLargest,
    /// The goals are missed at the smallest load.
    MissedAtSmallest,
    /// The measurements ended first: the limit lies between two loads further apart.
    MeasurementsEnded,
    /// The limit lies below what had to be reached; how far was not looked for.
    OutOfReach,
    /// Somebody ended it: what is known so far.
    Interrupted,
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// How it ended.
    pub end: SearchEnd,
    /// The most load that meets the goals; null if none does.
    pub load: Option<f64>,
    /// Lower end of its interval; null if no load met the goals.
    pub low: Option<f64>,
    /// Upper end; null if no load missed them.
    pub high: Option<f64>,
    /// The interval's width as it was measured, as a share of its lower end; null without both
    /// ends. Not what was asked for: see [`SearchResult::precision_asked`].
    pub precision: Option<f64>,
    /// How near the ends of the result should lie.
    pub precision_asked: f64,
    /// Measurements that were made.
    pub measurements: u32,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
