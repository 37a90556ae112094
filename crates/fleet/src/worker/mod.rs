//! A worker: it is found, gets ready, works on shares while it holds their lease, reports, and is
//! free again.

mod duty;
mod identity;
mod serve;
mod spool;

use std::sync::Arc;

use bytes::Bytes;
use plimsoll_text::Message;
use tokio::sync::mpsc;

pub use identity::{WorkerError, WorkerSettings};
pub use serve::serve;

use crate::wire::{Announce, Change, ReportEnd, ReportSecond};

/// What makes load on a worker: given by the caller, which knows plans and engines.
pub trait Engine: Send + Sync + 'static {
    /// What the worker says of itself: all but name, state and run.
    fn announce(&self) -> Announce;

    /// The clock that leases and starts are meant on, ns. It counts while the host is suspended.
    fn now_ns(&self) -> u64;

    /// What has to be added to that clock for the time of day, Unix ns.
    fn to_unix_ns(&self) -> i64;

    /// Unpacks, compiles and checks a run's bundle; `key` is the bundle's, sealed to this worker.
    /// Blocks.
    ///
    /// # Errors
    /// Why the run cannot or must not be made here.
    fn prepare(&self, run: &str, bundle: Bytes, key: &str)
    -> Result<Arc<dyn PreparedRun>, Message>;
}

/// A run that is ready to begin. Dropping it removes what it unpacked.
pub trait PreparedRun: Send + Sync {
    /// Runs setup once; gives what it found, sealed to each of these public keys. Blocks.
    ///
    /// # Errors
    /// Why it failed.
    fn set_up(&self, keys: &[String]) -> Result<Vec<String>, Message>;

    /// Begins to work on a share; it tells of itself through the task's outbox.
    ///
    /// # Errors
    /// Why it cannot begin.
    fn begin(&self, task: Task) -> Result<Arc<dyn Running>, Message>;

    /// Runs teardown once. Blocks.
    ///
    /// # Errors
    /// Why it failed.
    fn tear_down(&self, values: Option<String>) -> Result<(), Message>;
}

/// Work on a share.
pub trait Running: Send + Sync {
    /// Work may be started until this moment of the worker's clock.
    fn renew(&self, until_ns: u64);

    /// Starts no more work.
    fn stop(&self);

    /// Cuts off what is in flight.
    fn cut_off(&self);

    /// Changes the load from a moment of the run's clock on.
    ///
    /// # Errors
    /// Why it is not changed, or not from that moment on.
    fn change(&self, change: &Change) -> Result<(), Message>;

    /// Requests started so far.
    fn started(&self) -> u64;
}

/// What is to be worked on.
#[derive(Debug)]
pub struct Task {
    /// Its number: it goes with all that is told.
    pub assignment: u32,
    /// The share, from 0.
    pub share: u32,
    /// How many shares there are.
    pub count: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Zero of the run's clock, on the worker's.
    pub zero_ns: u64,
    /// It joins at that moment of the run's clock.
    pub from_ns: Option<u64>,
    /// What setup found, sealed to this worker.
    pub values: Option<String>,
    /// What the load was changed to so far.
    pub changes: Vec<Change>,
    /// Hears of it.
    pub out: mpsc::UnboundedSender<(u32, ShareTold)>,
}

/// What work on a share tells.
#[derive(Debug)]
pub enum ShareTold {
    /// A second is over.
    Second(Box<ReportSecond>),
    /// It has come to its end.
    End(ReportEnd),
}
