//! `plimsoll report`: a run's report in one of the forms there are.

use std::path::{Path, PathBuf};

use plimsoll_report::{Acceptance, AcceptanceForm, ReportOptions, acceptance, exporter};
use plimsoll_run::reasons::{self, file_failed};
use plimsoll_run::report_files::write_report;
use plimsoll_run::runs;
use plimsoll_stats::Goal;
use plimsoll_store::{Run, rfc3339};
use plimsoll_text::{Lang, Message, render};

use crate::args::{ReportArgs, ReportForm};
use crate::say::out_foreign;
use crate::tell::{BAD_USE, fail, say};

/// Runs `plimsoll report`; gives the exit code.
#[must_use]
pub fn run(args: &ReportArgs, lang: Lang) -> u8 {
    match report(args, lang) {
        Ok(Some(path)) => {
            say(
                &Message::new("run-written").with("path", path.display().to_string()),
                lang,
            );
            0
        }
        Ok(None) => 0,
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

/// Makes the report; gives the file it is in, if it is in one.
fn report(args: &ReportArgs, lang: Lang) -> Result<Option<PathBuf>, Message> {
    if args.form == ReportForm::Acceptance {
        return handed_in(args, lang).map(Some);
    }
    let [name] = args.run.as_slice() else {
        return Err(Message::new("report-one-run").with("count", args.run.len()));
    };
    let run = opened(args, name, lang)?;
    if args.errors {
        return printed(&run, "errors", lang);
    }
    let named = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let by_name = named
        .and_then(Path::extension)
        .and_then(|extension| extension.to_str());
    let format = exporter(args.format.as_deref().or(by_name).unwrap_or("html"))?;
    let path = match (&args.output, named) {
        (Some(_), None) => return printed(&run, format.name(), lang),
        (_, Some(path)) => path.to_owned(),
        (None, None) => run.dir().join(format!("report.{}", format.extension())),
    };
    write_report(&run, &path, Some(format.name()), lang)?;
    Ok(Some(path))
}

/// Writes a report to standard output, so in no file.
fn printed(run: &Run, format: &str, lang: Lang) -> Result<Option<PathBuf>, Message> {
    let mut bytes = Vec::new();
    exporter(format)?
        .export(run, &ReportOptions { lang }, &mut bytes)
        .map_err(|error| error.message("-"))?;
    out_foreign(&bytes);
    Ok(None)
}

/// The run; which one `last` was is said.
fn opened(args: &ReportArgs, name: &str, lang: Lang) -> Result<Run, Message> {
    let run = runs::open(&args.runs.out, name)?;
    if name.starts_with("last") {
        let message = Message::new("report-of-run")
            .with("name", run.id())
            .with("started", rfc3339(run.meta().started_at_unix_ns));
        crate::say::err(&render(lang, &message));
    }
    Ok(run)
}

/// The report that people hand in; beside the first run, if no file is named.
fn handed_in(args: &ReportArgs, lang: Lang) -> Result<PathBuf, Message> {
    let runs = args.run.iter().map(|name| opened(args, name, lang));
    let runs: Vec<Run> = runs.collect::<Result<_, _>>()?;
    let by_name = args.output.as_deref().and_then(Path::extension);
    let by_name = by_name.and_then(|extension| extension.to_str());
    let form = AcceptanceForm::parse(args.format.as_deref().or(by_name).unwrap_or("html"))?;
    let goals = args.goal.iter().map(|text| {
        Goal::parse(text).map_err(|error| {
            Message::new("report-bad-goal").with("reason", reasons::of_goal(&error))
        })
    });
    let asked = Acceptance {
        title: args.title.clone(),
        testers: args.tester.clone(),
        requirements: goals.collect::<Result<_, _>>()?,
    };
    let folder = runs
        .first()
        .map(|run| run.dir().to_owned())
        .unwrap_or_default();
    let beside = || folder.join(format!("acceptance.{}", form.extension()));
    let path = args.output.clone().unwrap_or_else(beside);
    let mut bytes = Vec::new();
    let shown = path.display().to_string();
    acceptance(&runs, &asked, form, &ReportOptions { lang }, &mut bytes)
        .map_err(|error| error.message(&shown))?;
    // What was not named stands in the run's folder.
    let written = match args.output {
        Some(_) => std::fs::write(&path, bytes),
        None => plimsoll_store::private::write(&path, &bytes),
    };
    written.map_err(|error| file_failed(&path, &error))?;
    Ok(path)
}
