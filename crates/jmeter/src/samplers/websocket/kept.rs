//! The one WebSocket connection of a user.

use plimsoll_elements::Properties;
use plimsoll_load::kit::Random;
use plimsoll_load::kit::websocket::{BareFrame, BareSocket, Deflate, FrameCode};

use super::frame::FrameType;

/// What the plugin says with a close frame of its own.
const FINISHED: &[u8] = b"\x03\xe8test thread finished";

/// Who has said that it closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SocketState {
    /// Nobody.
    Connected,
    /// This side.
    ClosedByUser,
    /// The server.
    ClosedByServer,
    /// Both.
    Closed,
}

impl SocketState {
    /// The plugin's word for it, in its exceptions.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Connected => "CONNECTED",
            Self::ClosedByUser => "CLOSED_CLIENT",
            Self::ClosedByServer => "CLOSED_SERVER",
            Self::Closed => "CLOSED",
        }
    }
}

/// What becomes of a connection whose user ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopPolicy {
    /// It is let go.
    LetGo,
    /// The server is told.
    Tell,
}

impl StopPolicy {
    /// As the property `websocket.thread.stop.policy` says.
    pub(crate) fn of(properties: &Properties) -> Self {
        let policy = properties.get("websocket.thread.stop.policy");
        match policy.is_some_and(|policy| policy.trim().eq_ignore_ascii_case("wsclose")) {
            true => Self::Tell,
            false => Self::LetGo,
        }
    }
}

/// The connection, and what is to be known to take its next frame.
pub struct KeptWebSocket {
    pub(crate) socket: BareSocket,
    pub(crate) state: SocketState,
    /// `ws://host:port/path`, as samples show it.
    pub(crate) shown: String,
    /// The message whose last frame has not come.
    pub(crate) within: Option<FrameType>,
    /// Its frames are compressed.
    pub(crate) is_compressed: bool,
    /// The compressed bytes of it that came.
    pub(crate) compressed: Vec<u8>,
    /// Compression, where a header of the plan's asks for it.
    pub(crate) deflate: Option<Deflate>,
    pub(crate) stop_policy: StopPolicy,
    pub(crate) masks: Random,
}

impl KeptWebSocket {
    /// Another one takes its place, or it is over: nobody is told.
    pub(crate) fn let_go(mut self) {
        self.stop_policy = StopPolicy::LetGo;
    }

    /// The bytes of a frame, masked.
    pub(crate) fn written(&mut self, code: FrameCode, payload: &[u8]) -> Vec<u8> {
        let [a, b, c, d, ..] = self.masks.bits().to_le_bytes();
        BareFrame::written(code, payload, [a, b, c, d])
    }
}

impl Drop for KeptWebSocket {
    fn drop(&mut self) {
        let is_open = matches!(
            self.state,
            SocketState::Connected | SocketState::ClosedByServer
        );
        if self.stop_policy == StopPolicy::Tell && is_open {
            let bytes = self.written(FrameCode::Close, FINISHED);
            self.socket.send_now(&bytes);
        }
    }
}
