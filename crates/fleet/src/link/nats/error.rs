//! Why there is no connection.

use plimsoll_text::{Lang, Message as Text, render};

/// NATS cannot be reached as it is written: what, where, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", render(Lang::En, .0))]
pub struct ConnectError(pub Text);
