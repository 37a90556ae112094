//! A connection for those who take each frame as it comes: nothing is put together, said back or closed here.

use std::future::poll_fn;
use std::io::{self, Cursor};
use std::task::{Poll, ready};

use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Control, Data, OpCode};

use super::frames;
use crate::driver::{Connection, StreamState};
use crate::engine::thread::Thread;
use crate::failure::Failure;
use crate::protocols::http::exchange::poll_send;

/// Longest payload of a frame: what a user may be made to keep in memory.
const MAX_PAYLOAD_BYTES: u64 = 256 << 20;

/// What a frame is (RFC 6455, 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameCode {
    /// More of the message before it.
    Continuation,
    /// Text, or its beginning.
    Text,
    /// Bytes, or their beginning.
    Binary,
    /// The other side closes.
    Close,
    /// A pong is asked for.
    Ping,
    /// The response to a ping, or nobody asked for it.
    Pong,
}

/// A frame as it stands on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BareFrame {
    /// What it is.
    pub code: FrameCode,
    /// Nothing more belongs to its message.
    pub is_final: bool,
    /// Its first reserved bit is set: compressed, where that was agreed on.
    pub first_reserved: bool,
    /// Its payload.
    pub payload: Vec<u8>,
    /// Bytes on the wire, with its head.
    pub wire_bytes: u64,
}

/// A connection, and the bytes that came and are not taken yet.
pub struct BareSocket {
    connection: Connection,
    unread: Vec<u8>,
}

impl BareSocket {
    /// A connection on which nothing came yet.
    #[must_use]
    pub const fn new(connection: Connection) -> Self {
        Self {
            connection,
            unread: Vec::new(),
        }
    }

    /// What came and is not taken.
    #[must_use]
    pub fn unread(&self) -> &[u8] {
        &self.unread
    }

    /// Takes so many of the bytes that came.
    pub fn take(&mut self, bytes: usize) {
        self.unread.drain(..bytes.min(self.unread.len()));
    }

    /// Waits for more bytes; how many came, 0: the other side sends no more.
    ///
    /// # Errors
    /// Why none come any more.
    pub async fn receive(&mut self, thread: &Thread) -> Result<u64, Failure> {
        poll_fn(|cx| {
            loop {
                let inbox = &mut *thread.inbox.borrow_mut();
                let (received, _) = ready!(thread.poll_receive(cx, &mut self.connection, inbox))?;
                let unread = &mut self.unread;
                let delivery = self
                    .connection
                    .deliver(inbox, received, &mut |piece: &[u8]| {
                        unread.extend_from_slice(piece);
                    });
                let then = delivery.then.map_err(|error| Failure::talking(&error))?;
                if delivery.bytes > 0 || then == StreamState::Ended {
                    return Poll::Ready(Ok(delivery.bytes));
                }
            }
        })
        .await
    }

    /// Sends all of these bytes.
    ///
    /// # Errors
    /// As the system says.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut sent = 0;
        poll_fn(|cx| poll_send(&mut self.connection, cx, bytes, &mut sent)).await
    }

    /// Sends what can be sent at once.
    pub fn send_now(&mut self, bytes: &[u8]) {
        // Whether it arrives is nobody's affair: the connection goes.
        let _ = self.connection.try_write(bytes);
    }

    /// The next frame, once it is whole.
    ///
    /// # Errors
    /// Its code, where that means nothing; none: it is too long.
    pub fn frame(&mut self) -> Result<Option<BareFrame>, Option<u8>> {
        let mut cursor = Cursor::new(&self.unread);
        let code = self.unread.first().map(|first| first & 0x0f);
        let Some((header, length)) = FrameHeader::parse(&mut cursor).map_err(|_| code)? else {
            return Ok(None);
        };
        let begins = usize::try_from(cursor.position()).unwrap_or(usize::MAX);
        let length = usize::try_from(length).ok();
        let Some(length) = length.filter(|bytes| *bytes as u64 <= MAX_PAYLOAD_BYTES) else {
            return Err(None);
        };
        let Some(payload) = self.unread.get(begins..begins + length) else {
            return Ok(None);
        };
        let frame = BareFrame {
            code: code_of(header.opcode).ok_or(code)?,
            is_final: header.is_final,
            first_reserved: header.rsv1,
            payload: payload.to_vec(),
            wire_bytes: (begins + length) as u64,
        };
        self.take(begins + length);
        Ok(Some(frame))
    }
}

impl BareFrame {
    /// The bytes of a whole frame, masked as a client's are.
    #[must_use]
    pub fn written(code: FrameCode, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
        let header = FrameHeader {
            opcode: match code {
                FrameCode::Continuation => OpCode::Data(Data::Continue),
                FrameCode::Text => OpCode::Data(Data::Text),
                FrameCode::Binary => OpCode::Data(Data::Binary),
                FrameCode::Close => OpCode::Control(Control::Close),
                FrameCode::Ping => OpCode::Control(Control::Ping),
                FrameCode::Pong => OpCode::Control(Control::Pong),
            },
            ..FrameHeader::default()
        };
        let mut bytes = Vec::with_capacity(payload.len() + 14);
        frames::write(header, payload, mask, &mut bytes);
        bytes
    }
}

fn code_of(code: OpCode) -> Option<FrameCode> {
    Some(match code {
        OpCode::Data(Data::Continue) => FrameCode::Continuation,
        OpCode::Data(Data::Text) => FrameCode::Text,
        OpCode::Data(Data::Binary) => FrameCode::Binary,
        OpCode::Control(Control::Close) => FrameCode::Close,
        OpCode::Control(Control::Ping) => FrameCode::Ping,
        OpCode::Control(Control::Pong) => FrameCode::Pong,
        OpCode::Data(Data::Reserved(_)) | OpCode::Control(Control::Reserved(_)) => return None,
    })
}
