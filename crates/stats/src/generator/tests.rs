use proptest::prelude::*;

use super::*;
use crate::sample::tests::sample;
use crate::{ErrorKind, LabelInterval, Sample};

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

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

/// So many calm seconds, the first `n` of them changed.
fn seconds(of: usize, n: usize, change: Change) -> Vec<GeneratorSecond> {
    let mut seconds = vec![calm(); of];
    seconds.iter_mut().take(n).for_each(change);
    seconds
}

fn kinds(reasons: &[GeneratorReason]) -> Vec<ReasonKind> {
    reasons.iter().map(|r| r.kind).collect()
}

/// What a run did on a clock that is made up.
#[derive(Default)]
struct Run {
    seconds: Vec<GeneratorSecond>,
    result: LabelInterval,
    /// Response times as measured and as they truly were.
    times: Vec<(u64, u64)>,
}

impl Run {
    fn add(&mut self, sample: &Sample<'_>) {
        let second = (sample.end_ns / S) as usize;
        if self.seconds.len() <= second {
            self.seconds.resize_with(second + 1, calm);
        }
        self.result.record(sample);
        let mut own = OwnTime::default();
        own.add(sample);
        self.seconds[second].own.merge(&KeptOwnTime::from(&own));
        let own_ns = sample.lateness_ns() + sample.lag_ns;
        let measured = sample.response_ns();
        self.times.push((measured, measured - own_ns));
    }

    fn judged(&self) -> GeneratorVerdict {
        judge(&self.seconds, &self.result)
    }

    /// The mean and the nearest-rank percentiles: measured, at least, and true.
    fn figures(&self) -> Vec<(f64, f64, f64)> {
        let (mut measured, mut corrected): (Vec<u64>, Vec<u64>) =
            self.times.iter().copied().unzip();
        measured.sort_unstable();
        corrected.sort_unstable();
        let mean = |of: &[u64]| of.iter().sum::<u64>() as f64 / of.len() as f64;
        let mut figures = vec![(mean(&measured), f64::MAX, mean(&corrected))];
        for percent in [50, 90, 95, 99] {
            let rank = (measured.len() * percent).div_ceil(100);
            if rank < measured.len() {
                let (n, q) = (measured.len() as f64, percent as f64 / 100.0);
                let least = (n * q - 1.96 * (n * q * (1.0 - q)).sqrt()).ceil().max(1.0);
                let at = |of: &[u64], rank: usize| of[rank - 1] as f64;
                let least = at(&measured, least as usize);
                figures.push((at(&measured, rank), least, at(&corrected, rank)));
            }
        }
        figures
    }
}

/// Closed users of a server that takes `service_ns`, for so long; between the two times of
/// `stall` the generator stands still.
fn closed(users: u64, service_ns: u64, lasts_ns: u64, stall: (u64, u64)) -> Run {
    let mut run = Run::default();
    for user in 0..users {
        let mut start_ns = user * service_ns / users;
        while start_ns < lasts_ns {
            let there_ns = start_ns + service_ns;
            let in_stall = (stall.0..stall.1).contains(&there_ns);
            let end_ns = if in_stall { stall.1 } else { there_ns };
            run.add(&Sample {
                intended_ns: start_ns,
                start_ns,
                first_byte_ns: end_ns,
                end_ns,
                lag_ns: end_ns - there_ns,
                ..sample(0)
            });
            start_ns = end_ns;
        }
    }
    run
}

/// Paced users of a server that is slower than the pace.
fn paced(users: u64, service_ns: u64, pace_ns: u64, lasts_ns: u64) -> Run {
    let mut run = Run::default();
    for _ in 0..users {
        let (mut free_ns, mut tick_ns) = (0, 0);
        while free_ns < lasts_ns {
            let start_ns = free_ns.max(tick_ns);
            run.add(&Sample {
                intended_ns: tick_ns,
                ready_ns: free_ns,
                start_ns,
                first_byte_ns: start_ns + service_ns,
                end_ns: start_ns + service_ns,
                ..sample(0)
            });
            free_ns = start_ns + service_ns;
            tick_ns += pace_ns;
        }
    }
    run
}

#[test]
fn a_calm_generator_is_not_limited() {
    let verdict = closed(8, 20 * MS, 10 * S, (0, 0)).judged();
    assert!(
        !verdict.limited && verdict.touched.is_empty(),
        "{verdict:?}"
    );
    assert!(verdict.warnings.is_empty());
    assert_eq!(
        judge(&[], &LabelInterval::default()),
        GeneratorVerdict::default()
    );
}

#[test]
fn one_long_stall_that_reaches_a_percentile_limits_and_both_figures_are_told() {
    // 64 users, 100 ms, 1.5 s of 8: over one in a hundred responses lay for up to 1.5 s.
    let run = closed(64, 100 * MS, 8 * S, (4 * S, 5_500 * MS));
    let verdict = run.judged();
    assert!(verdict.limited);
    assert_eq!(kinds(&verdict.reasons), [ReasonKind::ReceiveLag]);
    let p99 = verdict
        .touched
        .iter()
        .find(|it| it.figure == "p99")
        .unwrap();
    assert!(p99.measured_ms > 1_400.0, "{p99:?}");
    assert!((p99.corrected_ms - 100.0).abs() < 0.2, "{p99:?}");
    let corrected = verdict.corrected.unwrap();
    assert!((corrected.max - 100.0).abs() < 0.2, "{corrected:?}");
}

#[test]
fn a_stall_that_changes_nothing_is_a_warning_however_short_the_run() {
    for lasts_s in [3, 10, 20] {
        let mut run = closed(4, 5 * MS, lasts_s * S, (S, S + 12 * MS));
        run.seconds[1].send_lateness_p99_ns = 6 * MS;
        run.seconds[1].threads[0].cpu_share = 0.95;
        let verdict = run.judged();
        assert!(!verdict.limited, "{lasts_s} s: {verdict:?}");
        assert_eq!(
            kinds(&verdict.warnings),
            [ReasonKind::Cpu, ReasonKind::Lateness]
        );
    }
}

#[test]
fn waiting_for_a_slow_target_is_not_the_generators() {
    let run = paced(50, 150 * MS, 100 * MS, 6 * S);
    assert!(
        run.result.all_response().max_ns() > 2 * S,
        "it is charged from the tick"
    );
    let verdict = run.judged();
    assert!(
        !verdict.limited && verdict.warnings.is_empty(),
        "{verdict:?}"
    );
}

#[test]
fn responses_that_mostly_lie_unnoticed_limit_though_they_are_fast() {
    let mut run = Run::default();
    for n in 0..20_000_u64 {
        let start_ns = n * 200_000;
        run.add(&Sample {
            intended_ns: start_ns,
            start_ns,
            first_byte_ns: start_ns + 1_370_000,
            end_ns: start_ns + 1_370_000,
            lag_ns: 1_250_000,
            ..sample(0)
        });
    }
    run.seconds.iter_mut().for_each(|second| {
        second.receive_lag_mean_ns = 1_250_000;
        second.threads[0].runqueue_wait_share = 0.5;
        second.competitor = Some("stress-ng".into());
    });
    run.seconds[0].competitor = Some("cron".into());
    let verdict = run.judged();
    assert_eq!(
        kinds(&verdict.reasons),
        [ReasonKind::ReceiveLag, ReasonKind::Starved]
    );
    assert_eq!(verdict.reasons[1].competitor.as_deref(), Some("stress-ng"));
    assert_eq!(verdict.touched.len(), 5);
    assert_eq!(verdict.touched[0].figure, "mean");
    assert_eq!(
        (
            verdict.touched[0].measured_ms,
            verdict.touched[0].corrected_ms
        ),
        (1.37, 0.12)
    );
}

#[test]
fn what_no_client_can_tell_apart_is_not_its_fault() {
    let mut run = Run::default();
    for n in 0..5_000_u64 {
        let start_ns = n * MS;
        run.add(&Sample {
            intended_ns: start_ns,
            start_ns,
            first_byte_ns: start_ns + 150_000,
            end_ns: start_ns + 150_000,
            lag_ns: 60_000,
            ..sample(0)
        });
    }
    assert!(!run.judged().limited);
}

#[test]
fn cpu_that_is_saturated_most_of_the_time_limits() {
    let run = closed(8, 20 * MS, 10 * S, (0, 0));
    let busy: Change = |s| s.threads[1].cpu_share = 0.9;
    let five = judge(&seconds(10, 5, busy), &run.result);
    assert_eq!(
        (five.limited, kinds(&five.warnings)),
        (false, vec![ReasonKind::Cpu])
    );
    let six = judge(&seconds(10, 6, busy), &run.result);
    assert_eq!(kinds(&six.reasons), [ReasonKind::Cpu]);
    let reason = &six.reasons[0];
    assert_eq!(
        (reason.seconds, reason.seconds_share, reason.worst),
        (6, 0.6, 0.9)
    );
    // A quota holds back before it is reached.
    let held_back: Change = |s| {
        s.threads[0] = ThreadSecond {
            cpu_share: 0.8,
            runqueue_wait_share: 0.9,
        };
    };
    let verdict = judge(&seconds(10, 10, held_back), &run.result);
    assert_eq!(kinds(&verdict.reasons), [ReasonKind::Cpu]);
    let free: Change = |s| s.threads[0].cpu_share = 0.8;
    assert!(!judge(&seconds(10, 10, free), &run.result).limited);
}

#[test]
fn a_busy_loop_of_failures_is_not_a_want_of_cpu() {
    let kinds_of_failure = [
        ErrorKind::UnknownHost,
        ErrorKind::ConnectionRefused,
        ErrorKind::HostNotAllowed,
    ];
    for kind in kinds_of_failure {
        let mut run = Run::default();
        for n in 0..50_000_u64 {
            run.add(&Sample {
                error: Some(kind),
                first_byte_ns: 0,
                end_ns: n * 60_000 + 40_000,
                intended_ns: n * 60_000,
                start_ns: n * 60_000 + 10_000,
                ..sample(0)
            });
        }
        run.seconds.iter_mut().for_each(|second| {
            second.threads[0].cpu_share = 1.0;
            second.send_lateness_p99_ns = 30 * MS;
        });
        let verdict = run.judged();
        assert!(!verdict.limited && verdict.warnings.is_empty(), "{kind}");
        // What ran out of the generator's own is still told.
        run.seconds[0].fds_failed = 1;
        assert_eq!(kinds(&run.judged().reasons), [ReasonKind::Fds]);
    }
}

#[test]
fn what_ran_out_limits_at_once() {
    let run = closed(8, 20 * MS, 10 * S, (0, 0));
    let cases: [(Change, ReasonKind); 5] = [
        (|s| s.ports_failed = 1, ReasonKind::Ports),
        (|s| s.ports_used = s.ports_limit, ReasonKind::Ports),
        (|s| s.fds_failed = 1, ReasonKind::Fds),
        (|s| s.fds_used = s.fds_limit, ReasonKind::Fds),
        (|s| s.rss_bytes = s.memory_limit_bytes, ReasonKind::Memory),
    ];
    for (change, kind) in cases {
        let verdict = judge(&seconds(100, 1, change), &run.result);
        assert!(verdict.limited);
        assert_eq!(kinds(&verdict.reasons), [kind]);
    }
    let unknown = judge(&seconds(100, 1, |s| s.memory_limit_bytes = 0), &run.result);
    assert!(!unknown.limited);
}

#[test]
fn waiting_for_a_cpu_without_consequences_is_a_warning() {
    let run = closed(8, 20 * MS, 10 * S, (0, 0));
    let waits: Change = |s| s.threads[0].runqueue_wait_share = 0.5;
    let verdict = judge(&seconds(10, 10, waits), &run.result);
    assert!(!verdict.limited);
    assert_eq!(kinds(&verdict.warnings), [ReasonKind::Starved]);
}

#[test]
fn a_generator_that_got_to_no_request_for_want_of_cpu_limits() {
    let nothing = LabelInterval::default();
    let waits: Change = |s| s.threads[0].runqueue_wait_share = 0.5;
    let verdict = judge(&seconds(10, 6, waits), &nothing);
    assert_eq!(kinds(&verdict.reasons), [ReasonKind::Starved]);
    assert!(!judge(&seconds(10, 5, waits), &nothing).limited);
    let stood: Change = |s| s.stopped_ns = 900 * MS;
    assert!(judge(&seconds(2, 2, stood), &nothing).limited);
    assert!(!judge(&seconds(10, 0, waits), &nothing).limited);
}

#[test]
fn records_are_read_with_and_without_new_fields() {
    let second: GeneratorSecond = serde_json::from_str(r#"{"second":7}"#).unwrap();
    assert_eq!((second.second, second.fds_limit), (7, 0));
    assert!(second.own.is_empty());
    let run = closed(4, 5 * MS, 3 * S, (S, 2 * S));
    for second in run.seconds {
        let json = serde_json::to_string(&second).unwrap();
        assert_eq!(
            serde_json::from_str::<GeneratorSecond>(&json).unwrap(),
            second
        );
    }
    for damaged in ["zz", "b", "b1ff", "ü0"] {
        let json = format!(r#"{{"own":{{"measured":"{damaged}"}}}}"#);
        assert!(serde_json::from_str::<GeneratorSecond>(&json).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Over run length, users, service time, length and place of a stall: it limits exactly
    /// when a figure that is computed from all samples one by one moves by over a tenth.
    #[test]
    fn a_stall_limits_when_it_moves_a_figure(
        lasts_s in prop_oneof![3_u64..12, 60..600_u64],
        users in 1_u64..40,
        service_ms in prop_oneof![1_u64..5, 50..400_u64],
        stall_ms in prop_oneof![0_u64..30, 100..3_000_u64],
        at in 0.0_f64..1.0,
    ) {
        // The samples of long runs of fast servers are not all needed.
        let lasts_ns = (lasts_s * S).min(service_ms * MS * 20_000 / users.max(1));
        let from_ns = (lasts_ns as f64 * at) as u64;
        let stall = (from_ns, from_ns + stall_ms * MS);
        let run = closed(users, service_ms * MS, lasts_ns, stall);
        let moved = |(measured, least, corrected): &(f64, f64, f64)| {
            let by = (measured - corrected) / (measured * TOUCHED_SHARE).max(CLOCK_FLOOR_NS as f64);
            let beyond = (least * 0.998 - corrected) / measured * 1e3;
            let mostly = (measured / 2.0 - corrected) / measured * 1e3;
            by.min(1.0 + beyond.max(mostly))
        };
        let most = run.figures().iter().map(moved).fold(0.0, f64::max);
        // The histogram's grain, and what is left out of each request, blur the edge.
        prop_assume!(!(0.8..1.25).contains(&most));
        let near = |(measured, least, corrected): &(f64, f64, f64)| {
            let close = |limit: f64| (limit - corrected).abs() < measured * 0.004;
            close(*least) || close(measured / 2.0)
        };
        prop_assume!(most > 1.0 || !run.figures().iter().any(near) || most == 0.0);
        let verdict = run.judged();
        prop_assert_eq!(verdict.limited, most > 1.0, "{} {:?}", most, verdict);
        let corrected = verdict.corrected.unwrap();
        for (own, told) in run.figures().iter().zip([corrected.mean]) {
            prop_assert!((own.2 / 1e6 - told).abs() <= 0.02 * told + 0.001, "{:?} {:?}", own, told);
        }
    }

    /// Thousands of seconds are kept.
    #[test]
    fn a_kept_second_is_small_however_much_came_late(seed in any::<u64>()) {
        let mut own = OwnTime::default();
        let mut state = seed;
        for _ in 0..50_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // From microseconds to seconds, as even as it gets on a scale of powers.
            let late_ns = 1_u64 << (14 + (state >> 60)) | state >> 44;
            let of = Sample { intended_ns: 0, start_ns: late_ns, end_ns: late_ns + 100, ..sample(0) };
            own.add(&of);
        }
        let kept = KeptOwnTime::from(&own);
        let json = serde_json::to_string(&kept).unwrap();
        prop_assert!(json.len() < 64_000, "{}", json.len());
        let read: KeptOwnTime = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&read, &kept);
        let mut again = OwnTime::default();
        again.merge_kept(&read);
        prop_assert_eq!(again, own);
    }

    /// Seconds and workers may be put together in any order.
    #[test]
    fn own_time_adds_up(split in 1_usize..9) {
        let run = closed(10, 7 * MS, 9 * S, (2 * S, 4 * S));
        let merged = |seconds: &[GeneratorSecond]| {
            let mut own = OwnTime::default();
            seconds.iter().for_each(|second| own.merge_kept(&second.own));
            own
        };
        let (one, other) = run.seconds.split_at(split.min(run.seconds.len()));
        let (mut a, mut b) = (merged(one), merged(other));
        let all = merged(&run.seconds);
        let again = a.clone();
        a.merge(&b);
        b.merge(&again);
        prop_assert_eq!(&a, &all);
        prop_assert_eq!(&b, &all);
    }
}
