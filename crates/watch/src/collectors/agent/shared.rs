//! What the collector and the captures of an agent share.

use std::cell::RefCell;

use tokio::sync::watch;

use crate::agent::client::Peer;
use crate::agent::clock::{ClockFilter, Offset};
use crate::agent::wire::SourceSpec;
use crate::capture::Level;

/// An agent, and the session with it.
pub(super) struct Shared {
    pub(super) peer: Peer,
    pub(super) host: Option<String>,
    pub(super) sources: Vec<SourceSpec>,
    pub(super) level: Level,
    pub(super) session: watch::Sender<Option<String>>,
    pub(super) clock: RefCell<ClockFilter>,
}

impl Shared {
    /// How far the agent's clock is ahead at that moment.
    pub(super) fn offset(&self, now_ns: u64) -> Offset {
        self.clock.borrow().at(now_ns).unwrap_or_default()
    }
}
