//! The next configuration.

use std::collections::HashSet;

use super::candidates::{allowed_draw, candidates, values};
use super::encode::Encoding;
use super::gp::{Process, Seen};
use super::observed::{Observed, Runs, points};
use crate::judge::{density, normal};
use crate::space::{Configuration, Space};
use plimsoll_plan::study::StudySearch;

/// Says where to look next.
pub struct Proposer {
    how: StudySearch,
    rng: fastrand::Rng,
    encoding: Encoding,
}

/// Configurations that are spread over the space before the model is asked: on drawn surfaces of three and four knobs
/// one or two more brought nothing.
const SPREAD: usize = 3;
/// Neighbours are looked for around so many.
const GOOD: usize = 4;
/// Processes beside the most likely one.
const OTHERS: usize = 4;

impl Proposer {
    /// Looks like this.
    #[must_use]
    pub fn new(space: &Space, how: StudySearch, seed: u64) -> Self {
        Self {
            how,
            rng: fastrand::Rng::with_seed(seed),
            encoding: Encoding::of(space),
        }
    }

    /// The next configuration and how much it promises, in units of the score; none where nothing is left.
    pub fn next(&mut self, space: &Space, seen: &[Observed]) -> Option<(Configuration, f64)> {
        let tried: HashSet<Configuration> = seen.iter().map(|it| it.of.clone()).collect();
        match self.how {
            StudySearch::AdviceOnly => None,
            StudySearch::Random => {
                allowed_draw(space, &tried, &mut self.rng).map(|of| (of, f64::INFINITY))
            }
            StudySearch::OneAtATime => {
                next_alone(space, seen, &tried).map(|of| (of, f64::INFINITY))
            }
            StudySearch::Model => self.by_model(space, seen, &tried),
        }
    }

    fn by_model(
        &mut self,
        space: &Space,
        seen: &[Observed],
        tried: &HashSet<Configuration>,
    ) -> Option<(Configuration, f64)> {
        let mut good: Vec<&Observed> = seen.iter().filter(|it| it.score.is_some()).collect();
        good.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
        let good: Vec<_> = good.iter().take(GOOD).map(|it| it.of.clone()).collect();
        let mut all = candidates(space, &good, &mut self.rng);
        all.retain(|of| !tried.contains(of));
        let points: Vec<Vec<f64>> = all
            .iter()
            .map(|of| self.encoding.point(space, of))
            .collect();
        // Where nothing that was changed has a score there is nothing to model: what runs, or meets the constraints, may
        // lie anywhere.
        let is_known = good.iter().any(|of| of.changed().next().is_some());
        if tried.len() <= SPREAD || !is_known {
            let at = self.farthest(space, tried, &points)?;
            return Some((all.swap_remove(at), f64::INFINITY));
        }
        let model = Model::learn(space, &self.encoding, seen, &mut self.rng)?;
        let gains = points.iter().map(|point| model.gain(point));
        let best = gains.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((all.swap_remove(best.0), best.1))
    }

    /// The candidate that is farthest from all that were tried; of equal ones one by chance.
    fn farthest(
        &mut self,
        space: &Space,
        tried: &HashSet<Configuration>,
        points: &[Vec<f64>],
    ) -> Option<usize> {
        let known: Vec<Vec<f64>> = tried
            .iter()
            .map(|of| self.encoding.point(space, of))
            .collect();
        let distance = |point: &Vec<f64>| {
            let squared = |other: &Vec<f64>| {
                let pairs = point.iter().zip(other);
                pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            };
            known.iter().map(squared).fold(f64::INFINITY, f64::min)
        };
        let mut keyed: Vec<(f64, usize)> = points.iter().map(distance).zip(0..).collect();
        self.rng.shuffle(&mut keyed);
        keyed.sort_by(|a, b| b.0.total_cmp(&a.0));
        // Not always the very corner: what lies in the middle tells more of most surfaces.
        let most = keyed.first()?.0;
        keyed.retain(|(far, _)| *far >= 0.6 * most);
        self.rng.choice(keyed).map(|(_, at)| at)
    }
}

/// The model of the score, and that of what runs at all.
struct Model {
    /// Several that what was seen allows, each with its best.
    scores: Vec<(Process, f64)>,
    runs: Runs,
}

impl Model {
    fn learn(
        space: &Space,
        encoding: &Encoding,
        seen: &[Observed],
        rng: &mut fastrand::Rng,
    ) -> Option<Self> {
        let good: Vec<Seen> = points(space, encoding, seen).collect();
        let mut known = good.clone();
        known.extend(failed(space, encoding, seen, &good));
        let scores = Process::several(&known, &encoding.groups, rng, OTHERS)?;
        let with_best = |score: Process| {
            let known = good.iter().map(|seen| score.predict(&seen.at).0);
            let best = known.fold(f64::NEG_INFINITY, f64::max);
            (score, best)
        };
        let scores = scores.into_iter().map(with_best).collect();
        let runs = Runs::learn(space, encoding, seen, rng);
        Some(Self { scores, runs })
    }

    /// How much better than the best so far it is expected to be, where that is better at all (J. Močkus, 1975;
    /// D. R. Jones et al., 1998), times the likelihood that it runs.
    fn gain(&self, point: &[f64]) -> f64 {
        let gain = |(score, best): &(Process, f64)| {
            let (mean, deviation) = score.predict(point);
            let deviation = deviation.max(1e-9);
            let z = (mean - best) / deviation;
            deviation * (z * normal(z) + density(z))
        };
        let gain = self.scores.iter().map(gain).sum::<f64>() / self.scores.len() as f64;
        gain.max(0.0) * self.runs.likelihood(point)
    }
}

/// What did not run, as if it were as bad as the worst that did, though hardly known: what lies beyond it promises little
/// (F. Hutter et al., "Sequential model-based optimization for general algorithm configuration", 2011).
fn failed(space: &Space, encoding: &Encoding, seen: &[Observed], good: &[Seen]) -> Vec<Seen> {
    let values = || good.iter().map(|it| it.value);
    let worst = values().fold(f64::INFINITY, f64::min);
    let range = values().fold(f64::NEG_INFINITY, f64::max) - worst;
    let bad = seen
        .iter()
        .filter(|it| it.score.is_none() && worst.is_finite());
    let as_seen = |it: &Observed| Seen {
        at: encoding.point(space, &it.of),
        value: worst,
        noise: range * range,
    };
    bad.map(as_seen).collect()
}

/// The next value of the first knob that was not gone through with the best so far.
fn next_alone(
    space: &Space,
    seen: &[Observed],
    tried: &HashSet<Configuration>,
) -> Option<Configuration> {
    let scored = seen.iter().filter_map(|it| Some((&it.of, it.score?)));
    let best = scored.max_by(|a, b| a.1.total_cmp(&b.1));
    // Where none meets the constraints, one that does may lie beside the first.
    let best = best.map(|(of, _)| of).or(seen.first().map(|it| &it.of))?;
    for (at, knob) in space.knobs.iter().enumerate() {
        let mut all = values(&knob.domain);
        if all.len() > 6 {
            // Both ends and three between say enough of a long range.
            let last = all.len() - 1;
            let keep = [1, 1 + last / 4, 1 + last / 2, 1 + 3 * last / 4, last];
            all = keep.iter().filter_map(|at| all.get(*at).cloned()).collect();
        }
        let next = all
            .into_iter()
            .map(|value| space.normal(&best.with(at, value)))
            .find(|of| space.broken(of).is_none() && !tried.contains(of));
        if next.is_some() {
            return next;
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::search::best_by_model;
    use crate::space::{Domain, Relation, SpaceKnob};

    fn knob(name: &str, domain: Domain, found: &str) -> SpaceKnob {
        SpaceKnob {
            name: name.to_owned(),
            domain,
            found: Some(found.to_owned()),
            only_if: None,
            is_hidden: false,
        }
    }

    /// Threads and a pool that need each other, and a word that costs a third.
    fn space() -> Space {
        let levels = ["off", "info", "debug"].map(str::to_owned).to_vec();
        Space {
            knobs: vec![
                knob("threads", Domain::numbers(1.0, 64.0, 1.0, true, ""), "2"),
                knob("pool", Domain::numbers(1.0, 64.0, 1.0, true, ""), "2"),
                knob("level", Domain::Choice(levels), "debug"),
            ],
            relations: vec![Relation::parse("pool <= threads").unwrap()],
        }
    }

    fn truth(space: &Space, of: &Configuration) -> f64 {
        let number = |at| space.value(of, at).unwrap().parse::<f64>().unwrap();
        let bell = |value: f64, best: f64| (-(value / best).ln().powi(2) / 2.0).exp();
        let level = if space.value(of, 2) == Some("off") {
            0.0
        } else {
            -0.4
        };
        (100.0 * bell(number(0), 24.0) * (0.3 + bell(number(1), 10.0))).ln() + level
    }

    fn reached(how: StudySearch, seed: u64, runs: usize) -> f64 {
        let space = space();
        let mut rng = fastrand::Rng::with_seed(seed ^ 99);
        let mut observe = |of: Configuration| Observed {
            score: Some(
                truth(&space, &of) + 0.03 * (rng.f64() + rng.f64() + rng.f64() - 1.5) * 2.0,
            ),
            noise: 0.0009,
            of,
        };
        let mut proposer = Proposer::new(&space, how, seed);
        let mut seen = vec![observe(Configuration::unchanged(3))];
        while seen.len() < runs {
            let Some((next, _)) = proposer.next(&space, &seen) else {
                break;
            };
            assert!(space.broken(&next).is_none());
            seen.push(observe(next));
        }
        let (best, _) = best_by_model(&space, &seen, seed).unwrap();
        let mut most = f64::NEG_INFINITY;
        for of in
            super::super::candidates::candidates(&space, &[], &mut fastrand::Rng::with_seed(1))
        {
            most = most.max(truth(&space, &of));
        }
        (truth(&space, &best) - most).exp()
    }

    #[test]
    fn the_model_gets_near_the_best_in_few_runs() {
        let near = |how, runs| {
            let all = (0..10).map(|seed| reached(how, seed, runs));
            all.filter(|share| *share >= 0.9).count()
        };
        let (model, chance) = (near(StudySearch::Model, 24), near(StudySearch::Random, 24));
        assert!(model >= 8, "{model} of 10");
        assert!(model > chance, "{model} {chance}");
    }

    #[test]
    fn a_search_goes_on_while_nothing_meets_the_constraints() {
        let space = space();
        for seed in 0..5 {
            let mut proposer = Proposer::new(&space, StudySearch::Model, seed);
            let mut seen = vec![Observed {
                of: Configuration::unchanged(3),
                score: None,
                noise: 0.0009,
            }];
            while seen.len() < 30 {
                let (of, _) = proposer.next(&space, &seen).unwrap();
                assert!(seen.iter().all(|it| it.of != of), "{of:?}");
                let meets = space.value(&of, 0).unwrap().parse::<f64>().unwrap() > 40.0;
                let score = (meets && seen.len() > 10).then(|| truth(&space, &of));
                seen.push(Observed {
                    of,
                    score,
                    noise: 0.0009,
                });
            }
            // What meets them is found, and leads.
            let (best, _) = best_by_model(&space, &seen, seed).unwrap();
            assert!(space.value(&best, 0).unwrap().parse::<f64>().unwrap() > 40.0);
        }
    }

    #[test]
    fn what_failed_by_chance_may_still_be_the_best() {
        let space = space();
        let mut proposer = Proposer::new(&space, StudySearch::Random, 4);
        let mut seen = vec![Observed {
            of: Configuration::unchanged(3),
            score: Some(truth(&space, &Configuration::unchanged(3))),
            noise: 1e-4,
        }];
        while seen.len() < 25 {
            let (of, _) = proposer.next(&space, &seen).unwrap();
            let score = Some(truth(&space, &of));
            seen.push(Observed {
                of,
                score,
                noise: 1e-4,
            });
        }
        let (best, _) = best_by_model(&space, &seen, 1).unwrap();
        let mut again = |score: Option<f64>| {
            seen.push(Observed {
                of: best.clone(),
                score,
                noise: 1e-4,
            });
            best_by_model(&space, &seen, 1).unwrap().0 == best
        };
        // As often as not, then more often than not.
        assert!(again(None));
        assert!(!again(None));
        assert!(again(Some(truth(&space, &best))));
    }

    #[test]
    fn a_search_of_nothing_ends() {
        let mut space = space();
        space.knobs.truncate(0);
        space.relations.clear();
        let seen = [Observed {
            of: Configuration::unchanged(0),
            score: Some(1.0),
            noise: 0.0,
        }];
        for how in [
            StudySearch::Model,
            StudySearch::Random,
            StudySearch::OneAtATime,
        ] {
            assert!(Proposer::new(&space, how, 1).next(&space, &seen).is_none());
        }
    }
}
