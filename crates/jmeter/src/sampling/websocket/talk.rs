//! Frames on a connection that is open.

use std::pin::Pin;

use plimsoll_elements::{DataType, SampleResult};
use plimsoll_stats::ErrorKind;

use super::open::{receive, send};
use super::thrown::SocketThrown;
use crate::element_user::ElementUser;
use crate::sampled::SampleTimes;
use crate::samplers::websocket::{
    FrameType, KeptWebSocket, PongSending, ReadFrame, ReadyFilter, SocketState,
};
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::user::Cut;
use plimsoll_load::kit::websocket::{BareFrame, FrameCode};

/// What the plugin shows of a compressed message that is not whole.
const NOT_WHOLE: &str =
    "<not showing response data, because it is compressed and at this stage incomplete>";
/// Longest message that is decompressed.
const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// A user's connection at work.
pub(super) struct SocketTalk<'u> {
    pub(super) user: ElementUser<'u>,
    pub(super) kept: &'u mut KeptWebSocket,
    pub(super) result: &'u mut SampleResult,
    pub(super) times: &'u mut SampleTimes,
    /// What filters take counts as received.
    pub(super) counts_filtered: bool,
}

type Talked<T> = Result<Result<T, SocketThrown>, Cut>;

impl SocketTalk<'_> {
    /// Sends a frame; gives its bytes.
    pub(super) async fn send(
        &mut self,
        code: FrameCode,
        payload: &[u8],
        what: &str,
    ) -> Talked<u64> {
        let may_close = code == FrameCode::Close && self.kept.state == SocketState::ClosedByServer;
        if self.kept.state != SocketState::Connected && !may_close {
            return Ok(Err(SocketThrown::state(what, self.kept.state.word())));
        }
        let bytes = self.kept.written(code, payload);
        let sent = send(&self.user, &mut self.kept.socket, &bytes).await?;
        Ok(sent.map(|()| {
            if code == FrameCode::Close {
                self.kept.state = match self.kept.state {
                    SocketState::Connected => SocketState::ClosedByUser,
                    _ => SocketState::Closed,
                };
            }
            bytes.len() as u64
        }))
    }

    /// The next frame that no filter takes; the first filter sees it last.
    pub(super) fn next<'s>(
        &'s mut self,
        filters: &'s [ReadyFilter],
        read_ms: u64,
    ) -> Pin<Box<dyn Future<Output = Talked<ReadFrame>> + 's>> {
        Box::pin(async move {
            let Some((filter, others)) = filters.split_first() else {
                return self.frame(read_ms).await;
            };
            if let Err(why) = filter.prepared() {
                return Ok(Err(SocketThrown::Other(why)));
            }
            let mut left_ms = read_ms;
            loop {
                let start_ns = self.user.thread.clock.now_ns();
                let frame = match self.next(others, left_ms).await? {
                    Ok(frame) => frame,
                    Err(thrown) => return Ok(Err(thrown)),
                };
                let now_ns = self.user.thread.clock.now_ns();
                let spent_ms = now_ns.saturating_sub(start_ns) / 1_000_000;
                let takes = match filter.takes(&frame) {
                    Ok(takes) => takes,
                    Err(why) => return Ok(Err(SocketThrown::Other(why))),
                };
                if takes && let Err(thrown) = self.discard(filter, &frame, start_ns).await? {
                    return Ok(Err(thrown));
                }
                // As in the plugin a time-out of 0, which is none, is over at once where frames are filtered.
                if spent_ms >= left_ms {
                    return Ok(Err(SocketThrown::Late));
                }
                left_ms -= spent_ms;
                if !takes {
                    return Ok(Ok(frame));
                }
            }
        })
    }

    /// A frame that a filter takes is a part of the sample.
    async fn discard(
        &mut self,
        filter: &ReadyFilter,
        frame: &ReadFrame,
        start_ns: Nanos,
    ) -> Talked<()> {
        let end_ns = self.user.thread.clock.now_ns();
        let mut sent_bytes = 0;
        if filter.pongs == PongSending::Yes && frame.kind == FrameType::Ping {
            let sent = self.send(FrameCode::Pong, &frame.payload, "send pong frame");
            match sent.await? {
                Ok(bytes) => sent_bytes = bytes,
                Err(thrown) => return Ok(Err(thrown)),
            }
        }
        let label = format!(
            "Discarded {} frame (by filter '{}')",
            frame.word(),
            filter.name
        );
        let mut part = SampleResult {
            success: true,
            message: format!("Received {}", frame.shown()),
            received_bytes: frame.wire_bytes,
            header_bytes: frame.head_bytes(),
            body_bytes: frame.payload.len() as u64,
            sent_bytes,
            ..SampleResult::new(label)
        };
        match frame.kind {
            FrameType::Text => {
                part.body = frame.text().into_owned().into_bytes();
                part.encoding = Some("UTF-8".to_owned());
            }
            FrameType::Binary => part.body.clone_from(&frame.payload),
            _ => {}
        }
        if self.counts_filtered {
            self.count(frame);
            self.result.sent_bytes += sent_bytes;
        }
        let renames = self.user.jm().info.renames_parts;
        self.result.keep_part(part, renames);
        self.times.parts.push(SampleTimes {
            start_ns,
            end_ns,
            ..SampleTimes::default()
        });
        Ok(Ok(()))
    }

    /// Counts a frame as received.
    pub(super) fn count(&mut self, frame: &ReadFrame) {
        self.result.header_bytes += frame.head_bytes();
        self.result.body_bytes += frame.payload.len() as u64;
        self.result.received_bytes += frame.wire_bytes;
    }

    /// The next frame.
    async fn frame(&mut self, read_ms: u64) -> Talked<ReadFrame> {
        let state = self.kept.state;
        if !matches!(state, SocketState::Connected | SocketState::ClosedByUser) {
            return Ok(Err(SocketThrown::state("receive data frame", state.word())));
        }
        loop {
            match self.kept.socket.frame() {
                Err(code) => return Ok(Err(meaningless(code))),
                Ok(Some(frame)) => return Ok(self.taken(frame)),
                Ok(None) => {}
            }
            match receive(&self.user, &mut self.kept.socket, read_ms).await? {
                Err(thrown) => return Ok(Err(thrown)),
                Ok(true) => {}
                Ok(false) => return Ok(Err(self.cut_short())),
            }
        }
    }

    /// The server has ended in front of a frame, or within.
    fn cut_short(&self) -> SocketThrown {
        let unread = self.kept.socket.unread();
        let (head, length) = match unread {
            [_, length @ 0..=125, ..] => (2, u64::from(*length)),
            [_, 126, high, low, ..] => (4, u64::from(u16::from_be_bytes([*high, *low]))),
            _ => return SocketThrown::end(),
        };
        let text = format!(
            "WebSocket protocol error: expected payload of length {length}, but can only read {} bytes",
            unread.len() - head
        );
        SocketThrown::Io(text, ErrorKind::ClosedInBody)
    }

    /// What a frame is within its message, decompressed.
    fn taken(&mut self, frame: BareFrame) -> Result<ReadFrame, SocketThrown> {
        let protocol = |text: &str| SocketThrown::Io(text.to_owned(), ErrorKind::MalformedResponse);
        let continues = frame.code == FrameCode::Continuation;
        let within = self.kept.within;
        let kind = match (frame.code, within) {
            (FrameCode::Continuation, Some(kind)) => kind,
            (FrameCode::Continuation, None) => {
                return Err(protocol("no continuation frame expected"));
            }
            (FrameCode::Text, _) => FrameType::Text,
            (FrameCode::Binary, _) => FrameType::Binary,
            (FrameCode::Close, _) => FrameType::Close,
            (FrameCode::Ping, _) => FrameType::Ping,
            (FrameCode::Pong, _) => FrameType::Pong,
        };
        let is_data = matches!(kind, FrameType::Text | FrameType::Binary);
        let compressed =
            is_data && (!continues && frame.first_reserved || continues && self.kept.is_compressed);
        let mut read = ReadFrame {
            kind,
            is_final: frame.is_final,
            continues,
            payload: frame.payload,
            wire_bytes: frame.wire_bytes,
        };
        if compressed {
            read.payload = self.inflated(&read)?;
        }
        self.kept.is_compressed = compressed;
        match (is_data, within) {
            (true, None) if !read.is_final => self.kept.within = Some(kind),
            (true, Some(_)) if continues && read.is_final => self.kept.within = None,
            (true, Some(_)) if !continues => return Err(protocol("missing continuation frame")),
            _ => {}
        }
        if kind == FrameType::Close {
            self.kept.state = match self.kept.state {
                SocketState::Connected => SocketState::ClosedByServer,
                _ => SocketState::Closed,
            };
        }
        Ok(read)
    }

    /// The message that ends with a compressed frame; of one that does not, what the plugin shows.
    fn inflated(&mut self, frame: &ReadFrame) -> Result<Vec<u8>, SocketThrown> {
        let kept = &mut *self.kept;
        let Some(deflate) = &mut kept.deflate else {
            let what =
                "WebSocketInflater.appendCompressedData(byte[], boolean, org.apache.log.Logger)";
            return Err(SocketThrown::Other(format!(
                "java.lang.NullPointerException: Cannot invoke \"eu.luminis.websocket.{what}\" because \"webSocketInflater\" is null"
            )));
        };
        kept.compressed.extend_from_slice(&frame.payload);
        if !frame.is_final {
            return Ok(match frame.kind {
                FrameType::Text => NOT_WHOLE.as_bytes().to_vec(),
                _ => Vec::new(),
            });
        }
        let whole = std::mem::take(&mut kept.compressed);
        match deflate.inflate(&whole, MAX_MESSAGE_BYTES) {
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(meaningless(None)),
            Err(why) => Err(SocketThrown::Other(format!(
                "java.lang.RuntimeException: java.util.zip.DataFormatException: {why}"
            ))),
        }
    }

    /// Puts a frame of a message into the result.
    pub(super) fn put(&mut self, frame: &ReadFrame, as_text: bool) {
        match as_text {
            true => {
                self.result.body = frame.text().into_owned().into_bytes();
                self.result.encoding = Some("UTF-8".to_owned());
                self.result.data_type = DataType::Text;
            }
            false => {
                self.result.body.clone_from(&frame.payload);
                self.result.data_type = DataType::Binary;
            }
        }
        let last = frame.is_final.to_string();
        self.user
            .vars
            .set_by_name("websocket.last_frame_final", last.as_str());
    }
}

/// A frame that means nothing, or is too long (none).
fn meaningless(code: Option<u8>) -> SocketThrown {
    let what = match code {
        Some(code) => format!("unsupported frame type: {code}"),
        None => {
            "Frame too large; Java does not support arrays longer than 2147483647 bytes.".to_owned()
        }
    };
    SocketThrown::Other(format!("java.lang.RuntimeException: {what}"))
}
