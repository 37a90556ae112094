//! The end of a study: the best against the baseline, then each change by itself.

use super::book::{Book, DuelSide, Halt};
use super::budget::{FINAL_PAIRS, MOST_FINAL};
use super::duel::{Duel, Length, duel};
use crate::judge::Verdict;
use crate::space::Configuration;
use crate::trial::Reason;

/// Pairs of the best with one knob put back.
const PUT_BACK: (usize, usize) = (2, 5);

/// What a change brings by itself.
#[derive(Debug, Clone)]
pub struct PutBackEffect {
    /// The knob.
    pub knob: usize,
    /// The duel of the best with the best without it.
    pub duel: Duel,
    /// Whether its loss was shown, so that it is kept.
    pub kept: bool,
}

/// What the end says.
#[derive(Debug, Clone)]
pub struct Ending {
    /// The smallest change that brings the gain; none where no gain was shown.
    pub kept: Option<Configuration>,
    /// Against the baseline.
    pub against_baseline: Option<Duel>,
    /// Whose pairs with the baseline these are: what is kept, unless nothing was left to measure it on its own.
    pub measured: Configuration,
    /// Each change by itself.
    pub put_back: Vec<PutBackEffect>,
}

fn final_length(book: &Book<'_>) -> Length {
    Length {
        least: FINAL_PAIRS,
        most: MOST_FINAL,
        alpha: book.settings.error_rate,
        // What is said at the end rests on its own pairs alone.
        pooled: false,
        hope: 0.02,
    }
}

/// Compares the best with the baseline, and each of its changes with none.
///
/// Whatever the search did, this test is made once, with new runs: what a study without anything to gain keeps by
/// chance, it keeps with the probability of this test's error. A knob is kept only where its own test, at a share
/// of that error rate, shows a loss without it.
///
/// # Errors
/// Why it was broken off.
pub fn ending(book: &mut Book<'_>, best: &Configuration) -> Result<Ending, Halt> {
    let baseline = Configuration::unchanged(book.space.knobs.len());
    let mut ending = Ending {
        kept: None,
        against_baseline: None,
        measured: best.clone(),
        put_back: Vec::new(),
    };
    if *best == baseline {
        return Ok(ending);
    }
    let length = final_length(book);
    let found = duel(
        book,
        (best, &Reason::Final),
        (&baseline, &Reason::Final),
        length,
    )?;
    let better = is_better(book, &found, best);
    ending.against_baseline = Some(found);
    if !better {
        return Ok(ending);
    }
    ending.kept = Some(best.clone());
    let reduced = match put_back(book, best, &mut ending.put_back) {
        Err(Halt::Budget) => return Ok(ending),
        other => other?,
    };
    if reduced == *best {
        return Ok(ending);
    }
    // Each of what was put back has had its own test; together they may have mattered.
    ending.kept = Some(reduced.clone());
    if book.left() >= 2 * FINAL_PAIRS as u32 {
        let again = duel(
            book,
            (&reduced, &Reason::Final),
            (&baseline, &Reason::Final),
            length,
        )?;
        match is_better(book, &again, &reduced) {
            true => {
                ending.against_baseline = Some(again);
                ending.measured = reduced;
            }
            false => ending.kept = Some(best.clone()),
        }
    }
    Ok(ending)
}

/// Whether a configuration is to be kept after its final pairs with the baseline: it is better under the constraints,
/// or meets those that the baseline breaks.
fn is_better(book: &Book<'_>, found: &Duel, best: &Configuration) -> bool {
    let baseline = Configuration::unchanged(book.space.knobs.len());
    let always_met = book
        .measured(best)
        .all(|measured| measured.broken.is_empty());
    let mends = book.breaks(&baseline) && always_met && book.measured(best).count() >= FINAL_PAIRS;
    let runs = found.failed != Some(DuelSide::Challenger);
    runs && (mends || found.verdict == Verdict::Better && !book.mostly_breaks(best))
}

/// Puts one knob back after the other; gives what is left.
fn put_back(
    book: &mut Book<'_>,
    best: &Configuration,
    effects: &mut Vec<PutBackEffect>,
) -> Result<Configuration, Halt> {
    let changed: Vec<usize> = best.changed().collect();
    let mut left = best.clone();
    if changed.len() < 2 {
        return Ok(left);
    }
    let length = Length {
        least: PUT_BACK.0,
        most: PUT_BACK.1,
        alpha: book.settings.error_rate / changed.len() as f64,
        pooled: true,
        hope: 0.1,
    };
    for knob in changed {
        let without = book.space.normal(&left.with(knob, None));
        if book.space.broken(&without).is_some() || left.changed().count() < 2 {
            continue;
        }
        let name = book.space.knobs[knob].name.clone();
        let reason = Reason::PutBack { knob: name };
        let found = duel(book, (&left, &Reason::Final), (&without, &reason), length)?;
        if found.cut && found.verdict == Verdict::Open {
            // That it brings nothing was not shown: it stays, and is told as not tested.
            break;
        }
        // Where it cannot even be measured without it, it is needed.
        let broken = found.failed.is_some() || book.mostly_breaks(&without);
        let kept = found.verdict == Verdict::Better || broken;
        effects.push(PutBackEffect {
            knob,
            duel: found,
            kept,
        });
        if !kept {
            left = without;
        }
    }
    Ok(left)
}
