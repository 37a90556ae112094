//! What the controller and the workers know of each other.

pub mod local;
#[cfg(feature = "nats")]
pub mod nats;
mod subject;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plimsoll_text::{Lang, Message as Text, render};
use tokio::sync::mpsc;

/// A response that takes a while.
pub type Response<'a, T> = Pin<Box<dyn Future<Output = Result<T, LinkError>> + Send + 'a>>;

/// Something published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkMessage {
    /// Where.
    pub subject: String,
    /// Where a response is awaited, if one is.
    pub reply: Option<String>,
    /// What.
    pub payload: Bytes,
}

/// What comes in on a subject, in order; it ends with the link. Dropping it ends the subscription.
pub type Subscription = mpsc::Receiver<LinkMessage>;

/// One entry of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its place in the journal, from 1; gaps never come back.
    pub place: u64,
    /// Who wrote it.
    pub writer: String,
    /// The writer's own number.
    pub number: u64,
    /// What.
    pub payload: Bytes,
}

/// Carries messages between a controller and its workers.
///
/// Subjects are tokens between dots, of letters, digits, `-` and `_`. A link knows its prefix and
/// puts it before every subject; nobody else sees it. Runs and writers are single tokens.
///
/// While the way to the others is broken the link goes on trying for ever. What asks for a response
/// waits for the way to be back, and fails when its own time is over; what was sent once may then
/// arrive twice.
pub trait Link: Send + Sync {
    /// Publishes to whoever listens now; it may get lost. While the way is broken it fails at
    /// once, since what is late is worth nothing.
    fn publish<'a>(&'a self, subject: &'a str, payload: Bytes) -> Response<'a, ()>;

    /// Listens to a subject; its last token may be `*` (one token) or `>` (all that follow), the
    /// others may be `*`. It is in force when this returns.
    fn subscribe<'a>(&'a self, subject: &'a str) -> Response<'a, Subscription>;

    /// Publishes and waits for one response. [`LinkError::Nobody`] comes at once.
    fn request<'a>(
        &'a self,
        subject: &'a str,
        payload: Bytes,
        wait: Duration,
    ) -> Response<'a, Bytes>;

    /// Makes the journal and the store of a run; leaves them as they are if they are there.
    fn make_run<'a>(&'a self, run: &'a str) -> Response<'a, ()>;

    /// Removes the journal and the store of a run with all that is in them, if they are there.
    fn remove_run<'a>(&'a self, run: &'a str) -> Response<'a, ()>;

    /// The journal of a run that was made; [`LinkError::Missing`] comes at its first use.
    fn journal<'a>(&'a self, run: &'a str) -> Response<'a, Arc<dyn LinkJournal>>;

    /// The objects of a run that was made; [`LinkError::Missing`] comes at their first use.
    fn objects<'a>(&'a self, run: &'a str) -> Response<'a, Arc<dyn Objects>>;

    /// How often this party's way has been made so far. While it stays the same the way was not
    /// broken, as far as is known.
    fn connections(&self) -> u64;
}

/// A durable, ordered record with many writers and one reader.
pub trait LinkJournal: Send + Sync {
    /// Appends; responds once it is stored. An entry with a writer and number that the journal has
    /// is not stored twice; one that was acknowledged meanwhile may be, so that a reader that
    /// begins anew must know the numbers it has worked on. Numbers are counted from 1.
    fn append<'a>(&'a self, writer: &'a str, number: u64, payload: Bytes) -> Response<'a, ()>;

    /// All entries that are not acknowledged, the oldest first, then the new ones as they come:
    /// places only grow, through outages too. It ends if the journal is removed.
    fn read(&self) -> Response<'_, mpsc::Receiver<JournalEntry>>;

    /// Acknowledges these entries: they are not read again.
    fn acknowledge<'a>(&'a self, places: &'a [u64]) -> Response<'a, ()>;
}

/// Named blocks of bytes with checksums.
pub trait Objects: Send + Sync {
    /// Puts an object there, in place of one of that name; responds once it is stored.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> Response<'a, ()>;

    /// The object, its checksum checked.
    fn get<'a>(&'a self, name: &'a str) -> Response<'a, Bytes>;
}

/// What went wrong on the link.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", render(Lang::En, &self.message()))]
pub enum LinkError {
    /// Nobody listens on the subject.
    Nobody {
        /// The subject.
        subject: String,
    },
    /// No response in time.
    TimedOut {
        /// What was asked.
        what: String,
        /// How long it was awaited.
        waited: Duration,
    },
    /// The run's journal, its store or an object in it is not there.
    Missing {
        /// What is missing.
        what: String,
    },
    /// The server refused: no permission, a limit.
    Refused {
        /// What was asked.
        what: String,
        /// The server's words.
        reason: String,
    },
    /// The way is broken, or a response was damaged.
    Failed {
        /// What was tried.
        what: String,
        /// Why it failed.
        reason: String,
    },
}

impl LinkError {
    /// What to tell people.
    #[must_use]
    pub fn message(&self) -> Text {
        match self {
            Self::Nobody { subject } => Text::new("link-nobody").with("subject", subject.as_str()),
            Self::TimedOut { what, waited } => Text::new("link-timed-out")
                .with("what", what.as_str())
                .with("seconds", waited.as_secs_f64()),
            Self::Missing { what } => Text::new("link-missing").with("what", what.as_str()),
            Self::Refused { what, reason } => Text::new("link-refused")
                .with("what", what.as_str())
                .with("reason", reason.as_str()),
            Self::Failed { what, reason } => Text::new("link-failed")
                .with("what", what.as_str())
                .with("reason", reason.as_str()),
        }
    }
}
