//! What drifts while a study goes on, by what is measured again and again.

use std::collections::BTreeMap;

use crate::judge::Noise;
use crate::space::Configuration;

/// How sure a slope is to be one.
const SURE: f64 = 0.99;
/// Repeated runs that say something of it.
const FEWEST: usize = 4;

/// What runs of equal configurations say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeats {
    /// By how much scores change from one trial to the next. 0 where it may be noise.
    pub slope: f64,
    /// The noise of a run, with that taken out.
    pub noise: Noise,
}

/// What runs of equal configurations say (configuration, number, score): least squares around each configuration's own
/// mean. A slope is held against the noise of the runs themselves.
#[must_use]
pub fn repeats(scores: &[(&Configuration, f64, f64)]) -> Repeats {
    // In an order of its own: sums of the same numbers are the same in every process.
    let mut by_configuration: BTreeMap<&Configuration, Vec<(f64, f64)>> = BTreeMap::new();
    for (of, number, score) in scores {
        by_configuration
            .entry(of)
            .or_default()
            .push((*number, *score));
    }
    let (mut squares, mut products, mut all, mut repeats) = (0.0, 0.0, 0.0, 0);
    for runs in by_configuration.values().filter(|runs| runs.len() > 1) {
        let count = runs.len() as f64;
        let at = runs.iter().map(|(at, _)| at).sum::<f64>() / count;
        let mean = runs.iter().map(|(_, score)| score).sum::<f64>() / count;
        squares += runs.iter().map(|(t, _)| (t - at).powi(2)).sum::<f64>();
        products += runs.iter().map(|(t, y)| (t - at) * (y - mean)).sum::<f64>();
        all += runs.iter().map(|(_, y)| (y - mean).powi(2)).sum::<f64>();
        repeats += runs.len() - 1;
    }
    let level = Repeats {
        slope: 0.0,
        noise: Noise {
            squares: all,
            freedom: repeats as f64,
        },
    };
    if repeats < FEWEST || squares <= 0.0 {
        return level;
    }
    let slope = products / squares;
    let noise = Noise {
        squares: (all - slope * products).max(0.0),
        freedom: repeats as f64 - 1.0,
    };
    let error = noise.squares / noise.freedom / squares;
    let sure = plimsoll_stats::standard_errors(noise.freedom, SURE);
    match sure.is_some_and(|t| slope.abs() > t * error.sqrt()) {
        true => Repeats { slope, noise },
        false => level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs of two configurations in turn, with noise of a normal distribution.
    fn runs(count: u32, slope: f64, noise: f64, seed: u64) -> Vec<(Configuration, f64, f64)> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut normal = move || {
            let (u, v) = (1.0 - rng.f64(), rng.f64());
            (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
        };
        let run = |at: u32| {
            let t = f64::from(at);
            let (own, level) = match at % 2 {
                0 => (None, 3.0),
                _ => (Some("2".to_owned()), 5.0),
            };
            let of = Configuration(vec![own]);
            (of, t, level + slope * t + noise * normal())
        };
        (0..count).map(run).collect()
    }

    fn seen(runs: &[(Configuration, f64, f64)]) -> Repeats {
        let runs: Vec<_> = runs.iter().map(|(of, t, y)| (of, *t, *y)).collect();
        repeats(&runs)
    }

    #[test]
    fn a_drift_is_seen_and_taken_out_of_the_noise() {
        let exact = seen(&runs(10, -0.02, 0.0, 1));
        assert!((exact.slope + 0.02).abs() < 1e-9, "{exact:?}");
        assert!(exact.noise.squares < 1e-9, "{exact:?}");
        assert_eq!(seen(&runs(3, -0.02, 0.0, 1)).slope, 0.0);
        assert_eq!(seen(&[]).noise, Noise::default());
        let strong = (0..100).filter(|seed| seen(&runs(20, 0.05, 0.05, *seed)).slope > 0.03);
        assert!(strong.count() > 95);
    }

    proptest! {
        #[test]
        fn noise_is_no_drift_however_strong_it_is(noise in 0.001..1.0_f64, count in 6_u32..30, from: u32) {
            let studies = 200;
            let of = |at: u64| seen(&runs(count, 0.0, noise, u64::from(from) * studies + at));
            let all: Vec<Repeats> = (0..studies).map(of).collect();
            let drifts = all.iter().filter(|it| it.slope != 0.0).count();
            // One of a hundred is to be expected.
            prop_assert!(drifts <= 9, "{drifts} of {studies}");
            let variance = all.iter().map(|it| it.noise.squares / it.noise.freedom).sum::<f64>();
            let share = (variance / studies as f64).sqrt() / noise;
            prop_assert!((0.85..1.15).contains(&share), "{share}");
        }
    }
}
