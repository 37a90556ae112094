//! `plimsoll compare`: two sides of runs, or two plans that are run in turn for it.

use std::sync::Arc;

use plimsoll_report::compare::{RenderForm, Sides, render_compare};
use plimsoll_run::comparable::{doubt, gate, unlike};
use plimsoll_run::measure::RunSeries;
use plimsoll_run::measure::interleave::interleave;
use plimsoll_run::{LoadSettings, PlanSource, ReadyPlan, runs};
use plimsoll_stats::Summary;
use plimsoll_stats::compare::{CompareError, Design, RunComparison, RunFigures, compare};
use plimsoll_store::RunState;
use plimsoll_text::{Lang, Message, render};

use crate::args::{CompareArgs, CompareForm};
use crate::ended::EndedBy;
use crate::interrupt::interrupt_by_signals;
use crate::live::listener;
use crate::say::out;
use crate::tell::BAD_USE;
use crate::{kept, problems};
use plimsoll_run::runs::summary_of;

const INTERRUPTED: u8 = 130;

/// Exit code where B was to be no worse than A, and is.
const WORSE: u8 = 1;

/// Runs `plimsoll compare`; gives the exit code: 0 also when the sides differ, since whether
/// that is good or bad is for the reader to say, unless it was said beforehand.
#[must_use]
pub fn run(args: &CompareArgs, lang: Lang) -> u8 {
    let compared = match args.interleave.as_slice() {
        [] => stored(args, lang),
        plans => interleaved(args, plans, lang),
    };
    match compared {
        Ok(code) => code,
        Err(ended) => ended.exit(lang),
    }
}

/// One side.
#[derive(Default)]
struct Side {
    name: String,
    runs: Vec<Summary>,
}

impl Side {
    fn figures(&self) -> Vec<RunFigures> {
        self.runs.iter().map(RunFigures::from).collect()
    }
}

/// Compares runs that are there.
fn stored(args: &CompareArgs, lang: Lang) -> Result<u8, EndedBy> {
    if args.a.is_empty() || args.b.is_empty() {
        return Err(Message::new("compare-needs-runs").into());
    }
    let a = side(args, &args.a, lang)?;
    let b = side(args, &args.b, lang)?;
    for message in unlike(&a.runs, &b.runs, lang) {
        crate::say::err(&render(lang, &message));
    }
    let design = if args.paired {
        Design::Paired
    } else {
        Design::Unpaired
    };
    let comparison = show(&a, &b, design, args.format, lang)?;
    Ok(judged(&comparison, args.fail_if_worse, lang))
}

/// The exit code of a comparison that is a gate, and why; else 0.
fn judged(comparison: &RunComparison, beyond_percent: Option<f64>, lang: Lang) -> u8 {
    let Some(beyond) = beyond_percent else {
        return 0;
    };
    let (worse, said) = gate(comparison, beyond);
    for message in &said {
        crate::say::err(&render(lang, message));
    }
    if worse { WORSE } else { 0 }
}

fn side(args: &CompareArgs, specs: &[String], lang: Lang) -> Result<Side, Message> {
    let mut side = Side::default();
    let mut plans: Vec<String> = Vec::new();
    for spec in specs {
        let run = runs::open(&args.runs.out, spec)?;
        let summary = summary_of(&run).map_err(|error| error.message())?;
        let state = run.state().map_err(|error| error.message())?;
        warn(&run.id(), state, &summary, lang);
        if !plans.contains(&run.meta().plan_name) {
            plans.push(run.meta().plan_name.clone());
        }
        side.name = run.id();
        side.runs.push(summary);
    }
    if side.runs.len() > 1 {
        side.name = plans.join(", ");
    }
    Ok(side)
}

/// Says what makes a run doubtful as evidence.
fn warn(run: &str, state: RunState, summary: &Summary, lang: Lang) {
    if let Some(message) = doubt(run, state, summary) {
        crate::say::err(&render(lang, &message));
    }
}

/// Runs two plans in turn and compares the runs pair by pair.
fn interleaved(args: &CompareArgs, plans: &[String], lang: Lang) -> Result<u8, EndedBy> {
    if args.pairs == 0 {
        return Err(Message::new("compare-no-pairs").into());
    }
    let load = LoadSettings::from(&args.load);
    let [plan_a, plan_b] = plans else {
        // As many as the command line takes.
        return Err(Message::new("compare-needs-runs").into());
    };
    let (a, b) = (
        read(args, plan_a, &load, lang)?,
        read(args, plan_b, &load, lang)?,
    );
    let interrupt = interrupt_by_signals();
    let listen = |ready: &ReadyPlan| listener(false, Some(ready), lang);
    let tell = |message: &Message| crate::say::err(&render(lang, message));
    let series = RunSeries::new(&args.runs.out, &interrupt, &listen, &tell)
        .asked_by(std::env::args().collect());
    let made = |run: &str, summary: &Summary| warn(run, RunState::Finished, summary, lang);
    let found = interleave(
        [plan_a, plan_b],
        [&a, &b],
        args.pairs,
        &load,
        &series,
        &made,
    );
    if !series.is_kept() {
        kept::lost();
    }
    let [of_a, of_b] = found?;
    let side = |name: &String, runs| Side {
        name: name.clone(),
        runs,
    };
    let (a, b) = (side(plan_a, of_a), side(plan_b, of_b));
    if !a.runs.is_empty() {
        for message in unlike(&a.runs, &b.runs, lang) {
            crate::say::err(&render(lang, &message));
        }
        let comparison = show(&a, &b, Design::Paired, args.format, lang)?;
        if !interrupt.is_hit() {
            return Ok(judged(&comparison, args.fail_if_worse, lang));
        }
    }
    Ok(if interrupt.is_hit() { INTERRUPTED } else { 0 })
}

fn read(
    args: &CompareArgs,
    plan: &str,
    load: &LoadSettings,
    lang: Lang,
) -> Result<Arc<ReadyPlan>, EndedBy> {
    let source = PlanSource {
        set: args.set.clone(),
        allow_hosts: args.allow_host.clone(),
        jmeter: (&args.jmeter).into(),
        ..PlanSource::new(plan)
    };
    problems::ready(&source, load, lang)
        .map(Arc::new)
        .ok_or(EndedBy::Said(BAD_USE))
}

fn show(
    a: &Side,
    b: &Side,
    design: Design,
    form: CompareForm,
    lang: Lang,
) -> Result<RunComparison, Message> {
    let comparison = compare(&a.figures(), &b.figures(), design).map_err(|error| match error {
        CompareError::NoRuns { .. } => Message::new("compare-needs-runs"),
        CompareError::Unequal { a, b } => Message::new("compare-unequal").with("a", a).with("b", b),
    })?;
    let sides = Sides {
        a: &a.name,
        b: &b.name,
    };
    let rendered = |form| render_compare(&comparison, sides, form, lang);
    out(&match form {
        CompareForm::Text => rendered(RenderForm::Text),
        CompareForm::Markdown => rendered(RenderForm::Markdown),
        CompareForm::Html => rendered(RenderForm::Html),
        CompareForm::Json => json(&comparison),
    });
    Ok(comparison)
}

fn json(comparison: &RunComparison) -> String {
    // Numbers and names: nothing in it that JSON cannot say.
    let mut text = serde_json::to_string_pretty(comparison).unwrap_or_default();
    text.push('\n');
    text
}
