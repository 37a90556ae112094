//! Whether a goal is met.

use serde::{Deserialize, Serialize};

use super::{Goal, GoalMetric};
use crate::aggregate::error_rate;
use crate::{Aggregate, Histogram, LabelInterval};

/// A goal and what was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalResult {
    /// The goal in its normal form.
    pub goal: String,
    /// What was observed, in the goal's unit; null without any sample.
    pub observed: Option<f64>,
    /// The unit of `observed`.
    pub unit: String,
    /// Whether the goal is met. Without any sample no goal is.
    pub met: bool,
}

/// Evaluates a goal over an aggregate.
///
/// ```
/// use plimsoll_stats::{Aggregate, Goal, Window, goal::evaluate};
///
/// let goal = Goal::parse("p95 < 300 ms").unwrap();
/// let nothing = Aggregate::new(Window::new(0.0, 60.0));
/// assert!(!evaluate(&goal, &nothing).met, "without a sample no goal is");
/// ```
pub fn evaluate(goal: &Goal, aggregate: &Aggregate) -> GoalResult {
    let sum = match &goal.label {
        None => Some(aggregate.total()),
        Some(name) => aggregate.by_name(name),
    };
    let observed = sum
        .and_then(|sum| observe(goal, &sum, aggregate))
        .map(|value| value / goal.unit.factor());
    GoalResult {
        goal: goal.to_string(),
        observed,
        unit: goal.unit.text().to_owned(),
        met: observed.is_some_and(|observed| goal.op.holds(observed, goal.value)),
    }
}

/// In the base unit; `None` if there are no samples to look at.
fn observe(goal: &Goal, sum: &LabelInterval, aggregate: &Aggregate) -> Option<f64> {
    if sum.samples() == 0 {
        return None;
    }
    let of_times = |pick: fn(&Histogram) -> f64| time(goal, sum, pick);
    match goal.metric {
        GoalMetric::Errors => Some(error_rate(sum)),
        GoalMetric::Throughput => {
            let tail = aggregate.tail_by_name(goal.label.as_deref());
            let ended = match goal.ok_only {
                true => sum.ok.count().saturating_sub(tail.ok),
                false => sum.samples().saturating_sub(tail.samples),
            };
            Some(aggregate.per_second(ended))
        }
        GoalMetric::Mean => of_times(Histogram::mean_ns),
        GoalMetric::Min => of_times(|h| h.min_ns() as f64),
        GoalMetric::Max => of_times(|h| h.max_ns() as f64),
        GoalMetric::Percentile(p) => {
            let times = times(goal, sum);
            (!times.is_empty()).then(|| times.percentile_ns(p / 100.0) as f64)
        }
    }
}

fn time(goal: &Goal, sum: &LabelInterval, pick: fn(&Histogram) -> f64) -> Option<f64> {
    let times = times(goal, sum);
    (!times.is_empty()).then(|| pick(&times))
}

fn times(goal: &Goal, sum: &LabelInterval) -> Histogram {
    if goal.ok_only {
        sum.ok_response().clone()
    } else {
        sum.all_response()
    }
}
