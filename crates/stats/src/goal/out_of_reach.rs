//! Whether a goal can still be met, while a measurement goes on.

use super::{Goal, GoalMetric, GoalOp};
use crate::aggregate::error_rate;
use crate::{Aggregate, Histogram};

/// The rest of a measurement may bring this many times as much as its rate so far says.
const MORE_THAN_EXPECTED: f64 = 1.2;

/// Whether a goal will be missed over `planned_s` seconds even if all requests still to come
/// are perfect, judged by what `sum` holds of the first `seen_s` seconds. `most_per_s` is the most
/// samples of the goal's label that one second has brought under the whole load; without it a lower
/// limit of the throughput is never given up, nor is any limit of the shortest time.
#[must_use]
pub fn out_of_reach(
    goal: &Goal,
    sum: &Aggregate,
    (seen_s, planned_s): (f64, f64),
    most_per_s: Option<f64>,
) -> bool {
    let seen = match &goal.label {
        None => Some(sum.total()),
        Some(name) => sum.by_name(name),
    };
    let Some(seen) = seen.filter(|seen| seen.samples() > 0 && seen_s > 0.0) else {
        return false;
    };
    let is_upper = matches!(goal.op, GoalOp::Less | GoalOp::LessOrEqual);
    if goal.metric == GoalMetric::Throughput {
        let wanted = goal.base_value() * planned_s;
        let samples = match goal.ok_only {
            true => seen.ok.count(),
            false => seen.samples(),
        } as f64;
        let rest_s = (planned_s - seen_s).max(0.0);
        let most = most_per_s.map(|most| samples + rest_s * most * MORE_THAN_EXPECTED);
        return match is_upper {
            // What was counted stays counted.
            true => samples > wanted,
            false => most.is_some_and(|most| most < wanted),
        };
    }
    if !is_upper {
        return false;
    }
    let growth = (planned_s / seen_s).max(1.0) * MORE_THAN_EXPECTED;
    let limit = goal.base_value();
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
    use crate::goal::evaluate;
    use crate::{LabelId, LabelInfo, LabelInterval, LabelKind, Window};
    use proptest::prelude::*;

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
        out_of_reach(&goal.parse().unwrap(), sum, (seen_s, 20.0), None)
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

    #[test]
    fn a_throughput_is_given_up_when_no_second_like_the_best_would_do() {
        let lost = |goal: &str, most: Option<f64>| {
            let goal: Goal = goal.parse().unwrap();
            out_of_reach(&goal, &sum(300, 0, 0), (3.0, 20.0), most)
        };
        // 300 in 3 s, and at most 17 s of 120 each: 117/s in all.
        assert!(lost("throughput >= 118 /s", Some(100.0)));
        assert!(!lost("throughput >= 117 /s", Some(100.0)));
        assert!(!lost("throughput >= 118 /s", Some(101.0)));
        assert!(!lost("throughput >= 1000 /s", None));
        // An upper limit is passed for good.
        assert!(lost("throughput <= 14 /s", None) && !lost("throughput <= 15 /s", None));
    }

    /// A second: responses of some milliseconds each, and failures.
    type Drawn = (Vec<u64>, u64);

    fn second((times_ms, failed): &Drawn) -> LabelInterval {
        let mut interval = LabelInterval::default();
        for ms in times_ms {
            interval.ok.record(ms * 1_000_000, ms * 1_000_000);
        }
        (0..*failed).for_each(|_| interval.err.record(5_000_000, 5_000_000));
        interval
    }

    fn sum_of(seconds: &[Drawn]) -> Aggregate {
        let label = LabelInfo {
            id: LabelId(0),
            name: "a".to_owned(),
            kind: LabelKind::Request,
            parent: None,
        };
        let mut sum = Aggregate::new(Window::new(0.0, seconds.len() as f64));
        for (at, drawn) in seconds.iter().enumerate() {
            sum.add(at as u64, &label, &second(drawn));
        }
        sum
    }

    fn samples(drawn: &Drawn) -> f64 {
        drawn.0.len() as f64 + drawn.1 as f64
    }

    proptest! {
        /// Whatever a run did in the end: it was never given up while it could still do that. What is reckoned
        /// with is that the rest brings no more than a fifth above what was seen.
        #[test]
        fn what_is_met_in_the_end_was_never_given_up(
            seconds in prop::collection::vec((prop::collection::vec(1_u64..400, 1..40), 0_u64..4), 2..16),
            goal in 0_usize..8,
            limit in 0.0_f64..1.6,
        ) {
            let goal = ["p50 <", "p95 <=", "mean <", "max <", "errors <=", "throughput >=", "throughput >", "throughput <"][goal];
            let whole = sum_of(&seconds);
            let metric: Goal = format!("{goal} 1 {}", unit_of(goal)).parse().unwrap();
            let observed = evaluate(&metric, &whole).observed.unwrap();
            let goal: Goal = format!("{goal} {:.6} {}", observed * limit, unit_of(goal)).parse().unwrap();
            let met = evaluate(&goal, &whole).met;
            let planned_s = seconds.len() as f64;
            for seen in 1..seconds.len() {
                let (before, rest) = seconds.split_at(seen);
                let best = before.iter().map(samples).fold(0.0, f64::max);
                let rate = before.iter().map(samples).sum::<f64>() / seen as f64;
                let most = if goal.metric == GoalMetric::Throughput { best } else { rate };
                let more = rest.iter().map(samples).sum::<f64>() / rest.len() as f64;
                if more <= most * MORE_THAN_EXPECTED {
                    let lost = out_of_reach(&goal, &sum_of(before), (seen as f64, planned_s), Some(best));
                    prop_assert!(!(met && lost), "{goal} after {seen} of {planned_s} s");
                }
            }
        }
    }

    fn unit_of(goal: &str) -> &'static str {
        match goal {
            goal if goal.starts_with("errors") => "%",
            goal if goal.starts_with("throughput") => "/s",
            _ => "ms",
        }
    }
}
