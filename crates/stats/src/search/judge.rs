//! From the goals of a measurement to what the search is told.

use super::LoadOutcome;
use crate::goal::{GoalResult, evaluate};
use crate::{Aggregate, Goal, GoalMetric, GoalOp};

/// A ratio below this says no more than that all is well.
const LEAST_RATIO: f64 = 0.05;
/// The ratio of a goal that cannot be had at all (nothing ended; errors where none may be).
const FAR_OFF: f64 = 4.0;

/// What the goals say of one measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Each goal with what was observed, in their order.
    pub goals: Vec<GoalResult>,
    /// The goal that is nearest to being missed, or missed most.
    pub worst: usize,
    /// Its ratio and the ratio's error.
    pub outcome: LoadOutcome,
}

/// Whether a goal can be a limit of load: it must say that something may be at most so much.
#[must_use]
pub fn is_limit(goal: &Goal) -> bool {
    let most = matches!(goal.op, GoalOp::Less | GoalOp::LessOrEqual);
    most && !matches!(goal.metric, GoalMetric::Throughput | GoalMetric::Min)
}

/// Judges a measurement: the goals over all of it; how much they scatter from the `batches`
/// it consists of. `None` without goals.
#[must_use]
pub fn judge(goals: &[Goal], whole: &Aggregate, batches: &[Aggregate]) -> Option<Judged> {
    let results: Vec<GoalResult> = goals.iter().map(|goal| evaluate(goal, whole)).collect();
    let ratios: Vec<f64> = goals
        .iter()
        .zip(&results)
        .map(|(g, r)| ratio(g, r))
        .collect();
    let worst = (0..goals.len()).max_by(|a, b| ratios[*a].total_cmp(&ratios[*b]))?;
    let outcome = LoadOutcome {
        ratio: ratios[worst],
        error: scatter(&goals[worst], ratios[worst], whole, batches),
        ..LoadOutcome::default()
    };
    Some(Judged {
        goals: results,
        worst,
        outcome,
    })
}

/// The observed value by its limit; above 1 exactly if the goal is missed.
fn ratio(goal: &Goal, result: &GoalResult) -> f64 {
    let Some(observed) = result.observed else {
        return FAR_OFF;
    };
    let ratio = match goal.value > 0.0 {
        true => observed / goal.value,
        false if result.met => LEAST_RATIO,
        false => FAR_OFF,
    };
    let ratio = ratio.max(LEAST_RATIO);
    // At the limit itself `<` and `<=` differ.
    match (result.met, ratio > 1.0) {
        (true, true) => 1.0,
        (false, false) => 1.0 + 1e-9,
        _ => ratio,
    }
}

/// The standard error of the ratio as a share of it.
fn scatter(goal: &Goal, ratio: f64, whole: &Aggregate, batches: &[Aggregate]) -> f64 {
    if goal.metric == GoalMetric::Errors {
        // Counts scatter by their root.
        let errors = match &goal.label {
            None => whole.total().errors(),
            Some(name) => whole.by_name(name).map_or(0, |sum| sum.errors()),
        };
        return 1.0 / (errors.max(1) as f64).sqrt();
    }
    let values: Vec<f64> = batches
        .iter()
        .filter_map(|batch| evaluate(goal, batch).observed)
        .map(|observed| observed / goal.value)
        .collect();
    let n = values.len() as f64;
    if n < 2.0 || ratio <= 0.0 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (n - 1.0) / n).sqrt() / ratio
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{LabelId, LabelInfo, LabelInterval, LabelKind, Window};

    fn sum(ms: &[u64], failed: u64) -> Aggregate {
        let mut interval = LabelInterval::default();
        for ms in ms {
            interval.ok.record(ms * 1_000_000, ms * 1_000_000);
        }
        (0..failed).for_each(|_| interval.err.record(1_000_000, 1_000_000));
        let label = LabelInfo {
            id: LabelId(0),
            name: "a".to_owned(),
            kind: LabelKind::Request,
            parent: None,
        };
        let mut sum = Aggregate::new(Window::new(0.0, 10.0));
        sum.add(0, &label, &interval);
        sum
    }

    fn goals(texts: &[&str]) -> Vec<Goal> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn the_worst_goal_speaks() {
        let goals = goals(&["p95 < 300 ms", "mean < 100 ms", "errors < 50 %"]);
        let batches = [sum(&[100, 120], 0), sum(&[130, 150], 0)];
        let found = judge(&goals, &sum(&[100, 120, 130, 150], 0), &batches).unwrap();
        assert_eq!(found.worst, 1);
        assert!((found.outcome.ratio - 1.25).abs() < 0.01);
        // Means of 110 and 140: half of their distance by the mean.
        assert!((found.outcome.error - 0.12).abs() < 0.005, "{found:?}");
        assert!(found.goals[0].met && !found.goals[1].met);
        assert!(judge(&[], &sum(&[1], 0), &[]).is_none());
    }

    #[test]
    fn what_cannot_be_divided_is_judged_too() {
        let none = goals(&["errors <= 0 %"]);
        let ratio = |goals: &[Goal], sum: &Aggregate| judge(goals, sum, &[]).unwrap().outcome.ratio;
        assert!(ratio(&none, &sum(&[5], 0)) < 1.0 && ratio(&none, &sum(&[5], 1)) > 1.0);
        let slow = goals(&["p95 < 300 ms"]);
        assert!(ratio(&slow, &sum(&[], 0)) > 1.0, "nothing ended");
        // Exactly at the limit.
        let exact = goals(&["max < 5 ms"]);
        assert!(ratio(&exact, &sum(&[5], 0)) > 1.0);
        assert!(ratio(&goals(&["max <= 5 ms"]), &sum(&[5], 0)) <= 1.0);
        assert!(is_limit(&slow[0]) && !is_limit(&goals(&["throughput > 5 /s"])[0]));
        assert!(!is_limit(&goals(&["p95 > 5 ms"])[0]));
    }
}
