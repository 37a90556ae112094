//! What the collector and the captures of an agent share.

use std::cell::RefCell;

use tokio::sync::watch;

use crate::agent::client::AgentPeer;
use crate::agent::clock::{AgentOffset, ClockFilter};
use crate::agent::wire::SourceSpec;
use crate::capture::Level;

/// An agent, and the session with it.
pub(super) struct SharedAgent {
    pub(super) peer: AgentPeer,
    pub(super) host: Option<String>,
    pub(super) sources: Vec<SourceSpec>,
    pub(super) level: Level,
    pub(super) session: watch::Sender<Option<String>>,
    pub(super) clock: RefCell<ClockFilter>,
}

impl SharedAgent {
    /// How far the agent's clock is ahead at that moment.
    pub(super) fn offset(&self, now_ns: u64) -> AgentOffset {
        self.clock.borrow().at(now_ns).unwrap_or_default()
    }
}
