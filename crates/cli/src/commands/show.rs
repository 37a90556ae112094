//! `plimsoll show`: the aggregate report of a run, or several runs side by side.

use plimsoll_report::compare::{Form, side_by_side};
use plimsoll_stats::Summary;
use plimsoll_store::{Run, StoreError, resolve};
use plimsoll_text::{Lang, Message};

use super::{BAD_USE, fail, out, say};
use crate::args::ShowArgs;

/// Runs `plimsoll show`; gives the exit code.
#[must_use]
pub fn run(args: &ShowArgs, lang: Lang) -> u8 {
    match show(args, lang) {
        Ok(()) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

fn show(args: &ShowArgs, lang: Lang) -> Result<(), Message> {
    let open = |spec: &String| Run::open(&resolve(&args.runs.out, spec)?);
    let runs: Result<Vec<Run>, StoreError> = args.run.iter().map(open).collect();
    let runs = runs.map_err(|error| error.message())?;
    if let [run] = runs.as_slice() {
        super::run::show(run, lang)?;
        let message = Message::new("run-stored")
            .with("name", run.id())
            .with("path", run.dir().display().to_string());
        say(&message, lang);
        return Ok(());
    }
    let summaries: Result<Vec<(String, Summary)>, StoreError> =
        runs.iter().map(|run| Ok((run.id(), summary_of(run)?))).collect();
    let summaries = summaries.map_err(|error| error.message())?;
    let rows: Vec<(&str, &Summary)> =
        summaries.iter().map(|(name, summary)| (name.as_str(), summary)).collect();
    out(&side_by_side(&rows, &[], Form::Text, lang));
    Ok(())
}

/// A run's summary; made from its seconds when the run goes on or was cut short.
///
/// # Errors
/// When the run cannot be read.
pub fn summary_of(run: &Run) -> Result<Summary, StoreError> {
    match run.summary()? {
        Some(summary) => Ok(summary),
        None => run.rebuild_summary(),
    }
}
