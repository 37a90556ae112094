//! What a reader of a study's result must know beside it: what else changed with what is kept, and what did not stay
//! as it was found.

use serde::{Deserialize, Serialize};

use crate::engine::{Duel, Record, runs_of};
use crate::space::Configuration;
use crate::trial::{Measured, Reason};

/// Responses that are so much shorter or longer are others.
const OTHER_SIZE: f64 = 0.2;
/// Errors, or requests that are sent again, that rise by less are noise.
const MORE_FAILURES: f64 = 0.002;
/// The baseline has moved where its means differ by so many standard errors …
const MOVED_ERRORS: f64 = 3.0;
/// … and by so much, as a logarithm.
const MOVED: f64 = 0.1;

/// What is to be known beside a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyNote {
    /// Which: `responses`, `status`, `errors`, `sent_again`, `baseline_moved`, `broken`, `not_confirmed`.
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
}

impl<'a> JudgedRuns<'a> {
    /// Those of the pairs that decided; where there are none all runs of both.
    #[must_use]
    pub fn of(
        records: &'a [Record],
        decided: Option<&Duel>,
        best: &'a Configuration,
        noise: Option<f64>,
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
        }
    }
}

/// All that is to be known beside the result.
#[must_use]
pub fn notes(of: &JudgedRuns<'_>) -> Vec<StudyNote> {
    let all = [
        broken(&of.after),
        responses(of),
        status(of),
        rise("errors", of, &|run| run.error_rate),
        rise("sent_again", of, &|run| run.resent),
        moved(of),
        not_confirmed(&of.after),
    ];
    all.into_iter().flatten().collect()
}

fn mean(runs: &[&Measured], of: &dyn Fn(&Measured) -> f64) -> Option<f64> {
    let sum: f64 = runs.iter().map(|run| of(run)).sum();
    (!runs.is_empty()).then(|| sum / runs.len() as f64)
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

/// Whoever answers with less may be quicker for that alone.
fn responses(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let bytes = |run: &Measured| run.bytes_per_sample;
    let (before, after) = (mean(&of.before, &bytes)?, mean(&of.after, &bytes)?);
    let is_other = before > 0.0 && (after / before - 1.0).abs() > OTHER_SIZE;
    is_other.then(|| StudyNote::of("responses", before, after))
}

/// The status that most responses have.
fn status(of: &JudgedRuns<'_>) -> Option<StudyNote> {
    let before = &of.before.last()?.status;
    let after = &of.after.last()?.status;
    let differ = before != after && !before.is_empty() && !after.is_empty();
    differ.then(|| StudyNote::named("status", format!("{before} → {after}")))
}

fn rise(kind: &str, of: &JudgedRuns<'_>, share: &dyn Fn(&Measured) -> f64) -> Option<StudyNote> {
    let (before, after) = (mean(&of.before, share)?, mean(&of.after, share)?);
    let rises = after > before + MORE_FAILURES && after > 1.5 * before;
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

/// Values of which nothing showed that the target has them.
fn not_confirmed(after: &[&Measured]) -> Option<StudyNote> {
    let names = &after.last()?.not_confirmed;
    (!names.is_empty()).then(|| StudyNote::named("not_confirmed", names.join(", ")))
}

#[cfg(test)]
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
        };
        notes(&of).into_iter().map(|note| note.kind).collect()
    }

    #[test]
    fn what_else_changed_is_told() {
        let usual = Measured {
            objective: 100.0,
            bytes_per_sample: 2000.0,
            status: "200".to_owned(),
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
}
