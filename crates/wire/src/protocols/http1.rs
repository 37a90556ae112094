//! HTTP/1: heads are read, bodies are skipped by their length.

use std::collections::VecDeque;

use super::left;
use super::line::{LineStart, number};
use crate::exchanges::Exchanges;
use crate::protocol::{Guess, Protocol, ReadStop, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static HTTP1: Protocol = Protocol {
    name: "http1",
    guess,
    greets: |_| false,
    open: |_| Box::<Http1>::default(),
    overlaps: false,
    by_turns: false,
};

const METHODS: &[&str] = &[
    "GET ",
    "POST ",
    "PUT ",
    "HEAD ",
    "DELETE ",
    "OPTIONS ",
    "PATCH ",
    "CONNECT ",
    "TRACE ",
    "PROPFIND ",
    "PROPPATCH ",
    "MKCOL ",
    "COPY ",
    "MOVE ",
    "LOCK ",
    "UNLOCK ",
    "REPORT ",
    "PURGE ",
];
/// Requests that are sent ahead of their responses, at most.
const MAX_AHEAD: usize = 4_096;

fn guess(bytes: &[u8]) -> Guess {
    let starts = |method: &&str| bytes.starts_with(method.as_bytes());
    if METHODS.iter().any(starts) {
        // NATS begins alike.
        return match bytes.starts_with(b"CONNECT {") {
            true => Guess::No,
            false => Guess::Yes,
        };
    }
    let may_become = |method: &&str| method.as_bytes().starts_with(bytes);
    match METHODS.iter().any(may_become) {
        true => Guess::More,
        false => Guess::No,
    }
}

/// Whether a status says that the same request may do better another time: the server failed, or had no room
/// for it (RFC 9110, sections 15.5.9 and 15.6; RFC 6585, section 4).
fn fails(status: u64) -> bool {
    matches!(status, 408 | 429 | 500..600)
}

/// What a response depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AskedMethod {
    Head,
    Connect,
    Other,
}

/// Where in a message it is.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum MessagePart {
    /// Before its first byte.
    #[default]
    Before,
    /// In its first line.
    First,
    Head,
    Body(u64),
    ChunkSize,
    Chunk(u64),
    Trailer,
    /// In a body that ends with the connection.
    ToEnd,
}

/// One side's messages.
#[derive(Default)]
struct Messages {
    part: MessagePart,
    line: LineStart,
    length: Option<u64>,
    chunked: bool,
    /// What the connection is to become.
    upgrade: Option<&'static str>,
}

/// What came to an end.
enum Http1Ended<'a> {
    /// All that there was was read.
    Nothing,
    /// The first line.
    First(Vec<u8>, &'a [u8]),
    /// The head.
    Head(&'a [u8]),
    /// The message.
    Message(&'a [u8]),
}

impl Messages {
    /// Reads up to the next end of something.
    fn read<'a>(&mut self, mut bytes: &'a [u8]) -> Result<Http1Ended<'a>, ReadStop> {
        while !bytes.is_empty() {
            if let MessagePart::Body(left) | MessagePart::Chunk(left) = &mut self.part {
                let (skipped, rest) = left::split(bytes, *left);
                *left -= skipped.len() as u64;
                bytes = rest;
                match self.part {
                    MessagePart::Body(0) => return Ok(self.message_ended(bytes)),
                    MessagePart::Chunk(0) => self.part = MessagePart::ChunkSize,
                    _ => {}
                }
                continue;
            }
            if self.part == MessagePart::ToEnd {
                return Ok(Http1Ended::Nothing);
            }
            let Some(rest) = self.line.read(bytes) else {
                return Ok(Http1Ended::Nothing);
            };
            bytes = rest;
            let line = self.line.take();
            match self.part {
                MessagePart::First => {
                    self.part = MessagePart::Head;
                    return Ok(Http1Ended::First(line, bytes));
                }
                MessagePart::Head if line.is_empty() => return Ok(Http1Ended::Head(bytes)),
                MessagePart::Head => self.header(&line),
                MessagePart::ChunkSize => self.chunk(&line)?,
                MessagePart::Trailer if line.is_empty() => return Ok(self.message_ended(bytes)),
                _ => {}
            }
        }
        Ok(Http1Ended::Nothing)
    }

    fn message_ended<'a>(&mut self, rest: &'a [u8]) -> Http1Ended<'a> {
        *self = Self::default();
        Http1Ended::Message(rest)
    }

    fn header(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            self.length = number(value, 10);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.chunked = value.to_ascii_lowercase().ends_with(b"chunked");
        } else if name.eq_ignore_ascii_case(b"upgrade") {
            self.upgrade = Some(match value.eq_ignore_ascii_case(b"websocket") {
                true => "websocket",
                false => "upgraded",
            });
        }
    }

    fn chunk(&mut self, line: &[u8]) -> Result<(), ReadStop> {
        let size = line.split(|byte| *byte == b';').next().unwrap_or_default();
        self.part = match number(size, 16).ok_or(ReadStop::Lost)? {
            0 => MessagePart::Trailer,
            // With the end of its line.
            size => MessagePart::Chunk(size.checked_add(2).ok_or(ReadStop::Lost)?),
        };
        Ok(())
    }

    /// The head has ended; whether the message has, too.
    fn body_begins(&mut self, may_end_with_connection: bool) -> bool {
        self.part = match (self.chunked, self.length) {
            (true, _) => MessagePart::ChunkSize,
            (false, Some(0)) => return true,
            (false, Some(length)) => MessagePart::Body(length),
            (false, None) if may_end_with_connection => MessagePart::ToEnd,
            (false, None) => return true,
        };
        false
    }

    fn skip(&mut self, count: u64) -> Result<bool, ReadStop> {
        match &mut self.part {
            MessagePart::Body(left) if count <= *left => {
                *left -= count;
                Ok(*left == 0)
            }
            MessagePart::Chunk(left) if count < *left => {
                *left -= count;
                Ok(false)
            }
            MessagePart::ToEnd => Ok(false),
            _ => Err(ReadStop::Lost),
        }
    }
}

/// One connection.
#[derive(Default)]
struct Http1 {
    requests: Messages,
    responses: Messages,
    /// Of requests without a response.
    ahead: VecDeque<AskedMethod>,
    method: Option<AskedMethod>,
    status: u64,
    /// A response of the kind of "100 Continue" came before the one that counts.
    continued: bool,
}

impl Http1 {
    fn requests(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        loop {
            if self.requests.part == MessagePart::Before {
                // Empty lines before a request are allowed.
                bytes = bytes.trim_ascii_start();
                if bytes.is_empty() {
                    return Ok(());
                }
                exchanges.asked(at_ns);
                self.requests.part = MessagePart::First;
            }
            bytes = match self.requests.read(bytes)? {
                Http1Ended::Nothing => return Ok(()),
                Http1Ended::First(line, rest) => {
                    if guess(&line) != Guess::Yes || self.ahead.len() >= MAX_AHEAD {
                        return Err(ReadStop::Lost);
                    }
                    self.ahead.push_back(match &line {
                        line if line.starts_with(b"HEAD ") => AskedMethod::Head,
                        line if line.starts_with(b"CONNECT ") => AskedMethod::Connect,
                        _ => AskedMethod::Other,
                    });
                    rest
                }
                Http1Ended::Head(rest) => {
                    if self.requests.body_begins(false) {
                        self.requests = Messages::default();
                    }
                    rest
                }
                Http1Ended::Message(rest) => rest,
            };
        }
    }

    fn responses(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        loop {
            if self.responses.part == MessagePart::Before {
                if bytes.is_empty() {
                    return Ok(());
                }
                if !self.continued {
                    exchanges.began(at_ns);
                    self.method = self.ahead.pop_front();
                }
                self.responses.part = MessagePart::First;
            }
            exchanges.more(at_ns);
            bytes = match self.responses.read(bytes)? {
                Http1Ended::Nothing => return Ok(()),
                Http1Ended::First(line, rest) => {
                    let status = line
                        .strip_prefix(b"HTTP/1.")
                        .and_then(|rest| rest.get(2..5));
                    self.status = status
                        .and_then(|text| number(text, 10))
                        .ok_or(ReadStop::Lost)?;
                    if fails(self.status) {
                        exchanges.failed();
                    }
                    rest
                }
                Http1Ended::Head(rest) => {
                    self.head_ended(at_ns, exchanges)?;
                    rest
                }
                Http1Ended::Message(rest) => {
                    exchanges.ended(at_ns);
                    rest
                }
            };
        }
    }

    fn head_ended(&mut self, at_ns: u64, exchanges: &mut Exchanges) -> Result<(), ReadStop> {
        self.continued = (100..200).contains(&self.status) && self.status != 101;
        if self.continued {
            self.responses = Messages::default();
            return Ok(());
        }
        let tunnel = self.method == Some(AskedMethod::Connect) && (200..300).contains(&self.status);
        if tunnel || self.status == 101 {
            exchanges.ended(at_ns);
            let became = self.responses.upgrade.unwrap_or("upgraded");
            return Err(ReadStop::Undecided(if tunnel { "tunnel" } else { became }));
        }
        let bare = self.method == Some(AskedMethod::Head) || matches!(self.status, 204 | 304);
        if bare || self.responses.body_begins(true) {
            self.responses = Messages::default();
            exchanges.ended(at_ns);
        }
        Ok(())
    }
}

impl WireReader for Http1 {
    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        match (speaker, piece) {
            (Speaker::Client, WirePiece::Seen(bytes)) => self.requests(bytes, at_ns, exchanges),
            (Speaker::Server, WirePiece::Seen(bytes)) => self.responses(bytes, at_ns, exchanges),
            (Speaker::Client, WirePiece::Unseen(count)) => {
                if self.requests.skip(count)? {
                    self.requests = Messages::default();
                }
                Ok(())
            }
            (Speaker::Server, WirePiece::Unseen(count)) => {
                exchanges.more(at_ns);
                if self.responses.skip(count)? {
                    self.responses = Messages::default();
                    exchanges.ended(at_ns);
                }
                Ok(())
            }
        }
    }

    fn ended(&mut self, exchanges: &mut Exchanges) {
        if self.responses.part == MessagePart::ToEnd {
            exchanges.completed();
        }
    }
}
