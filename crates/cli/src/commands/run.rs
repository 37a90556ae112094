//! `plimsoll run`: load a service and say how it did.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use plimsoll_run::jmx::Told;
use plimsoll_run::measure::repeat::repeat;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::report_files::{numbered, write_report};
use plimsoll_run::session::SampleLog;
use plimsoll_run::{
    Interrupt, LoadProbe, LoadSettings, Made, PlanSource, ReadyPlan, RunHandle, RunRequest,
    RunSetting, take_up,
};
use plimsoll_stats::Summary;
use plimsoll_stats::summary::worst_exit_code;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};

use crate::args::RunArgs;
use crate::chain::after_run;
use crate::interrupt::{INTERRUPTED, interrupt_by_signals};
use crate::kept;
use crate::live::listener;
use crate::problems;
use crate::tell::BAD_USE;
use crate::written::{before_load, show};

/// Runs `plimsoll run`; gives the exit code.
#[must_use]
pub fn run(args: &RunArgs, lang: Lang) -> u8 {
    if let Err(message) = refuse_options(args) {
        crate::say::err(&render(lang, &message));
        return BAD_USE;
    }
    if let Some(spec) = &args.fleet.resume {
        return resume(spec, args, lang);
    }
    let (source, load) = (
        PlanSource::from(&args.source),
        LoadSettings::from(&args.load),
    );
    let Some(ready) = problems::ready(&source, &load, lang) else {
        return BAD_USE;
    };
    let asked = RunAsked {
        source,
        load,
        ready: Arc::new(ready),
    };
    if let Err(message) = before_load(args) {
        crate::say::err(&render(lang, &message));
        return BAD_USE;
    }
    let interrupt = interrupt_by_signals();
    let mut request = |number| {
        if args.repeat > 1 && !args.quiet {
            let message = Message::new("run-repeat")
                .with("number", number)
                .with("count", args.repeat);
            crate::say::err(&render(lang, &message));
        }
        request(args, &asked, lang, &interrupt, number)
    };
    let mut made = |number, made| after(args, &asked, lang, &interrupt, number, made);
    let summaries = match repeat(args.repeat, &interrupt, &mut request, &mut made) {
        Ok(summaries) => summaries,
        Err(message) => {
            crate::say::err(&render(lang, &message));
            return match interrupt.is_hit() {
                true => INTERRUPTED,
                false => BAD_USE,
            };
        }
    };
    if summaries.len() > 1 && !args.quiet {
        crate::say::out(&format!("\n{}", side_by_side(&summaries, lang)));
    }
    worst_exit_code(summaries.iter().map(|summary| summary.exit_code))
}

/// Takes up a run again whose controller was lost.
fn resume(spec: &str, args: &RunArgs, lang: Lang) -> u8 {
    let interrupt = interrupt_by_signals();
    let (nats, load) = ((&args.fleet.nats).into(), (&args.load).into());
    let (setting, listener) = (
        setting(&args.out, &interrupt),
        listener(args.quiet, None, lang),
    );
    let made = take_up(spec.to_owned(), nats, load, setting, listener).and_then(RunHandle::join);
    match made.map(noted) {
        Ok((summary, run)) => {
            if let Err(message) = tell(args, &summary, &run, lang, 1) {
                crate::say::err(&render(lang, &message));
                kept::lost();
            }
            summary.exit_code
        }
        Err(message) => {
            crate::say::err(&render(lang, &message));
            BAD_USE
        }
    }
}

fn side_by_side(summaries: &[Summary], lang: Lang) -> String {
    use plimsoll_report::compare::{RenderForm, side_by_side};
    let rows: Vec<(&str, &Summary)> = summaries
        .iter()
        .map(|summary| (summary.run.as_str(), summary))
        .collect();
    side_by_side(&rows, &[], RenderForm::Text, lang)
}

/// What the command line asks for.
struct RunAsked {
    source: PlanSource,
    load: LoadSettings,
    ready: Arc<ReadyPlan>,
}

/// What a run over workers cannot do, also when it is taken up again.
fn refuse_options(args: &RunArgs) -> Result<(), Message> {
    let fleet = &args.fleet;
    if fleet.workers == Some(0) {
        return Err(Message::new("fleet-no-workers"));
    }
    if args.jtl.is_some() && (fleet.workers.is_some() || fleet.resume.is_some()) {
        return Err(Message::new("fleet-jtl-with-workers"));
    }
    if fleet.resume.is_some() && !args.load.outputs.is_empty() {
        return Err(Message::new("output-with-resume"));
    }
    Ok(())
}

/// What one of the runs is asked for with.
fn request(
    args: &RunArgs,
    asked: &RunAsked,
    lang: Lang,
    interrupt: &Interrupt,
    number: u32,
) -> Result<RunRequest, Message> {
    let ready = &asked.ready;
    let jtl = args.jtl.as_ref().map(|path| numbered(path, number));
    let log = jtl
        .as_deref()
        // A plan of JMeter's has its own listeners, and one more for this.
        .filter(|_| ready.jmeter.is_none())
        .map(|path| SampleLog::create(path, &ready.plan));
    let told = match std::io::stdout().is_terminal() {
        true => Told::LiveLine,
        false => Told::Lines,
    };
    let setting = RunSetting {
        jmeter_log: jtl.clone(),
        told,
        probe: probe(args, ready),
        ..setting(&args.out, interrupt)
    };
    let (source, load) = (asked.source.clone(), asked.load.clone());
    Ok(RunRequest {
        fleet: args.fleet.settings(),
        listener: listener(args.quiet, Some(ready), lang),
        log: log.transpose()?,
        ..RunRequest::of(Arc::clone(ready), source, load, setting)
    })
}

/// How the load is changed at its end. Whoever has each sample written down wants those of the load alone.
fn probe(args: &RunArgs, ready: &ReadyPlan) -> Option<LoadProbe> {
    let asked = args.probe.map(LoadProbe::Raised);
    let may_be_lowered = !args.no_probe && args.jtl.is_none();
    asked.or_else(|| LoadProbe::of_watched(ready).filter(|_| may_be_lowered))
}

/// What follows one of the runs: its hops, and all that is written of it.
fn after(
    args: &RunArgs,
    asked: &RunAsked,
    lang: Lang,
    interrupt: &Interrupt,
    number: u32,
    made: Made,
) -> Summary {
    let (summary, run) = noted(made);
    after_run(
        &asked.ready,
        &asked.source,
        args,
        &run,
        summary.exit_code,
        interrupt,
        lang,
    );
    if let Err(message) = tell(args, &summary, &run, lang, number) {
        // The run was made, and says itself how it went.
        crate::say::err(&render(lang, &message));
        kept::lost();
    }
    summary
}

/// Shows a run that has ended and writes what was asked for.
fn tell(
    args: &RunArgs,
    summary: &Summary,
    run: &Run,
    lang: Lang,
    number: u32,
) -> Result<(), Message> {
    if !args.quiet {
        show(run, lang)?;
        let name = Message::new("run-stored")
            .with("name", summary.run.as_str())
            .with("path", run.dir().display().to_string());
        if !run.dir().as_os_str().is_empty() {
            crate::say::out_filled(&render(lang, &name));
        }
    }
    // A log that says nothing of why it failed helps nobody.
    if args.quiet && summary.exit_code != 0 {
        let line = plimsoll_report::verdict_line(summary, lang);
        crate::say::err(&format!("{}: {line}", summary.run));
    }
    if let Some(path) = &args.summary_json {
        let path = numbered(path, number);
        let mut json = serde_json::to_string_pretty(summary).map_err(|e| file_failed(&path, &e))?;
        json.push('\n');
        std::fs::write(&path, json).map_err(|error| file_failed(&path, &error))?;
    }
    for path in &args.report {
        let path = numbered(path, number);
        write_report(run, &path, None, lang)?;
        if !args.quiet {
            let written = Message::new("run-written").with("path", path.display().to_string());
            crate::say::out_filled(&render(lang, &written));
        }
    }
    Ok(())
}

/// A run that was made; what is not kept of it the exit code says.
fn noted(made: Made) -> (Summary, Run) {
    if !made.is_kept {
        kept::lost();
    }
    (made.summary, made.run)
}

/// For runs below a folder that this process's command line asked for.
fn setting(root: &Path, interrupt: &Interrupt) -> RunSetting {
    RunSetting {
        command_line: std::env::args().collect(),
        ..RunSetting::ended_by(root, interrupt)
    }
}
