use super::*;

/// A second in which nothing was wrong.
fn calm() -> GeneratorSecond {
    GeneratorSecond {
        threads: vec![
            ThreadSecond {
                cpu_share: 0.4,
                runqueue_wait_share: 0.01
            };
            2
        ],
        send_lateness_p99_ns: 100_000,
        fds_used: 100,
        fds_limit: 1024,
        ports_used: 100,
        ports_limit: 28_232,
        rss_bytes: 20 << 20,
        memory_limit_bytes: 1 << 30,
        ..GeneratorSecond::default()
    }
}

type Change = fn(&mut GeneratorSecond);

/// A hundred seconds, the first `n` of them changed.
fn hundred(n: usize, change: Change) -> Vec<GeneratorSecond> {
    let mut seconds = vec![calm(); 100];
    seconds.iter_mut().take(n).for_each(change);
    seconds
}

fn kinds(reasons: &[Reason]) -> Vec<ReasonKind> {
    reasons.iter().map(|r| r.kind).collect()
}

const MEDIAN_NS: u64 = 1_000_000;

#[test]
fn a_calm_generator_is_not_limited() {
    assert_eq!(
        judge(&hundred(0, |_| ()), MEDIAN_NS),
        GeneratorVerdict::default()
    );
    assert_eq!(judge(&[], MEDIAN_NS), GeneratorVerdict::default());
}

#[test]
fn cpu_limits_in_more_than_five_percent_of_the_seconds() {
    let busy: Change = |s| s.threads[1].cpu_share = 0.9;
    let five = judge(&hundred(5, busy), MEDIAN_NS);
    assert_eq!(
        (five.limited, kinds(&five.warnings)),
        (false, vec![ReasonKind::Cpu])
    );
    let six = judge(&hundred(6, busy), MEDIAN_NS);
    assert!(six.limited && six.warnings.is_empty());
    assert_eq!(kinds(&six.reasons), [ReasonKind::Cpu]);
    let reason = &six.reasons[0];
    assert_eq!(
        (reason.seconds, reason.seconds_share, reason.worst),
        (6, 0.06, 0.9)
    );
}

#[test]
fn lateness_is_judged_by_the_service_time() {
    let late: Change = |s| s.send_lateness_p99_ns = 3_000_000;
    let fast_service = judge(&hundred(6, late), MEDIAN_NS);
    assert_eq!(kinds(&fast_service.reasons), [ReasonKind::Lateness]);
    assert_eq!(
        (fast_service.reasons[0].worst, fast_service.reasons[0].limit),
        (3.0, 2.0)
    );
    assert!(!judge(&hundred(6, late), 600_000_000).limited);
    assert!(judge(&hundred(6, late), 29_000_000).limited);
}

#[test]
fn seconds_with_either_trouble_add_up() {
    let mut seconds = hundred(3, |s| s.threads[0].cpu_share = 1.0);
    for second in &mut seconds[50..53] {
        second.send_lateness_p99_ns = 5_000_000;
    }
    let verdict = judge(&seconds, MEDIAN_NS);
    assert!(verdict.limited);
    assert_eq!(
        kinds(&verdict.reasons),
        [ReasonKind::Cpu, ReasonKind::Lateness]
    );
}

#[test]
fn what_ran_out_limits_at_once() {
    let cases: [(Change, ReasonKind); 5] = [
        (|s| s.ports_failed = 1, ReasonKind::Ports),
        (|s| s.ports_used = s.ports_limit, ReasonKind::Ports),
        (|s| s.fds_failed = 1, ReasonKind::Fds),
        (|s| s.fds_used = s.fds_limit, ReasonKind::Fds),
        (|s| s.rss_bytes = s.memory_limit_bytes, ReasonKind::Memory),
    ];
    for (change, kind) in cases {
        let verdict = judge(&hundred(1, change), MEDIAN_NS);
        assert!(verdict.limited);
        assert_eq!(kinds(&verdict.reasons), [kind]);
    }
    let unknown = judge(&hundred(1, |s| s.memory_limit_bytes = 0), MEDIAN_NS);
    assert!(!unknown.limited);
}

#[test]
fn starvation_explains_lateness_and_names_the_competitor() {
    let mut seconds = hundred(20, |s| {
        s.threads[0].runqueue_wait_share = 0.5;
        s.send_lateness_p99_ns = 30_000_000;
        s.competitor = Some("stress-ng".into());
    });
    seconds[0].competitor = Some("cron".into());
    let verdict = judge(&seconds, MEDIAN_NS);
    assert_eq!(
        kinds(&verdict.reasons),
        [ReasonKind::Lateness, ReasonKind::Starved]
    );
    assert_eq!(verdict.reasons[1].competitor.as_deref(), Some("stress-ng"));
    assert_eq!(verdict.reasons[0].competitor, None);

    // A thread that uses all it may has no one to blame.
    let own = judge(
        &hundred(20, |s| {
            s.threads[0].runqueue_wait_share = 0.5;
            s.threads[0].cpu_share = 0.95;
        }),
        MEDIAN_NS,
    );
    assert_eq!(kinds(&own.reasons), [ReasonKind::Cpu]);

    // Waiting without consequences is worth a warning only.
    let harmless = judge(
        &hundred(20, |s| s.threads[0].runqueue_wait_share = 0.5),
        MEDIAN_NS,
    );
    assert!(!harmless.limited);
    assert_eq!(kinds(&harmless.warnings), [ReasonKind::Starved]);
}

#[test]
fn older_records_without_new_fields_are_read() {
    let second: GeneratorSecond = serde_json::from_str(r#"{"second":7}"#).unwrap();
    assert_eq!((second.second, second.fds_limit), (7, 0));
    let json = serde_json::to_string(&calm()).unwrap();
    assert_eq!(
        serde_json::from_str::<GeneratorSecond>(&json).unwrap(),
        calm()
    );
}

#[test]
fn answers_that_are_noticed_late_limit() {
    let lagging: Change = |s| s.receive_lag_mean_ns = 21_000_000;
    let verdict = judge(&hundred(10, lagging), MEDIAN_NS);
    assert!(verdict.limited);
    assert_eq!(kinds(&verdict.reasons), [ReasonKind::ReceiveLag]);
    assert_eq!(verdict.reasons[0].worst, 21.0);
    // A tenth of a long service time does not matter.
    assert!(!judge(&hundred(10, lagging), 300_000_000).limited);
}

#[test]
fn a_quota_holds_back_before_it_is_reached() {
    let held_back: Change = |s| {
        s.threads[0] = ThreadSecond {
            cpu_share: 0.8,
            runqueue_wait_share: 0.9,
        };
    };
    let verdict = judge(&hundred(10, held_back), MEDIAN_NS);
    assert_eq!(kinds(&verdict.reasons), [ReasonKind::Cpu]);
    let free: Change = |s| s.threads[0].cpu_share = 0.8;
    assert!(!judge(&hundred(10, free), MEDIAN_NS).limited);
}
