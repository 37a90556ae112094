//! Server-sent events (the HTML standard, 9.2). A question may be asked with the request.

use super::super::base::*;
use super::super::checks::Checks;
use super::super::exchange::{CarrierKeys, FieldKey, ProtocolStepKeys, WithUrl, protocol_steps};
use crate::model::{Body, HttpRequest, Text};

words! {
    /// The methods.
    struct SseMethod: Text {
        "get" = Text::of("GET"),
        "post" = Text::of("POST"),
        "put" = Text::of("PUT"),
    }
}

keys! {
    /// The keys of the request.
    struct SseRequest: HttpRequest, {
        ["method" => method: SseMethod = "get", "sse-method"]
        [..Body => body]
        [..WithUrl => *]
    }
}

protocol_steps! {
    url "sse": AnyText, "sse", {
        [may "events": LongCount, "sse-events"]
        [may "until": Checks, "sse-until"]
        [may "for": Time, "sse-for"]
    } and SseRequest exclude &[
        at_most_one(&["body", "json", "form", "multipart", "file"]),
        at_most_one(&["events", "for"]),
    ];
}
