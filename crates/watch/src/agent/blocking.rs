//! The controller's end for who has no event loop: each question waits for its response.

use std::time::Duration;

use plimsoll_text::{Arg, Message};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::client::{AgentLink, AgentLinkError, AgentPeer};
use super::wire::{AgentRequest, AgentResponse};

/// A connection to an agent on an event loop of its own.
pub struct BlockingAgentLink {
    runtime: Runtime,
    link: AgentLink,
    within: Duration,
    address: String,
}

impl BlockingAgentLink {
    /// Connects. Everything that is waited for is waited for so long.
    ///
    /// # Errors
    /// An agent that cannot be reached, is another one, or refuses.
    pub fn connect(peer: &AgentPeer, within: Duration) -> Result<Self, AgentLinkError> {
        let address = peer.to_string();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| broken(&address, error.to_string()))?;
        let connecting = AgentLink::connect(peer);
        let link = runtime.block_on(async { timeout(within, connecting).await });
        let link = link.map_err(|_| slow(&address, within))??;
        Ok(Self {
            runtime,
            link,
            within,
            address,
        })
    }

    /// Whether the agent lets studies change its host.
    #[must_use]
    pub fn tunes(&self) -> bool {
        self.link.tune
    }

    /// Asks and waits for the response. After an error that is no refusal the connection is of no use any more.
    ///
    /// # Errors
    /// A connection that broke, an agent that says nothing in time, a refusal.
    pub fn ask(&mut self, request: &AgentRequest) -> Result<AgentResponse, AgentLinkError> {
        let asking = self.link.ask(request);
        let within = self.within;
        let said = self
            .runtime
            .block_on(async { timeout(within, asking).await });
        Ok(said.map_err(|_| slow(&self.address, within))??.0)
    }
}

fn slow(address: &str, within: Duration) -> AgentLinkError {
    let reason = Message::new("watch-too-slow").with("seconds", within.as_secs_f64());
    broken(address, reason)
}

fn broken(address: &str, reason: impl Into<Arg>) -> AgentLinkError {
    AgentLinkError {
        refusal: None,
        message: Message::new("agent-link-broken")
            .with("address", address)
            .with("reason", reason),
    }
}
