use super::*;
use crate::Histogram;

#[test]
fn milliseconds_have_microseconds() {
    assert_eq!(ms(1_234_567.0), 1.235);
    assert_eq!(ms(499.0), 0.0);
    assert_eq!(ms(600_000_000.0), 600.0);
}

#[test]
fn exit_codes_follow_their_precedence() {
    type Step = (fn(&mut Outcome), Verdict, u8);
    let steps: [Step; 9] = [
        (|_| (), Verdict::NotJudged, 0),
        (|o| o.judged = true, Verdict::Passed, 0),
        (|o| o.goals_missed = true, Verdict::Failed, 1),
        (|o| o.no_success = true, Verdict::NoSuccess, NO_SUCCESS),
        (|o| o.limited = true, Verdict::Limited, 4),
        (|o| o.aborted = true, Verdict::Aborted, 5),
        (|o| o.interrupted = true, Verdict::Interrupted, 130),
        (|o| o.unreachable = true, Verdict::Error, 3),
        (|o| o.bad_plan = true, Verdict::Error, 2),
    ];
    let mut all = Outcome::default();
    let mut codes = Vec::new();
    for (set, verdict, code) in steps {
        let mut alone = Outcome::default();
        set(&mut alone);
        set(&mut all); // each outranks all before it
        assert_eq!(alone.verdict(), (verdict, code));
        assert_eq!(all.verdict(), (verdict, code));
        assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        // Over several runs the same code says most.
        codes.push(code);
        assert_eq!(worst_exit_code(codes.iter().copied()), code);
    }
    assert_eq!(worst_exit_code([]), 0);
    assert_eq!(worst_exit_code([0, NOT_KEPT, 0]), NOT_KEPT);
    assert_eq!(worst_exit_code([NOT_KEPT, 1]), 1);
}

#[test]
fn without_one_success_a_run_has_failed_and_without_goals_it_is_not_judged() {
    let mut total = crate::Aggregate::new(crate::Window::new(0.0, 1.0)).total_summary();
    let goal = |met| crate::goal::GoalResult {
        met,
        ..crate::goal::evaluate(
            &"p95 < 1s".parse().unwrap(),
            &crate::Aggregate::new(crate::Window::new(0.0, 1.0)),
        )
    };
    let cases = [
        (0, 0, vec![], Verdict::NoSuccess, 6),
        (0, 0, vec![goal(true)], Verdict::NoSuccess, 6),
        (1, 1, vec![], Verdict::NoSuccess, 6),
        // Quick failures meet a goal on times: it is no success for all that.
        (9_000, 9_000, vec![goal(true)], Verdict::NoSuccess, 6),
        (9_000, 9_000, vec![goal(false)], Verdict::NoSuccess, 6),
        (100, 74, vec![], Verdict::NotJudged, 0),
        (1, 0, vec![], Verdict::NotJudged, 0),
        (100, 99, vec![goal(true)], Verdict::Passed, 0),
        (1, 0, vec![goal(true), goal(false)], Verdict::Failed, 1),
    ];
    for (samples, errors, goals, verdict, code) in cases {
        (total.samples, total.errors) = (samples, errors);
        let seen = Outcome::default().with_results(&total, &goals).verdict();
        assert_eq!(seen, (verdict, code), "{errors} of {samples}");
    }
}

#[test]
fn times_come_from_the_histogram() {
    let mut histogram = Histogram::new();
    (1..=1000).for_each(|n| histogram.record(n * 1_000_000));
    let times = Times::from(&histogram);
    assert_eq!((times.min, times.mean, times.max), (1.0, 500.5, 1000.0));
    for (seen, truth) in [
        (times.p50, 500.0),
        (times.p90, 900.0),
        (times.p95, 950.0),
        (times.p99, 990.0),
        (times.p99_9, 999.0),
    ] {
        assert!((seen - truth).abs() <= truth / 1000.0, "{seen} for {truth}");
    }
    assert_eq!(Times::from(&Histogram::new()), Times::default());
}

#[test]
fn the_json_has_the_names_that_others_rely_on() {
    let aggregate = crate::Aggregate::new(crate::Window::new(0.0, 1.0));
    let summary = Summary {
        schema_version: SCHEMA_VERSION,
        run: "r".into(),
        plan: "p".into(),
        started_at: "2026-01-01T00:00:00Z".into(),
        duration_s: 1.0,
        warm_up_s: 0.0,
        verdict: Verdict::NotJudged,
        exit_code: 0,
        generator: GeneratorSummary::default(),
        total: aggregate.total_summary(),
        labels: vec![],
        errors_by_kind: [(ErrorKind::ReadTimeout, 2)].into(),
        status_codes: BTreeMap::new(),
        errors: vec![],
        goals: vec![],
        scenarios: vec![],
        load_changes: vec![],
        probe: None,
        fleet: None,
    };
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["verdict"], "not_judged");
    assert_eq!(json["generator"]["limited"], false);
    assert_eq!(json["errors_by_kind"]["read_timeout"], 2);
    let total = json["total"].as_object().unwrap();
    for name in [
        "label",
        "samples",
        "errors",
        "dropped_iterations",
        "cut_off",
        "resent",
        "throughput_per_s",
        "received_bytes",
        "sent_bytes",
        "response_time_ms",
        "service_time_ms",
    ] {
        assert!(total.contains_key(name), "{name}");
    }
    for name in ["mean", "min", "p50", "p90", "p95", "p99", "p99_9", "max"] {
        assert!(total["response_time_ms"][name].is_number(), "{name}");
    }
    assert_eq!(
        serde_json::from_value::<Summary>(json.clone()).unwrap(),
        summary
    );
    // What an older version wrote.
    let older = json
        .to_string()
        .replace("error_rate", "error_share")
        .replace("dropped_iterations", "not_started");
    assert!(older.contains("not_started"));
    assert_eq!(serde_json::from_str::<Summary>(&older).unwrap(), summary);
}
