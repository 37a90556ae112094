//! What a user keeps for protocols from one step to the next; dropped with the user.

use super::websocket::connection::NamedSocket;

/// See the file.
#[derive(Default)]
pub(crate) struct ProtocolsKept {
    pub(super) websocket: Vec<NamedSocket>,
}
