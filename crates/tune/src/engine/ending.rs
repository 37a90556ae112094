//! The end of a study: the best against the baseline, then each change by itself.

use super::book::{Book, DuelSide, Halt};
use super::budget::{FINAL_PAIRS, MOST_FINAL};
use super::duel::{Duel, Length, duel};
use super::record::Record;
use crate::judge::{KnownNoise, Verdict};
use crate::space::{Configuration, Space};
use crate::trial::Reason;

/// Pairs of the best with one knob put back: at least, at most, and at most where it looks as if it brought something.
const PUT_BACK: (usize, usize, usize) = (2, 5, MOST_FINAL);

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

/// The fewest trials in which so many changes are put back alone.
fn least_to_put_back(changes: usize) -> u32 {
    2 * (PUT_BACK.0 * changes) as u32
}

/// Of the pairs that decide, which leave so many trials to others: what looks like a gain goes on while there are more.
fn final_length(book: &Book<'_>, leaves: u32) -> Length {
    Length {
        least: FINAL_PAIRS,
        most: MOST_FINAL,
        further: usize::MAX,
        leaves,
        alpha: book.settings.error_rate,
        // What is said at the end rests on its own pairs alone.
        known: |_| KnownNoise::None,
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
    // One change needs no test of its own.
    let for_each = match best.changed().count() {
        1 => 0,
        changes => least_to_put_back(changes),
    };
    let length = final_length(book, for_each);
    let (mine, theirs) = ((best, &Reason::Final), (&baseline, &Reason::Final));
    let found = duel(book, mine, theirs, length)?;
    let better = is_better(book, &found, best);
    ending.against_baseline = Some(found);
    if !better {
        return Ok(ending);
    }
    ending.kept = Some(best.clone());
    reduce(book, best, &mut ending)?;
    Ok(ending)
}

/// Takes out of what is kept the changes that bring nothing by themselves, where the rest still brings the gain.
fn reduce(book: &mut Book<'_>, best: &Configuration, ending: &mut Ending) -> Result<(), Halt> {
    let baseline = Configuration::unchanged(book.space.knobs.len());
    let must_meet = mends(book, best);
    let reduced = put_back(book, best, must_meet, &mut ending.put_back)?;
    if reduced == *best {
        return Ok(());
    }
    // Each of what was put back has had its own test; together they may have mattered.
    let (mine, theirs) = ((&reduced, &Reason::Final), (&baseline, &Reason::Final));
    let again = match book.left() >= 2 * FINAL_PAIRS as u32 {
        true => Some(duel(book, mine, theirs, final_length(book, 0))?),
        false => None,
    };
    let holds = match &again {
        Some(again) => is_better(book, again, &reduced),
        // What is kept to meet constraints must itself have met them.
        None if must_meet => mends(book, &reduced),
        None => !book.breaks_too_often(&reduced),
    };
    if !holds {
        // Those tests do not hold for all of them at once.
        ending.put_back.retain(|effect| effect.kept);
        return Ok(());
    }
    if let Some(again) = again {
        ending.against_baseline = Some(again);
        ending.measured = reduced.clone();
    }
    for effect in &mut ending.put_back {
        // It may have gone with the knob that it needs.
        effect.kept &= reduced.0[effect.knob].is_some();
    }
    ending.kept = Some(reduced);
    Ok(())
}

/// Whether a configuration is to be kept after its final pairs with the baseline: it is better under the constraints,
/// or meets those that the baseline breaks.
fn is_better(book: &Book<'_>, found: &Duel, best: &Configuration) -> bool {
    let runs = found.failed != Some(DuelSide::Challenger);
    let better = found.verdict == Verdict::Better && !book.breaks_too_often(best);
    runs && (better || mends(book, best))
}

/// Whether a configuration has met, in nearly all of enough runs, constraints that the baseline breaks in every one.
fn mends(book: &Book<'_>, of: &Configuration) -> bool {
    let baseline = Configuration::unchanged(book.space.knobs.len());
    let enough = book.measured(of).count() >= FINAL_PAIRS;
    enough && !book.breaks_too_often(of) && book.breaks(&baseline)
}

/// Puts one knob back after the other; gives what is left. Where constraints must be met that the baseline breaks, a
/// knob is needed as soon as one of them is broken without it.
fn put_back(
    book: &mut Book<'_>,
    best: &Configuration,
    must_meet: bool,
    effects: &mut Vec<PutBackEffect>,
) -> Result<Configuration, Halt> {
    let mut waiting: Vec<usize> = best.changed().collect();
    let length = Length {
        least: PUT_BACK.0,
        most: PUT_BACK.1,
        further: PUT_BACK.2,
        leaves: 0,
        alpha: book.settings.error_rate / waiting.len() as f64,
        known: KnownNoise::Helps,
        hope: 0.1,
    };
    let mut left = best.clone();
    while let Some((at, without)) = next_without(book.space, &left, &waiting) {
        let knob = waiting.remove(at);
        let name = book.space.knobs[knob].name.clone();
        let reason = Reason::PutBack { knob: name };
        // Further pairs leave the others what they need.
        let length = Length {
            leaves: least_to_put_back(waiting.len()),
            ..length
        };
        let found = duel(book, (&left, &Reason::Final), (&without, &reason), length)?;
        let is_refused = book.records.last().is_some_and(Record::is_refused);
        let is_cut = (found.cut || is_refused) && found.verdict == Verdict::Open;
        // That it brings nothing was not shown: it stays, and is told as not tested.
        if is_cut {
            continue;
        }
        if found.failed == Some(DuelSide::Challenger) {
            break;
        }
        let breaks = match must_meet {
            true => book.breaks_too_often(&without),
            false => book.mostly_breaks(&without),
        };
        // Where it cannot even be measured without it, it is needed.
        let kept = found.verdict == Verdict::Better || found.failed.is_some() || breaks;
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

/// The next of the knobs that wait to be put back, by its place among them, and what is left without it. A knob waits
/// while others that do need it, and while what is left would not be allowed: once another is put back it may be.
/// Without what all others need nothing would be left, which the final pairs have tested.
fn next_without(
    space: &Space,
    left: &Configuration,
    waiting: &[usize],
) -> Option<(usize, Configuration)> {
    waiting.iter().enumerate().find_map(|(at, knob)| {
        left.0[*knob].as_ref()?;
        let without = space.normal(&left.with(*knob, None));
        let stays = |other: &usize| other == knob || left.0[*other] == without.0[*other];
        let is_alone = waiting.iter().all(stays) && without.changed().next().is_some();
        let is_allowed = space.broken(&without).is_none();
        (is_alone && is_allowed).then_some((at, without))
    })
}
