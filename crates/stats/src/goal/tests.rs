use super::*;
use crate::sample::tests::sample;
use crate::{Aggregate, ErrorKind, LabelId, LabelInfo, LabelInterval, LabelKind, Window};

fn parse(text: &str) -> Goal {
    Goal::parse(text).unwrap()
}

#[test]
fn goals_round_trip_through_their_normal_form() {
    for (text, normal) in [
        ("p95 < 500 ms", "p95 < 500 ms"),
        ("p99.9<=1.5s", "p99.9 <= 1.5 s"),
        (" errors <1% ", "errors < 1 %"),
        ("throughput >= 1000/s", "throughput >= 1000 /s"),
        ("ok.p50 < 800us", "ok.p50 < 800 us"),
        ("ok.throughput > 5 /s", "ok.throughput > 5 /s"),
        ("GET /cart: mean > 0.5 ms", "GET /cart:mean > 0.5 ms"),
        (
            "http://[::1]:80/a b:ok.max < 2 s",
            "http://[::1]:80/a b:ok.max < 2 s",
        ),
        ("a<b:min < 1 ms", "a<b:min < 1 ms"),
        ("结账:p90 < 300 ms", "结账:p90 < 300 ms"),
    ] {
        let goal = parse(text);
        assert_eq!(goal.to_string(), normal);
        assert_eq!(parse(normal), goal);
    }
    let goal = parse("a:b:ok.p99.9 <= 3 s");
    assert_eq!(
        goal,
        Goal {
            label: Some("a:b".into()),
            ok_only: true,
            metric: GoalMetric::Percentile(99.9),
            op: GoalOp::LessOrEqual,
            value: 3.0,
            unit: GoalUnit::Seconds,
        }
    );
}

#[test]
fn mistakes_say_where_and_what_is_allowed() {
    let error = |text| Goal::parse(text).unwrap_err();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        error("p95 = 5 ms"),
        GoalError::NoComparison {
            text: text("p95 = 5 ms")
        }
    );
    assert_eq!(
        error("结账: latency < 5 ms"),
        GoalError::UnknownMetric {
            position: 4,
            found: text("latency")
        }
    );
    assert_eq!(
        error("p0 < 5 ms"),
        GoalError::PercentileRange {
            position: 0,
            found: text("p0")
        }
    );
    assert_eq!(error(":p95 < 5 ms"), GoalError::EmptyLabel { position: 0 });
    assert_eq!(
        error("p95 < -5 ms"),
        GoalError::BadValue {
            position: 6,
            found: text("-5 ms")
        }
    );
    assert_eq!(
        error("errors < 5 ms"),
        GoalError::BadUnit {
            position: 11,
            found: text("ms"),
            metric: text("errors"),
            allowed: text("%")
        }
    );
    for bad in [
        "",
        "<",
        "p95",
        "p95 <",
        "p95 < ms",
        "p95 < 5",
        "p95 < 1e3 ms",
        "p95 < inf s",
        "p95 < . ms",
        "p95 < 1.2.3 ms",
        "pNaN < 1 ms",
        "p101 < 1 ms",
        "p < 1 ms",
        "ok.errors < 1 %",
        "< 5 ms",
        "a:< 5 ms",
        "p95 < 5 m s",
        "throughput > 5 %",
    ] {
        assert!(Goal::parse(bad).is_err(), "{bad:?}");
        assert!(!error(bad).to_string().is_empty());
    }
}

fn aggregate() -> Aggregate {
    let mut interval = LabelInterval::default();
    (1..=99).for_each(|n| interval.record(&sample(n * 1_000_000)));
    let mut failed = sample(5_000_000_000);
    failed.error = Some(ErrorKind::ReadTimeout);
    interval.record(&failed);
    let label = |id, name: &str| LabelInfo {
        id: LabelId(id),
        name: name.to_owned(),
        kind: LabelKind::Request,
        parent: None,
    };
    let mut aggregate = Aggregate::new(Window::new(0.0, 10.0));
    aggregate.add(0, &label(0, "a"), &interval);
    aggregate.add_label(&label(1, "idle"));
    aggregate
}

#[test]
fn goals_are_judged_by_what_was_seen() {
    let aggregate = aggregate();
    for (text, met) in [
        ("p50 < 51 ms", true),
        ("p50 < 49 ms", false),
        ("max < 6 s", true),
        ("max < 5 s", false),
        ("max <= 5 s", true),
        ("ok.max <= 99 ms", true),
        ("ok.max < 99 ms", false),
        ("errors <= 1 %", true),
        ("errors < 1 %", false),
        ("throughput >= 10 /s", true),
        ("ok.throughput >= 10 /s", false),
        ("a:min >= 1 ms", true),
        ("a:mean > 99.4 ms", true),
    ] {
        let result = evaluate(&parse(text), &aggregate);
        assert_eq!(result.met, met, "{text}: {result:?}");
    }
    let result = evaluate(&parse("a:ok.p99 < 1 s"), &aggregate);
    assert_eq!(
        (result.goal.as_str(), result.unit.as_str()),
        ("a:ok.p99 < 1 s", "s")
    );
    let observed = result.observed.unwrap();
    assert!((observed - 0.099).abs() < 0.0001, "{observed}");
}

#[test]
fn without_samples_nothing_is_met() {
    let aggregate = aggregate();
    for text in [
        "idle:errors < 1 %",
        "idle:throughput < 1 /s",
        "gone:p95 < 1 s",
    ] {
        let result = evaluate(&parse(text), &aggregate);
        assert_eq!((result.met, result.observed), (false, None), "{text}");
    }
}
