//! `plimsoll hops`: each hop of a chain loaded alone, and what each adds.

use plimsoll_plan::model::{ChainHop, Span, wrong_chain};
use plimsoll_report::hops_text;
use plimsoll_run::measure::hops::{Chain, HopsDocument};
use plimsoll_run::{LoadSettings, PlanSource, ReadyPlan, runs};
use plimsoll_stats::HopTimes;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};

use crate::args::HopsArgs;
use crate::chain::measure;
use crate::ended::EndedBy;
use crate::interrupt::interrupt_by_signals;
use crate::outputs::all_writable;
use crate::problems;
use crate::result_output::ResultOutput;
use crate::tell::BAD_USE;

/// A hop mostly failed.
const FAILED: u8 = 1;

/// Runs `plimsoll hops`; gives the exit code: 0 with all times, 1 if a hop mostly failed, 2 for
/// bad use, 3 if a hop cannot be reached, 130 when interrupted.
#[must_use]
pub fn run(args: &HopsArgs, lang: Lang) -> u8 {
    match told(args, lang) {
        Ok(times) if times.hops.iter().any(|hop| hop.time_ms.is_none()) => FAILED,
        Ok(_) => 0,
        Err(ended) => ended.exit(lang),
    }
}

fn told(args: &HopsArgs, lang: Lang) -> Result<HopTimes, EndedBy> {
    let load = LoadSettings {
        threads: args.threads,
        seed: args.seed,
        ..LoadSettings::default()
    };
    let source = PlanSource::from(&args.source);
    let ready = problems::ready(&source, &load, lang).ok_or(EndedBy::Said(BAD_USE))?;
    let hops = chain(args, &ready)?;
    // Known before anything is loaded.
    all_writable(args.output.as_deref())?;
    let keep_in = args.keep_in.as_ref().map(|run| stored(args, run));
    let keep_in = keep_in.transpose()?;
    let chain = Chain {
        source: &source,
        hops: &hops,
        users: args.users,
        rounds: args.rounds,
        round_seconds: args.round_seconds,
        load,
    };
    let times = measure(&chain, &interrupt_by_signals(), args.quiet, lang)?;
    if let Some(run) = &keep_in {
        run.keep_hops(&times).map_err(|error| error.message())?;
    }
    finish(args, &times, keep_in.map(|run| run.id()), lang)?;
    Ok(times)
}

/// The hops of the command line, else those of the plan.
fn chain(args: &HopsArgs, ready: &ReadyPlan) -> Result<Vec<ChainHop>, Message> {
    if args.hops.is_empty() && !ready.plan.hops.is_empty() {
        return Ok(ready.plan.hops.clone());
    }
    let given = args.hops.iter();
    let hops = given.map(|(name, address)| ChainHop::new(name, address, Span::default()));
    let hops = hops.collect::<Result<Vec<_>, _>>()?;
    match wrong_chain(&hops) {
        Some(_) if hops.is_empty() => Err(Message::new("hops-none")),
        Some(message) => Err(message),
        None => Ok(hops),
    }
}

fn stored(args: &HopsArgs, run: &str) -> Result<Run, Message> {
    let dir = runs::find(&args.runs.out, run)?;
    Run::open(&dir).map_err(|error| error.message())
}

/// Writes and says the times.
fn finish(
    args: &HopsArgs,
    times: &HopTimes,
    kept_in: Option<String>,
    lang: Lang,
) -> Result<(), Message> {
    let document = HopsDocument::of(times, kept_in);
    let result = ResultOutput {
        output: &args.output,
        json: args.json,
        quiet: args.quiet,
    };
    result.give(&document, || {
        let mut text = hops_text(times, lang);
        if let Some(run) = &document.kept_in {
            let kept = Message::new("hops-kept").with("run", run.as_str());
            text += &format!("{}\n", render(lang, &kept));
        }
        text
    })
}
