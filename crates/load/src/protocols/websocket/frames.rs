//! Frames to messages and back (RFC 6455, 5), without input and output. Headers are read and
//! written by the crate tungstenite; messages, their compression and the rules between frames are
//! here, since that crate takes no compressed frame.

use std::io::Cursor;

use tungstenite::protocol::frame::coding::{CloseCode, Control, Data, OpCode};
use tungstenite::protocol::frame::{Frame, FrameHeader};

use super::deflate::Deflate;

/// Longest payload of a control frame (RFC 6455, 5.5).
pub const MAX_CONTROL_BYTES: usize = 125;

/// Room that is kept from one message to the next.
const KEPT_BYTES: usize = 16 << 10;

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// A message of text or of bytes.
    Message {
        /// It is text, and UTF-8.
        is_text: bool,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// A ping, with its payload.
    Ping(Vec<u8>),
    /// A pong, with its payload.
    Pong(Vec<u8>),
    /// The server closes.
    Close {
        /// Why, by number; none was given.
        code: Option<u16>,
        /// Why, in words.
        reason: String,
    },
}

/// Why nothing more can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FramingError {
    /// What came is no WebSocket.
    Malformed(String),
    /// A message is longer than what is accepted.
    TooLong {
        /// Most bytes.
        most: usize,
    },
}

fn malformed<T>(what: impl Into<String>) -> Result<T, FramingError> {
    Err(FramingError::Malformed(what.into()))
}

/// A message whose last frame has not come.
#[derive(Debug)]
struct Unfinished {
    is_text: bool,
    is_compressed: bool,
    data: Vec<u8>,
}

/// Reads frames from pieces of any size, and writes them.
#[derive(Debug)]
pub struct Frames {
    /// Bytes that are no whole frame yet.
    bytes: Vec<u8>,
    /// How many of them are done with.
    done: usize,
    unfinished: Option<Unfinished>,
    deflate: Option<Deflate>,
    max_message_bytes: usize,
}

impl Frames {
    /// Frames of messages of at most so many bytes, compressed if that was agreed on.
    #[must_use]
    pub fn new(deflate: Option<Deflate>, max_message_bytes: u64) -> Self {
        Self {
            bytes: Vec::new(),
            done: 0,
            unfinished: None,
            deflate,
            max_message_bytes: usize::try_from(max_message_bytes).unwrap_or(usize::MAX),
        }
    }

    /// Takes bytes that came.
    pub fn feed(&mut self, piece: &[u8]) {
        if self.done == self.bytes.len() {
            self.bytes.clear();
            self.done = 0;
        }
        self.bytes.extend_from_slice(piece);
    }

    /// The next message or control frame, once it is whole.
    ///
    /// # Errors
    /// What breaks the protocol; nothing that comes after it can be read.
    pub fn take(&mut self) -> Result<Option<Incoming>, FramingError> {
        while let Some((header, payload)) = self.frame()? {
            let taken = match header.opcode {
                OpCode::Control(control) => Some(control_frame(&header, control, payload)?),
                OpCode::Data(data) => self.data_frame(&header, data, &payload)?,
            };
            if taken.is_some() {
                return Ok(taken);
            }
        }
        Ok(None)
    }

    /// Takes a whole frame.
    fn frame(&mut self) -> Result<Option<(FrameHeader, Vec<u8>)>, FramingError> {
        let mut cursor = Cursor::new(&self.bytes[self.done..]);
        let parsed = FrameHeader::parse(&mut cursor);
        let Some((header, length)) =
            parsed.map_err(|error| FramingError::Malformed(error.to_string()))?
        else {
            return Ok(None);
        };
        let begins = self.done + usize::try_from(cursor.position()).unwrap_or(usize::MAX);
        let so_far = self.unfinished.as_ref().map_or(0, |it| it.data.len());
        let length = match usize::try_from(length) {
            Ok(length) if length.saturating_add(so_far) <= self.max_message_bytes => length,
            _ => return Err(self.too_long()),
        };
        if header.mask.is_some() {
            return malformed("the server masks its frames");
        }
        let ends = begins + length;
        let Some(payload) = self.bytes.get(begins..ends) else {
            return Ok(None);
        };
        let payload = payload.to_vec();
        self.done = ends;
        if self.done >= self.bytes.len() / 2 {
            self.bytes.drain(..self.done);
            self.done = 0;
            if self.bytes.is_empty() && self.bytes.capacity() > KEPT_BYTES {
                self.bytes = Vec::new();
            }
        }
        Ok(Some((header, payload)))
    }

    fn too_long(&self) -> FramingError {
        FramingError::TooLong {
            most: self.max_message_bytes,
        }
    }

    fn data_frame(
        &mut self,
        header: &FrameHeader,
        data: Data,
        payload: &[u8],
    ) -> Result<Option<Incoming>, FramingError> {
        let begins = !matches!(data, Data::Continue);
        let may_be_compressed = self.deflate.is_some() && begins;
        if header.rsv2 || header.rsv3 || header.rsv1 && !may_be_compressed {
            return malformed("a frame with reserved bits that nothing agreed on gives a meaning");
        }
        let mut message = match (self.unfinished.take(), data) {
            (None, Data::Text | Data::Binary) => Unfinished {
                is_text: matches!(data, Data::Text),
                is_compressed: header.rsv1,
                data: Vec::new(),
            },
            (Some(message), Data::Continue) => message,
            (Some(_), _) => return malformed("a new message within a message"),
            (None, _) => return malformed("a continuation without a message"),
        };
        message.data.extend_from_slice(payload);
        if !header.is_final {
            self.unfinished = Some(message);
            return Ok(None);
        }
        let data = match (&mut self.deflate, message.is_compressed) {
            (Some(deflate), true) => match deflate.inflate(&message.data, self.max_message_bytes) {
                Ok(Some(data)) => data,
                Ok(None) => return Err(self.too_long()),
                Err(reason) => return malformed(format!("a compressed message: {reason}")),
            },
            _ => message.data,
        };
        if message.is_text && std::str::from_utf8(&data).is_err() {
            return malformed("a text message that is not UTF-8");
        }
        Ok(Some(Incoming::Message {
            is_text: message.is_text,
            data,
        }))
    }

    /// Writes a message behind `out`.
    pub fn message(&mut self, is_text: bool, data: &[u8], mask: [u8; 4], out: &mut Vec<u8>) {
        let kind = if is_text { Data::Text } else { Data::Binary };
        let compressed = self.deflate.as_mut().and_then(|it| it.deflate(data));
        let header = FrameHeader {
            rsv1: compressed.is_some(),
            opcode: OpCode::Data(kind),
            ..FrameHeader::default()
        };
        write(header, compressed.as_deref().unwrap_or(data), mask, out);
    }
}

fn control_frame(
    header: &FrameHeader,
    control: Control,
    payload: Vec<u8>,
) -> Result<Incoming, FramingError> {
    if header.rsv1 || header.rsv2 || header.rsv3 {
        return malformed("a control frame with reserved bits");
    }
    if !header.is_final || payload.len() > MAX_CONTROL_BYTES {
        return malformed("a control frame in parts, or of more than 125 bytes");
    }
    Ok(match control {
        Control::Ping => Incoming::Ping(payload),
        Control::Pong => Incoming::Pong(payload),
        Control::Close => closing(&payload)?,
        Control::Reserved(number) => return malformed(format!("a control frame {number}")),
    })
}

fn closing(payload: &[u8]) -> Result<Incoming, FramingError> {
    let Some((code, reason)) = payload.split_first_chunk::<2>() else {
        return match payload {
            [] => Ok(Incoming::Close {
                code: None,
                reason: String::new(),
            }),
            _ => malformed("a close frame of one byte"),
        };
    };
    let code = u16::from_be_bytes(*code);
    if !CloseCode::from(code).is_allowed() {
        return malformed(format!("a close frame with the code {code}"));
    }
    match std::str::from_utf8(reason) {
        Ok(reason) => Ok(Incoming::Close {
            code: Some(code),
            reason: reason.to_owned(),
        }),
        Err(_) => malformed("a close frame whose reason is not UTF-8"),
    }
}

/// Writes a ping behind `out`; its payload has at most [`MAX_CONTROL_BYTES`].
pub fn ping(payload: &[u8], mask: [u8; 4], out: &mut Vec<u8>) {
    control(Control::Ping, payload, mask, out);
}

/// Writes a pong.
pub fn pong(payload: &[u8], mask: [u8; 4], out: &mut Vec<u8>) {
    control(Control::Pong, payload, mask, out);
}

/// Writes a close frame; the reason has at most 123 bytes.
pub fn close(code: u16, reason: &str, mask: [u8; 4], out: &mut Vec<u8>) {
    let mut payload = code.to_be_bytes().to_vec();
    payload.extend_from_slice(reason.as_bytes());
    control(Control::Close, &payload, mask, out);
}

fn control(kind: Control, payload: &[u8], mask: [u8; 4], out: &mut Vec<u8>) {
    let header = FrameHeader {
        opcode: OpCode::Control(kind),
        ..FrameHeader::default()
    };
    write(header, payload, mask, out);
}

pub(super) fn write(mut header: FrameHeader, payload: &[u8], mask: [u8; 4], out: &mut Vec<u8>) {
    header.is_final = true;
    header.mask = Some(mask);
    let frame = Frame::from_payload(header, payload.to_vec().into());
    // Writing to memory cannot fail.
    let _ = frame.format(out);
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
