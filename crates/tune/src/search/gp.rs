//! A Gaussian process whose points have noise of their own.
//!
//! Matérn 5/2 with a length for each knob; lengths and amplitude where the likelihood, times a prior that keeps
//! few points from saying too much, is greatest (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for
//! Machine Learning", 2006, algorithm 2.1; J. Snoek et al., "Practical Bayesian optimization of machine learning
//! algorithms", NIPS 2012, for the kernel). Linear algebra is nalgebra's.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A point that was measured.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Where: its coordinates, knob after knob.
    pub at: Vec<f64>,
    /// What was seen.
    pub value: f64,
    /// Variance of that.
    pub noise: f64,
}

/// A process that has seen points.
pub struct Process {
    points: Vec<Vec<f64>>,
    mean: f64,
    scale: f64,
    lengths: Vec<f64>,
    amplitude: f64,
    solved: Cholesky<f64, Dyn>,
    weights: DVector<f64>,
}

/// Starts of the search for lengths.
const STARTS: usize = 24;
/// Rounds in which the best start is made better.
const ROUNDS: usize = 60;
/// Steps of the walk between two that are kept, and how far one goes at most, as a logarithm.
const WALK: usize = 8;
const STRIDE: f64 = 0.8;
/// What every point has besides, so that equal points do no harm.
const JITTER: f64 = 1e-8;
/// Lengths are looked for here, in units of a knob's whole range …
const LENGTHS: (f64, f64) = (0.05, 5.0);
/// … around this one.
const USUAL_LENGTH: f64 = 0.7;

impl Process {
    /// Learns from points. `groups` says which knob each coordinate belongs to. None without any point.
    #[must_use]
    pub fn learn(seen: &[Seen], groups: &[usize], rng: &mut fastrand::Rng) -> Option<Self> {
        Self::several(seen, groups, rng, 0)?.pop()
    }

    /// The most likely process last, and before it others, each as often as it is likely: what few points say of lengths
    /// is little, and one set of them would be too sure of what it has not seen (J. Snoek et al., above).
    #[must_use]
    pub fn several(
        seen: &[Seen],
        groups: &[usize],
        rng: &mut fastrand::Rng,
        others: usize,
    ) -> Option<Vec<Self>> {
        let count = seen.len() as f64;
        let mean = seen.iter().map(|it| it.value).sum::<f64>() / count.max(1.0);
        let variance =
            seen.iter().map(|it| (it.value - mean).powi(2)).sum::<f64>() / count.max(1.0);
        if seen.is_empty() {
            return None;
        }
        // What differs by less than the noise says nothing of how far values go elsewhere.
        let noise = seen.iter().map(|it| it.noise.sqrt()).sum::<f64>() / count.max(1.0);
        let scale = variance.sqrt().max(noise).max(1e-6);
        let values: Vec<f64> = seen.iter().map(|it| (it.value - mean) / scale).collect();
        let noises: Vec<f64> = seen.iter().map(|it| it.noise / (scale * scale)).collect();
        let points: Vec<Vec<f64>> = seen.iter().map(|it| it.at.clone()).collect();
        let knobs = groups.iter().max().map_or(0, |last| last + 1);
        let data = Data {
            squares: squares(&points, groups, knobs),
            knobs,
            values: DVector::from_vec(values),
            noises: &noises,
        };
        let best = data.most_likely(knobs, rng);
        let mut hypers = data.others(&best, others, rng);
        hypers.push(best);
        let process = |hyper: &Hyper| {
            let (solved, weights) = data.solve(hyper)?;
            let lengths = groups.iter().map(|group| hyper.lengths[*group]).collect();
            Some(Self {
                points: points.clone(),
                mean,
                scale,
                lengths,
                amplitude: hyper.amplitude,
                solved,
                weights,
            })
        };
        hypers.iter().map(process).collect()
    }

    /// Mean and standard deviation of the value at a place, without the noise of a measurement.
    #[must_use]
    pub fn predict(&self, at: &[f64]) -> (f64, f64) {
        let near = self.points.iter().map(|point| {
            let pairs = point.iter().zip(at).zip(&self.lengths);
            let squared = pairs.map(|((a, b), length)| ((a - b) / length).powi(2));
            self.amplitude * matern(squared.sum::<f64>().sqrt())
        });
        let near = DVector::from_iterator(self.points.len(), near);
        let mean = near.dot(&self.weights);
        let solved = self.solved.solve(&near);
        let variance = (self.amplitude - near.dot(&solved)).max(0.0);
        (self.mean + self.scale * mean, self.scale * variance.sqrt())
    }
}

#[derive(Debug, Clone)]
struct Hyper {
    lengths: Vec<f64>,
    amplitude: f64,
}

impl Hyper {
    /// Another one, at most a stride away, as a logarithm.
    fn moved(&self, stride: f64, rng: &mut fastrand::Rng) -> Self {
        let mut moved = |value: f64| value * (stride * (rng.f64() * 2.0 - 1.0)).exp();
        let lengths = self.lengths.iter().map(|length| moved(*length));
        Self {
            lengths: lengths
                .map(|length| length.clamp(LENGTHS.0, LENGTHS.1))
                .collect(),
            amplitude: moved(self.amplitude).clamp(0.05, 20.0),
        }
    }
}

struct Data<'a> {
    /// Squared distances by knob, for each pair of points: row by row, up to the diagonal.
    squares: Vec<f64>,
    knobs: usize,
    values: DVector<f64>,
    noises: &'a [f64],
}

fn squares(points: &[Vec<f64>], groups: &[usize], knobs: usize) -> Vec<f64> {
    let mut all = Vec::with_capacity(points.len() * points.len() / 2 * knobs);
    for (row, a) in points.iter().enumerate() {
        for b in &points[..row] {
            let from = all.len();
            all.resize(from + knobs, 0.0);
            for ((a, b), group) in a.iter().zip(b).zip(groups) {
                all[from + group] += (a - b) * (a - b);
            }
        }
    }
    all
}

fn matern(distance: f64) -> f64 {
    let scaled = 5.0_f64.sqrt() * distance;
    (1.0 + scaled + scaled * scaled / 3.0) * (-scaled).exp()
}

impl Data<'_> {
    fn covariance(&self, hyper: &Hyper) -> DMatrix<f64> {
        let count = self.values.len();
        let weights: Vec<f64> = hyper
            .lengths
            .iter()
            .map(|length| 1.0 / (length * length))
            .collect();
        let mut all = DMatrix::zeros(count, count);
        let mut pairs = self.squares.chunks_exact(self.knobs.max(1));
        for row in 0..count {
            all[(row, row)] = hyper.amplitude + self.noises[row] + JITTER;
            for column in 0..row {
                let squares = pairs.next().unwrap_or_default();
                let squared: f64 = squares.iter().zip(&weights).map(|(s, w)| s * w).sum();
                let shared = hyper.amplitude * matern(squared.sqrt());
                (all[(row, column)], all[(column, row)]) = (shared, shared);
            }
        }
        all
    }

    fn solve(&self, hyper: &Hyper) -> Option<(Cholesky<f64, Dyn>, DVector<f64>)> {
        let solved = Cholesky::new(self.covariance(hyper))?;
        let weights = solved.solve(&self.values);
        Some((solved, weights))
    }

    /// The logarithm of likelihood times prior.
    fn likely(&self, hyper: &Hyper) -> f64 {
        let Some((solved, weights)) = self.solve(hyper) else {
            return f64::NEG_INFINITY;
        };
        let fit = -0.5 * self.values.dot(&weights);
        let lower = solved.l_dirty();
        let volume: f64 = (0..lower.nrows()).map(|at| lower[(at, at)].ln()).sum();
        let far = |length: &f64| (length / USUAL_LENGTH).ln().powi(2);
        let prior: f64 = hyper.lengths.iter().map(far).sum();
        fit - volume - 0.5 * prior - 0.5 * (hyper.amplitude.ln() / 1.5).powi(2)
    }

    /// Others, by a walk that stays where it is likely (N. Metropolis et al., 1953).
    fn others(&self, from: &Hyper, count: usize, rng: &mut fastrand::Rng) -> Vec<Hyper> {
        let (mut at, mut likely) = (from.clone(), self.likely(from));
        let mut found = Vec::with_capacity(count);
        for step in 1..=count * WALK {
            let next = at.moved(STRIDE, rng);
            let there = self.likely(&next);
            if rng.f64().ln() < there - likely {
                (at, likely) = (next, there);
            }
            if step % WALK == 0 {
                found.push(at.clone());
            }
        }
        found
    }

    fn most_likely(&self, knobs: usize, rng: &mut fastrand::Rng) -> Hyper {
        let (low, high) = (LENGTHS.0.ln(), LENGTHS.1.ln());
        let mut best = Hyper {
            lengths: vec![USUAL_LENGTH; knobs],
            amplitude: 1.0,
        };
        let mut likely = self.likely(&best);
        let mut step = 1.0;
        for round in 0..STARTS + ROUNDS {
            let next = if round < STARTS {
                let mut drawn = || (low + rng.f64() * (high - low)).exp();
                Hyper {
                    lengths: (0..knobs).map(|_| drawn()).collect(),
                    amplitude: (rng.f64() * 3.0 - 1.5).exp(),
                }
            } else {
                // Steps that become shorter around the best so far.
                step *= 0.96;
                best.moved(step, rng)
            };
            let found = self.likely(&next);
            if found > likely {
                (best, likely) = (next, found);
            }
        }
        best
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn learn(points: impl Iterator<Item = (f64, f64)>, noise: f64) -> Process {
        let seen: Vec<Seen> = points
            .map(|(at, value)| Seen {
                at: vec![at],
                value,
                noise,
            })
            .collect();
        Process::learn(&seen, &[0], &mut fastrand::Rng::with_seed(1)).unwrap()
    }

    #[test]
    fn it_goes_through_exact_points_and_is_unsure_elsewhere() {
        let curve = |x: f64| (6.0 * x).sin() + 10.0;
        let process = learn([0.0, 0.2, 0.4, 0.6].map(|x| (x, curve(x))).into_iter(), 0.0);
        let (mean, deviation) = process.predict(&[0.4]);
        assert!((mean - curve(0.4)).abs() < 1e-3 && deviation < 1e-2);
        let (mean, near) = process.predict(&[0.3]);
        assert!((mean - curve(0.3)).abs() < 0.2, "{mean}");
        let (_, far) = process.predict(&[1.0]);
        assert!(far > 2.0 * near, "{near} {far}");
    }

    #[test]
    fn what_is_the_same_everywhere_so_far_may_differ_elsewhere_by_as_much_as_the_noise() {
        for noise in [1e-4_f64, 1e-2, 1.0] {
            for points in [vec![0.5], vec![0.4, 0.5, 0.6]] {
                let points = points.into_iter().map(|x| (x, 7.0));
                let process = learn(points, noise);
                let (_, far) = process.predict(&[1000.0]);
                assert!(far > 0.2 * noise.sqrt(), "{noise}: {far}");
            }
        }
    }

    #[test]
    fn noise_is_not_followed() {
        let mut rng = fastrand::Rng::with_seed(3);
        let points: Vec<(f64, f64)> = (0..40)
            .map(|at| (f64::from(at) / 39.0, 5.0 + rng.f64() - 0.5))
            .collect();
        let process = learn(points.into_iter(), 1.0 / 12.0);
        for at in [0.1, 0.5, 0.9] {
            let (mean, _) = process.predict(&[at]);
            assert!((mean - 5.0).abs() < 0.3, "{at}: {mean}");
        }
        assert!(Process::learn(&[], &[0], &mut rng).is_none());
    }
}
