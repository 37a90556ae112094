//! What a reader of a study's result must know beside it: what else changed with what is kept, and what did not stay
//! as it was found.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_stats::variance;
use serde::{Deserialize, Serialize};

use crate::engine::{Duel, Record, runs_of};
use crate::space::Configuration;
use crate::trial::{Measured, Reason, TELLING_WARM_UP_S};

/// Responses that are so much shorter or longer are others …
const OTHER_SIZE: f64 = 0.2;
/// … and so much where their mean varies little from run to run: by fewer standard errors than these.
const OTHER_STEADY_SIZE: f64 = 0.02;
const SIZE_ERRORS: f64 = 5.0;
/// What so many runs do not tell of a variance is not asked.
const LEAST_OF_VARIANCE: usize = 3;
/// What may be in so many starts at most and not be seen: the probability not to see it is 5 % then.
const UNSEEN: f64 = 0.05;
/// Errors, or requests that are sent again, that rise by less are noise.
const MORE_FAILURES: f64 = 0.002;
/// A 99th percentile that rises by less does not matter, ms.
const MORE_MS: f64 = 1.0;
/// Nor does memory, MiB.
const MORE_MIB: f64 = 32.0;
const MIB: f64 = 1024.0 * 1024.0;
/// The throughput falls within runs where the second half has less of the first half's than this.
const FALLS: f64 = 0.8;
/// The share of a label is another one where it changes by so much of all samples, and by a factor of two.
const OTHER_SHARE: f64 = 0.02;
/// So many labels are named.
const MOST_NAMED: usize = 3;
/// The baseline has moved where its means differ by so many standard errors …
const MOVED_ERRORS: f64 = 3.0;
/// … and by so much, as a logarithm.
const MOVED: f64 = 0.1;

/// What is said of a result before anything else.
pub const GENERATOR_LIMITED: &str = "generator_limited";

/// What is to be known beside a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyNote {
    /// Which: `generator_limited`, `broken`, `falls`, `mix`, `responses`, `status`, `errors`, `sent_again`, `p99`,
    /// `memory`, `baseline_moved`, `warm_up_short`, `not_confirmed`, `rare`.
    pub kind: String,
    /// A figure with the target as it was found, where it is of two.
    pub before: Option<f64>,
    /// The same with what is kept, or of the best.
    pub after: Option<f64>,
    /// Status codes, a constraint, knobs.
    pub text: String,
}

impl StudyNote {
    fn of(kind: &str, before: f64, after: f64) -> Self {
        Self {
            before: Some(before),
            after: Some(after),
            ..Self::named(kind, String::new())
        }
    }

    fn named(kind: &str, text: String) -> Self {
        Self {
            kind: kind.to_owned(),
            before: None,
            after: None,
            text,
        }
    }
}

/// The runs of a study by which it was judged.
pub struct JudgedRuns<'a> {
    /// All trials.
    pub records: &'a [Record],
    /// Of the target as it was found, in the pairs that decided.
    pub before: Vec<&'a Measured>,
    /// Of what is kept, or of the best.
    pub after: Vec<&'a Measured>,
    /// The standard deviation of a run, as a share.
    pub noise: Option<f64>,
    /// What is kept, if anything is.
    pub kept: Option<&'a Configuration>,
}

impl<'a> JudgedRuns<'a> {
    /// Those of the pairs that decided; where there are none all runs of both.
    #[must_use]
    pub fn of(
        records: &'a [Record],
        decided: Option<&Duel>,
        best: &'a Configuration,
        noise: Option<f64>,
        kept: Option<&'a Configuration>,
    ) -> Self {
        let run = |number: &u32| records.get((*number as usize).checked_sub(1)?)?.measured();
        let (before, after) = match decided.filter(|duel| !duel.runs.is_empty()) {
            Some(duel) => {
                let before = duel.runs.iter().filter_map(|(_, theirs)| run(theirs));
                let after = duel.runs.iter().filter_map(|(mine, _)| run(mine));
                (before.collect(), after.collect())
            }
            None => {
                let before = records.iter().filter(|record| !record.is_changed());
                let after = runs_of(records, best).filter(|record| record.is_changed());
                (
                    before.filter_map(Record::measured).collect(),
                    after.filter_map(Record::measured).collect(),
                )
            }
        };
        Self {
            records,
            before,
            after,
            noise,
            kept,
        }
    }
}

/// All that is to be known beside the result.
#[must_use]
pub fn notes(of: &JudgedRuns<'_>) -> Vec<StudyNote> {
    let all = [
        generator_limited(of),
        broken(&of.after),
        falls(of),
        mix(of),
        responses(of),
        status(of),
        rise("errors", of, MORE_FAILURES, &|run| run.error_rate),
        rise("sent_again", of, MORE_FAILURES, &|run| run.resent),
        rise("p99", of, MORE_MS, &|run| run.p99_ms),
        rise("memory", of, MORE_MIB, &|run| run.memory_bytes as f64 / MIB),
        moved(of),
        short_warm_up(of),
        not_confirmed(&of.after),
        rare(of),
    ];
    all.into_iter().flatten().collect()
}

fn mean(runs: &[&Measured], of: &dyn Fn(&Measured) -> f64) -> Option<f64> {
    let sum: f64 = runs.iter().map(|run| of(run)).sum();
    (!runs.is_empty()).then(|| sum / runs.len() as f64)
}

/// The squared standard error of a mean of runs.
fn squared_error(runs: &[&Measured], of: &dyn Fn(&Measured) -> f64) -> Option<f64> {
    let values: Vec<f64> = runs.iter().map(|run| of(run)).collect();
    let variance = variance(&values).filter(|_| runs.len() >= LEAST_OF_VARIANCE)?;
    Some(variance / runs.len() as f64)
}

/// What goes wrong in a few of the starts only, and may not have been among those that were seen.
fn rare(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let runs = runs_of(of.records, of.kept?).filter(|run| run.measured().is_some());
    let starts = runs.count() as f64;
    // Of n starts none shows what is in a share p of them with a probability of (1 - p)^n.
    (starts > 0.0).then(|| StudyNote::of("rare", starts, 1.0 - UNSEEN.powf(1.0 / starts)))
}

/// Runs with what is kept that broke a constraint, of all of them.
fn broken(after: &[&Measured]) -> Option<StudyNote> {
    let broken = after.iter().filter(|run| !run.broken.is_empty());
    let last = broken.clone().next_back()?;
    Some(StudyNote {
        text: last.broken.join("; "),
        ..StudyNote::of("broken", broken.count() as f64, after.len() as f64)
    })
}

/// Runs in which the generator was the bottleneck, of all that decided.
fn generator_limited(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let all = || of.before.iter().chain(&of.after);
    let limited = all().filter(|run| run.generator_limited).count();
    (limited > 0).then(|| StudyNote::of(GENERATOR_LIMITED, limited as f64, all().count() as f64))
}

/// What is quick at first only.
fn falls(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let held = |runs: &[&Measured]| {
        let known: Vec<f64> = runs.iter().filter_map(|run| run.second_half).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let (before, after) = (held(&of.before)?, held(&of.after)?);
    (after < FALLS && after < FALLS * before).then(|| StudyNote::of("falls", before, after))
}

/// Labels whose share of the samples is another one: figures over all labels are then of another mix.
fn mix(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let (before, after) = (&of.before.last()?.mix, &of.after.last()?.mix);
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let share = |of: &BTreeMap<String, f64>, label: &str| of.get(label).copied().unwrap_or(0.0);
    let labels: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let both = labels
        .into_iter()
        .map(|label| (label, share(before, label), share(after, label)));
    let is_other =
        |was: f64, is: f64| (is > 2.0 * was || was > 2.0 * is) && (is - was).abs() > OTHER_SHARE;
    let mut others: Vec<_> = both.filter(|(_, was, is)| is_other(*was, *is)).collect();
    others.sort_by(|a, b| (b.2 - b.1).abs().total_cmp(&(a.2 - a.1).abs()));
    let named = others
        .iter()
        .take(MOST_NAMED)
        .map(|(label, was, is)| format!("{label} {:.1} % → {:.1} %", was * 100.0, is * 100.0));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| StudyNote::named("mix", named.join(", ")))
}

/// Whoever answers with less may be quicker for that alone.
fn responses(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let bytes = |run: &Measured| run.bytes_per_sample;
    let (before, after) = (mean(&of.before, &bytes)?, mean(&of.after, &bytes)?);
    if before <= 0.0 {
        return None;
    }
    let errors = [&of.before, &of.after].map(|runs| squared_error(runs, &bytes));
    let is_steady = match errors {
        [Some(before_error), Some(after_error)] => {
            (after - before).abs() > SIZE_ERRORS * (before_error + after_error).sqrt()
        }
        _ => false,
    };
    let change = (after / before - 1.0).abs();
    let is_other = change > OTHER_SIZE || is_steady && change > OTHER_STEADY_SIZE;
    is_other.then(|| StudyNote::of("responses", before, after))
}

/// The status that most responses have.
fn status(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let before = &of.before.last()?.status;
    let after = &of.after.last()?.status;
    let differ = before != after && !before.is_empty() && !after.is_empty();
    differ.then(|| StudyNote::named("status", format!("{before} → {after}")))
}

/// What is half as much again with what is kept, and more by at least so much.
fn rise(
    kind: &str,
    of: &JudgedRuns<'_>,
    least: f64,
    figure: &dyn Fn(&Measured) -> f64,
) -> Option<StudyNote> {
    let (before, after) = (mean(&of.before, figure)?, mean(&of.after, figure)?);
    let rises = after > before + least && after > 1.5 * before;
    rises.then(|| StudyNote::of(kind, before, after))
}

/// The target as it was found is another one at the end: trials leave something behind, or it changes by itself.
fn moved(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let baseline = Configuration::unchanged(of.records.first()?.configuration.0.len());
    let first = runs_of(of.records, &baseline).filter(|it| it.why == Reason::Baseline);
    let first: Vec<&Measured> = first.filter_map(Record::measured).collect();
    let objective = |run: &Measured| run.objective;
    let (was, is) = (mean(&first, &objective)?, mean(&of.before, &objective)?);
    let is_end = runs_of(of.records, &baseline).any(|it| it.why == Reason::Final);
    if !is_end || was <= 0.0 || is <= 0.0 {
        return None;
    }
    let runs = 1.0 / first.len() as f64 + 1.0 / of.before.len() as f64;
    let least = MOVED.max(MOVED_ERRORS * of.noise? * runs.sqrt());
    ((is / was).ln().abs() > least).then(|| StudyNote::of("baseline_moved", was, is))
}

/// Whether the target was steady cannot be told from a few seconds.
fn short_warm_up(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let mut all = of.before.iter().chain(&of.after);
    let short = all.find(|run| !run.steady && run.warm_up_s < TELLING_WARM_UP_S)?;
    let (took, takes) = (short.warm_up_s.into(), TELLING_WARM_UP_S.into());
    Some(StudyNote::of("warm_up_short", took, takes))
}

/// Values of which nothing showed that the target has them.
fn not_confirmed(after: &[&Measured]) -> Option<StudyNote> {
    let names = &after.last()?.not_confirmed;
    (!names.is_empty()).then(|| StudyNote::named("not_confirmed", names.join(", ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::trial::TrialEnd;

    fn record(number: u32, why: Reason, measured: &Measured) -> Record {
        Record {
            number,
            why,
            configuration: Configuration::unchanged(1),
            seconds: 1.0,
            result: TrialEnd::Measured(Box::new(measured.clone())),
        }
    }

    fn kinds(first: &Measured, before: &Measured, after: &Measured) -> Vec<String> {
        let records = [
            record(1, Reason::Baseline, first),
            record(2, Reason::Baseline, first),
            record(3, Reason::Final, before),
        ];
        let of = JudgedRuns {
            records: &records,
            before: vec![before; 5],
            after: vec![after; 5],
            noise: Some(0.02),
            kept: None,
        };
        notes(&of).into_iter().map(|note| note.kind).collect()
    }

    #[test]
    fn what_else_changed_is_told() {
        let mix = |shares: &[(&str, f64)]| {
            let shares = shares
                .iter()
                .map(|(label, share)| ((*label).to_owned(), *share));
            shares.collect::<BTreeMap<_, _>>()
        };
        let usual = Measured {
            objective: 100.0,
            bytes_per_sample: 2000.0,
            status: "200".to_owned(),
            p99_ms: 30.0,
            memory_bytes: 200 << 20,
            second_half: Some(1.0),
            steady: true,
            mix: mix(&[("browse", 0.8), ("buy", 0.2)]),
            ..Measured::default()
        };
        let faster = Measured {
            objective: 200.0,
            ..usual.clone()
        };
        assert!(kinds(&usual, &usual, &faster).is_empty());
        let told = |after: Measured| kinds(&usual, &usual, &after);
        let of = || faster.clone();
        for (after, kind) in [
            (
                Measured {
                    bytes_per_sample: 50.0,
                    ..of()
                },
                "responses",
            ),
            (
                Measured {
                    status: "302".to_owned(),
                    ..of()
                },
                "status",
            ),
            (
                Measured {
                    error_rate: 0.05,
                    ..of()
                },
                "errors",
            ),
            (
                Measured {
                    resent: 0.05,
                    ..of()
                },
                "sent_again",
            ),
            (
                Measured {
                    broken: vec!["p99 < 1 ms".to_owned()],
                    ..of()
                },
                "broken",
            ),
            (
                Measured {
                    not_confirmed: vec!["pool".to_owned()],
                    ..of()
                },
                "not_confirmed",
            ),
            (
                Measured {
                    generator_limited: true,
                    ..of()
                },
                "generator_limited",
            ),
            (
                Measured {
                    p99_ms: 160.0,
                    ..of()
                },
                "p99",
            ),
            (
                Measured {
                    memory_bytes: 400 << 20,
                    ..of()
                },
                "memory",
            ),
            (
                Measured {
                    second_half: Some(0.3),
                    ..of()
                },
                "falls",
            ),
            (
                Measured {
                    mix: mix(&[("browse", 0.99), ("buy", 0.01)]),
                    ..of()
                },
                "mix",
            ),
            (
                Measured {
                    mix: mix(&[("browse", 0.8), ("buy", 0.2), ("login", 1.0)]),
                    ..of()
                },
                "mix",
            ),
            (
                Measured {
                    bytes_per_sample: 1900.0,
                    ..of()
                },
                "responses",
            ),
        ] {
            assert_eq!(told(after), [kind]);
        }
        let slower = Measured {
            objective: 80.0,
            ..usual.clone()
        };
        assert_eq!(kinds(&usual, &slower, &faster), ["baseline_moved"]);
        // Within the noise.
        let nearly = Measured {
            objective: 97.0,
            ..usual.clone()
        };
        assert!(kinds(&usual, &nearly, &faster).is_empty());
    }

    #[test]
    fn sizes_that_vary_by_themselves_are_no_others() {
        let runs = |sizes: [f64; 5]| {
            sizes.map(|bytes_per_sample| Measured {
                bytes_per_sample,
                ..Measured::default()
            })
        };
        let of = |before: &[Measured], after: &[Measured]| {
            responses(&JudgedRuns {
                records: &[],
                before: before.iter().collect(),
                after: after.iter().collect(),
                noise: None,
                kept: None,
            })
        };
        let vary = runs([1000.0, 1200.0, 900.0, 1100.0, 950.0]);
        assert!(of(&vary, &runs([950.0, 1000.0, 900.0, 1050.0, 980.0])).is_none());
        let steady = runs([1000.0, 1001.0, 999.0, 1000.0, 1000.0]);
        let smaller = runs([950.0, 951.0, 949.0, 950.0, 950.0]);
        assert!(of(&steady, &smaller).is_some());
        assert!(of(&steady[..2], &smaller[..2]).is_none());
        assert!(of(&steady, &runs([990.0; 5])).is_none());
    }

    #[test]
    fn what_so_few_starts_cannot_show_is_told() {
        let run = Measured::default();
        let records: Vec<Record> = (1..=6)
            .map(|number| record(number, Reason::Final, &run))
            .collect();
        let kept = Configuration::unchanged(1);
        let of = |kept| JudgedRuns {
            records: &records,
            before: Vec::new(),
            after: Vec::new(),
            noise: None,
            kept,
        };
        let told = rare(&of(Some(&kept))).unwrap();
        // 0.607^6 = 0.05.
        let unseen = told.after.unwrap();
        assert_eq!(told.before, Some(6.0));
        assert!(((1.0 - unseen).powi(6) - 0.05).abs() < 1e-12, "{unseen}");
        assert_eq!(rare(&of(None)), None);
    }
}
