//! What was seen of configurations, and which of them run.

use super::encode::Encoding;
use super::gp::{Process, Seen};
use crate::judge::normal;
use crate::space::{Configuration, Space};

/// What was seen of a configuration; more is better.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Which.
    pub of: Configuration,
    /// Its score; none where it did not start, died, or broke a constraint.
    pub score: Option<f64>,
    /// Variance of the score.
    pub noise: f64,
}

/// The model of what runs under the constraints; none where all did.
pub struct Runs(Option<Process>);

impl Runs {
    /// By what was seen.
    pub fn learn(
        space: &Space,
        encoding: &Encoding,
        seen: &[Observed],
        rng: &mut fastrand::Rng,
    ) -> Self {
        if seen.iter().all(|it| it.score.is_some()) {
            return Self(None);
        }
        let runs = seen.iter().map(|it| Seen {
            at: encoding.point(space, &it.of),
            value: f64::from(u8::from(it.score.is_some())),
            noise: 0.01,
        });
        let runs: Vec<Seen> = runs.collect();
        Self(Process::learn(&runs, &encoding.groups, rng))
    }

    /// How likely it is that a configuration runs under them.
    #[must_use]
    pub fn likelihood(&self, point: &[f64]) -> f64 {
        self.0.as_ref().map_or(1.0, |runs| {
            let (mean, deviation) = runs.predict(point);
            normal((mean - 0.5) / deviation.max(0.05))
        })
    }
}

/// The scores that were seen, where the model has them.
pub fn points<'a>(
    space: &'a Space,
    encoding: &'a Encoding,
    seen: &'a [Observed],
) -> impl Iterator<Item = Seen> + 'a {
    seen.iter().filter_map(|it| {
        Some(Seen {
            at: encoding.point(space, &it.of),
            value: it.score?,
            noise: it.noise,
        })
    })
}
