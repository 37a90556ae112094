//! Who changes the agent's host for a study. What is asked and said is not known here.

use std::fmt::Debug;
use std::net::SocketAddr;

use plimsoll_text::Message;
use serde_json::Value;

/// Changes this host for studies on other hosts, as far as the agent's operator lets it.
pub trait AgentTuner: Debug + Send + Sync {
    /// Does what a controller asks for, or begins to; it never waits.
    ///
    /// # Errors
    /// Why it does not.
    fn tune(&self, peer: SocketAddr, ask: Value) -> Result<Value, Message>;

    /// The agent ends: everything is put back before this returns.
    fn end(&self);
}
