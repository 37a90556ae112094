//! What each knob did, over all trials of a study.
//!
//! A model of sums by least squares: each score is a common one, the drift from trial to trial, and a part for each
//! knob's level: a choice's value, a number below or above what was found. So a trial in which several knobs
//! were changed counts for each of them. Its intervals are those of a linear regression: they describe
//! the trials, and decide nothing.
//!
//! Knobs interact, and then a sum says of a knob what others did. So what the model leaves is compared with what runs of
//! one configuration leave (the F test of lack of fit); where it is too much, only trials that differ in nothing else
//! say what a knob did.

use std::collections::HashMap;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::judge::{Noise, Pairs};
use crate::space::{Configuration, Domain, Space};

/// All intervals of a study together are at this confidence (Bonferroni): of ten knobs that do nothing one would else be
/// told to do something in nearly every second study.
const CONFIDENCE: f64 = 0.95;
/// An interval from less than half to more than twice says nothing.
const HALF: f64 = -0.5;
const TWICE: f64 = 1.0;
/// A column that others make up to this share of its length cannot be told from them.
const SAME: f64 = 1e-6;
/// A sum of squares below this share of that of all scores is rounding.
const ROUNDING: f64 = 1e-18;
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
    /// The best estimate; null where other knobs were always changed with it, or the trials say nothing of it.
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

/// What the knobs did on the whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MainEffects {
    /// Knob by knob in the study's order.
    pub each: Vec<MainEffect>,
    /// The model of sums does not fit: they are of trials that differ in nothing else.
    pub matched: bool,
}

/// What each knob did. `share` makes a share of a difference of scores.
#[must_use]
pub fn main_effects(
    space: &Space,
    trials: &[ScoredTrial<'_>],
    share: &dyn Fn(f64) -> f64,
) -> MainEffects {
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
    let confidence = 1.0 - (1.0 - CONFIDENCE) / columns.len().max(1) as f64;
    let fit = fit(&matrix, &scores, confidence);
    let matched = lacks_fit(&fit, trials, drifts);
    let each = columns.iter().enumerate().map(|(at, level)| {
        let (estimate, half) = match matched {
            true => matched_effect(space, trials, level, confidence),
            false => fit.parts.get(at + 1).copied().unwrap_or((None, None)),
        };
        let ends = estimate
            .zip(half)
            .map(|(at, half)| (share(at - half), share(at + half)));
        let says_nothing = ends.is_some_and(|(low, high)| low <= HALF && high >= TWICE);
        let estimate = estimate.filter(|_| !says_nothing);
        let ends = ends.filter(|_| !says_nothing);
        let knob = &space.knobs[level.0];
        let shown = |value: &String| knob.shown(value).into_owned();
        MainEffect {
            knob: knob.name.clone(),
            level: level.1,
            value: level.2.as_ref().map(shown),
            trials: of_trials.iter().filter(|it| it.contains(level)).count(),
            share: estimate.map(share),
            low: ends.map(|(low, _)| low),
            high: ends.map(|(_, high)| high),
        }
    });
    MainEffects {
        each: each.collect(),
        matched,
    }
}

/// A model of sums and what it leaves.
#[derive(Default)]
struct Fit {
    /// Each column's part and half its interval; none where it cannot be told from the others.
    parts: Vec<(Option<f64>, Option<f64>)>,
    /// The sum of squares that it leaves, and its degrees of freedom.
    rest: Noise,
}

fn fit(matrix: &DMatrix<f64>, scores: &DVector<f64>, confidence: f64) -> Fit {
    let (rows, width) = matrix.shape();
    if rows == 0 {
        return Fit::default();
    }
    let Ok(inverse) = (matrix.transpose() * matrix).pseudo_inverse(SAME * rows as f64) else {
        return Fit {
            parts: vec![(None, None); width],
            ..Fit::default()
        };
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
        true => plimsoll_stats::standard_errors(freedom, confidence),
        false => None,
    };
    let each = (0..width).map(|at| {
        if (told_apart[(at, at)] - 1.0).abs() > 1e-3 {
            return (None, None);
        }
        let half = wide.map(|t| t * (variance * inverse[(at, at)].max(0.0)).sqrt());
        (Some(parts[at]), half)
    });
    Fit {
        parts: each.collect(),
        rest: Noise {
            squares: rest.norm_squared(),
            freedom: freedom.max(0.0),
        },
    }
}

/// Whether the model leaves more than runs of one configuration do, by an F test.
fn lacks_fit(fit: &Fit, trials: &[ScoredTrial<'_>], drifts: bool) -> bool {
    let pure = pure_noise(trials, drifts);
    let freedom = fit.rest.freedom - pure.freedom;
    let lack = (fit.rest.squares - pure.squares).max(0.0);
    let level: f64 = trials.iter().map(|it| it.2.powi(2)).sum();
    if freedom < 1.0 || pure.freedom < 1.0 || lack <= level * ROUNDING {
        return false;
    }
    if pure.squares <= level * ROUNDING {
        return true;
    }
    let ratio = lack / freedom / (pure.squares / pure.freedom);
    let p = plimsoll_stats::variance_ratio_p(ratio, freedom, pure.freedom);
    p.is_some_and(|p| p < 1.0 - CONFIDENCE)
}

/// What runs of one configuration leave around their own mean, with the drift taken out where the model does so.
fn pure_noise(trials: &[ScoredTrial<'_>], drifts: bool) -> Noise {
    let mut runs: HashMap<&Configuration, Vec<(f64, f64)>> = HashMap::new();
    for (of, number, score) in trials {
        runs.entry(of).or_default().push((*number, *score));
    }
    let (mut squares, mut products, mut all, mut freedom) = (0.0, 0.0, 0.0, 0.0);
    for runs in runs.values() {
        let count = runs.len() as f64;
        let at = runs.iter().map(|(at, _)| at).sum::<f64>() / count;
        let mean = runs.iter().map(|(_, score)| score).sum::<f64>() / count;
        squares += runs.iter().map(|(t, _)| (t - at).powi(2)).sum::<f64>();
        products += runs.iter().map(|(t, y)| (t - at) * (y - mean)).sum::<f64>();
        all += runs.iter().map(|(_, y)| (y - mean).powi(2)).sum::<f64>();
        freedom += count - 1.0;
    }
    match drifts && squares > 0.0 {
        true => Noise {
            squares: (all - products * products / squares).max(0.0),
            freedom: freedom - 1.0,
        },
        false => Noise {
            squares: all,
            freedom,
        },
    }
}

/// The mean difference of trials with a level and those without it that differ in nothing else, and half its interval.
/// Each trial counts once, beside the one that was made next to it.
fn matched_effect(
    space: &Space,
    trials: &[ScoredTrial<'_>],
    of_level: &Level,
    confidence: f64,
) -> (Option<f64>, Option<f64>) {
    let mut used = vec![false; trials.len()];
    let mut differences = Vec::new();
    for (of, number, score) in trials {
        if level(space, of, of_level.0).as_ref() != Some(of_level) {
            continue;
        }
        let without = of.with(of_level.0, None);
        let others = trials.iter().enumerate();
        let others = others.filter(|(at, it)| !used[*at] && *it.0 == without);
        let apart = |it: &ScoredTrial<'_>| (it.1 - number).abs();
        let nearest = others.min_by(|a, b| apart(a.1).total_cmp(&apart(b.1)));
        if let Some((at, other)) = nearest {
            used[at] = true;
            differences.push(score - other.2);
        }
    }
    if differences.is_empty() {
        return (None, None);
    }
    let differences = Pairs(differences);
    let (count, noise) = (differences.count() as f64, differences.noise());
    let t = plimsoll_stats::standard_errors(noise.freedom, confidence);
    let half = noise.deviation().zip(t);
    let half = half.map(|(deviation, t)| t * deviation / count.sqrt());
    (Some(differences.mean()), half)
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
            is_hidden: false,
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
        let MainEffects {
            each: effects,
            matched,
        } = main_effects(&space, &trials, &f64::exp_m1);
        assert!(!matched);
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
        let effects = main_effects(&space, &trials, &|score| score / 1e3).each;
        let shares: Vec<Option<f64>> = effects.iter().map(|it| it.share).collect();
        assert_eq!(shares[..2], [None, None], "{effects:?}");
        assert!((shares[2].unwrap() - 0.45e-3).abs() < 1e-12, "{effects:?}");
        assert_eq!(main_effects(&space, &[], &f64::exp_m1).each, []);
        // Of an interval from less than half to more than twice nothing is told.
        let wide = main_effects(&space, &trials, &|score| score).each;
        assert_eq!((wide[2].share, wide[2].low), (None, None), "{wide:?}");
        // A single trial says nothing of how sure it is.
        let one = main_effects(&space, &trials[2..3], &f64::exp_m1).each;
        assert_eq!((one[0].share, one[0].low), (None, None));
    }

    #[test]
    fn where_knobs_interact_only_trials_that_differ_in_nothing_else_count() {
        let space = space();
        let mut draw = fastrand::Rng::with_seed(9);
        // Both together bring all; the third does nothing, and was mostly tried where the others were not.
        let mut tried = Vec::new();
        for _ in 0..3 {
            tried.extend([[None; 3], [Some("20"), Some("b"), None]]);
            tried.extend([[Some("20"), None, None], [None, Some("b"), None]]);
            tried.extend([[None, None, Some("6")], [None, Some("b"), Some("6")]]);
        }
        tried.push([Some("4"), Some("b"), Some("7")]);
        let tried: Vec<Configuration> = tried.into_iter().map(of).collect();
        let score = |it: &Configuration| match (&it.0[0], &it.0[1]) {
            (Some(_), Some(_)) => 2.0,
            _ => 0.0,
        };
        let mut scored = |(at, it)| (it, at as f64, score(it) + 0.02 * (draw.f64() - 0.5));
        let trials: Vec<ScoredTrial<'_>> = tried.iter().enumerate().map(&mut scored).collect();
        let found = main_effects(&space, &trials, &|score| score);
        assert!(found.matched);
        let nothing = found.each.iter().find(|it| it.knob == "nothing").unwrap();
        let (low, high) = (nothing.low.unwrap(), nothing.high.unwrap());
        assert!(
            low > -0.05 && low < 0.0 && 0.0 < high && high < 0.05,
            "{nothing:?}"
        );
        // Nothing else was run without the fewer threads.
        let less = found
            .each
            .iter()
            .find(|it| it.level == EffectLevel::Less)
            .unwrap();
        assert_eq!((less.share, less.low), (None, None));
    }
}
