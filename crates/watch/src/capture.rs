//! The seam of the captures: what is too expensive to take every second.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;
use serde::{Deserialize, Serialize};

use crate::look::{Pending, Trouble};

/// What a watcher may do on the target's host.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Look, without disturbing.
    #[default]
    Observe,
    /// Also attach to JVMs, dump threads, count classes (which forces a full GC).
    Capture,
}

/// The moment of a run at which a capture is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// As the load begins.
    Start,
    /// Where throughput stops following the load.
    Knee,
    /// While the load goes on as it should, away from its ends.
    Steady,
    /// The worst second so far.
    Worst,
    /// As the load ends.
    End,
    /// Somebody asked.
    Request,
}

impl Moment {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Knee => "knee",
            Self::Steady => "steady",
            Self::Worst => "worst",
            Self::End => "end",
            Self::Request => "request",
        }
    }
}

/// How long a profile of the CPU or of locks runs: what its counts are over.
pub const PROFILE_LASTS: Duration = Duration::from_secs(3);

/// What there is to take, by name: whoever asks for a capture asks for one of these.
pub const KINDS: &[&str] = &[
    "class_histogram",
    "cpu_profile",
    "cpu_samples",
    "goroutines",
    "innodb_status",
    "jfr",
    "jvm_info",
    "lock_profile",
    "node_profile",
    "slow_commands",
    "slow_queries",
    "sockets",
    "stacks",
    "thread_dump",
    "thread_states",
    "virtual_threads",
    "wire",
];

/// The kind of that name in [`KINDS`].
#[must_use]
pub fn known_kind(name: &str) -> Option<&'static str> {
    KINDS.iter().copied().find(|kind| *kind == name)
}

/// What is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The moment that it is for.
    pub moment: Moment,
    /// Only captures of this kind, one of [`KINDS`]; by default those worth it at the moment.
    pub kind: Option<&'static str>,
}

impl From<Moment> for Asked {
    fn from(moment: Moment) -> Self {
        Self { moment, kind: None }
    }
}

/// What a capture took: one text or file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// The thing it is of.
    #[serde(with = "plimsoll_stats::series::shared")]
    pub entity: Arc<Entity>,
    /// What it is, one of [`KINDS`].
    pub kind: String,
    /// When, Unix nanoseconds.
    pub at_unix_ns: u64,
    /// Its form: `text/plain`, `application/json`, `application/x-jfr`.
    pub media_type: String,
    /// The bytes; secrets are masked, and what was too long says that it was cut.
    pub bytes: Vec<u8>,
}

impl Artifact {
    /// A text that was taken at that moment.
    pub(crate) fn text(
        entity: Arc<Entity>,
        kind: &str,
        at_unix_ns: u64,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            entity,
            kind: kind.to_owned(),
            at_unix_ns,
            media_type: "text/plain".to_owned(),
            bytes: bytes.into(),
        }
    }

    /// The same as JSON.
    pub(crate) fn json(
        entity: Arc<Entity>,
        kind: &str,
        at_unix_ns: u64,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            media_type: "application/json".to_owned(),
            ..Self::text(entity, kind, at_unix_ns, bytes)
        }
    }
}

/// Takes something now and then.
pub trait Capture {
    /// What it takes, one of [`KINDS`].
    fn kind(&self) -> &'static str;

    /// What it takes it of.
    fn entity(&self) -> Arc<Entity>;

    /// What must be allowed for it.
    fn level(&self) -> Level;

    /// Whether it is worth taking at that moment.
    fn at(&self, moment: Moment) -> bool;

    /// Whether it is what was asked for. What is asked for by name is always worth it.
    fn is_asked(&self, asked: Asked) -> bool {
        match asked.kind {
            Some(kind) => kind == self.kind(),
            None => self.at(asked.moment),
        }
    }

    /// Whether it only looks from outside, so that it may be taken beside the thing's others.
    fn is_aside(&self) -> bool {
        false
    }

    /// How long it may take, if not as long as the watcher allows others.
    fn limit(&self) -> Option<Duration> {
        None
    }

    /// Takes it. Dropped at any await when it takes too long.
    ///
    /// # Errors
    /// Why it could not be taken.
    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>>;

    /// What was taken lacks something, and why; asked for once after each take that did not fail.
    fn lacking(&mut self) -> Option<Trouble> {
        None
    }
}
