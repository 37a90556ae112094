//! WebSocket (RFC 6455).

use super::super::base::*;
use super::super::checks::Checks;
use super::super::exchange::{
    CarrierKeys, FieldKey, OnConnection, ProtocolStepKeys, WithUrl, protocol_steps,
};

words! {
    /// Text, or bytes as text.
    struct EncodingKey: String {
        "text" = "text".to_owned(),
        "base64" = "base64".to_owned(),
        "hex" = "hex".to_owned(),
    }
}

protocol_steps! {
    url "ws-connect": AnyText, "ws-connect", {
        [may "as": NameString = "websocket", "ws-as"]
        [may "subprotocols": OneOrMore<AnyText>, "ws-subprotocols"]
        [may "deflate": Flag = "false", "ws-deflate"]
    };
    on "ws-send": AnyText, "ws-send", {
        [may "encoding": EncodingKey = "text", "ws-encoding"]
        [may "on": NameString = "websocket", "ws-on"]
        [may "until": Checks, "ws-until"]
    };
    on "ws-wait": LongCount, "ws-wait", {
        [may "on": NameString = "websocket", "ws-on"]
        [may "until": Checks, "ws-until"]
    };
    on "ws-ping": AnyText, "ws-ping", {
        [may "on": NameString = "websocket", "ws-on"]
    };
    on "ws-messages": AnyText, "ws-messages", {
        [must "rate": RateText, "ws-rate"]
        [must "for": Time, "ws-for"]
        [may "encoding": EncodingKey = "text", "ws-encoding"]
        [may "on": NameString = "websocket", "ws-on"]
        [may "until": Checks, "ws-until"]
    };
    on "ws-close": LongCount, "ws-close", {
        [may "reason": AnyText, "ws-reason"]
        [may "on": NameString = "websocket", "ws-on"]
    };
}
