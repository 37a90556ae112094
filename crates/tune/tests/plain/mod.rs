//! Bayesian optimisation as textbooks have it (Jones, Schonlau and Welch 1998; Rasmussen and Williams, chapter 2), to
//! hold the search against: a Gaussian process with one length for all knobs, length and noise by likelihood, the point
//! of the greatest expected improvement next. Nothing is measured twice, and the best that was seen leads.

use nalgebra::{DMatrix, DVector};
use plimsoll_tune::judge::{density, normal};

/// Points that are drawn at first.
const DRAWN: usize = 5;
const LENGTHS: [f64; 4] = [0.15, 0.3, 0.6, 1.2];
const NOISES: [f64; 3] = [1e-4, 1e-2, 1e-1];

/// The places of a grid, each knob from 0 to 1.
pub struct PlainSearch {
    points: Vec<Vec<f64>>,
    seen: Vec<(usize, f64)>,
    rng: fastrand::Rng,
}

struct Fit {
    likelihood: f64,
    factor: nalgebra::Cholesky<f64, nalgebra::Dyn>,
    weights: DVector<f64>,
    length: f64,
}

impl PlainSearch {
    pub fn new(points: Vec<Vec<f64>>, seed: u64) -> Self {
        Self {
            points,
            seen: Vec::new(),
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    pub fn saw(&mut self, point: usize, score: f64) {
        self.seen.push((point, score));
    }

    /// The point that leads.
    pub fn best(&self) -> Option<usize> {
        let best = self.seen.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map(|(point, _)| *point)
    }

    /// The next to measure; none where all were.
    pub fn next(&mut self) -> Option<usize> {
        let known: Vec<usize> = self.seen.iter().map(|it| it.0).collect();
        let left: Vec<usize> = (0..self.points.len())
            .filter(|at| !known.contains(at))
            .collect();
        if self.seen.len() < DRAWN || left.is_empty() {
            return self.rng.choice(left);
        }
        let scores = self.scores();
        let fit = self.fit(&scores)?;
        let best = scores.max();
        let improvement = |at: &usize| {
            let (value, variance) = self.predicted(&fit, *at);
            let deviation = variance.max(1e-12).sqrt();
            let z = (value - best) / deviation;
            deviation * (z * normal(z) + density(z))
        };
        left.into_iter()
            .max_by(|a, b| improvement(a).total_cmp(&improvement(b)))
    }

    /// What was seen, around 0 and with a deviation of 1.
    fn scores(&self) -> DVector<f64> {
        let count = self.seen.len() as f64;
        let mean = self.seen.iter().map(|it| it.1).sum::<f64>() / count;
        let squares = self.seen.iter().map(|it| (it.1 - mean).powi(2));
        let deviation = (squares.sum::<f64>() / count).sqrt().max(1e-9);
        let all = self.seen.iter().map(|it| (it.1 - mean) / deviation);
        DVector::from_iterator(self.seen.len(), all)
    }

    fn covariance(&self, a: usize, b: usize, length: f64) -> f64 {
        let pairs = self.points[a].iter().zip(&self.points[b]);
        let squares: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
        (-0.5 * squares / (length * length)).exp()
    }

    fn fit(&self, scores: &DVector<f64>) -> Option<Fit> {
        let n = self.seen.len();
        let mut best: Option<Fit> = None;
        for (length, noise) in LENGTHS.iter().flat_map(|l| NOISES.map(|n| (*l, n))) {
            let of = |i: usize, j: usize| {
                let own = self.covariance(self.seen[i].0, self.seen[j].0, length);
                if i == j { own + noise } else { own }
            };
            let Some(factor) = DMatrix::from_fn(n, n, of).cholesky() else {
                continue;
            };
            let weights = factor.solve(scores);
            let logs: f64 = factor.l().diagonal().iter().map(|it| it.ln()).sum();
            let likelihood = -0.5 * scores.dot(&weights) - logs;
            if best.as_ref().is_none_or(|it| likelihood > it.likelihood) {
                best = Some(Fit {
                    likelihood,
                    factor,
                    weights,
                    length,
                });
            }
        }
        best
    }

    fn predicted(&self, fit: &Fit, at: usize) -> (f64, f64) {
        let with = self
            .seen
            .iter()
            .map(|it| self.covariance(at, it.0, fit.length));
        let with = DVector::from_iterator(self.seen.len(), with);
        let variance = 1.0 - with.dot(&fit.factor.solve(&with));
        (with.dot(&fit.weights), variance)
    }
}
