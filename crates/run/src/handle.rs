//! A run that is asked for, and one that goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use plimsoll_load::engine::steer::LoadNow;
use plimsoll_load::schedule::{ChangeError, LoadChange, NewLoad, TimedChange};
use plimsoll_outputs::{Feed, Pace};
use plimsoll_text::Message;

use crate::control::RunControl;
use crate::make::RunSetting;
use crate::session::SampleLog;
use crate::subscription::{Subscription, subscription};
use crate::{
    FleetSettings, Listener, LoadSettings, Made, NatsSettings, PlanSource, Quiet, ReadyPlan,
    RejectedPlan, fleet, make, ready,
};

/// Stack of a run's thread: what merges, stores and judges has what a process's first thread has.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// A run that is asked for: on this machine, or over workers.
///
/// ```
/// use std::time::Duration;
///
/// use plimsoll_plan::LoadOptions;
/// use plimsoll_run::{LoadSettings, PlanSource, RunNews, RunRequest};
///
/// // The page that `plimsoll calibrate` loads.
/// let page = plimsoll_load::EchoServer::start(&[])?;
/// let load = LoadSettings {
///     load: LoadOptions {
///         users: Some(1),
///         duration: Some(Duration::from_secs(1)),
///         ..LoadOptions::default()
///     },
///     goals: vec!["errors < 1%".to_owned()],
///     ..LoadSettings::default()
/// };
/// let runs = tempfile::tempdir()?;
/// let request = RunRequest::new(PlanSource::new(page.url()), load, runs.path());
/// let run = request.ok().expect("a plan").begin().expect("a thread");
/// let news = run.subscribe().expect("a thread");
/// assert!(matches!(news.last(), Some(RunNews::Ended(_))));
/// let made = run.join().expect("a run");
/// assert!(made.is_kept && made.summary.total.samples > 0);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct RunRequest {
    /// What to load.
    pub source: PlanSource,
    /// How much.
    pub load: LoadSettings,
    /// The plan that both give.
    pub ready: Arc<ReadyPlan>,
    /// Who makes the load; none: this machine.
    pub fleet: Option<FleetSettings>,
    /// Where it is kept, and what else is said of it.
    pub setting: RunSetting,
    /// Hears of it at once, on the run's own thread.
    pub listener: Box<dyn Listener>,
    /// Takes every sample; not over workers, which keep their own.
    pub log: Option<SampleLog>,
}

impl RunRequest {
    /// A run on this machine that is kept below a folder.
    ///
    /// # Errors
    /// All that is wrong with the plan.
    pub fn new(
        source: PlanSource,
        load: LoadSettings,
        root: impl Into<PathBuf>,
    ) -> Result<Self, RejectedPlan> {
        let ready = Arc::new(ready::load(&source, &load)?);
        Ok(Self::of(ready, source, load, RunSetting::new(root)))
    }

    /// The same of a plan that is ready.
    #[must_use]
    pub fn of(
        ready: Arc<ReadyPlan>,
        source: PlanSource,
        load: LoadSettings,
        setting: RunSetting,
    ) -> Self {
        Self {
            source,
            load,
            ready,
            fleet: None,
            setting,
            listener: Box::new(Quiet),
            log: None,
        }
    }

    /// Begins the run on a thread of its own.
    ///
    /// # Errors
    /// A sample log of a run over workers; a thread that the system refuses. What else keeps a run
    /// from being made [`RunHandle::join`] tells.
    pub fn begin(self) -> Result<RunHandle, Message> {
        if self.fleet.is_some() && self.log.is_some() {
            return Err(Message::new("fleet-jtl-with-workers"));
        }
        RunHandle::begin(self.setting.control.clone(), move || {
            let (ready, load, setting) = (&self.ready, &self.load, &self.setting);
            match &self.fleet {
                None => make::make(ready, load, setting, self.listener, self.log),
                Some(fleet) => {
                    fleet::run::make(ready, &self.source, load, fleet, setting, self.listener)
                }
            }
        })
    }
}

/// Takes a run over workers up again whose controller was lost, found as [`crate::runs::find`] does.
///
/// # Errors
/// As [`RunRequest::begin`].
pub fn take_up(
    spec: String,
    nats: NatsSettings,
    load: LoadSettings,
    setting: RunSetting,
    listener: Box<dyn Listener>,
) -> Result<RunHandle, Message> {
    RunHandle::begin(setting.control.clone(), move || {
        fleet::resume::make(&spec, &nats, &load, &setting, listener)
    })
}

/// A run that goes on. One that nobody holds a handle of goes on all the same.
pub struct RunHandle {
    control: RunControl,
    thread: JoinHandle<Result<Made, Message>>,
}

impl RunHandle {
    fn begin(
        control: RunControl,
        make: impl FnOnce() -> Result<Made, Message> + Send + 'static,
    ) -> Result<Self, Message> {
        let thread = std::thread::Builder::new()
            .name("run".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(make);
        let thread = thread
            .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
        Ok(Self { control, thread })
    }

    /// News of the run from now on: events, seconds, what is seen of the target, the end.
    ///
    /// # Errors
    /// A thread that the system refuses.
    pub fn subscribe(&self) -> Result<Subscription, Message> {
        let (news, output) = subscription();
        let feed = Feed::start("subscription".to_owned(), output, Pace::default())
            .map_err(|error| Message::new("run-cannot-start").with("reason", error.to_string()))?;
        self.control.join(feed);
        Ok(news)
    }

    /// Ends the run: no new work, what is in flight may complete.
    pub fn stop(&self) {
        self.control.interrupt.stop();
    }

    /// The same, for a reason that becomes an event of the run.
    pub fn stop_because(&self, reason: Message) {
        // The first reason is the reason.
        let _ = self.control.reason.set(reason);
        self.stop();
    }

    /// Ends the run at once: what is in flight is cut off.
    pub fn cut_off(&self) {
        self.control.interrupt.cut_off();
    }

    /// Changes the load, from a moment on that it gives: nanoseconds on the run's clock, 50 ms from now
    /// on this machine, 2 s over workers. The change is kept with the run.
    ///
    /// # Errors
    /// A load that has not begun, is over, or cannot be changed like this.
    pub fn change(&self, change: &LoadChange) -> Result<TimedChange, ChangeError> {
        self.control.steer.change(change)
    }

    /// The load of all scenarios ends so much later: see [`NewLoad::Longer`].
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn extend(&self, by: Duration) -> Result<TimedChange, ChangeError> {
        self.change(&LoadChange {
            scenario: None,
            to: NewLoad::Longer(by),
        })
    }

    /// The load as it is now; nothing is known before it begins.
    #[must_use]
    pub fn load_now(&self) -> LoadNow {
        self.control.steer.now()
    }

    /// The folder that the run is kept in, once it is there; empty for one that is kept in memory alone,
    /// since nothing could be written.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.control.folder.get().map(PathBuf::as_path)
    }

    /// Whether the run is over, so that [`join`](Self::join) does not wait.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the run's end; gives the run and its judgement.
    ///
    /// # Errors
    /// What a person must be told when no run could be made.
    pub fn join(self) -> Result<Made, Message> {
        let made = self.thread.join();
        made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
