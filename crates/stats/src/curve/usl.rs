//! The Universal Scalability Law.
//!
//! X(N) = λ N / (1 + σ (N − 1) + κ N (N − 1)): λ is the throughput of one, σ the share of the
//! work that must wait its turn (contention), κ what keeping everybody informed costs each
//! pair (coherence) (N. J. Gunther, "A general theory of computational scalability based on
//! rational functions", arXiv:0808.1431, 2008). Fitted by weighted least squares with the
//! parameters kept from going below zero: each way of holding σ and κ at zero is fitted by
//! Levenberg and Marquardt's method (D. W. Marquardt, "An algorithm for least-squares
//! estimation of nonlinear parameters", SIAM Journal 11(2), 1963), and the best that is
//! allowed is taken.

use serde::{Deserialize, Serialize};

use crate::batch_means::{CONFIDENCE, Estimate};
use crate::t_test::t_quantile;

/// Points are not trusted to be better known than to this share.
const BEST_KNOWN: f64 = 0.005;
const MOST_ITERATIONS: usize = 200;

/// A point to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UslPoint {
    /// The load N.
    pub n: f64,
    /// The throughput X per second.
    pub x: f64,
    /// Standard error of X.
    pub error: f64,
}

/// What N of the law is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UslAxis {
    /// The curve's load: users.
    #[default]
    Load,
    /// Requests under way; the rate of an open load is no number of workers.
    Concurrency,
}

/// A fitted law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usl {
    /// What N is.
    pub axis: UslAxis,
    /// λ, requests per second.
    pub lambda_per_s: Estimate,
    /// σ.
    pub sigma: Estimate,
    /// κ.
    pub kappa: Estimate,
    /// Share of the variance of X that the law explains, up to 1.
    pub r_squared: f64,
    /// By how much at most the law misses a measured X, as a share of it.
    #[serde(default)]
    pub worst_residual: f64,
    /// The N of the law's largest X; null if it has none (κ = 0).
    pub peak_n: Option<f64>,
    /// X there, or the value that X comes near to; null if it has no bound (σ = κ = 0).
    pub peak_per_s: Option<f64>,
}

impl Usl {
    /// X at a load N.
    #[must_use]
    pub fn throughput_per_s(&self, n: f64) -> f64 {
        law(&self.parameters(), n)
    }

    fn parameters(&self) -> [f64; 3] {
        [self.lambda_per_s.value, self.sigma.value, self.kappa.value]
    }
}

/// Fits the law to points; `None` with fewer than three loads or without any throughput.
#[must_use]
pub fn fit(points: &[UslPoint], axis: UslAxis) -> Option<Usl> {
    let points: Vec<UslPoint> = points
        .iter()
        .copied()
        .filter(|point| point.n > 0.0 && point.x > 0.0)
        .collect();
    if points.len() < 3 {
        return None;
    }
    let problem = UslProblem { points: &points };
    let ways = [
        [true; 3],
        [true, true, false],
        [true, false, true],
        [true, false, false],
    ];
    let allowed = |fit: &Fit| {
        fit.at
            .iter()
            .all(|value| *value >= 0.0 && value.is_finite())
    };
    let best = ways
        .iter()
        .filter_map(|free| problem.fit(*free))
        .filter(allowed)
        .min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    Some(problem.describe(&best, axis))
}

fn law([lambda, sigma, kappa]: &[f64; 3], n: f64) -> f64 {
    lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
}

struct UslProblem<'a> {
    points: &'a [UslPoint],
}

struct Fit {
    at: [f64; 3],
    free: [bool; 3],
    cost: f64,
}

type Matrix = [[f64; 3]; 3];

impl UslProblem<'_> {
    fn weight(point: &UslPoint) -> f64 {
        1.0 / point.error.max(BEST_KNOWN * point.x).powi(2)
    }

    fn cost(&self, at: &[f64; 3]) -> f64 {
        let square = |p: &UslPoint| Self::weight(p) * (p.x - law(at, p.n)).powi(2);
        self.points.iter().map(square).sum()
    }

    /// Normal matrix and gradient; parameters that are held have a row of their own.
    fn normal(&self, at: &[f64; 3], free: [bool; 3]) -> (Matrix, [f64; 3]) {
        let (mut matrix, mut gradient) = ([[0.0; 3]; 3], [0.0; 3]);
        for point in self.points {
            let n = point.n;
            let below = 1.0 + at[1] * (n - 1.0) + at[2] * n * (n - 1.0);
            let by_lambda = n / below;
            let by_below = -at[0] * n / (below * below);
            let slopes = [by_lambda, by_below * (n - 1.0), by_below * n * (n - 1.0)];
            let (weight, left) = (Self::weight(point), point.x - law(at, n));
            for row in 0..3 {
                gradient[row] += weight * slopes[row] * left;
                for column in 0..3 {
                    matrix[row][column] += weight * slopes[row] * slopes[column];
                }
            }
        }
        for held in (0..3).filter(|at| !free[*at]) {
            gradient[held] = 0.0;
            matrix.iter_mut().for_each(|row| row[held] = 0.0);
            matrix[held] = [0.0; 3];
            matrix[held][held] = 1.0;
        }
        (matrix, gradient)
    }

    /// Levenberg and Marquardt's steps from proportional growth.
    fn fit(&self, free: [bool; 3]) -> Option<Fit> {
        let per_load = |point: &UslPoint| point.x / point.n;
        let lambda = self.points.iter().map(per_load).fold(0.0, f64::max);
        let start = |free: bool, value: f64| if free { value } else { 0.0 };
        let largest = self.points.iter().map(|p| p.n).fold(1.0, f64::max);
        let mut at = [
            lambda,
            start(free[1], 1.0 / largest),
            start(free[2], 0.1 / (largest * largest)),
        ];
        let (mut cost, mut damping) = (self.cost(&at), 1e-3);
        for _ in 0..MOST_ITERATIONS {
            let (matrix, gradient) = self.normal(&at, free);
            let mut damped = matrix;
            for (row, values) in damped.iter_mut().enumerate() {
                values[row] *= 1.0 + damping;
            }
            let step = solve(damped, gradient)?;
            let next: [f64; 3] = std::array::from_fn(|i| at[i] + step[i]);
            let next_cost = self.cost(&next);
            if next_cost.is_finite() && next_cost <= cost {
                let gained = (cost - next_cost) / cost.max(f64::MIN_POSITIVE);
                (at, cost, damping) = (next, next_cost, (damping / 10.0).max(1e-12));
                if gained < 1e-12 {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
            }
        }
        Some(Fit { at, free, cost })
    }

    fn describe(&self, fit: &Fit, axis: UslAxis) -> Usl {
        let [lambda, sigma, kappa] = fit.at;
        let mean = self.points.iter().map(|p| p.x).sum::<f64>() / self.points.len() as f64;
        let squares = |of: &dyn Fn(&UslPoint) -> f64| -> f64 {
            self.points.iter().map(|p| of(p).powi(2)).sum()
        };
        let left = squares(&|p| p.x - law(&fit.at, p.n));
        let all = squares(&|p| p.x - mean);
        let peak_n = (kappa > 0.0 && sigma < 1.0).then(|| ((1.0 - sigma) / kappa).sqrt().max(1.0));
        let peak_per_s = match peak_n {
            Some(n) => Some(law(&fit.at, n)),
            None if sigma > 0.0 => Some(lambda / sigma),
            None => None,
        };
        let halves = self.halves(fit);
        let estimate = |i: usize| match halves[i] {
            Some(half) => Estimate::within(fit.at[i], half),
            None => Estimate::unsure(fit.at[i]),
        };
        Usl {
            axis,
            lambda_per_s: estimate(0),
            sigma: estimate(1),
            kappa: estimate(2),
            r_squared: if all > 0.0 { 1.0 - left / all } else { 1.0 },
            worst_residual: self
                .points
                .iter()
                .map(|p| (law(&fit.at, p.n) / p.x - 1.0).abs())
                .fold(0.0, f64::max),
            peak_n,
            peak_per_s,
        }
    }

    /// Half widths of the parameters' intervals, from the normal matrix. One that was held at
    /// zero gets the width it would have if it were free.
    fn halves(&self, fit: &Fit) -> [Option<f64>; 3] {
        std::array::from_fn(|i| {
            let free = match fit.free[i] {
                true => fit.free,
                false => [true; 3],
            };
            let parameters = free.iter().filter(|free| **free).count();
            let left = self.points.len().checked_sub(parameters)?;
            let (matrix, _) = self.normal(&fit.at, free);
            let mut unit = [0.0; 3];
            unit[i] = 1.0;
            let variance = solve(matrix, unit)?[i] * fit.cost / left as f64;
            Some(t_quantile(left as f64, CONFIDENCE)? * variance.max(0.0).sqrt())
        })
    }
}

/// Gauss' elimination with pivots, each row scaled by its diagonal first; `None` for a matrix
/// without an inverse.
fn solve(mut matrix: Matrix, mut right: [f64; 3]) -> Option<[f64; 3]> {
    // σ and κ differ by orders of magnitude: without scales good pivots look like zero.
    let scales: [f64; 3] = std::array::from_fn(|i| 1.0 / matrix[i][i].sqrt());
    if scales.iter().any(|scale| !scale.is_finite()) {
        return None;
    }
    for row in 0..3 {
        right[row] *= scales[row];
        for column in 0..3 {
            matrix[row][column] *= scales[row] * scales[column];
        }
    }
    for pivot in 0..3 {
        let best = (pivot..3)
            .max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()))?;
        matrix.swap(pivot, best);
        right.swap(pivot, best);
        if matrix[pivot][pivot].abs() < 1e-13 {
            return None;
        }
        for row in pivot + 1..3 {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot];
            for (value, above) in matrix[row].iter_mut().zip(above) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut found = [0.0; 3];
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|c| matrix[row][c] * found[c]).sum();
        found[row] = (right[row] - known) / matrix[row][row];
    }
    for (value, scale) in found.iter_mut().zip(scales) {
        *value *= scale;
    }
    found.iter().all(|value| value.is_finite()).then_some(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::Noise;

    const LOADS: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];

    fn points(parameters: [f64; 3], spread: f64, noise: &mut Noise) -> Vec<UslPoint> {
        let point = |n: &f64| {
            let x = law(&parameters, *n);
            UslPoint {
                n: *n,
                x: x * (1.0 + spread * noise.normal()),
                error: x * spread,
            }
        };
        LOADS.iter().map(point).collect()
    }

    #[test]
    fn intervals_hold_the_parameters_about_as_often_as_they_say() {
        let truth = [100.0, 0.05, 0.001];
        let mut noise = Noise(9);
        let mut held = [0; 3];
        for _ in 0..300 {
            let found = fit(&points(truth, 0.01, &mut noise), UslAxis::Load).unwrap();
            let all = [found.lambda_per_s, found.sigma, found.kappa];
            for (i, estimate) in all.iter().enumerate() {
                let (low, high) = (estimate.low.unwrap(), estimate.high.unwrap());
                held[i] += usize::from(low <= truth[i] && truth[i] <= high);
            }
            let peak = found.peak_n.unwrap();
            assert!((peak / 30.8 - 1.0).abs() < 0.2, "{peak}");
        }
        for count in held {
            assert!((270..=297).contains(&count), "{held:?}");
        }
    }

    #[test]
    fn without_coherence_cost_the_law_has_no_peak_but_a_bound() {
        let found = fit(&points([50.0, 0.1, 0.0], 0.0, &mut Noise(1)), UslAxis::Load).unwrap();
        assert!(found.kappa.value < 1e-9 && found.peak_n.is_none_or(|n| n > 1e4));
        assert!((found.peak_per_s.unwrap() / 500.0 - 1.0).abs() < 0.01);
        let linear = fit(&points([50.0, 0.0, 0.0], 0.0, &mut Noise(1)), UslAxis::Load).unwrap();
        assert!((linear.throughput_per_s(128.0) / 6_400.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn better_than_proportional_growth_does_not_make_negative_costs() {
        let grows = LOADS.map(|n| UslPoint {
            n,
            x: 10.0 * n.powf(1.1),
            error: 0.0,
        });
        let found = fit(&grows, UslAxis::Load).unwrap();
        assert_eq!((found.sigma.value, found.kappa.value), (0.0, 0.0));
        assert_eq!((found.peak_n, found.peak_per_s), (None, None));
    }

    #[test]
    fn too_little_is_no_fit() {
        let point = |n, x| UslPoint { n, x, error: 0.1 };
        assert!(fit(&[point(1.0, 2.0), point(2.0, 3.0)], UslAxis::Load).is_none());
        assert!(fit(&[point(1.0, 0.0); 5], UslAxis::Load).is_none());
        let same = fit(&[point(3.0, 9.0); 4], UslAxis::Load);
        assert!(same.is_none_or(|fit| fit.lambda_per_s.value.is_finite()));
        assert!(fit(&[], UslAxis::Load).is_none());
    }

    proptest! {
        #[test]
        fn exact_points_give_their_parameters_back(
            lambda in 1.0..10_000.0_f64,
            sigma in 0.0..0.5_f64,
            kappa in 1e-5..0.02_f64,
        ) {
            let found = fit(&points([lambda, sigma, kappa], 0.0, &mut Noise(1)), UslAxis::Load);
            let found = found.unwrap();
            for n in LOADS {
                let x = law(&[lambda, sigma, kappa], n);
                prop_assert!((found.throughput_per_s(n) / x - 1.0).abs() < 1e-4);
            }
            prop_assert!((found.lambda_per_s.value / lambda - 1.0).abs() < 1e-2);
            prop_assert!((found.kappa.value - kappa).abs() < 1e-2 * kappa + 1e-6);
            prop_assert!(found.r_squared > 0.999);
        }
    }
}
