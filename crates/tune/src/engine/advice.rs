//! What findings advise, tried one after the other.

use std::collections::HashSet;

use plimsoll_plan::study::StudySearch;

use super::book::{Book, DuelSide, Halt};
use super::duel::{Length, TRIED, duel};
use crate::judge::Verdict;
use crate::space::Configuration;
use crate::trial::{Advised, Reason};

/// Pairs of what is advised behind advice that brought nothing by itself.
const ADVICE_BEHIND: Length = Length {
    most: 2,
    further: 2,
    ..TRIED
};

/// What findings advise for the best so far, one after the other. Settings interact: advice that brings nothing by itself
/// is gone on with by what the findings advise then. Trials are left for the search.
pub fn advice(book: &mut Book<'_>, kept: u32) -> Result<(), Halt> {
    let for_search = match book.settings.search {
        StudySearch::AdviceOnly => 0,
        _ => book.left().saturating_sub(kept) / 2,
    };
    let mut taken = AdviceTaken::default();
    loop {
        let is_roomy = book.left() >= kept + for_search + 2;
        let Some(step) = taken.next(book, is_roomy) else {
            return Ok(());
        };
        if book.left() < kept + for_search / 2 + 2 {
            book.was_short |= for_search == 0;
            return Ok(());
        }
        let reason = Reason::Advice {
            finding: step.advised.finding,
            knob: book.space.knobs[step.advised.knob].name.clone(),
        };
        let incumbent = book.incumbent.clone();
        let found = duel(
            book,
            (&step.challenger, &reason),
            (&incumbent, &Reason::Incumbent),
            match step.base == incumbent {
                true => TRIED,
                false => ADVICE_BEHIND,
            },
        )?;
        let works =
            found.failed != Some(DuelSide::Challenger) && !book.mostly_breaks(&step.challenger);
        let better = found.verdict == Verdict::Better || book.breaks(&incumbent);
        match works {
            true if better => {
                book.incumbent = step.challenger;
                taken.behind.clear();
            }
            true => taken.behind.push(step.challenger),
            false => {}
        }
    }
}

/// What was advised and tried.
#[derive(Default)]
struct AdviceTaken {
    /// Each piece of advice counts once for a configuration: its value may differ from run to run.
    taken: HashSet<(Configuration, String, usize)>,
    tried: HashSet<Configuration>,
    /// Configurations by advice that were no better than the best so far.
    behind: Vec<Configuration>,
}

/// The next configuration to try by advice.
struct AdviceStep {
    /// Whose runs it was advised in.
    base: Configuration,
    challenger: Configuration,
    advised: Advised,
}

impl AdviceStep {
    fn key(&self) -> (Configuration, String, usize) {
        let advised = &self.advised;
        (self.base.clone(), advised.finding.clone(), advised.knob)
    }
}

impl AdviceTaken {
    /// The first advice that was not taken: where there is room, of what was tried behind the best so far, then of that.
    fn next(&mut self, book: &Book<'_>, is_roomy: bool) -> Option<AdviceStep> {
        // The last of them first: so one goes from one bottleneck to the next.
        let behind = self.behind.iter().rev().filter(|_| is_roomy);
        let bases = behind.chain(std::iter::once(&book.incumbent));
        let mut steps = bases.flat_map(|base| {
            let advised = book.measured(base).flat_map(|it| &it.advice);
            advised.filter_map(move |advised| step(book, base, advised))
        });
        let found = steps.find(|step| {
            !self.taken.contains(&step.key()) && !self.tried.contains(&step.challenger)
        })?;
        self.tried.insert(found.challenger.clone());
        self.taken.insert(found.key());
        Some(found)
    }
}

/// A configuration with what its runs' findings advise; none where that changes nothing, or once more what was changed
/// on the way to it, or is not allowed.
fn step(book: &Book<'_>, base: &Configuration, advised: &Advised) -> Option<AdviceStep> {
    let knob = book.space.knobs.get(advised.knob)?;
    let value = knob.domain.allowed(&advised.value)?;
    if base.0[advised.knob] != book.incumbent.0[advised.knob] {
        return None;
    }
    let of = book.space.normal(&base.with(advised.knob, Some(value)));
    if of == *base || of == book.incumbent || book.space.broken(&of).is_some() {
        return None;
    }
    Some(AdviceStep {
        base: base.clone(),
        challenger: of,
        advised: advised.clone(),
    })
}
