//! `plimsoll run`: load a service and say how it did.

mod written;

use std::io::IsTerminal as _;
use std::path::Path;

use plimsoll_run::jmx::Told;
use plimsoll_run::reasons::file_failed;
use plimsoll_run::session::SampleLog;
use plimsoll_run::{
    Interrupt, Listener, LoadSettings, Made, PlanSource, ReadyPlan, RunSetting, Signalled, fleet,
};
use plimsoll_stats::Summary;
use plimsoll_stats::summary::worst_exit_code;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};

pub use self::written::{show, write_report};

use self::written::numbered;
use super::hops;
use crate::args::RunArgs;
use crate::kept;
use crate::live::listener;
use crate::problems;

/// Exit code of a bad plan or bad arguments.
pub const BAD_PLAN: u8 = 2;

/// Exit code of a run that was interrupted before it began.
const INTERRUPTED: u8 = 130;

/// Runs `plimsoll run`; gives the exit code.
#[must_use]
pub fn run(args: &RunArgs, lang: Lang) -> u8 {
    if let Err(message) = refuse_options(args) {
        crate::say::err(&render(lang, &message));
        return BAD_PLAN;
    }
    if let Some(spec) = &args.fleet.resume {
        return resume(spec, args, lang);
    }
    let (source, load) = (
        PlanSource::from(&args.source),
        LoadSettings::from(&args.load),
    );
    let Some(ready) = problems::ready(&source, &load, lang) else {
        return BAD_PLAN;
    };
    let asked = Asked {
        source,
        load,
        ready,
    };
    if let Err(message) = written::before_load(args) {
        crate::say::err(&render(lang, &message));
        return BAD_PLAN;
    }
    let interrupt = interrupt_by_signals();
    let mut summaries = Vec::new();
    for number in 1..=args.repeat.max(1) {
        if args.repeat > 1 && !args.quiet {
            let message = Message::new("run-repeat")
                .with("number", number)
                .with("count", args.repeat);
            crate::say::err(&render(lang, &message));
        }
        match one(args, &asked, lang, &interrupt, number) {
            Ok(summary) => summaries.push(summary),
            Err(message) => {
                crate::say::err(&render(lang, &message));
                return match interrupt.is_hit() {
                    true => INTERRUPTED,
                    false => BAD_PLAN,
                };
            }
        }
        if interrupt.is_hit() {
            break;
        }
    }
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
    let made = fleet::resume::make(spec, &nats, &load, &setting, listener);
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
            BAD_PLAN
        }
    }
}

fn side_by_side(summaries: &[Summary], lang: Lang) -> String {
    use plimsoll_report::compare::{Form, side_by_side};
    let rows: Vec<(&str, &Summary)> = summaries
        .iter()
        .map(|summary| (summary.run.as_str(), summary))
        .collect();
    side_by_side(&rows, &[], Form::Text, lang)
}

/// What the command line asks for.
struct Asked {
    source: PlanSource,
    load: LoadSettings,
    ready: ReadyPlan,
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
    Ok(())
}

/// One run with all that is written of it.
fn one(
    args: &RunArgs,
    asked: &Asked,
    lang: Lang,
    interrupt: &Interrupt,
    number: u32,
) -> Result<Summary, Message> {
    let ready = &asked.ready;
    let jtl = args.jtl.as_ref().map(|path| numbered(path, number));
    let log = jtl
        .as_deref()
        // A plan of JMeter's has its own listeners, and one more for this.
        .filter(|_| ready.jmeter.is_none())
        .map(|path| SampleLog::create(path, &ready.plan));
    let listener = listener(args.quiet, Some(ready), lang);
    let told = match std::io::stdout().is_terminal() {
        true => Told::LiveLine,
        false => Told::Lines,
    };
    let setting = RunSetting {
        jmeter: ready.jmeter_options(jtl.as_deref(), told),
        ..setting(&args.out, interrupt)
    };
    let (source, load) = (&asked.source, &asked.load);
    let (summary, run) = match args.fleet.settings() {
        Some(fleet) => fleet::run::make(ready, source, load, &fleet, &setting, listener).map(noted),
        None => make(ready, load, &setting, listener, log.transpose()?),
    }?;
    hops::after_run(
        ready,
        source,
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
    Ok(summary)
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

/// Makes one run on this machine; what is not kept of it the exit code says.
///
/// # Errors
/// What a person must be told when no run could be made.
pub fn make(
    ready: &ReadyPlan,
    load: &LoadSettings,
    setting: &RunSetting<'_>,
    listener: Box<dyn Listener>,
    log: Option<SampleLog>,
) -> Result<(Summary, Run), Message> {
    plimsoll_run::make(ready, load, setting, listener, log).map(noted)
}

/// A run that was made; what is not kept of it the exit code says.
fn noted(made: Made) -> (Summary, Run) {
    if !made.is_kept {
        kept::lost();
    }
    (made.summary, made.run)
}

/// For runs below a folder that this process's command line asked for.
#[must_use]
pub fn setting<'a>(root: &'a Path, interrupt: &'a Interrupt) -> RunSetting<'a> {
    RunSetting {
        command_line: std::env::args().collect(),
        ..RunSetting::new(root, interrupt)
    }
}

/// Ends runs when this process is told to: first no new work, then cut off, then the process.
#[must_use]
pub fn interrupt_by_signals() -> Interrupt {
    let interrupt = Interrupt::default();
    let signalled = interrupt.clone();
    let handler = move || {
        if signalled.signal() == Signalled::Again {
            std::process::exit(INTERRUPTED.into());
        }
    };
    // Refused only when another handler is there, which nobody installs.
    let _ = ctrlc::set_handler(handler);
    interrupt
}
