//! Where a series of per-second values has settled.
//!
//! The start of a load step is no steady state: connections open, queues fill, code is
//! compiled. How much of it to leave out is decided by MSER-5, the truncation point at which
//! the standard error of what is left is smallest (K. P. White Jr., "An effective truncation
//! heuristic for bias reduction in simulation output", Simulation 69(6), 1997; on means of
//! five values: K. P. White Jr., M. J. Cobb and S. C. Spratt, "A comparison of five
//! steady-state truncation heuristics for simulation", Winter Simulation Conference 2000).
//!
//! Two things differ from the papers, because a load step has tens of values and not
//! thousands. Batches have five values from 100 values on and fewer below, so that there are
//! at least twenty to choose from. And where the papers say "not steady" when the smallest
//! error lies in the second half, which noise alone often does to a short series, the cut is
//! taken from the first half and what is left is tested for a trend.

use crate::t_test::{mean, slope_test};

/// Values in a batch, as MSER-5 has it.
const BATCH: usize = 5;
/// Batches there should be.
const BATCHES: usize = 20;
/// Fewer values than this say nothing.
pub const SHORTEST: usize = 5;
/// A trend is one if so unlikely by chance …
const TREND_ALPHA: f64 = 0.01;
/// … and if it changes the value by this share over what is left.
const TREND_SHARE: f64 = 0.05;

/// What is known of a series' steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Values to leave out at the start.
    pub cut: usize,
    /// Whether the rest is steady. Otherwise the cut is the best there is, and the rest still
    /// drifts or is too short to tell.
    pub steady: bool,
}

/// Finds how much of the start to leave out. The values are of equal stretches of time; fewer than
/// [`SHORTEST`] are never steady.
///
/// ```
/// use plimsoll_stats::steady::truncate;
///
/// // Sixty seconds of a throughput that takes ten to come up.
/// let seconds: Vec<f64> = (0..60)
///     .map(|s| f64::from(s.min(10)) * 10.0 + f64::from(s % 3))
///     .collect();
/// let found = truncate(&seconds);
/// assert!(found.steady && (8..=15).contains(&found.cut));
/// ```
#[must_use]
pub fn truncate(values: &[f64]) -> Truncation {
    if values.len() < SHORTEST {
        return Truncation {
            cut: 0,
            steady: false,
        };
    }
    let batch = (values.len() / BATCHES).clamp(1, BATCH);
    let batches: Vec<f64> = values.chunks_exact(batch).map(mean).collect();
    let cut = smallest_error(&batches);
    Truncation {
        cut: cut * batch,
        steady: !drifts(&batches[cut..]),
    }
}

/// How many batches of the first half to leave out for the smallest standard error of the
/// mean of the rest; of equal ones the fewest.
fn smallest_error(batches: &[f64]) -> usize {
    let (mut sum, mut squares) = (0.0, 0.0);
    // Sums of the rest, from the end; centred, so that squares do not cancel.
    let centre = mean(batches);
    let mut best = (f64::INFINITY, 0);
    for (at, value) in batches.iter().enumerate().rev() {
        let value = value - centre;
        sum += value;
        squares += value * value;
        let left = (batches.len() - at) as f64;
        let error = (squares - sum * sum / left).max(0.0) / (left * left);
        if at <= batches.len() / 2 && error <= best.0 {
            best = (error, at);
        }
    }
    best.1
}

/// Whether a straight line through the values rises or falls beyond chance and by an amount
/// that matters.
fn drifts(values: &[f64]) -> bool {
    let Some(trend) = slope_test(values) else {
        return true;
    };
    let change = (trend.slope * values.len() as f64).abs();
    trend.p_value < TREND_ALPHA && change > TREND_SHARE * mean(values).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Noise;

    fn noisy(noise: &mut Noise, n: usize, level: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..n).map(|at| level(at) + noise.normal()).collect()
    }

    #[test]
    fn a_transient_is_cut_and_little_more() {
        let mut noise = Noise(1);
        for n in [20, 30, 60, 200] {
            for _ in 0..50 {
                let transient = n / 5;
                let level = |at| if at < transient { 20.0 } else { 100.0 };
                let found = truncate(&noisy(&mut noise, n, level));
                assert!(found.steady, "{n}: {found:?}");
                assert!(found.cut + BATCH > transient, "{n}: {found:?}");
                assert!(found.cut <= n / 2, "{n}: {found:?}");
            }
        }
    }

    #[test]
    fn noise_alone_is_steady_and_a_trend_is_not() {
        let mut noise = Noise(2);
        let shares = |noise: &mut Noise, level: &dyn Fn(usize) -> f64| {
            let steady = |_| truncate(&noisy(noise, 30, level)).steady;
            (0..400).map(steady).filter(|steady| *steady).count() as f64 / 400.0
        };
        let flat = shares(&mut noise, &|_| 10.0);
        assert!(flat > 0.95, "{flat}");
        let rising = shares(&mut noise, &|at| 10.0 + at as f64);
        assert!(rising < 0.02, "{rising}");
    }

    #[test]
    fn what_is_too_short_or_does_not_move_has_a_result_too() {
        let of = |values: &[f64]| truncate(values);
        assert!(!of(&[]).steady && !of(&[1.0; 4]).steady);
        let constant = of(&[7.0; 12]);
        assert_eq!((constant.cut, constant.steady), (0, true));
        let zero = of(&[0.0; 12]);
        assert_eq!((zero.cut, zero.steady), (0, true));
    }
}
