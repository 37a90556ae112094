//! What a controller and a worker say to each other beside reports.
//!
//! | subject | what | response |
//! |---|---|---|
//! | `discover` | [`Discover`] | each worker publishes a [`WorkerFound`] where it says: `found.ID` |
//! | `worker.NAME.name` | anything | [`WorkerResponse::Announce`] of whoever bears the name |
//! | `worker.NAME.ID` | [`WorkerOrder`] | [`WorkerResponse`] |
//! | `run.RUN.life` | [`Life`] of each worker, twice a second | none |
//!
//! The link puts its prefix before each. The journal and the objects of a run are the link's own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Said;

/// Where workers are asked who they are.
pub const DISCOVER: &str = "discover";

/// Where the responses to one such question go.
#[must_use]
pub fn found_subject(asker: &str) -> String {
    format!("found.{asker}")
}

/// Whether this may be where a response goes: a worker publishes nowhere else.
#[must_use]
pub fn is_found_subject(subject: &str) -> bool {
    subject.strip_prefix("found.").is_some_and(is_token)
}

/// Where the bearer of a name responds.
#[must_use]
pub fn name_subject(name: &str) -> String {
    format!("worker.{name}.name")
}

/// Where one worker takes orders.
#[must_use]
pub fn worker_subject(name: &str, instance: &str) -> String {
    format!("worker.{name}.{instance}")
}

/// Where workers of a run give signs of life.
#[must_use]
pub fn life_subject(run: &str) -> String {
    format!("run.{run}.life")
}

/// Whether a text can be one token of a subject: letters, digits, `-` and `_`, at most 64.
#[must_use]
pub fn is_token(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= 64 && text.chars().all(fits)
}

/// Asks workers who they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discover {
    /// Where the response goes.
    pub reply: String,
}

/// A worker's response to [`Discover`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerFound {
    /// Who.
    pub worker: Announce,
}

/// What a worker does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// It is free.
    #[default]
    Idle,
    /// It gets ready for a run, waits for its start, or works on it.
    Busy,
    /// It takes no more runs.
    Ending,
}

/// What a worker says of itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Announce {
    /// Its name.
    pub name: String,
    /// One life of its process.
    pub instance: String,
    /// Labels it was given.
    pub labels: BTreeMap<String, String>,
    /// Version of its program.
    pub version: String,
    /// CPUs it may use, by affinity and quota.
    pub cores: f64,
    /// Memory it may use, bytes; 0: unknown.
    pub memory_bytes: u64,
    /// Its public key, base64.
    pub public_key: String,
    /// What it allows beyond requests: `processes`, `scripts`, `files`.
    pub allows: Vec<String>,
    /// What it does.
    pub state: WorkerState,
    /// For which run.
    pub run: Option<String>,
    /// The highest share of its CPU that a load thread used in the last second, 0 to 1.
    pub cpu_share: f64,
    /// Host name.
    pub host: String,
}

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum WorkerOrder {
    /// Say who you are.
    Announce,
    /// Say what your clock reads.
    Clock,
    /// Get ready for a run.
    Prepare(Box<Prepare>),
    /// Run setup once.
    SetUp {
        /// The run.
        run: String,
        /// The public keys of all workers: what setup finds is sealed to each.
        keys: Vec<String>,
    },
    /// Begin to work on shares at a moment of your clock.
    Start(Start),
    /// The load of the run is changed: all changes so far, in their order.
    Change {
        /// The run.
        run: String,
        /// The changes.
        changes: Vec<Change>,
    },
    /// You were heard: your lease runs from then.
    Renew {
        /// The run.
        run: String,
        /// The worker's own clock in the sign of life that this replies to.
        heard_ns: u64,
        /// What it is to work on; what it has beside that it ends.
        assignments: Vec<u32>,
    },
    /// Start no more work.
    Stop {
        /// The run.
        run: String,
        /// What is in flight is cut off too.
        cut_off: bool,
    },
    /// Run teardown once.
    TearDown {
        /// The run.
        run: String,
        /// The values that setup found, sealed to this worker.
        values: Option<String>,
    },
    /// The run is over: forget it.
    Finish {
        /// The run.
        run: String,
    },
}

impl WorkerOrder {
    /// The run it is about.
    #[must_use]
    pub fn run(&self) -> Option<&str> {
        match self {
            Self::Announce | Self::Clock => None,
            Self::Prepare(prepare) => Some(&prepare.run),
            Self::Start(start) => Some(&start.run),
            Self::SetUp { run, .. }
            | Self::Change { run, .. }
            | Self::Renew { run, .. }
            | Self::Stop { run, .. }
            | Self::TearDown { run, .. }
            | Self::Finish { run } => Some(run),
        }
    }
}

/// A change of a run's load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The moment of the run's clock from which it holds.
    pub at_ns: u64,
    /// The change, as engines read it.
    pub what: String,
}

/// Get ready for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prepare {
    /// The run.
    pub run: String,
    /// The object that holds the bundle.
    pub object: String,
    /// The bundle's key, sealed to the worker, base64.
    pub key: String,
    /// How long a lease lasts.
    pub lease_ns: u64,
    /// After this time without a controller the worker gives the run up.
    pub give_up_ns: u64,
}

/// Begin to work on a share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The run.
    pub run: String,
    /// The number of the assignment in the run: it signs the reports.
    pub assignment: u32,
    /// The share, from 0.
    pub share: u32,
    /// How many shares the run has.
    pub count: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Zero of the run's clock, on the worker's clock.
    pub zero_ns: u64,
    /// The share joins at that moment of the run's clock; none: from the beginning.
    pub from_ns: Option<u64>,
    /// The values that setup found, sealed to this worker.
    pub values: Option<String>,
    /// What the load was changed to so far.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// What a worker responds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum WorkerResponse {
    /// Who it is.
    Announce(Box<Announce>),
    /// What its clock read.
    Clock(ClockResponse),
    /// Done.
    Done {
        /// What setup found, sealed to each worker in turn; empty: nothing.
        #[serde(default)]
        values: Vec<String>,
    },
    /// It will not, or cannot.
    Refused {
        /// Why.
        why: Said,
    },
}

/// What a worker's clock read when a question came and when its response went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockResponse {
    /// When the question came, ns of the worker's clock.
    pub received_ns: u64,
    /// When the response went.
    pub sent_ns: u64,
    /// What has to be added for the time of day, Unix ns.
    pub to_unix_ns: i64,
}

/// A sign of life of a worker that has a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Life {
    /// Name of the worker.
    pub name: String,
    /// Which life of its process.
    pub instance: String,
    /// Its clock.
    pub at_ns: u64,
    /// The highest share of its CPU that a load thread used in the last second, 0 to 1.
    pub cpu_share: f64,
    /// p99 of the send lateness in the last second.
    pub lateness_ns: u64,
    /// Reports that nobody has confirmed yet.
    pub kept: u64,
    /// It gives its shares back and takes no more.
    pub leaving: bool,
    /// So many changes of the load are known to all that it works on.
    pub changes: u64,
    /// What it works on.
    pub assignments: Vec<AssignmentLife>,
}

/// A sign of life of one assignment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AssignmentLife {
    /// Its number.
    pub number: u32,
    /// Requests started since its beginning.
    pub started: u64,
    /// Reports made so far.
    pub reports: u64,
    /// It starts nothing any more: it was given back, or has ended.
    pub over: bool,
}
