//! The controller: finds workers, has them get ready and begin together, renews their leases,
//! makes one result of their reports, and tells what was missing.

pub mod clocks;
pub mod conduct;
pub mod discover;
pub mod fleet;
pub mod prepare;
pub mod stored;

mod tell;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plimsoll_stats::LabelInfo;
use plimsoll_text::Message;

use crate::link::{Link, LinkError};
use crate::merge::Merged;
use crate::share::Assignment;
use crate::wire::{Change, Said, WireError};
pub use conduct::conduct;
pub use discover::{choose, discover};
pub use prepare::begin;
pub use stored::{StoredRun, StoredWorker};

/// A clock: nanoseconds that go on while the host is suspended.
pub type Now = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Which workers a run takes and how it uses them.
#[derive(Clone)]
pub struct Settings {
    /// The run: a token that no other run has.
    pub run: String,
    /// How many workers.
    pub workers: usize,
    /// Labels that they must have.
    pub with: BTreeMap<String, String>,
    /// Each works on the whole plan.
    pub each: bool,
    /// Seed of the run.
    pub seed: u64,
    /// How long a lease lasts.
    pub lease_ns: u64,
    /// After this time without a controller workers give up.
    pub give_up_ns: u64,
    /// A worker whose clock is not known this well is refused.
    pub clock_error_ns: u64,
    /// When the load is over by the plan, after its beginning; none: something else than time ends it.
    pub load_end_ns: Option<u64>,
    /// Shares can be joined late.
    pub may_move: bool,
    /// The plan has setup that runs once.
    pub sets_up: bool,
    /// The plan has teardown that runs once.
    pub tears_down: bool,
    /// Version that workers must have.
    pub version: String,
}

/// What workers get ready from.
pub struct RunPackage {
    /// The encrypted bundle.
    pub bundle: Bytes,
    /// Seals the bundle's key to a worker's public key.
    pub seal: Seal,
}

/// Seals something to a public key, both as text.
pub type Seal = Box<dyn Fn(&str) -> Result<String, Message> + Send + Sync>;

/// How far the end has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// The run goes on.
    Running,
    /// No new work.
    NoNewWork,
    /// What is in flight is cut off.
    CutOff,
}

/// The most requests that an assignment can have begun until a moment of the run's clock, by the plan
/// alone; none: the plan does not say it.
pub type Planned = dyn Fn(&Assignment, u64) -> Option<u64> + Send + Sync;

/// Where the result of a run goes: given by the caller, which keeps and judges it.
pub trait Results {
    /// The run's clock begins so much later.
    fn begins_in(&mut self, lead: Duration);

    /// New labels, before a second that uses them.
    fn labels(&mut self, labels: &[LabelInfo]);

    /// A second, or what came late of one. It and the notes (a key, what to keep under it) are
    /// kept together or not at all; the reports that it is made of are confirmed after that.
    ///
    /// # Errors
    /// Why it could not be kept; it is offered again.
    fn second(&mut self, merged: &Merged, notes: &[Note]) -> Result<(), String>;

    /// Keeps something for a controller that takes the run up again.
    ///
    /// # Errors
    /// Why it could not be kept; it is offered again.
    fn note(&mut self, notes: &[Note]) -> Result<(), String>;

    /// Something happened, on the run's clock.
    fn event(&mut self, at_ns: u64, message: &Message, is_error: bool);

    /// Whether the run shall end.
    fn stop(&self) -> Stop;

    /// Changes of the load since this was asked last, and when it is over by the plan then, on the run's
    /// clock; none: something else than time ends it.
    fn changes(&mut self) -> (Vec<Change>, Option<u64>) {
        (Vec::new(), None)
    }
}

/// Something kept for a controller that takes the run up again: a name and a value.
pub type Note = (String, String);

/// Why a run over workers cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The link does not work.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A message that cannot be used.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A worker that is not there any more before the run began.
    #[error("worker {name} is not there any more")]
    Gone {
        /// The worker.
        name: String,
        /// Setup had begun: to begin once more would run it twice.
        set_up: bool,
    },
    /// What a person must be told.
    #[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .0))]
    Told(Box<Message>),
}

impl From<Message> for FleetError {
    fn from(message: Message) -> Self {
        Self::Told(Box::new(message))
    }
}

impl FleetError {
    /// What a person is told.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Link(error) => error.message(),
            Self::Wire(error) => {
                Message::new("fleet-bad-message").with("reason", error.to_string())
            }
            Self::Gone { name, .. } => {
                Message::new("fleet-worker-gone").with("name", name.as_str())
            }
            Self::Told(message) => (**message).clone(),
        }
    }
}

/// A worker's refusal as a message: which worker, and why.
fn refusal(name: &str, why: &Said) -> Message {
    Message::new("fleet-worker-refused")
        .with("name", name)
        .with("reason", Message::from(why))
}

/// What a controller talks over, and its clock.
#[derive(Clone)]
pub struct Desk {
    /// The link.
    pub link: Arc<dyn Link>,
    /// The controller's clock.
    pub now: Now,
}
