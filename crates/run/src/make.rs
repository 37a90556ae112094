//! One run on this machine.

use std::path::PathBuf;
use std::sync::Arc;

use plimsoll_load::TIMED_EVERY;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{self, Options};
use plimsoll_load::monitor::raise_descriptor_limit;
use plimsoll_outputs::Feed;
use plimsoll_stats::moments::SteadySeconds;
use plimsoll_store::StepOf;
use plimsoll_text::Message;

use crate::control::RunControl;
use crate::jmx::{JMeterPlan, Told};
use crate::meta::{meta, planned};
use crate::outputs::open_all;
use crate::session::{GiveUp, LoadProbe, Made, SampleLog, Session, SessionParts};
use crate::watching::Target;
use crate::{Interrupt, Listener, LoadSettings, ReadyPlan};

/// Where and how a run is made.
#[derive(Clone)]
pub struct RunSetting {
    /// Folder of the runs.
    pub root: PathBuf,
    /// What reaches it from outside.
    pub control: RunControl,
    /// The file that a plan of JMeter's writes every sample to.
    pub jmeter_log: Option<PathBuf>,
    /// Who is told how a plan of JMeter's goes.
    pub told: Told,
    /// Ends the run once its goals are out of reach.
    pub give_up: Option<GiveUp>,
    /// The load is changed at its end to see what room there is, or whether requests wait for each other; that is no
    /// part of the result.
    pub probe: Option<LoadProbe>,
    /// What it is only a step of.
    pub step_of: Option<StepOf>,
    /// The command line that asked for it, kept without secrets.
    pub command_line: Vec<String>,
}

impl RunSetting {
    /// For a run below a folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self::ended_by(root, &Interrupt::default())
    }

    /// The same for one that somebody else may end, too.
    #[must_use]
    pub fn ended_by(root: impl Into<PathBuf>, interrupt: &Interrupt) -> Self {
        Self {
            root: root.into(),
            control: RunControl::new(interrupt),
            jmeter_log: None,
            told: Told::Nobody,
            give_up: None,
            probe: None,
            step_of: None,
            command_line: Vec::new(),
        }
    }
}

/// Makes one run. Every sample is written to `log`, if there is one.
///
/// # Errors
/// What a person must be told when no run could be made.
pub(crate) fn make(
    ready: &ReadyPlan,
    load: &LoadSettings,
    setting: &RunSetting,
    listener: Box<dyn Listener>,
    log: Option<SampleLog>,
) -> Result<Made, Message> {
    raise_descriptor_limit();
    let stopper = setting.control.interrupt.stopper();
    let seed = ready.program.seed.unwrap_or_else(random_seed);
    let options = Options {
        threads: load.threads,
        pin: load.pin,
        seed,
        log_samples: log.is_some(),
        timed_every: if load.time_all_receives {
            1
        } else {
            TIMED_EVERY
        },
        stopper: stopper.clone(),
        steer: setting.control.steer.clone(),
        room_users: load.room_users.max(room_for_probe(ready, setting)),
        access: ready.access.clone(),
        extension: Some(ready.extension(setting.jmeter_log.as_deref(), setting.told)),
        ..Options::default()
    };
    let told = (listener, open_all(&ready.outputs)?);
    let parts = parts(ready, setting, told, log, &stopper, seed)?;
    let mut session = Session::new(parts).map_err(|error| error.message())?;
    let ended = engine::run(&ready.program, &options, &mut session)
        .map_err(|error| crate::reasons::of_run(&error))?;
    session
        .finish(Some(&ended))
        .map_err(|error| error.message())
}

/// Users that there are to be load threads for, also when the load is raised at its end.
fn room_for_probe(ready: &ReadyPlan, setting: &RunSetting) -> u32 {
    let most = u32::try_from(ready.program.most_users()).unwrap_or(u32::MAX);
    let probed = setting.probe.map_or(1_000, LoadProbe::most);
    let room = u64::from(most) * u64::from(probed) / 1_000;
    u32::try_from(room).unwrap_or(u32::MAX)
}

/// What a run's session is made of; the target is watched from now on.
///
/// # Errors
/// A target that cannot be watched.
pub(crate) fn parts(
    ready: &ReadyPlan,
    setting: &RunSetting,
    (listener, outputs): (Box<dyn Listener>, Vec<Feed>),
    log: Option<SampleLog>,
    stopper: &Stopper,
    seed: u64,
) -> Result<SessionParts, Message> {
    let steady = SteadySeconds::new(
        ready.plan.warm_up.as_secs(),
        planned(ready).map(|length| length.as_secs()),
    );
    let target = Target::start(ready.watch.clone(), steady)
        .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
    Ok(SessionParts {
        target,
        program: Arc::clone(&ready.program),
        meta: meta(ready, seed, &setting.command_line, setting.step_of),
        root: setting.root.clone(),
        listener,
        outputs,
        readings: ready.jmeter.as_ref().map(JMeterPlan::readings),
        log,
        stopper: stopper.clone(),
        control: setting.control.clone(),
        goes_on: ready.jmeter.is_some(),
        give_up: setting.give_up.clone(),
        probe: setting.probe,
        no_request: crate::no_request::why(&ready.plan),
    })
}

/// A seed for a run whose plan names none.
#[must_use]
pub fn random_seed() -> u64 {
    // 48 bits, so that JSON readers that know only floating point keep it.
    fastrand::u64(..) >> 16
}
