//! The protocols beside plain HTTP: one line for each, that names its steps and what they are bound
//! to. What a user keeps for one is a line in `kept.rs`.

/// Hands the list to another macro.
macro_rules! with_protocols {
    ($then:ident) => {
        $then! {
            WebSocket: crate::protocols::websocket::steps::WebSocketStep;
            ServerSentEvents: crate::protocols::sse::steps::StreamStep;
        }
    };
}
pub(super) use with_protocols;
