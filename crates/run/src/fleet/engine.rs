//! The engine of a worker: a bundle becomes a program, a share of it becomes a run of the engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use plimsoll_access::Right;
use plimsoll_fleet::bundle::{PublicKey, Unpacked, WorkerKey};
use plimsoll_fleet::wire::Announce;
use plimsoll_fleet::worker::{Engine, PreparedRun, Running, Task};
use plimsoll_jmeter::JMeterOptions;
use plimsoll_load::TIMED_EVERY;
use plimsoll_load::clock::{Clock, boottime_ns};
use plimsoll_load::engine::{self, Observer, Options, Phases, Second, Values};
use plimsoll_load::kit::extension::Extension;
use plimsoll_load::monitor::Allowance;
use plimsoll_plan::Problem;
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;

use super::samples::SampleFolder;
use super::{package, share, to_unix_ns};
use crate::environment::host_name;
use crate::jmx::Told;
use crate::session::SampleLog;
use crate::{LoadSettings, ReadyPlan, ready};

/// What a worker makes load with.
pub struct WorkerEngine {
    key: WorkerKey,
    allow: Vec<Right>,
    folder: PathBuf,
    samples: Option<SampleFolder>,
    announce: Announce,
}

impl WorkerEngine {
    /// An engine that unpacks plans below a folder, allows them that much, and writes samples if
    /// there is a place for them.
    #[must_use]
    pub fn new(allow: Vec<Right>, folder: PathBuf, samples: Option<SampleFolder>) -> Self {
        let key = WorkerKey::new();
        let allowance = Allowance::read();
        let announce = Announce {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            #[expect(clippy::cast_precision_loss)]
            cores: allowance.threads() as f64,
            memory_bytes: allowance.memory_bytes,
            public_key: key.public().to_string(),
            allows: allow.iter().map(|right| right.name().to_owned()).collect(),
            host: host_name(),
            ..Announce::default()
        };
        Self {
            key,
            allow,
            folder,
            samples,
            announce,
        }
    }
}

impl Engine for WorkerEngine {
    fn announce(&self) -> Announce {
        self.announce.clone()
    }

    fn now_ns(&self) -> u64 {
        boottime_ns()
    }

    fn to_unix_ns(&self) -> i64 {
        to_unix_ns()
    }

    fn prepare(
        &self,
        run: &str,
        bundle: Bytes,
        key: &str,
    ) -> Result<Arc<dyn PreparedRun>, Message> {
        let opened = package::open(&bundle, key, &self.key, &self.folder, &self.allow);
        let (unpacked, source, load) = opened?;
        let ready =
            ready::load(&source, &load).map_err(|rejected| plan_rejected(&rejected.problems))?;
        Ok(Arc::new(WorkerPlan {
            ready,
            load,
            unpacked,
            key: self.key.clone(),
            run: run.to_owned(),
            samples: self.samples.clone(),
        }))
    }
}

/// The first mistake of a plan, said in one sentence.
fn plan_rejected(problems: &[Problem]) -> Message {
    let Some(first) = problems.first() else {
        return Message::new("fleet-plan-rejected").with("reason", Message::new("fleet-not-ready"));
    };
    let reason = first.message.clone();
    match first.at.line {
        0 => Message::new("fleet-plan-rejected").with("reason", reason),
        line => Message::new("fleet-plan-rejected-at")
            .with("reason", reason)
            .with("line", line),
    }
}

/// A plan that is ready to run on this worker.
struct WorkerPlan {
    ready: ReadyPlan,
    load: LoadSettings,
    unpacked: Unpacked,
    key: WorkerKey,
    run: String,
    samples: Option<SampleFolder>,
}

impl WorkerPlan {
    /// What the engine is told of JMeter's things: files of listeners go where the plan is, samples
    /// to a file if there is one.
    fn extension(&self, samples: Option<&Path>) -> Arc<dyn Extension> {
        Arc::new(JMeterOptions {
            folder: self.unpacked.path().to_owned(),
            ..self.ready.jmeter_options(samples, Told::Nobody)
        })
    }

    fn options(&self, seed: u64, samples: Option<&Path>) -> Options {
        Options {
            threads: self.load.threads,
            pin: self.load.pin,
            seed,
            room_users: self.load.room_users,
            timed_every: match self.load.time_all_receives {
                true => 1,
                false => TIMED_EVERY,
            },
            access: self.ready.access.clone(),
            extension: Some(self.extension(samples)),
            ..Options::default()
        }
    }

    /// Values that setup found, sealed to this worker.
    fn values(&self, sealed: Option<&str>) -> Result<Values, Message> {
        let Some(sealed) = sealed else {
            return Ok(Values::default());
        };
        let plain = self.key.open(&package::unsealed(sealed)?);
        let plain = plain.map_err(|error| error.0)?;
        let values = serde_json::from_slice(&plain)
            .map_err(|error| Message::new("fleet-bad-order").with("reason", error.to_string()))?;
        Ok(Values(values))
    }

    fn phase(&self, phases: Phases, initial: Values) -> Result<Values, Message> {
        let options = Options {
            phases,
            initial,
            ..self.options(self.ready.program.seed.unwrap_or_default(), None)
        };
        let mut outside = OutsideValues::default();
        let ended = engine::run(&self.ready.program, &options, &mut outside)
            .map_err(|error| crate::reasons::of_run(&error))?;
        match outside.failed {
            Some(why) => Err(why),
            None if ended.setup_failed => Err(Message::new("event-setup-failed")),
            None => Ok(outside.found),
        }
    }
}

impl PreparedRun for WorkerPlan {
    fn set_up(&self, keys: &[String]) -> Result<Vec<String>, Message> {
        let found = self.phase(Phases::Setup, Values::default())?;
        let plain = serde_json::to_vec(&found.0).unwrap_or_default();
        let seal = |key: &String| {
            let sealed = PublicKey::parse(key).and_then(|key| key.seal(&plain));
            sealed
                .map(|sealed| package::as_text(&sealed))
                .map_err(|error| error.0)
        };
        keys.iter().map(seal).collect()
    }

    fn begin(&self, task: Task) -> Result<Arc<dyn Running>, Message> {
        let initial = self.values(task.values.as_deref())?;
        let samples = self.samples.as_ref();
        let file = samples.map(|folder| folder.file(&self.run, task.assignment));
        let log = file
            .as_deref()
            // A plan of JMeter's has its own listeners, and one more for this.
            .filter(|_| self.ready.jmeter.is_none())
            .map(|file| SampleLog::create(file, &self.ready.plan));
        let log = log.transpose()?;
        let options = Options {
            initial,
            phases: Phases::Load,
            log_samples: log.is_some(),
            ..self.options(task.seed, file.as_deref())
        };
        let told = samples.zip(file.as_deref());
        let told = told.map(|(folder, file)| folder.told(file));
        share::begin(&self.ready.program, options, task, log, told)
    }

    fn tear_down(&self, values: Option<String>) -> Result<(), Message> {
        let initial = self.values(values.as_deref())?;
        self.phase(Phases::Teardown, initial).map(|_| ())
    }
}

/// Hears of setup and teardown, which are not recorded.
#[derive(Default)]
struct OutsideValues {
    found: Values,
    failed: Option<Message>,
}

impl Observer for OutsideValues {
    fn started(&mut self, _: Clock) {}

    fn labels(&mut self, _: &[LabelInfo]) {}

    fn second(&mut self, _: &Second<'_>) {}

    fn found(&mut self, values: &Values) {
        self.found = values.clone();
    }

    fn event(&mut self, event: &engine::Event) {
        if event.is_error && self.failed.is_none() {
            self.failed = Some(event.message.clone());
        }
    }
}
