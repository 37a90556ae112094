//! How a WebSocket sample ends that brought nothing back: the plugin's exceptions.

use plimsoll_stats::ErrorKind;

use crate::samplers::websocket::ReadFrame;
use plimsoll_load::kit::failure::Failure;

/// An exception.
pub(super) enum SocketThrown {
    /// Another frame than was to come.
    Unexpected(Box<ReadFrame>),
    /// The server did not switch protocols; its status, where that is why.
    Refused {
        /// The status.
        status: Option<u16>,
        /// What is said of it.
        text: String,
    },
    /// The connection failed; with what it is to the engine.
    Io(String, ErrorKind),
    /// Nothing came in time.
    Late,
    /// The sampler has said itself what is wrong: code and message.
    Told(&'static str, String),
    /// Any other, as Java shows it.
    Other(String),
}

impl SocketThrown {
    /// A failure of the connection, in Java's words.
    pub(super) fn of(failure: &Failure) -> Self {
        let text = match failure.kind {
            ErrorKind::ConnectionReset => "Connection reset",
            ErrorKind::ConnectionRefused => "Connection refused",
            _ => &failure.detail,
        };
        Self::Io(text.to_owned(), failure.kind)
    }

    /// The end of what the server sends.
    pub(super) fn end() -> Self {
        Self::Io("end of stream".to_owned(), ErrorKind::ConnectionClosed)
    }

    /// What cannot be done in a state of the connection.
    pub(super) fn state(what: &str, state: &str) -> Self {
        let text = "java.lang.IllegalStateException: Cannot";
        Self::Other(format!("{text} {what} when state is {state}"))
    }
}
