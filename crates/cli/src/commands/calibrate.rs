//! `plimsoll calibrate`: what this load generator can do at most, on a page that costs nothing.

use std::path::Path;

use plimsoll_run::measure::RunSeries;
use plimsoll_run::measure::calibrate::{
    CalibrationDocument, CalibrationSettings, SCHEMA_VERSION, calibrate,
};
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{PlanSource, ReadyPlan, calibration};
use plimsoll_stats::Ceiling;
use plimsoll_stats::ceiling::CeilingStep;
use plimsoll_text::{Lang, Message, render};

use crate::args::CalibrateArgs;
use crate::ended::EndedBy;
use crate::interrupt::interrupt_by_signals;
use crate::live::listener;
use crate::outputs::all_writable;
use crate::result_output::ResultOutput;
use crate::tell::progress;

/// Runs `plimsoll calibrate`; gives the exit code: 0 with a result, 1 if the page responds with
/// errors, 2 for bad use, 3 if it cannot be reached, 130 when interrupted.
#[must_use]
pub fn run(args: &CalibrateArgs, lang: Lang) -> u8 {
    match calibrated(args, lang) {
        Ok(()) => 0,
        Err(ended) => ended.exit(lang),
    }
}

fn calibrated(args: &CalibrateArgs, lang: Lang) -> Result<(), EndedBy> {
    if let Some(url) = args
        .url
        .as_deref()
        .filter(|url| !PlanSource::new(*url).is_url())
    {
        return Err(Message::new("calibrate-no-url").with("url", url).into());
    }
    all_writable(args.output.as_deref())?;
    let settings = CalibrationSettings {
        url: args.url.clone(),
        insecure: args.insecure,
        users: args.users,
        keep_alive: !args.no_keep_alive,
        threads: args.threads,
        step_seconds: args.step_seconds,
    };
    let interrupt = interrupt_by_signals();
    let listen = |ready: &ReadyPlan| listener(true, Some(ready), lang);
    let tell = |message: &Message| progress(args.quiet, lang, message);
    let series = RunSeries::new(Path::new(""), &interrupt, &listen, &tell);
    let found = calibrate(&settings, &series)?;
    finish(args, found.ceiling, found.steps, lang)
}

/// Keeps, writes and says the result.
fn finish(
    args: &CalibrateArgs,
    ceiling: Ceiling,
    steps: Vec<CeilingStep>,
    lang: Lang,
) -> Result<(), EndedBy> {
    let path = calibration::file();
    // What was measured is told, also where it cannot be kept.
    let wanted = (!args.no_save).then(|| calibration::keep(&ceiling, &path));
    if let Some(Err(error)) = &wanted {
        crate::say::err(&render(lang, &file_failed(&path, error)));
    }
    let kept = matches!(wanted, Some(Ok(()))).then(|| path.display().to_string());
    let document = CalibrationDocument {
        schema_version: SCHEMA_VERSION,
        ceiling,
        steps,
        kept,
    };
    let result = ResultOutput {
        output: &args.output,
        json: args.json,
        quiet: args.quiet,
    };
    result.give(&document, || document.text(lang))?;
    Ok(())
}
