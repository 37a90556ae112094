//! What is expected of configurations by all that was seen, and which of those that were tried is the best by that.

use std::collections::{HashMap, HashSet};

use super::encode::Encoding;
use super::gp::{Process, Seen};
use super::observed::{Observed, Runs, points};
use crate::space::{Configuration, Space};

/// What is expected of configurations by all that was seen; none without any score.
struct Expected<'a> {
    space: &'a Space,
    encoding: Encoding,
    process: Process,
    rng: fastrand::Rng,
}

impl<'a> Expected<'a> {
    fn learn(space: &'a Space, seen: &[Observed], seed: u64) -> Option<Self> {
        let encoding = Encoding::of(space);
        let known: Vec<Seen> = points(space, &encoding, seen).collect();
        let mut rng = fastrand::Rng::with_seed(seed);
        let process = Process::learn(&known, &encoding.groups, &mut rng)?;
        Some(Self {
            space,
            encoding,
            process,
            rng,
        })
    }

    fn score(&self, of: &Configuration) -> f64 {
        self.process.predict(&self.encoding.point(self.space, of)).0
    }

    /// The best of what was tried but for some, with its expected score.
    fn best(&self, seen: &[Observed], but: &[Configuration]) -> Option<(Configuration, f64)> {
        let bad = mostly_without_score(seen);
        let is_good = |it: &&Observed| !bad.contains(&it.of) && !but.contains(&it.of);
        let good = seen.iter().filter(is_good);
        let scores = good.map(|it| (it.of.clone(), self.score(&it.of)));
        scores.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// The best of what was tried by the model of all that was seen, with its expected score: one lucky run does not
/// make a configuration the best.
#[must_use]
pub fn best_by_model(space: &Space, seen: &[Observed], seed: u64) -> Option<(Configuration, f64)> {
    Expected::learn(space, seen, seed)?.best(seen, &[])
}

/// The best by the model but for some.
#[must_use]
pub fn best_but(
    space: &Space,
    seen: &[Observed],
    but: &[Configuration],
    seed: u64,
) -> Option<Configuration> {
    let (best, _) = Expected::learn(space, seen, seed)?.best(seen, but)?;
    Some(best)
}

/// The best by the model but for some, where it is expected to bring as much over `base` as matters.
#[must_use]
pub fn promising(
    space: &Space,
    seen: &[Observed],
    (base, but): (&Configuration, &[Configuration]),
    (matters, seed): (f64, u64),
) -> Option<Configuration> {
    let expected = Expected::learn(space, seen, seed)?;
    let (best, score) = expected.best(seen, but)?;
    (score - expected.score(base) >= matters).then_some(best)
}

/// What did not run, or broke a constraint, more often than not: one that failed by chance is none of them.
fn mostly_without_score(seen: &[Observed]) -> HashSet<&Configuration> {
    let mut without: HashMap<&Configuration, i32> = HashMap::new();
    for it in seen {
        *without.entry(&it.of).or_default() += if it.score.is_none() { 1 } else { -1 };
    }
    let bad = without.into_iter().filter(|(_, more)| *more > 0);
    bad.map(|(of, _)| of).collect()
}

/// A configuration without the changes that bring nothing by the model: as long as all that is left out together is
/// expected to cost less than what matters, and what is left to run under the constraints.
#[must_use]
pub fn simplified(
    space: &Space,
    seen: &[Observed],
    best: &Configuration,
    (matters, seed): (f64, u64),
) -> Configuration {
    let Some(mut expected) = Expected::learn(space, seen, seed) else {
        return best.clone();
    };
    let least = expected.score(best) - matters;
    let bad = mostly_without_score(seen);
    let runs = Runs::learn(space, &expected.encoding, seen, &mut expected.rng);
    let likely = |of: &Configuration| runs.likelihood(&expected.encoding.point(space, of)) >= 0.5;
    let mut left = best.clone();
    loop {
        let without = left
            .changed()
            .map(|knob| space.normal(&left.with(knob, None)));
        let allowed =
            without.filter(|of| space.broken(of).is_none() && !bad.contains(of) && likely(of));
        let scored = allowed.map(|of| (expected.score(&of), of));
        match scored.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((score, of)) if score >= least => left = of,
            _ => return left,
        }
    }
}
