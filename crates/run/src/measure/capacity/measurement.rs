//! One measurement of a capacity search.

use plimsoll_stats::curve::{FAILING, HeldLoad};
use plimsoll_stats::search::SearchPhase;
use plimsoll_stats::{Estimate, GoalResult, Summary, Verdict};
use serde::Serialize;

/// One measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// The run's name.
    pub run: String,
    /// Why this load was measured.
    pub phase: SearchPhase,
    /// The load.
    pub load: f64,
    /// Whether all goals were met.
    pub met: bool,
    /// The worst goal's value by its limit; above 1 it was missed.
    pub ratio: f64,
    /// Standard error of the ratio, as a share of it.
    pub ratio_error: f64,
    /// Place of the worst goal in `goals`.
    pub worst_goal: usize,
    /// What was observed.
    pub goals: Vec<GoalResult>,
    /// Arrivals came faster than the target responded.
    pub fell_behind: bool,
    /// The run was stopped as soon as the goals were out of reach.
    pub stopped_early: bool,
    /// The generator was the bottleneck.
    pub generator_limited: bool,
    /// The seconds that count were steady.
    pub steady: bool,
    /// Seconds left out at the start.
    pub seconds_cut: u32,
    /// Seconds that count.
    pub seconds_used: u32,
    /// Requests per second that ended well.
    pub throughput_per_s: Estimate,
    /// Mean response time.
    pub response_time_ms: Estimate,
    /// 95th percentile of it.
    pub p95_ms: f64,
    /// Failed requests in all requests, 0 to 1.
    pub error_rate: f64,
    /// Its seconds, for the curve of all loads and to compare the mix of them; none if nothing ended.
    #[serde(skip)]
    pub held: Option<HeldLoad>,
}

impl Measurement {
    /// Of a run of which nothing is judged yet.
    #[must_use]
    pub fn of_run(summary: &Summary, phase: SearchPhase, load: f64) -> Self {
        Self {
            run: summary.run.clone(),
            phase,
            load,
            met: false,
            ratio: 0.0,
            ratio_error: 0.0,
            worst_goal: 0,
            goals: Vec::new(),
            fell_behind: false,
            stopped_early: summary.verdict == Verdict::Aborted,
            generator_limited: summary.generator.limited,
            steady: false,
            seconds_cut: 0,
            seconds_used: 0,
            throughput_per_s: Estimate::default(),
            response_time_ms: Estimate::default(),
            p95_ms: 0.0,
            error_rate: 0.0,
            held: None,
        }
    }

    /// Puts in what the steady seconds said.
    pub fn set_held(&mut self, held: HeldLoad) {
        let point = &held.measured.point;
        self.steady = point.steady;
        self.seconds_cut = point.seconds_cut;
        self.seconds_used = point.seconds_used;
        self.throughput_per_s = point.throughput_per_s;
        self.response_time_ms = point.response_time_ms;
        self.p95_ms = point.p95_ms;
        self.error_rate = point.error_rate;
        self.held = Some(held);
    }

    /// Whether it counts as missed only since nobody can tell whether the target kept up.
    #[must_use]
    pub fn is_unclear(&self) -> bool {
        let goals = self.goals.iter().all(|goal| goal.met);
        !self.met && goals && !self.fell_behind && self.error_rate <= FAILING
    }
}
