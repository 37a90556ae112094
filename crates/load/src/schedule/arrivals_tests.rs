#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]
use std::time::Duration;

use plimsoll_plan::model::Rate;
use plimsoll_plan::share::Share;
use proptest::prelude::*;

use super::*;

const S: u64 = 1_000_000_000;

fn constant(arrivals: u64, per_ns: u64, lasts: Duration) -> RateStage {
    let rate = Rate { arrivals, per_ns };
    RateStage {
        from: rate,
        to: rate,
        lasts,
        spacing: None,
    }
}

fn ramp(from: u64, to: u64, lasts_s: u64) -> RateStage {
    RateStage {
        from: Rate::per_second(from),
        to: Rate::per_second(to),
        lasts: Duration::from_secs(lasts_s),
        spacing: None,
    }
}

fn even(stages: &[RateStage]) -> Vec<u64> {
    Arrivals::new(stages, Spacing::Constant, 1).collect()
}

#[test]
fn ten_thousand_a_second_has_gaps_of_exactly_100_000_ns() {
    let due = even(&[constant(10_000, S, Duration::from_secs(60))]);
    assert_eq!(due.len(), 600_000);
    assert!(due.windows(2).all(|pair| pair[1] - pair[0] == 100_000));
    assert_eq!(due[0], 0);
}

#[test]
fn fifty_a_second_for_five_seconds_is_250_and_each_second_50() {
    let due = even(&[constant(50, S, Duration::from_secs(5))]);
    assert_eq!(due.len(), 250);
    for second in 0..5 {
        assert_eq!(due.iter().filter(|&&at| at / S == second).count(), 50);
    }
}

#[test]
fn a_rate_that_does_not_divide_a_second_does_not_drift() {
    let due = even(&[constant(7, S, Duration::from_secs(3600))]);
    assert_eq!(due.len(), 7 * 3600);
    for (k, at) in due.iter().enumerate() {
        assert_eq!(*at, k as u64 * S / 7);
    }
}

#[test]
fn stages_of_a_third_of_an_arrival_add_up_to_whole_ones() {
    // 1/3 arrival a stage: every third stage starts with an arrival.
    let stages = vec![constant(1, 3 * S, Duration::from_secs(1)); 9];
    assert_eq!(even(&stages), [0, 3 * S, 6 * S]);
}

#[test]
fn a_ramp_has_the_area_under_its_line() {
    let due = even(&[ramp(0, 100, 10)]);
    assert_eq!(due.len(), 500);
    // Integral of 10·t is 5·t²: arrival k at sqrt(k/5).
    for (k, at) in due.iter().enumerate() {
        let expected = (k as f64 / 5.0).sqrt() * 1e9;
        assert!((*at as f64 - expected).abs() < 2.0, "{k}: {at} {expected}");
    }
    let down = even(&[ramp(100, 0, 10)]);
    assert_eq!(down.len(), 500);
    assert!(down.windows(2).all(|pair| pair[0] <= pair[1]));
}

#[test]
fn a_spike_between_pauses() {
    let due = even(&[
        constant(10, S, Duration::from_secs(2)),
        constant(0, S, Duration::from_secs(1)),
        constant(1000, S, Duration::from_secs(1)),
        constant(10, S, Duration::from_secs(2)),
    ]);
    assert_eq!(due.len(), 20 + 1000 + 20);
    assert!(!due.iter().any(|at| (2 * S..3 * S).contains(at)));
}

/// Kolmogorov–Smirnov against the exponential distribution; the critical value for
/// p = 0.05 is 1.358 / √n (Stephens 1970).
#[test]
fn poisson_gaps_are_exponential() {
    let mut passed = 0;
    for seed in 1..=20 {
        let stage = [constant(500, S, Duration::from_secs(20))];
        let due: Vec<u64> = Arrivals::new(&stage, Spacing::Poisson, seed).collect();
        let mut gaps: Vec<f64> = due
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64 / 2_000_000.0)
            .collect();
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let distance = gaps
            .iter()
            .enumerate()
            .map(|(i, gap)| {
                let theory = 1.0 - (-gap).exp();
                (theory - i as f64 / n)
                    .abs()
                    .max(((i + 1) as f64 / n - theory).abs())
            })
            .fold(0.0, f64::max);
        passed += u32::from(distance < 1.358 / n.sqrt());
    }
    // At p = 0.05 one in twenty may fail by chance; the seeds are fixed.
    assert!(passed >= 18, "{passed} of 20");
}

#[test]
fn poisson_counts_follow_a_ramp() {
    let due: Vec<u64> = Arrivals::new(&[ramp(0, 1000, 20)], Spacing::Poisson, 7).collect();
    let early = due.iter().filter(|&&at| at < 10 * S).count() as f64;
    let all = due.len() as f64;
    // A quarter of the area lies in the first half; 5 standard deviations.
    assert!((all - 10_000.0).abs() < 500.0);
    assert!((early - 2_500.0).abs() < 250.0);
}

#[test]
fn a_stage_may_have_a_spacing_of_its_own() {
    let spaced = |spacing, stage| RateStage {
        spacing: Some(spacing),
        ..stage
    };
    let second = |rate| constant(rate, S, Duration::from_secs(1));
    let stages = [
        spaced(Spacing::Constant, second(10)),
        spaced(Spacing::Poisson, second(1000)),
        spaced(Spacing::Constant, second(10)),
        second(4),
    ];
    let due: Vec<u64> = Arrivals::new(&stages, Spacing::Constant, 5).collect();
    let of = |at: u64| due.iter().filter(|due| *due / S == at).collect::<Vec<_>>();
    assert_eq!((of(0).len(), of(2).len(), of(3).len()), (10, 10, 4));
    assert_eq!(*of(2)[1] - *of(2)[0], S / 10);
    let gaps: std::collections::BTreeSet<u64> =
        of(1).windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() > 800 && (800..1200).contains(&of(1).len()));
}

proptest! {
    #[test]
    fn shares_have_the_arrivals_of_the_whole_together(
        count in 1_u32..9, threads in 1_usize..5, seed in any::<u64>(), poisson in any::<bool>(),
    ) {
        let spacing = if poisson { Spacing::Poisson } else { Spacing::Constant };
        let stages = [ramp(10, 300, 2), ramp(300, 0, 1)];
        let whole: Vec<u64> = Arrivals::new(&stages, spacing, seed).collect();
        let mut together = Vec::new();
        for share in (0..count).filter_map(|index| Share::new(index, count)) {
            for thread in 0..threads {
                let (first, step) = share.numbers_of_thread(thread, threads);
                together.extend(Arrivals::new(&stages, spacing, seed).skip(first).step_by(step));
            }
        }
        together.sort_unstable();
        prop_assert_eq!(together, whole);
    }
}

#[test]
fn the_same_seed_gives_the_same_arrivals() {
    let stage = [ramp(1, 100, 5)];
    let once: Vec<u64> = Arrivals::new(&stage, Spacing::Poisson, 3).collect();
    let again: Vec<u64> = Arrivals::new(&stage, Spacing::Poisson, 3).collect();
    let other: Vec<u64> = Arrivals::new(&stage, Spacing::Poisson, 4).collect();
    assert_eq!(once, again);
    assert_ne!(once, other);
}

/// The largest distance between the gaps' distribution and the exponential one, times √n: over
/// 1.95 in one of a thousand truly exponential sets (Kolmogorov 1933).
fn kolmogorov_smirnov(due: &[u64], per_s: f64) -> f64 {
    let mut gaps: Vec<f64> = due
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64 / S as f64)
        .collect();
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len() as f64;
    let distance = gaps.iter().enumerate().map(|(k, gap)| {
        let expected = 1.0 - (-gap * per_s).exp();
        let k = k as f64;
        (expected - k / n)
            .abs()
            .max((expected - (k + 1.0) / n).abs())
    });
    distance.fold(0.0, f64::max) * n.sqrt()
}

#[test]
fn poisson_arrivals_pass_kolmogorov_and_smirnov() {
    for per_s in [5, 50, 500, 5_000] {
        for seed in 1..20 {
            let lasts = Duration::from_secs((20_000 / per_s).max(10));
            let stages = [constant(per_s, S, lasts)];
            let due: Vec<u64> = Arrivals::new(&stages, Spacing::Poisson, seed).collect();
            let distance = kolmogorov_smirnov(&due, per_s as f64);
            assert!(distance < 1.95, "{per_s}/s, seed {seed}: {distance}");
        }
    }
}
