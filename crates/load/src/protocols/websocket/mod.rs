//! WebSocket (RFC 6455): connections that a user keeps by name, and messages on them.

mod bare;
pub(super) mod connection;
mod deflate;
mod frames;
mod handshake;
mod messages;
mod payload;
pub(super) mod steps;
mod stream;

pub use bare::{BareFrame, BareSocket, FrameCode};
pub use deflate::Deflate;
pub use handshake::proof;

use super::seam::{ExchangeCall, MadeExchange, ProtocolExchange};
use crate::user::User;
use crate::user::step::Cut;
use steps::WebSocketStep;

impl ProtocolExchange for WebSocketStep {
    async fn exchange(
        &self,
        user: &mut User,
        call: &ExchangeCall<'_>,
    ) -> Result<Option<MadeExchange>, Cut> {
        let made = match self {
            Self::Stream(stream) => return stream::stream(user, call, stream).await,
            Self::Connect(connect) => handshake::connect(user, call, connect).await,
            Self::Send(send) => messages::send(user, call, send).await,
            Self::Wait(wait) => messages::wait(user, call, wait).await,
            Self::Ping { on, text } => messages::ping(user, call, on, text).await,
            Self::Close { on, code, reason } => {
                messages::close(user, call, on, *code, reason.as_ref()).await
            }
        };
        made.map(Some)
    }
}
