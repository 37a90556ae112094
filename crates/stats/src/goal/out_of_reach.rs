//! Whether a goal can still be met, while a measurement goes on.

use super::{Goal, GoalMetric, GoalOp};
use crate::aggregate::error_rate;
use crate::{Aggregate, Histogram};

/// The rest of a measurement may bring this many times as much as its rate so far says.
const MORE_THAN_EXPECTED: f64 = 1.2;

/// Whether a goal will be missed over `planned_s` seconds even if all requests still to come
/// are perfect, judged by what `sum` holds of the first `seen_s` seconds. Goals on throughput
/// and on the shortest time are never given up.
#[must_use]
pub fn out_of_reach(goal: &Goal, sum: &Aggregate, seen_s: f64, planned_s: f64) -> bool {
    let seen = match &goal.label {
        None => Some(sum.total()),
        Some(name) => sum.by_name(name),
    };
    let Some(seen) = seen.filter(|seen| seen.samples() > 0 && seen_s > 0.0) else {
        return false;
    };
    if !matches!(goal.op, GoalOp::Less | GoalOp::LessOrEqual) {
        return false;
    }
    let growth = (planned_s / seen_s).max(1.0) * MORE_THAN_EXPECTED;
    let limit = goal.value * goal.unit.factor();
    let times = || match goal.ok_only {
        true => seen.ok_response().clone(),
        false => seen.all_response(),
    };
    let all = |times: &Histogram| times.count() as f64 * growth;
    match goal.metric {
        GoalMetric::Errors => error_rate(&seen) > limit * growth,
        GoalMetric::Percentile(p) => {
            let times = times();
            let above = times.count_above_ns(limit as u64) as f64;
            above > all(&times) * (1.0 - p / 100.0)
        }
        GoalMetric::Mean => {
            let times = times();
            times.sum_ns() as f64 > all(&times) * limit
        }
        GoalMetric::Max => times().max_ns() as f64 > limit,
        GoalMetric::Min | GoalMetric::Throughput => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{LabelId, LabelInfo, LabelInterval, LabelKind, Window};

    /// A second with so many responses of 10 ms and of 900 ms, and failures.
    fn sum(fast: u64, slow: u64, failed: u64) -> Aggregate {
        let mut interval = LabelInterval::default();
        (0..fast).for_each(|_| interval.ok.record(10_000_000, 10_000_000));
        (0..slow).for_each(|_| interval.ok.record(900_000_000, 900_000_000));
        (0..failed).for_each(|_| interval.err.record(5_000_000, 5_000_000));
        let label = LabelInfo {
            id: LabelId(0),
            name: "a".to_owned(),
            kind: LabelKind::Request,
            parent: None,
        };
        let mut sum = Aggregate::new(Window::new(0.0, f64::INFINITY));
        sum.add(0, &label, &interval);
        sum
    }

    fn lost(goal: &str, sum: &Aggregate, seen_s: f64) -> bool {
        out_of_reach(&goal.parse().unwrap(), sum, seen_s, 20.0)
    }

    #[test]
    fn a_goal_is_given_up_when_the_rest_cannot_mend_it() {
        // 80 of 1,000 slow: 8 % now, but 0.4 % of what is to come if that was the first second.
        let some = sum(920, 80, 0);
        assert!(!lost("p95 < 300 ms", &some, 1.0));
        assert!(!lost("p95 < 300 ms", &some, 10.0));
        assert!(lost("p95 < 300 ms", &some, 16.0));
        let all = sum(0, 1_000, 0);
        assert!(lost("p95 < 300 ms", &all, 2.0) && lost("mean < 30 ms", &all, 2.0));
        assert!(!lost("p95 < 1 s", &all, 20.0) && lost("max < 300 ms", &some, 1.0));
        assert!(lost("a:ok.p50 < 300 ms", &all, 15.0) && !lost("b:p50 < 1 ms", &all, 15.0));
    }

    #[test]
    fn errors_count_against_all_that_is_to_come() {
        let failing = sum(500, 0, 500);
        assert!(lost("errors < 1 %", &failing, 1.0) && !lost("errors < 5 %", &failing, 1.0));
        assert!(lost("errors < 5 %", &failing, 4.0));
        assert!(!lost("throughput > 1000000 /s", &failing, 20.0));
        assert!(!lost("errors < 1 %", &sum(0, 0, 0), 5.0));
    }
}
