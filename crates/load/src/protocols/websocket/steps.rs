//! The steps, made ready.

use plimsoll_plan::model::Span;
use plimsoll_plan::program::{ExchangeProgram, Template};
use plimsoll_text::Message;

use super::super::step::ProtocolStep;
use super::frames::MAX_CONTROL_BYTES;
use super::payload::{MessageEncoding, bytes_of_text};
use crate::check::{BoundCheck, bind_check};
use crate::clock::{Nanos, nanos};
use crate::extract::BindError;

/// The connection that is meant where none is named.
const USUAL_NAME: &str = "websocket";

/// A step.
pub(crate) enum WebSocketStep {
    /// Opens a connection.
    Connect(Connect),
    /// Sends a message.
    Send(Outgoing),
    /// Waits for messages.
    Wait(AwaitedMessages),
    /// Sends a ping and waits for its pong.
    Ping {
        /// The connection.
        on: Box<str>,
        /// What the ping says.
        text: Template,
    },
    /// Sends messages at a rate.
    Stream(MessageStream),
    /// Closes the connection.
    Close {
        /// The connection.
        on: Box<str>,
        /// Why, by number.
        code: u16,
        /// Why, in words.
        reason: Option<Template>,
    },
}

/// How a connection is opened.
pub struct Connect {
    /// Its name.
    pub name: Box<str>,
    /// Subprotocols, the preferred one first.
    pub subprotocols: Vec<Template>,
    /// Compression is offered.
    pub deflate: bool,
}

/// A message to be sent.
pub struct Outgoing {
    /// The connection.
    pub on: Box<str>,
    /// The message.
    pub text: Template,
    /// How it is written in the plan.
    pub encoding: MessageEncoding,
    /// The response to it.
    pub until: Vec<BoundCheck>,
}

/// Messages to be waited for.
pub struct AwaitedMessages {
    /// The connection.
    pub on: Box<str>,
    /// How many.
    pub count: u64,
    /// Which of them count.
    pub until: Vec<BoundCheck>,
}

/// Messages that are sent at a rate.
pub struct MessageStream {
    /// What is sent each time.
    pub message: Outgoing,
    /// So many …
    pub arrivals: u64,
    /// … in so many nanoseconds; not 0.
    pub per_ns: u64,
    /// For how long.
    pub lasts_ns: Nanos,
}

impl ProtocolStep for WebSocketStep {
    const KEYS: &'static [&'static str] = &[
        "ws-connect",
        "ws-send",
        "ws-wait",
        "ws-ping",
        "ws-messages",
        "ws-close",
    ];

    fn bind(exchange: &ExchangeProgram, at: Span) -> Result<Self, BindError> {
        check_fixed(exchange).map_err(|message| BindError { at, message })?;
        let text = |key: &str| exchange.text(key).cloned().unwrap_or_default();
        let until = exchange.checks("until").iter().map(bind_check);
        let until = until.collect::<Result<Vec<_>, _>>()?;
        let on: Box<str> = exchange.word("on").unwrap_or(USUAL_NAME).into();
        let outgoing = |key: &str, on, until| Outgoing {
            on,
            text: text(key),
            encoding: encoding_of(exchange),
            until,
        };
        Ok(match exchange.step {
            "ws-connect" => Self::Connect(Connect {
                name: exchange.word("as").unwrap_or(USUAL_NAME).into(),
                subprotocols: exchange.texts("subprotocols").to_vec(),
                deflate: exchange.flag("deflate"),
            }),
            "ws-wait" => Self::Wait(AwaitedMessages {
                on,
                count: exchange.count("ws-wait").unwrap_or(1),
                until,
            }),
            "ws-ping" => Self::Ping {
                on,
                text: text("ws-ping"),
            },
            "ws-messages" => {
                let rate = exchange.rate("rate");
                Self::Stream(MessageStream {
                    message: outgoing("ws-messages", on, until),
                    arrivals: rate.map_or(0, |rate| rate.arrivals),
                    per_ns: rate.map_or(1, |rate| rate.per_ns.max(1)),
                    lasts_ns: exchange.time("for").map(nanos).unwrap_or_default(),
                })
            }
            "ws-close" => Self::Close {
                on,
                code: u16::try_from(exchange.count("ws-close").unwrap_or(1000)).unwrap_or(1000),
                reason: exchange.text("reason").cloned(),
            },
            _ => Self::Send(outgoing("ws-send", on, until)),
        })
    }
}

fn encoding_of(exchange: &ExchangeProgram) -> MessageEncoding {
    match exchange.word("encoding") {
        Some("base64") => MessageEncoding::Base64,
        Some("hex") => MessageEncoding::Hex,
        _ => MessageEncoding::Text,
    }
}

/// Values that are fixed and cannot be sent.
fn check_fixed(exchange: &ExchangeProgram) -> Result<(), Message> {
    let text = |key: &str| exchange.text(key).and_then(Template::as_text);
    if let Some(code) = exchange.count("ws-close")
        && !(code == 1000 || (3000..=4999).contains(&code))
    {
        return Err(Message::new("exchange-close-code").with("code", code));
    }
    for (key, most) in [
        ("ws-ping", MAX_CONTROL_BYTES),
        ("reason", MAX_CONTROL_BYTES - 2),
    ] {
        if let Some(bytes) = text(key).map(str::len).filter(|bytes| *bytes > most) {
            let message = Message::new("exchange-too-long").with("key", key);
            return Err(message.with("bytes", bytes).with("most", most));
        }
    }
    let sent = text("ws-send").or_else(|| text("ws-messages"));
    if let Some(Err(reason)) = sent.map(|text| bytes_of_text(text, encoding_of(exchange))) {
        return Err(Message::new("exchange-encoding").with("reason", reason));
    }
    if exchange.rate("rate").is_some_and(|rate| rate.arrivals == 0) {
        return Err(Message::new("exchange-rate-zero"));
    }
    Ok(())
}
