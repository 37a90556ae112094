//! A study from the baseline to what is kept.
//!
//! First the target as it is. Then what findings advise, each by a duel with the best so far. Then a search over
//! what is left, in which the best is measured again now and then. At the end the best against the baseline, in
//! new pairs, and each of its changes put back alone.

mod advice;
mod book;
mod budget;
mod drift;
mod duel;
mod ending;
mod engine_settings;
mod record;

use plimsoll_text::Message;

pub use book::{Book, DuelSide, Halt};
pub use budget::{FINAL_PAIRS, NeededBudget, too_few_trials};
pub use duel::Duel;
pub use ending::{Ending, PutBackEffect};
pub use engine_settings::{EarlierTrial, EngineSettings};
pub use record::{Record, mean_objective, runs_of, scale_of, score_of};

use crate::judge::Verdict;
use crate::search::{Proposer, best_but, best_by_model, promising, simplified};
use crate::space::{Configuration, Space};
use crate::trial::{Reason, TrialBench};
use advice::advice;
use budget::{BASELINES, KEPT_FOR_END, LEAST_END, MOST_END};
use duel::{TRIED, duel};

/// The best is measured again after so many trials of the search, by which what drifts is known …
const INTERLEAVED: usize = 3;
/// … or, while what is next promises more than the noise of a run, after so many.
const INTERLEAVED_PROMISING: usize = 8;
/// Simpler configurations than the best that are tried at most.
const SIMPLER: usize = 4;
/// Configurations that are looked at again where nothing was better, at most.
const SECOND_LOOKS: usize = 3;
/// Promises below this share of what matters, so often one after the other, end the search.
const PROMISE: f64 = 0.1;
const UNPROMISING: usize = 3;

/// How a study ended.
#[derive(Debug)]
pub enum StudyEnd {
    /// As it should.
    Done,
    /// The target as it was found could not be measured.
    NoBaseline,
    /// Somebody ended it.
    Interrupted,
    /// Nothing more could be done.
    Broken(Message),
}

/// What a study says.
#[derive(Debug)]
pub struct Tuned {
    /// How it ended.
    pub end: StudyEnd,
    /// All trials, in order.
    pub records: Vec<Record>,
    /// The best that was found, whatever the end says of it.
    pub best: Configuration,
    /// What the end says; none where the study did not get there.
    pub ending: Option<Ending>,
    /// Whether what was to be compared was.
    pub is_judged: bool,
    /// What a judgement would have taken, where trials or time were over before there was one.
    pub needs: Option<NeededBudget>,
}

/// Makes a study. `hear` is told of each trial, with the best so far.
pub fn tune(
    space: &Space,
    settings: &EngineSettings,
    bench: &mut dyn TrialBench,
    hear: &mut dyn FnMut(&Record, &Configuration),
) -> Tuned {
    let mut book = Book::new(space, settings, bench, hear);
    let mut ending = None;
    let end = match all(&mut book, &mut ending) {
        Ok(end) => end,
        Err(Halt::Budget) => StudyEnd::Done,
        Err(Halt::Interrupted) => StudyEnd::Interrupted,
        Err(Halt::Broken(message)) => StudyEnd::Broken(message),
    };
    let is_judged = !matches!(end, StudyEnd::Done) || is_judged(&book, ending.as_ref());
    let duel = ending
        .as_ref()
        .and_then(|ending| ending.against_baseline.as_ref());
    // More trials help nobody where a side of the final pairs dies.
    let has_died = duel.is_some_and(|duel| duel.failed.is_some());
    let needs = (!is_judged && !has_died).then(|| {
        book.needed(
            duel.map_or(0, |duel| duel.pairs.count()),
            duel.map_or(0.0, |duel| duel.pairs.mean()),
        )
    });
    Tuned {
        end,
        is_judged,
        needs,
        best: book.incumbent.clone(),
        records: book.records,
        ending,
    }
}

/// Whether the study has compared what it was to compare, as far as its end goes.
fn is_judged(book: &Book<'_>, ending: Option<&Ending>) -> bool {
    let Some(ending) = ending else { return false };
    match &ending.against_baseline {
        Some(duel) => {
            let enough = duel.pairs.count() >= FINAL_PAIRS;
            // What meets constraints that the baseline breaks is kept for that alone.
            ending.kept.is_some() || enough || duel.verdict != Verdict::Open
        }
        // Nothing was tried, for want of trials.
        None => ending.kept.is_some() || !book.was_short || book.has_tried(),
    }
}

fn all(book: &mut Book<'_>, result: &mut Option<Ending>) -> Result<StudyEnd, Halt> {
    let baseline = Configuration::unchanged(book.space.knobs.len());
    for _ in 0..BASELINES {
        if book.patient(&baseline, &Reason::Baseline)?.is_none() {
            return Ok(StudyEnd::NoBaseline);
        }
    }
    book.set_scale();
    // Where time is short, it is the time that says how many there will be.
    let all = book.left() + u32::try_from(book.records.len()).unwrap_or(0);
    let share = (f64::from(all) * KEPT_FOR_END) as u32;
    let kept = share.clamp(LEAST_END, MOST_END) + book.slack();
    let go_on = |found: Result<(), Halt>| match found {
        Err(Halt::Budget) => Ok(()),
        other => other,
    };
    go_on(advice(book, kept))?;
    go_on(explore(book, kept))?;
    if book
        .records
        .iter()
        .any(|record| record.why == Reason::Search)
    {
        go_on(simplify(book))?;
    }
    if book.incumbent == baseline {
        go_on(second_look(book, kept))?;
    }
    conclude(book, result)?;
    Ok(StudyEnd::Done)
}

/// The end of the best; where that dies before anything was compared, of the next best, while trials are left. A test that
/// was never looked at spends nothing of the error rate.
fn conclude(book: &mut Book<'_>, result: &mut Option<Ending>) -> Result<(), Halt> {
    let baseline = Configuration::unchanged(book.space.knobs.len());
    let how = (book.settings.matters, book.settings.seed);
    let mut dead = Vec::new();
    loop {
        let best = book.incumbent.clone();
        let duel = result.insert(ending::ending(book, &best)?);
        let duel = duel.against_baseline.as_ref();
        if !duel.is_some_and(Duel::died_unjudged) {
            return Ok(());
        }
        dead.push(best);
        let observed = book.observed();
        let next = match book.breaks(&baseline) {
            true => best_but(book.space, &observed, &dead, how.1),
            false => promising(book.space, &observed, (&baseline, &dead), how),
        };
        match next.filter(|next| *next != baseline && book.left() >= LEAST_END) {
            Some(next) => book.incumbent = next,
            None => return Ok(()),
        }
    }
}

/// The search over what is left.
fn explore(book: &mut Book<'_>, kept: u32) -> Result<(), Halt> {
    let settings = book.settings;
    let mut proposer = Proposer::new(book.space, settings.search, settings.seed);
    let mut unpromising = 0;
    let mut since_incumbent = 0;
    if book.left() <= kept && proposer.next(book.space, &book.observed()).is_some() {
        book.was_short = true;
        return Ok(());
    }
    // Of what the search finds together each change is looked at without, before the end.
    let for_simpler = |book: &Book<'_>| match book.incumbent.changed().count() {
        0 | 1 => 0,
        changed => changed.min(SIMPLER) as u32,
    };
    while book.left() > kept + for_simpler(book) && unpromising < UNPROMISING {
        let Some((next, promise)) = proposer.next(book.space, &book.observed()) else {
            break;
        };
        let wait = match promise > book.run_variance().sqrt() {
            true => INTERLEAVED_PROMISING,
            false => INTERLEAVED,
        };
        if since_incumbent >= wait {
            let incumbent = book.incumbent.clone();
            book.patient(&incumbent, &Reason::Incumbent)?;
            since_incumbent = 0;
            continue;
        }
        unpromising = match promise < PROMISE * settings.matters {
            true => unpromising + 1,
            false => 0,
        };
        book.trial(&next, Reason::Search)?;
        lead(book);
        since_incumbent += 1;
    }
    Ok(())
}

/// Leaves out changes of the best that bring nothing by the model. What was always changed together cannot be told
/// apart by it: the best is run without each of its changes before. One that was never measured is measured before it
/// takes the place of one that was, or does not take it.
fn simplify(book: &mut Book<'_>) -> Result<(), Halt> {
    let how = (book.settings.matters, book.settings.seed);
    run_without_each(book)?;
    for _ in 0..SIMPLER {
        let observed = book.observed();
        let simpler = simplified(book.space, &observed, &book.incumbent, how);
        if observed.iter().any(|it| it.of == simpler) {
            book.incumbent = simpler;
            return Ok(());
        }
        if book.left() <= LEAST_END + book.slack() {
            return Ok(());
        }
        book.trial(&simpler, Reason::Search)?;
    }
    Ok(())
}

/// Runs the best without each of its changes that no run tells of.
fn run_without_each(book: &mut Book<'_>) -> Result<(), Halt> {
    let best = book.incumbent.clone();
    let changed: Vec<usize> = best.changed().collect();
    if changed.len() < 2 {
        return Ok(());
    }
    for knob in changed {
        let without = book.space.normal(&best.with(knob, None));
        let is_known = runs_of(&book.records, &without).next().is_some();
        if is_known || book.space.broken(&without).is_some() {
            continue;
        }
        if book.left() <= LEAST_END + book.slack() {
            return Ok(());
        }
        book.trial(&without, Reason::Search)?;
    }
    lead(book);
    Ok(())
}

/// Where nothing was shown to be better than the baseline: one run may have been an unlucky one, so that what looks best
/// is held against it in pairs while there are trials. What then still looks better has the final pairs, which decide.
fn second_look(book: &mut Book<'_>, kept: u32) -> Result<(), Halt> {
    let baseline = book.incumbent.clone();
    let how = (book.settings.matters, book.settings.seed);
    let mut looked = vec![baseline.clone()];
    while looked.len() <= SECOND_LOOKS && book.left() >= kept + 2 * TRIED.most as u32 {
        let Some(next) = best_but(book.space, &book.observed(), &looked, how.1) else {
            break;
        };
        let (mine, theirs) = ((&next, &Reason::Search), (&baseline, &Reason::Incumbent));
        let found = duel(book, mine, theirs, TRIED)?;
        let works = found.failed != Some(DuelSide::Challenger) && !book.mostly_breaks(&next);
        if works && found.verdict == Verdict::Better {
            book.incumbent = next;
            return Ok(());
        }
        looked.push(next);
    }
    if let Some(best) = promising(book.space, &book.observed(), (&baseline, &[]), how) {
        book.incumbent = best;
    }
    Ok(())
}

/// The best by the model of all that was seen leads.
fn lead(book: &mut Book<'_>) {
    let observed = book.observed();
    if let Some((best, _)) = best_by_model(book.space, &observed, book.settings.seed) {
        book.incumbent = best;
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;
