//! The agent: the same collectors and captures on a target's own host, asked over one port.
//!
//! The controller pulls. It says `hello`, asks the agent to `watch` sources and then to
//! `look`: everything that was seen since, under the agent's own times. The agent keeps what
//! was not fetched for about a minute, so that a short break of the link loses nothing.
//! Clock readings ride on every look; the controller puts the times onto its own clock.
//!
//! Verbs are fixed, frames are limited, and nothing that comes over the network enters a
//! command line or names a file. Beyond loopback an agent wants TLS and a token. One that lets studies
//! change its host wants both everywhere; who changes it is handed in ([`AgentTuner`]).

pub mod blocking;
pub mod client;
pub mod clock;
mod connection;
mod limits;
mod own;
mod places;
pub mod policy;
pub mod server;
mod session;
mod state;
pub mod tls;
pub mod token;
mod tuner;
pub mod wire;

use plimsoll_text::Message;

pub use crate::collectors::entities::is_this_host;
pub use blocking::BlockingAgentLink;
pub use client::{AgentLink, AgentPeer};
pub use server::{Agent, AgentStopper};
pub use state::AgentOptions;
pub use token::AgentToken;
pub use tuner::AgentTuner;

/// The port an agent listens on by default.
pub const DEFAULT_PORT: u16 = 7077;

/// An agent cannot start, cannot be reached, or refuses.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .0))]
pub struct AgentError(pub Message);

/// A file that cannot be read.
fn file_error(path: &std::path::Path, error: &std::io::Error) -> AgentError {
    AgentError(
        Message::new("watch-file-unreadable")
            .with("path", path.display().to_string())
            .with("reason", error.to_string()),
    )
}

/// A file that cannot be written.
fn unwritable(path: &std::path::Path, error: &std::io::Error) -> AgentError {
    AgentError(
        Message::new("agent-file-unwritable")
            .with("path", path.display().to_string())
            .with("reason", error.to_string()),
    )
}
