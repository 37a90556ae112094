//! What the controller and the workers know of each other.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;

/// An answer that takes a while.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, LinkError>> + Send + 'a>>;

/// Something published.
#[derive(Debug, Clone)]
pub struct Message {
    /// Where.
    pub subject: String,
    /// Where an answer is awaited, if one is.
    pub reply: Option<String>,
    /// What.
    pub payload: Bytes,
}

/// What comes in on a subject, in order; it ends with the link. Dropping it ends the subscription.
pub type Subscription = mpsc::Receiver<Message>;

/// One entry of a journal.
#[derive(Debug, Clone)]
pub struct Entry {
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
pub trait Link: Send + Sync {
    /// Publishes to whoever listens now; it may get lost.
    fn publish<'a>(&'a self, subject: &'a str, payload: Bytes) -> Answer<'a, ()>;

    /// Listens to a subject; its last token may be `*` (one token) or `>` (all that follow).
    fn subscribe<'a>(&'a self, subject: &'a str) -> Answer<'a, Subscription>;

    /// Publishes and waits for one answer.
    fn request<'a>(&'a self, subject: &'a str, payload: Bytes, wait: Duration)
    -> Answer<'a, Bytes>;

    /// The journal of a run, made if it is missing.
    fn journal<'a>(&'a self, run: &'a str) -> Answer<'a, Arc<dyn Journal>>;

    /// The objects of a run, their store made if it is missing.
    fn objects<'a>(&'a self, run: &'a str) -> Answer<'a, Arc<dyn Objects>>;
}

/// A durable, ordered record with many writers and one reader.
pub trait Journal: Send + Sync {
    /// Appends; answers once it is stored. An entry with a writer and number that the journal has
    /// is not stored twice.
    fn append<'a>(&'a self, writer: &'a str, number: u64, payload: Bytes) -> Answer<'a, ()>;

    /// All entries that are not acknowledged, the oldest first, then the new ones as they come.
    fn read(&self) -> Answer<'_, mpsc::Receiver<Entry>>;

    /// Acknowledges this entry: it is not read again.
    fn acknowledge(&self, place: u64) -> Answer<'_, ()>;

    /// Removes the journal.
    fn remove(&self) -> Answer<'_, ()>;
}

/// Named blocks of bytes with checksums.
pub trait Objects: Send + Sync {
    /// Puts an object there; answers once it is stored.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> Answer<'a, ()>;

    /// The object, its checksum checked.
    fn get<'a>(&'a self, name: &'a str) -> Answer<'a, Bytes>;

    /// Removes the store with all objects.
    fn remove(&self) -> Answer<'_, ()>;
}

/// What went wrong on the link.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LinkError {
    /// Nobody listens on the subject.
    #[error("nobody answers on {subject}")]
    Nobody {
        /// The subject.
        subject: String,
    },
    /// No answer in time.
    #[error("no answer on {subject} within {waited:?}")]
    TimedOut {
        /// The subject.
        subject: String,
        /// How long it was awaited.
        waited: Duration,
    },
    /// The server refused: wrong credentials, no permission, no JetStream, a limit.
    #[error("{what}: the server refused: {reason}")]
    Refused {
        /// What was asked.
        what: String,
        /// The server's words.
        reason: String,
    },
    /// The server cannot be reached, or an answer was damaged.
    #[error("{what}: {reason}")]
    Failed {
        /// What was tried.
        what: String,
        /// Why it failed.
        reason: String,
    },
}
