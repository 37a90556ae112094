//! What goes into a run and what is heard of it.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_plan::share::Share;
use plimsoll_stats::{GeneratorSecond, Histogram, IntervalSet, LabelInfo};

use super::begin::Begin;
use super::control::Stopper;
use super::event::Event;
use super::extension::Extension;
use super::steer::Steer;
use crate::clock::{Clock, Nanos};
use crate::driver::Driver;
use crate::extract::BindError;
use crate::lease::Lease;
use crate::recorder::LoggedSample;
use crate::trace::Traced;
use crate::turn::TIMED_EVERY;

/// Which parts of a run are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phases {
    /// Setup, the load, teardown.
    #[default]
    Whole,
    /// Setup alone; the values it found are told ([`Observer::found`]). Setup of JMeter's plans
    /// is a part of their load, so that of theirs nothing is run, nor is their teardown.
    Setup,
    /// The load alone, with values that setup found before ([`Options::initial`]).
    Load,
    /// Teardown alone, with the same.
    Teardown,
}

/// Values of variables, by name. They may be secret: they are not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Values(pub Vec<(String, String)>);

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

/// How a program is run. By default all of it is, on this machine alone, at once; it may do
/// nothing here but send requests.
#[derive(Debug, Clone)]
pub struct Options {
    /// The part of the load that is run here.
    pub share: Share,
    /// Until when work may start here, on the run's clock. What is due while it is over is not
    /// made up for. Setup and teardown steps do not look at it.
    pub lease: Lease,
    /// Arrivals that are later than this when their thread gets to them, since the process or
    /// the whole machine stood still, are not made up for. None: all are.
    pub skip_late: Option<Duration>,
    /// The load begins here at this time of the run's clock as if it had gone on all along;
    /// [`super::can_join_late`] says whether it can.
    pub from: Option<Duration>,
    /// When the run's clock begins. None: at once.
    pub begin: Option<Begin>,
    /// Which parts are run.
    pub phases: Phases,
    /// What variables begin with, above what the plan says: values that setup found.
    pub initial: Values,
    /// Load threads; by default one for each CPU allowed, at most one for each user.
    pub threads: Option<usize>,
    /// Keep each thread on a CPU of its own.
    pub pin: bool,
    /// Seed of all randomness.
    pub seed: u64,
    /// Report samples one by one.
    pub log_samples: bool,
    /// Report requests and responses in full.
    pub trace: bool,
    /// One response in so many carries the kernel's receive time; 0: none.
    pub timed_every: u32,
    /// How I/O is done.
    pub driver: Driver,
    /// Ends the run from outside.
    pub stopper: Stopper,
    /// Changes its load while it goes on.
    pub steer: Steer,
    /// There are load threads for so many users at least, if the load is to be changed to more than the
    /// plan's; 0: as many as the plan has.
    pub room_users: u32,
    /// Only this many iterations of one user of each scenario, at once and without ramp.
    pub once: bool,
    /// What the plan may do on this host.
    pub access: Access,
    /// What runs the parts of the plan that the engine does not know. None: it has none.
    pub extension: Option<Arc<dyn Extension>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            share: Share::WHOLE,
            lease: Lease::default(),
            skip_late: None,
            from: None,
            begin: None,
            phases: Phases::Whole,
            initial: Values::default(),
            threads: None,
            pin: false,
            seed: 0,
            log_samples: false,
            trace: false,
            timed_every: TIMED_EVERY,
            driver: Driver::default(),
            stopper: Stopper::default(),
            steer: Steer::default(),
            room_users: 0,
            once: false,
            access: Access::default(),
            extension: None,
        }
    }
}

/// One second of a run, over all threads.
#[derive(Debug)]
pub struct Second<'a> {
    /// Second since the run's start.
    pub second: u64,
    /// What the labels did.
    pub labels: &'a IntervalSet,
    /// What the generator saw of itself.
    pub generator: &'a GeneratorSecond,
    /// Send lateness.
    pub lateness: &'a Histogram,
    /// From the kernel's receive time to the engine's notice.
    pub receive_lag: &'a Histogram,
    /// Samples one by one, if asked for.
    pub samples: &'a [LoggedSample],
    /// Whether the load had ended before this second began.
    pub after_load: bool,
}

/// Learns of a run while it goes on.
pub trait Observer {
    /// All that is read, started and bound before the load is there: the load can begin. With
    /// an [`Options::begin`] that was not told yet it waits for that.
    fn ready(&mut self) {}
    /// What setup found, when it is run alone.
    fn found(&mut self, values: &Values) {
        let _ = values;
    }
    /// The load's clock begins. Called once, before any second.
    fn started(&mut self, clock: Clock);
    /// New labels, before a second that uses them.
    fn labels(&mut self, labels: &[LabelInfo]);
    /// A second is over.
    fn second(&mut self, second: &Second<'_>);
    /// Something happened.
    fn event(&mut self, event: &Event);
    /// A request and its response, if asked for.
    fn traced(&mut self, traced: &Traced) {
        let _ = traced;
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// End of the load: no new work from then on.
    pub load_end_ns: Nanos,
    /// End of the last sample.
    pub end_ns: Nanos,
    /// It was stopped before its own end.
    pub stopped: bool,
    /// Requests whose samples the plan discards.
    pub discarded: u64,
    /// Load threads.
    pub threads: usize,
    /// Setup failed; the load was not begun.
    pub setup_failed: bool,
    /// Load threads that were lost or never began: their part of the load is missing.
    pub lost_threads: u32,
}

impl Ended {
    /// The end of a run that had no load to make.
    #[must_use]
    pub(super) fn without_load() -> Self {
        Self {
            stopped: false,
            ..Self::not_begun(false)
        }
    }

    /// The end of a load that was never begun.
    #[must_use]
    pub(super) fn not_begun(setup_failed: bool) -> Self {
        Self {
            load_end_ns: 0,
            end_ns: 0,
            stopped: true,
            discarded: 0,
            threads: 0,
            setup_failed,
            lost_threads: 0,
        }
    }
}

/// A run that cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Expressions of the plan that cannot be compiled, or data files that cannot be used.
    #[error("{}", bind_text(.0))]
    Bind(Vec<BindError>),
    /// The system refused a thread, a timer or an event loop.
    #[error("cannot start a load thread: {0}")]
    System(#[from] std::io::Error),
}

fn bind_text(mistakes: &[BindError]) -> String {
    let text =
        |mistake: &BindError| plimsoll_text::render(plimsoll_text::Lang::En, &mistake.message);
    mistakes.iter().map(text).collect::<Vec<_>>().join("; ")
}
