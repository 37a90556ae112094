//! `plimsoll show`: the aggregate report of a run, or several runs side by side.

use std::path::Path;
use std::time::Duration;

use plimsoll_report::compare::{RenderForm, side_by_side};
use plimsoll_report::percent;
use plimsoll_run::runs::{self, summary_of};
use plimsoll_stats::Summary;
use plimsoll_store::{Run, StoreError};
use plimsoll_text::{Lang, Message, render};

use crate::args::ShowArgs;
use crate::say::out;
use crate::tell::{BAD_USE, fail};

/// Runs `plimsoll show`; gives the exit code.
#[must_use]
pub fn run(args: &ShowArgs, lang: Lang) -> u8 {
    match show(args, lang) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn show(args: &ShowArgs, lang: Lang) -> Result<(), Message> {
    let open = |spec: &String| {
        let (name, spec) = named(spec);
        let run = runs::open(&args.runs.out, spec)?;
        Ok((name.map_or_else(|| run.id(), str::to_owned), run))
    };
    let runs: Result<Vec<(String, Run)>, Message> = args.run.iter().map(open).collect();
    let runs = runs?;
    if let ([(_, run)], None) = (runs.as_slice(), args.over) {
        crate::written::show(run, lang)?;
        let message = Message::new("run-stored")
            .with("name", run.id())
            .with("path", run.dir().display().to_string());
        crate::say::out_filled(&render(lang, &message));
        return Ok(());
    }
    let table = side_by_side_of(&runs, args.over, lang).map_err(|error| error.message())?;
    out(&table);
    Ok(())
}

fn side_by_side_of(
    runs: &[(String, Run)],
    over: Option<Duration>,
    lang: Lang,
) -> Result<String, StoreError> {
    let summaries: Result<Vec<Summary>, StoreError> =
        runs.iter().map(|(_, run)| summary_of(run)).collect();
    let summaries = summaries?;
    let names = runs.iter().map(|(name, _)| name.as_str());
    let rows: Vec<(&str, &Summary)> = names.zip(&summaries).collect();
    let mut extra = Vec::new();
    if let Some(limit) = over {
        let shares: Result<Vec<String>, StoreError> = runs
            .iter()
            .zip(&summaries)
            .map(|((_, run), summary)| Ok(percent(share_over(run, summary, limit)?)))
            .collect();
        let limit = format!("{limit:?}");
        let head = render(
            lang,
            &Message::new("report-column-over").with("limit", limit),
        );
        extra.push((head, shares?));
    }
    Ok(side_by_side(&rows, &extra, RenderForm::Text, lang))
}

/// A run with the name it is given before “=”; a folder may have “=” in its own.
fn named(spec: &str) -> (Option<&str>, &str) {
    match spec.split_once('=') {
        Some((name, run)) if !Path::new(spec).exists() => (Some(name), run),
        _ => (None, spec),
    }
}

/// The share (0 to 1) of responses whose response time was above a limit; exact but for those
/// within the histogram's bucket error of it.
fn share_over(run: &Run, summary: &Summary, limit: Duration) -> Result<f64, StoreError> {
    let (_, end) = run.span_s()?;
    let sum = run.aggregate_with_tail(summary.warm_up_s, f64::from(end))?;
    let times = sum.total().all_response();
    if times.is_empty() {
        return Ok(0.0);
    }
    let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
    #[expect(clippy::cast_precision_loss)]
    let share = times.count_above_ns(limit_ns) as f64 / times.count() as f64;
    Ok(share)
}
