//! `plimsoll run`: load a service and say how it did.

mod interrupt;
mod meta;
mod written;

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{self, Options};
use plimsoll_load::jmeter::JMeterOptions;
use plimsoll_load::monitor::raise_descriptor_limit;
use plimsoll_stats::Summary;
use plimsoll_stats::moments::SteadySeconds;
use plimsoll_stats::summary::worst_exit_code;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};

pub use self::interrupt::Interrupt;
pub use self::meta::{load_in_words, planned};
pub use self::written::{file_failed, show, write_report};

use self::meta::meta;
use self::written::numbered;
use super::hops;
use crate::args::{LoadArgs, RunArgs};
use crate::jmx::Told;
use crate::session::{GiveUp, Live, SampleLog, Session, SessionParts};
use crate::source::{self, Loaded};
use crate::watching::Target;
use crate::{fleet, kept};

/// Exit code of a bad plan or bad arguments.
pub const BAD_PLAN: u8 = 2;

/// Exit code of a run that was interrupted before it began.
const INTERRUPTED: u8 = 130;

/// Runs `plimsoll run`; gives the exit code.
#[must_use]
pub fn run(args: &RunArgs, lang: Lang) -> u8 {
    if let Err(message) = fleet::run::refuse_options(args) {
        crate::say::err(&render(lang, &message));
        return BAD_PLAN;
    }
    if let Some(spec) = &args.fleet.resume {
        return resume(spec, args, lang);
    }
    let Some(loaded) = source::load_telling(&args.source, &args.load, lang) else {
        return BAD_PLAN;
    };
    if let Err(message) = written::before_load(args) {
        crate::say::err(&render(lang, &message));
        return BAD_PLAN;
    }
    let interrupt = Interrupt::install();
    let mut summaries = Vec::new();
    for number in 1..=args.repeat.max(1) {
        if args.repeat > 1 && !args.quiet {
            let message = Message::new("run-repeat")
                .with("number", number)
                .with("count", args.repeat);
            crate::say::err(&render(lang, &message));
        }
        match one(args, &loaded, lang, &interrupt, number) {
            Ok(summary) => summaries.push(summary),
            Err(message) => {
                crate::say::err(&render(lang, &message));
                return match interrupt.hit.load(Ordering::SeqCst) {
                    true => INTERRUPTED,
                    false => BAD_PLAN,
                };
            }
        }
        if interrupt.hit.load(Ordering::SeqCst) {
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
    let interrupt = Interrupt::install();
    let live = (!args.quiet).then(|| Live::new(lang, None));
    let setting = Setting {
        root: &args.out,
        lang,
        interrupt: &interrupt,
        jmeter: JMeterOptions::default(),
        give_up: None,
    };
    let made = fleet::resume::make(spec, args, &setting, live);
    match made {
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

/// One run with all that is written of it.
fn one(
    args: &RunArgs,
    loaded: &Loaded,
    lang: Lang,
    interrupt: &Interrupt,
    number: u32,
) -> Result<Summary, Message> {
    let jtl = args.jtl.as_ref().map(|path| numbered(path, number));
    let log = jtl
        .as_deref()
        // A plan of JMeter's has its own listeners, and one more for this.
        .filter(|_| loaded.jmeter.is_none())
        .map(|path| SampleLog::create(path, &loaded.plan));
    let live = (!args.quiet).then(|| Live::new(lang, planned(loaded)));
    let told = match std::io::stdout().is_terminal() {
        true => Told::LiveLine,
        false => Told::Lines,
    };
    let setting = Setting {
        root: &args.out,
        lang,
        interrupt,
        jmeter: loaded.jmeter_options(jtl.as_deref(), told),
        give_up: None,
    };
    let (summary, run) = match args.fleet.workers {
        Some(_) => fleet::run::make(loaded, args, &setting, live)?,
        None => make(loaded, &args.load, &setting, live, log.transpose()?)?,
    };
    hops::after_run(loaded, args, &run, summary.exit_code, interrupt, lang);
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

/// Where and how a run is made.
pub struct Setting<'a> {
    /// Folder of the runs.
    pub root: &'a Path,
    /// Language.
    pub lang: Lang,
    /// Signals.
    pub interrupt: &'a Interrupt,
    /// What elements of JMeter's are told.
    pub jmeter: JMeterOptions,
    /// Ends the run once its goals are out of reach.
    pub give_up: Option<GiveUp>,
}

/// Makes one run; gives its summary and the run.
///
/// # Errors
/// What a person must be told when no run could be made.
pub fn make(
    loaded: &Loaded,
    load: &LoadArgs,
    setting: &Setting<'_>,
    live: Option<Live>,
    log: Option<SampleLog>,
) -> Result<(Summary, Run), Message> {
    raise_descriptor_limit();
    let stopper = setting.interrupt.stopper();
    let seed = loaded.program.seed.unwrap_or_else(random_seed);
    let options = Options {
        threads: load.threads,
        pin: load.pin,
        seed,
        log_samples: log.is_some(),
        timed_every: if load.time_all_receives {
            1
        } else {
            engine::thread::TIMED_EVERY
        },
        stopper: stopper.clone(),
        access: loaded.access.clone(),
        jmeter: setting.jmeter.clone(),
        ..Options::default()
    };
    let parts = parts(loaded, setting, live, log, &stopper, seed)?;
    let mut session = Session::new(parts).map_err(|error| error.message())?;
    let ended = engine::run(&loaded.program, &options, &mut session)
        .map_err(|error| crate::reasons::of_run(&error))?;
    session
        .finish(Some(&ended))
        .map_err(|error| error.message())
}

/// What a run's session is made of; the target is watched from now on.
///
/// # Errors
/// A target that cannot be watched.
pub fn parts(
    loaded: &Loaded,
    setting: &Setting<'_>,
    live: Option<Live>,
    log: Option<SampleLog>,
    stopper: &Stopper,
    seed: u64,
) -> Result<SessionParts, Message> {
    let steady = SteadySeconds::new(
        loaded.plan.warm_up.as_secs(),
        planned(loaded).map(|length| length.as_secs()),
    );
    let target = Target::start(loaded.watch.clone(), steady)
        .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
    Ok(SessionParts {
        target,
        lang: setting.lang,
        program: Arc::clone(&loaded.program),
        meta: meta(loaded, seed),
        root: setting.root.to_owned(),
        live,
        log,
        stopper: stopper.clone(),
        interrupted: Arc::clone(&setting.interrupt.hit),
        goes_on: loaded.jmeter.is_some(),
        give_up: setting.give_up.clone(),
        no_request: crate::no_request::why(&loaded.plan),
    })
}

/// A seed for a run whose plan names none.
pub fn random_seed() -> u64 {
    // 48 bits, so that JSON readers that know only floating point keep it.
    fastrand::u64(..) >> 16
}
