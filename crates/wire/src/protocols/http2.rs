//! HTTP/2 (and gRPC): frames, whose streams are requests. Heads are not read, since they are packed.

use super::left;
use crate::exchanges::Exchanges;
use crate::protocol::{Guess, Protocol, ReadStop, Speaker, WirePiece, WireReader};

/// The protocol.
pub(crate) static HTTP2: Protocol = Protocol {
    name: "http2",
    guess,
    greets: |_| false,
    open: |whole| Box::new(Http2::new(whole)),
    overlaps: true,
    by_turns: false,
};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEAD_BYTES: usize = 9;
/// Frames are not longer unless both sides agreed on it.
const MAX_FRAME: u32 = 1 << 20;
/// Streams of a connection in the middle of which a look began: more are not plausible.
const MAX_STREAM: u32 = 1 << 24;
const END_STREAM: u8 = 1;

/// Kinds of frames that matter.
mod kind {
    pub(super) const DATA: u8 = 0;
    pub(super) const HEADERS: u8 = 1;
    pub(super) const PRIORITY: u8 = 2;
    pub(super) const RST_STREAM: u8 = 3;
    pub(super) const SETTINGS: u8 = 4;
    pub(super) const PING: u8 = 6;
    pub(super) const GOAWAY: u8 = 7;
    pub(super) const WINDOW_UPDATE: u8 = 8;
    pub(super) const CONTINUATION: u8 = 9;
}

fn guess(bytes: &[u8]) -> Guess {
    let preface = &PREFACE[..bytes.len().min(PREFACE.len())];
    match bytes.starts_with(preface) {
        true if bytes.len() >= 4 => Guess::Yes,
        true => Guess::More,
        false if are_frames(bytes) => Guess::Yes,
        false => Guess::No,
    }
}

/// A frame's head.
#[derive(Clone, Copy)]
struct FrameHead {
    length: u32,
    kind: u8,
    flags: u8,
    stream: u32,
}

impl FrameHead {
    fn read(bytes: &[u8]) -> Option<Self> {
        let head: &[u8; HEAD_BYTES] = bytes.get(..HEAD_BYTES)?.try_into().ok()?;
        Some(Self {
            length: u32::from_be_bytes([0, head[0], head[1], head[2]]),
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
        })
    }

    /// Whether there can be such a frame.
    fn is_plausible(self) -> bool {
        let of_request = self.stream % 2 == 1 && self.stream < MAX_STREAM;
        let of_all = self.stream == 0;
        self.length <= MAX_FRAME
            && match self.kind {
                kind::DATA => of_request && self.flags & !0b1001 == 0,
                kind::HEADERS => of_request && self.length > 0 && self.flags & !0b10_1101 == 0,
                kind::PRIORITY => of_request && self.length == 5,
                kind::RST_STREAM => of_request && self.length == 4,
                kind::SETTINGS => of_all && self.length.is_multiple_of(6) && self.flags <= 1,
                kind::PING => of_all && self.length == 8 && self.flags <= 1,
                kind::GOAWAY => of_all && self.length >= 8,
                kind::WINDOW_UPDATE => (of_all || of_request) && self.length == 4,
                kind::CONTINUATION => of_request && self.flags & !4 == 0,
                _ => false,
            }
    }
}

/// Whether bytes are frames, one behind the other; the last may go on.
fn are_frames(mut bytes: &[u8]) -> bool {
    let mut any = false;
    while let Some(head) = FrameHead::read(bytes) {
        if !head.is_plausible() {
            return false;
        }
        any = true;
        bytes = bytes
            .get(HEAD_BYTES + head.length as usize..)
            .unwrap_or_default();
    }
    any
}

/// What has come of a frame.
enum FrameStep {
    /// Its head; its first byte came at that time.
    Began(FrameHead, u64),
    /// All of it.
    Ended(FrameHead),
}

/// One side's frames.
#[derive(Default)]
struct Http2Frames {
    /// It is known where frames begin.
    in_step: bool,
    /// What is left of the preface.
    preface: usize,
    head: Vec<u8>,
    /// What is left of a frame.
    left: u64,
    /// The frame that is being read.
    current: Option<FrameHead>,
    /// When it began.
    began_ns: u64,
}

impl Http2Frames {
    /// Hands on each frame as its head has come, and as its end has come.
    fn read(
        &mut self,
        mut bytes: &[u8],
        at_ns: u64,
        each: &mut dyn FnMut(FrameStep),
    ) -> Result<(), ReadStop> {
        if !self.in_step {
            if !are_frames(bytes) {
                return Ok(());
            }
            self.in_step = true;
        }
        let skipped = self.preface.min(bytes.len());
        self.preface -= skipped;
        bytes = &bytes[skipped..];
        while !bytes.is_empty() {
            let (skipped, rest) = left::split(bytes, self.left);
            bytes = rest;
            self.skip(skipped.len() as u64, each)?;
            if self.head.is_empty() && !bytes.is_empty() {
                self.began_ns = at_ns;
            }
            let wanted = HEAD_BYTES - self.head.len();
            let taken = wanted.min(bytes.len());
            self.head.extend(&bytes[..taken]);
            bytes = &bytes[taken..];
            if let Some(head) = FrameHead::read(&self.head) {
                self.head.clear();
                if head.length > MAX_FRAME || head.stream >> 31 != 0 {
                    return Err(ReadStop::Lost);
                }
                each(FrameStep::Began(head, self.began_ns));
                self.current = Some(head);
                self.left = u64::from(head.length);
                self.skip(0, each)?;
            }
        }
        Ok(())
    }

    fn skip(&mut self, count: u64, each: &mut dyn FnMut(FrameStep)) -> Result<(), ReadStop> {
        if !self.in_step {
            return Ok(());
        }
        self.left = self.left.checked_sub(count).ok_or(ReadStop::Lost)?;
        if self.left == 0
            && let Some(head) = self.current.take()
        {
            each(FrameStep::Ended(head));
        }
        Ok(())
    }
}

/// One connection.
struct Http2 {
    client: Http2Frames,
    server: Http2Frames,
    /// The last stream that was opened: what comes on earlier ones is no new request.
    last: u32,
}

impl Http2 {
    fn new(whole: bool) -> Self {
        let frames = |preface| Http2Frames {
            in_step: whole,
            preface: if whole { preface } else { 0 },
            ..Http2Frames::default()
        };
        Self {
            client: frames(PREFACE.len()),
            server: frames(0),
            last: 0,
        }
    }
}

impl WireReader for Http2 {
    fn read(
        &mut self,
        speaker: Speaker,
        piece: WirePiece<'_>,
        at_ns: u64,
        exchanges: &mut Exchanges,
    ) -> Result<(), ReadStop> {
        let last = &mut self.last;
        let mut of_client = |step: FrameStep| match step {
            FrameStep::Began(head, began_ns)
                if head.kind == kind::HEADERS && head.stream > *last =>
            {
                *last = head.stream;
                exchanges.asked_as(head.stream, began_ns);
            }
            FrameStep::Ended(head) if head.kind == kind::RST_STREAM => {
                exchanges.dropped(head.stream, at_ns);
            }
            _ => {}
        };
        match (speaker, piece) {
            (Speaker::Client, WirePiece::Seen(bytes)) => {
                self.client.read(bytes, at_ns, &mut of_client)
            }
            (Speaker::Client, WirePiece::Unseen(count)) => self.client.skip(count, &mut of_client),
            (Speaker::Server, piece) => {
                let mut each = |step| of_server(&step, at_ns, exchanges);
                match piece {
                    WirePiece::Seen(bytes) => self.server.read(bytes, at_ns, &mut each),
                    WirePiece::Unseen(count) => self.server.skip(count, &mut each),
                }
            }
        }
    }
}

fn of_server(step: &FrameStep, at_ns: u64, exchanges: &mut Exchanges) {
    let (FrameStep::Began(head, _) | FrameStep::Ended(head)) = step;
    // What a server sends of itself has even numbers.
    if head.stream.is_multiple_of(2) {
        return;
    }
    let responds = matches!(head.kind, kind::HEADERS | kind::DATA);
    match step {
        FrameStep::Began(_, began_ns) if responds => exchanges.began_as(head.stream, *began_ns),
        FrameStep::Ended(_) if responds && head.flags & END_STREAM != 0 => {
            exchanges.ended_as(head.stream, at_ns);
        }
        FrameStep::Ended(_) if head.kind == kind::RST_STREAM => {
            exchanges.dropped(head.stream, at_ns);
        }
        _ => {}
    }
}
