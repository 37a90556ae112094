//! What each knob did, over all trials of a study.
//!
//! A model of sums by least squares: each score is a common one, the drift from trial to trial, and a part for each
//! knob's level: a choice's value, a number below or above what was found. So a trial in which several knobs
//! were changed counts for each of them. Its intervals are those of a linear regression: they describe
//! the trials, and decide nothing.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::space::{Configuration, Domain, Space};

/// The intervals are at this confidence.
const CONFIDENCE: f64 = 0.95;
/// A column that others make up to this share of its length cannot be told from them.
const SAME: f64 = 1e-6;
/// The drift is a part where so many trials are left beside all others.
const LEFT_FOR_DRIFT: usize = 6;

/// What of a knob is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectLevel {
    /// Numbers below what was found.
    Less,
    /// Numbers above it.
    More,
    /// One value of a choice, or any where nobody knows what was found.
    Value,
}

/// What a knob did on the whole, as a share of what it is compared with; positive is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MainEffect {
    /// The knob.
    pub knob: String,
    /// What of it.
    pub level: EffectLevel,
    /// The value, of a choice.
    pub value: Option<String>,
    /// Measured trials with it.
    pub trials: usize,
    /// The best estimate; null where other knobs were always changed with it.
    pub share: Option<f64>,
    /// The low end of its interval.
    pub low: Option<f64>,
    /// The high end.
    pub high: Option<f64>,
}

/// A measured trial: its configuration, its number and its score, of which more is better.
pub type ScoredTrial<'a> = (&'a Configuration, f64, f64);

/// A level of a knob: the column of a model.
type Level = (usize, EffectLevel, Option<String>);

fn level(space: &Space, of: &Configuration, at: usize) -> Option<Level> {
    let value = of.0.get(at)?.as_ref()?;
    let knob = &space.knobs[at];
    let found = knob.found.as_deref();
    match (&knob.domain, found.and_then(|it| knob.domain.number(it))) {
        (Domain::Number { .. }, Some(found)) => {
            let less = knob.domain.number(value)? < found;
            let level = if less {
                EffectLevel::Less
            } else {
                EffectLevel::More
            };
            Some((at, level, None))
        }
        (Domain::Number { .. }, None) => Some((at, EffectLevel::Value, None)),
        (Domain::Choice(_), _) => Some((at, EffectLevel::Value, Some(value.clone()))),
    }
}

fn levels(space: &Space, of: &Configuration) -> Vec<Level> {
    (0..space.knobs.len())
        .filter_map(|at| level(space, of, at))
        .collect()
}

/// What each knob did, knob by knob in the study's order. `share` makes a share of a difference of scores.
#[must_use]
pub fn main_effects(
    space: &Space,
    trials: &[ScoredTrial<'_>],
    share: &dyn Fn(f64) -> f64,
) -> Vec<MainEffect> {
    let of_trials: Vec<Vec<Level>> = trials.iter().map(|it| levels(space, it.0)).collect();
    let mut columns: Vec<Level> = Vec::new();
    for level in of_trials.iter().flatten() {
        if !columns.contains(level) {
            columns.push(level.clone());
        }
    }
    columns.sort_by(|a, b| (a.0, a.1 as u8, &a.2).cmp(&(b.0, b.1 as u8, &b.2)));
    let drifts = trials.len() >= columns.len() + 1 + LEFT_FOR_DRIFT;
    let width = columns.len() + 1 + usize::from(drifts);
    let matrix = DMatrix::from_fn(trials.len(), width, |row, column| match column {
        0 => 1.0,
        at if at <= columns.len() => f64::from(u8::from(of_trials[row].contains(&columns[at - 1]))),
        _ => trials[row].1 / trials.len() as f64,
    });
    let scores = DVector::from_iterator(trials.len(), trials.iter().map(|it| it.2));
    let fit = fit(&matrix, &scores);
    let effects = columns
        .iter()
        .enumerate()
        .map(|(at, (knob, level, value))| {
            let (estimate, half) = fit.get(at + 1).copied().unwrap_or((None, None));
            let end = |sign: f64| Some(share(estimate? + sign * half?));
            let name = &space.knobs[*knob].name;
            let shown = |value: &String| plimsoll_secrets::value(name, value).into_owned();
            MainEffect {
                knob: name.clone(),
                level: *level,
                value: value.as_ref().map(shown),
                trials: of_trials
                    .iter()
                    .filter(|it| it.contains(&columns[at]))
                    .count(),
                share: estimate.map(share),
                low: end(-1.0),
                high: end(1.0),
            }
        });
    effects.collect()
}

/// Each column's part and half its interval; none where it cannot be told from the others.
fn fit(matrix: &DMatrix<f64>, scores: &DVector<f64>) -> Vec<(Option<f64>, Option<f64>)> {
    let (rows, width) = matrix.shape();
    if rows == 0 {
        return Vec::new();
    }
    let Ok(inverse) = (matrix.transpose() * matrix).pseudo_inverse(SAME * rows as f64) else {
        return vec![(None, None); width];
    };
    let solved = &inverse * matrix.transpose();
    let parts = &solved * scores;
    let rest = scores - matrix * &parts;
    let told_apart = solved * matrix;
    // The trace of the projection is the number of parts that there really are.
    let rank = told_apart.trace().round();
    let freedom = rows as f64 - rank;
    let variance = rest.norm_squared() / freedom.max(1.0);
    let wide = match freedom >= 1.0 {
        true => plimsoll_stats::standard_errors(freedom, CONFIDENCE),
        false => None,
    };
    let each = (0..width).map(|at| {
        if (told_apart[(at, at)] - 1.0).abs() > 1e-3 {
            return (None, None);
        }
        let half = wide.map(|t| t * (variance * inverse[(at, at)].max(0.0)).sqrt());
        (Some(parts[at]), half)
    });
    each.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::space::SpaceKnob;

    fn space() -> Space {
        let knob = |name: &str, domain, found: Option<&str>| SpaceKnob {
            name: name.to_owned(),
            domain,
            found: found.map(str::to_owned),
            only_if: None,
        };
        let words = ["a", "b", "c"].map(str::to_owned).to_vec();
        Space {
            knobs: vec![
                knob(
                    "threads",
                    Domain::numbers(1.0, 64.0, 1.0, false, ""),
                    Some("10"),
                ),
                knob("level", Domain::Choice(words), None),
                knob(
                    "nothing",
                    Domain::numbers(1.0, 9.0, 1.0, false, ""),
                    Some("5"),
                ),
            ],
            relations: Vec::new(),
        }
    }

    fn of(values: [Option<&str>; 3]) -> Configuration {
        Configuration(values.iter().map(|it| it.map(str::to_owned)).collect())
    }

    #[test]
    fn parts_of_a_sum_are_found_with_the_drift_taken_out() {
        let space = space();
        let mut draw = fastrand::Rng::with_seed(4);
        let all: Vec<(Configuration, f64, f64)> = (0..60)
            .map(|number| {
                let threads = ["4", "10", "20", "40"][draw.usize(..4)];
                let level = ["a", "b"][draw.usize(..2)];
                let threads = Some(threads).filter(|it| *it != "10");
                let own = of([threads, Some(level).filter(|it| *it != "a"), None]);
                let mut score = 5.0 + 0.001 * f64::from(number) + 0.01 * (draw.f64() - 0.5);
                score += match threads {
                    Some("4") => -0.3,
                    Some(_) => 0.2,
                    None => 0.0,
                };
                score += if level == "b" { 0.1 } else { 0.0 };
                (own, f64::from(number), score)
            })
            .collect();
        let trials: Vec<ScoredTrial<'_>> = all.iter().map(|it| (&it.0, it.1, it.2)).collect();
        let effects = main_effects(&space, &trials, &f64::exp_m1);
        let wanted = [
            ("threads", EffectLevel::Less, -0.3_f64),
            ("threads", EffectLevel::More, 0.2),
            ("level", EffectLevel::Value, 0.1),
        ];
        assert_eq!(effects.len(), wanted.len(), "{effects:?}");
        for (effect, (knob, level, part)) in effects.iter().zip(wanted) {
            assert_eq!((effect.knob.as_str(), effect.level), (knob, level));
            let (low, high) = (effect.low.unwrap(), effect.high.unwrap());
            let truth = part.exp() - 1.0;
            assert!(
                low - 0.003 < truth && truth < high + 0.003,
                "{effect:?} {truth}"
            );
            assert!(high - low < 0.02, "{effect:?}");
        }
    }

    #[test]
    fn what_was_always_changed_together_is_not_told_apart() {
        let space = space();
        let (none, both) = (of([None; 3]), of([Some("20"), Some("b"), None]));
        let own = of([None, None, Some("6")]);
        let trials: Vec<ScoredTrial<'_>> = vec![
            (&none, 1.0, 1.0),
            (&both, 2.0, 2.0),
            (&own, 3.0, 1.5),
            (&none, 4.0, 1.1),
        ];
        let effects = main_effects(&space, &trials, &|score| score);
        let shares: Vec<Option<f64>> = effects.iter().map(|it| it.share).collect();
        assert_eq!(shares[..2], [None, None], "{effects:?}");
        assert!((shares[2].unwrap() - 0.45).abs() < 1e-9, "{effects:?}");
        assert_eq!(main_effects(&space, &[], &f64::exp_m1), []);
        // A single trial says nothing of how sure it is.
        let one = main_effects(&space, &trials[2..3], &f64::exp_m1);
        assert_eq!((one[0].share, one[0].low), (None, None));
    }
}
