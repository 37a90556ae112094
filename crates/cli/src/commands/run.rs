//! `plimsoll run`: load a service and say how it did.

use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_load::engine::control::{Stop, Stopper};
use plimsoll_load::engine::{self, Options};
use plimsoll_load::jmeter::JMeterOptions;
use plimsoll_load::monitor::{Allowance, raise_descriptor_limit};
use plimsoll_load::schedule;
use plimsoll_plan::model::Load;
use plimsoll_report::{Exporter as _, Terminal, exporter};
use plimsoll_stats::Summary;
use plimsoll_stats::moments::SteadySeconds;
use plimsoll_store::{Run, RunMeta, ScenarioMeta};
use plimsoll_text::{Lang, Message, render};

use super::hops;
use crate::args::{LoadArgs, RunArgs};
use crate::calibration;
use crate::environment::environment;
use crate::fleet;
use crate::jmx::Told;
use crate::session::{GiveUp, Live, SampleLog, Session, SessionParts, mask, secrets_of};
use crate::source::{self, Loaded};
use crate::watching::Target;

/// Exit code of a bad plan or bad arguments.
pub const BAD_PLAN: u8 = 2;

/// Runs `plimsoll run`; gives the exit code.
#[must_use]
pub fn run(args: &RunArgs, lang: Lang) -> u8 {
    if let Some(spec) = &args.fleet.resume {
        return resume(spec, args, lang);
    }
    let Some(loaded) = source::load_telling(&args.source, &args.load, lang) else {
        return BAD_PLAN;
    };
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
                return BAD_PLAN;
            }
        }
        if interrupt.hit.load(Ordering::SeqCst) {
            break;
        }
    }
    if summaries.len() > 1 && !args.quiet {
        crate::say::out(&format!("\n{}", side_by_side(&summaries, lang)));
    }
    worst(&summaries)
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
    match made.and_then(|(summary, run)| tell(args, &summary, &run, lang, 1).map(|()| summary)) {
        Ok(summary) => summary.exit_code,
        Err(message) => {
            crate::say::err(&render(lang, &message));
            BAD_PLAN
        }
    }
}

/// The exit code that says most, by the precedence of exit codes.
fn worst(summaries: &[Summary]) -> u8 {
    const PRECEDENCE: [u8; 6] = [2, 3, 130, 5, 4, 1];
    PRECEDENCE
        .into_iter()
        .find(|code| summaries.iter().any(|summary| summary.exit_code == *code))
        .unwrap_or(0)
}

fn side_by_side(summaries: &[Summary], lang: Lang) -> String {
    use plimsoll_report::compare::{Form, side_by_side};
    let rows: Vec<(&str, &Summary)> = summaries
        .iter()
        .map(|summary| (summary.run.as_str(), summary))
        .collect();
    side_by_side(&rows, &[], Form::Text, lang)
}

/// Ctrl-C and SIGTERM: first no new work, then cut off, then the end.
pub struct Interrupt {
    /// The user interrupted.
    pub hit: Arc<AtomicBool>,
    stopper: Arc<std::sync::Mutex<Stopper>>,
}

impl Interrupt {
    /// Installs the handler. Where the system refuses, signals end the program as ever.
    #[must_use]
    pub fn install() -> Self {
        let hit = Arc::new(AtomicBool::new(false));
        let stopper = Arc::new(std::sync::Mutex::new(Stopper::default()));
        let (seen, current) = (Arc::clone(&hit), Arc::clone(&stopper));
        let handler = move || {
            let current = current
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            match current.state() {
                _ if !seen.swap(true, Ordering::SeqCst) => current.stop_from_outside(),
                Stop::Running => current.stop_from_outside(),
                Stop::NoNewWork => current.cut_off(),
                Stop::CutOff => std::process::exit(130),
            }
        };
        // Refused only when another handler is there, which nobody installs.
        let _ = ctrlc::set_handler(handler);
        Self { hit, stopper }
    }

    /// A stopper for the next run.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        let fresh = Stopper::default();
        if self.hit.load(Ordering::SeqCst) {
            fresh.stop();
        }
        *self
            .stopper
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = fresh.clone();
        fresh
    }
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
        .map(|path| SampleLog::create(path, scenario_names(loaded)));
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
    tell(args, &summary, &run, lang, number)?;
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
            crate::say::out(&format!("{}\n", render(lang, &name)));
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
            crate::say::out(&format!(
                "{}\n",
                render(
                    lang,
                    &Message::new("run-written").with("path", path.display().to_string())
                )
            ));
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
        jmeter: setting.jmeter.clone(),
        ..Options::default()
    };
    let parts = parts(loaded, setting, live, log, &stopper, seed)?;
    let mut session = Session::new(parts).map_err(|error| error.message())?;
    let ended = engine::run(&loaded.program, &options, &mut session)
        .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
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
    })
}

/// A seed for a run whose plan names none.
pub fn random_seed() -> u64 {
    // 48 bits, so that JSON readers that know only floating point keep it.
    fastrand::u64(..) >> 16
}

fn meta(loaded: &Loaded, seed: u64) -> RunMeta {
    let secrets = secrets_of(&loaded.plan);
    let allowance = Allowance::read();
    let environment = environment(&allowance);
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    RunMeta {
        name: loaded.plan.name.clone(),
        plan_name: loaded.plan.name.clone(),
        plan_source: mask(&loaded.text, &secrets),
        command_line: command_line(&secrets),
        plimsoll_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at_unix_ns: u64::try_from(started.as_nanos()).unwrap_or(u64::MAX),
        seed,
        warm_up_s: loaded.plan.warm_up.as_secs_f64().ceil() as u32,
        ceilings: calibration::known(&environment),
        environment,
        target: loaded.target.clone(),
        goals: loaded
            .plan
            .goals
            .iter()
            .map(|spec| spec.goal.to_string())
            .collect(),
        scenarios: loaded
            .plan
            .scenarios
            .iter()
            .map(|s| ScenarioMeta {
                name: s.name.clone(),
                load: load_in_words(&s.load),
            })
            .collect(),
        // Set-up that is recorded comes first on the run's clock.
        load_profile: schedule::profile(&loaded.plan)
            .filter(|_| !loaded.program.recorded_setup || loaded.plan.setup.is_empty()),
    }
}

/// The command line with secrets masked: values of `--set`, of properties and of header
/// options too, since nobody can tell which of them are secrets.
fn command_line(secrets: &[String]) -> Vec<String> {
    let mut masked = Vec::new();
    let mut args = std::env::args();
    while let Some(arg) = args.next() {
        let value_of = matches!(
            arg.as_str(),
            "-H" | "--header" | "--set" | "-d" | "--data" | "-J" | "-G" | "-D"
        );
        let property = ["-J", "-G", "-D"]
            .iter()
            .any(|option| arg.starts_with(option));
        masked.push(match arg.split_once('=') {
            Some((name, _)) if property => format!("{name}=…"),
            _ => mask(&arg, secrets),
        });
        if value_of && let Some(value) = args.next() {
            let name = value.split_once(['=', ':']).map_or("", |(name, _)| name);
            masked.push(format!("{name}…"));
        }
    }
    masked
}

/// A load in the plan's own words.
fn load_in_words(load: &Load) -> String {
    let seconds = |duration: Duration| format!("{} s", duration.as_secs_f64());
    match load {
        Load::Users(load) => {
            let stages = load.stages.iter().map(|stage| {
                let ramp = if stage.ramp.is_zero() {
                    String::new()
                } else {
                    format!(", ramp-up {}", seconds(stage.ramp))
                };
                let hold = if stage.hold.is_zero() {
                    String::new()
                } else {
                    format!(", hold {}", seconds(stage.hold))
                };
                format!("users: {}{ramp}{hold}", stage.users)
            });
            let mut words: Vec<String> = stages.collect();
            words.extend(load.iterations_per_user.map(|n| format!("iterations: {n}")));
            words.extend(
                load.iterations_total
                    .map(|n| format!("iterations in all: {n}")),
            );
            words.join("; ")
        }
        Load::Arrivals(load) => {
            let stages = load.stages.iter().map(|stage| {
                let (from, to) = (stage.from.as_per_second(), stage.to.as_per_second());
                let rate = if from == to {
                    format!("{to}/s")
                } else {
                    format!("{from}/s..{to}/s")
                };
                format!("rate: {rate} for {}", seconds(stage.lasts))
            });
            let words: Vec<String> = stages.collect();
            format!(
                "{}; at most {} in flight",
                words.join("; "),
                load.max_in_flight
            )
        }
    }
}

fn scenario_names(loaded: &Loaded) -> Vec<String> {
    let plan = &loaded.plan;
    let all = plan
        .setup
        .iter()
        .chain(&plan.scenarios)
        .chain(&plan.teardown);
    all.map(|scenario| scenario.name.clone()).collect()
}

/// The load's length, where the plan fixes it.
pub fn planned(loaded: &Loaded) -> Option<Duration> {
    let lengths = loaded.plan.scenarios.iter().map(|scenario| {
        let load = match &scenario.load {
            Load::Users(load) if load.ends_with_stages => schedule::users_end_ns(&load.stages),
            Load::Users(_) => return scenario.end_after,
            Load::Arrivals(load) => schedule::arrivals_end_ns(&load.stages),
        };
        let load = Duration::from_nanos(load);
        let load = scenario.end_after.map_or(load, |end| end.min(load));
        Some(load + scenario.start_delay)
    });
    let lengths: Option<Vec<Duration>> = lengths.collect();
    lengths.and_then(|lengths| match loaded.plan.order {
        plimsoll_plan::model::Order::Together => lengths.into_iter().max(),
        plimsoll_plan::model::Order::InOrder => Some(lengths.into_iter().sum()),
    })
}

/// Prints a run's aggregate report.
///
/// # Errors
/// When the run cannot be read.
pub fn show(run: &Run, lang: Lang) -> Result<(), Message> {
    let mut out = Vec::new();
    let options = plimsoll_report::Options { lang };
    Terminal
        .export(run, &options, &mut out)
        .map_err(|error| error.message("-"))?;
    crate::say::out_bytes(&out);
    Ok(())
}

/// Writes a report; the form is given, or follows from the file's name.
///
/// # Errors
/// An unknown form, or a disk that fails.
pub fn write_report(run: &Run, path: &Path, form: Option<&str>, lang: Lang) -> Result<(), Message> {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("html");
    let exporter = exporter(form.unwrap_or(extension))?;
    let file = std::fs::File::create(path).map_err(|error| file_failed(path, &error))?;
    let mut out = std::io::BufWriter::new(file);
    let options = plimsoll_report::Options { lang };
    let shown = path.display().to_string();
    exporter
        .export(run, &options, &mut out)
        .map_err(|error| error.message(&shown))?;
    out.flush().map_err(|error| file_failed(path, &error))
}

/// A file that cannot be written.
pub fn file_failed(path: &Path, error: &dyn std::fmt::Display) -> Message {
    Message::new("run-file-failed")
        .with("path", path.display().to_string())
        .with("reason", error.to_string())
}

/// The path of the first run as given, of later ones with their number: `out-2.json`.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number <= 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}
