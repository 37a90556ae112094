//! The state machine that reads one response at a time.

use std::mem::{MaybeUninit, take};

use super::chunked::{Chunked, Room};
use super::error::ReadError;
use super::head::{Framing, Head, facts};
use super::parse::{
    STATUS_AT, USUAL_HEADERS, explain, head_end, mistake, parse_again_at, parser, raw_reason,
};
use super::response::{Progress, RequestMethod, ResponseLimits, Sink};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    Idle,
    Head,
    Sized {
        left: u64,
    },
    Chunked(Chunked),
    UntilClose,
    /// The response ends with its head.
    Bodyless,
    Upgraded,
}

/// Reads responses, one after the other, from pieces of any size.
///
/// A response that arrives in one piece is neither copied nor allocated for;
/// only an incomplete head is saved. After an error, or when it is idle, the
/// reader holds no memory.
///
/// ```
/// use plimsoll_load::kit::http1::{Head, ResponseLimits, Progress, RequestMethod, ResponseReader, Sink};
///
/// #[derive(Default)]
/// struct Seen(u16, Vec<u8>);
/// impl Sink for Seen {
///     fn head(&mut self, head: &Head<'_>) { self.0 = head.status }
///     fn body(&mut self, piece: &[u8]) { self.1.extend_from_slice(piece) }
/// }
///
/// let mut reader = ResponseReader::new();
/// let mut seen = Seen::default();
/// reader.start(RequestMethod::Other, &ResponseLimits::default());
/// let first = reader.feed(b"HTTP/1.1 200 OK\r\nContent-Le", &mut seen);
/// assert_eq!(first, Ok(Progress::NeedMore));
/// let second = reader.feed(b"ngth: 2\r\n\r\nhi", &mut seen);
/// assert_eq!(second, Ok(Progress::Done { consumed: 13, keep_alive: true }));
/// assert_eq!((seen.0, &seen.1[..]), (200, &b"hi"[..]));
/// ```
#[derive(Debug)]
pub struct ResponseReader {
    /// The beginning of a head that is not complete yet.
    saved: Vec<u8>,
    /// Length of `saved` at which it is worth parsing again.
    parse_again_at: usize,
    limits: ResponseLimits,
    state: ReaderState,
    /// Bytes of header sections that are done with.
    head_used: usize,
    /// Body bytes read; with chunks, announced.
    body: u64,
    /// Bytes of the response that are done with (not those in `saved`).
    offset: u64,
    method: RequestMethod,
    keep_alive: bool,
    started: bool,
}

impl Default for ResponseReader {
    fn default() -> Self {
        Self::new()
    }
}

impl ResponseReader {
    /// An idle reader.
    pub fn new() -> Self {
        Self {
            saved: Vec::new(),
            parse_again_at: 0,
            limits: ResponseLimits::default(),
            state: ReaderState::Idle,
            head_used: 0,
            body: 0,
            offset: 0,
            method: RequestMethod::Other,
            keep_alive: false,
            started: false,
        }
    }

    /// Expects the response to a request that is being sent.
    pub fn start(&mut self, method: RequestMethod, limits: &ResponseLimits) {
        self.saved = Vec::new();
        self.limits = *limits;
        self.state = ReaderState::Head;
        self.head_used = 0;
        self.body = 0;
        self.offset = 0;
        self.method = method;
        self.keep_alive = false;
        self.started = false;
    }

    /// Whether any byte of the response has been seen.
    pub fn started(&self) -> bool {
        self.started
    }

    /// Whether no response is expected.
    pub fn is_idle(&self) -> bool {
        self.state == ReaderState::Idle
    }

    /// Takes bytes that arrived. An idle reader takes none of them and reports
    /// a finished response on a connection that must not be used again.
    ///
    /// # Errors
    /// If the bytes are not an HTTP/1.x response or exceed a limit. The reader
    /// is idle then.
    pub fn feed<S: Sink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<Progress, ReadError> {
        self.started |= !input.is_empty();
        let result = self.advance(input, sink);
        if result.is_err() {
            self.rest();
        }
        result
    }

    /// Says that the server closed its side.
    ///
    /// # Errors
    /// If the response was not complete. A body without a stated length is
    /// complete by this.
    pub fn end_of_stream<S: Sink + ?Sized>(&mut self, sink: &mut S) -> Result<Progress, ReadError> {
        let _ = sink;
        let state = self.state;
        let saved = take(&mut self.saved);
        self.rest();
        match state {
            ReaderState::Idle
            | ReaderState::UntilClose
            | ReaderState::Bodyless
            | ReaderState::Upgraded => Ok(Progress::Done {
                consumed: 0,
                keep_alive: false,
            }),
            ReaderState::Head if !self.started => Err(ReadError::ClosedBeforeResponse),
            ReaderState::Head => Err(mistake(&saved, self.limits.headers)
                .map_or(ReadError::ClosedInHead, |error| self.explain(error, &saved))),
            ReaderState::Sized { left } => Err(ReadError::ClosedInBody {
                received: self.body,
                expected: Some(self.body.saturating_add(left)),
            }),
            ReaderState::Chunked(chunked) => Err(ReadError::ClosedInBody {
                received: self.body - chunked.missing(),
                expected: None,
            }),
        }
    }

    fn rest(&mut self) {
        self.state = ReaderState::Idle;
        self.saved = Vec::new();
    }

    fn advance<S: Sink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<Progress, ReadError> {
        let mut at = 0;
        loop {
            let rest = &input[at..];
            match self.state {
                ReaderState::Head => match self.read_head(rest, sink)? {
                    Some(taken) => at += taken,
                    None => return Ok(Progress::NeedMore),
                },
                ReaderState::Sized { left } => {
                    let taken = self.read_sized(left, rest, sink);
                    if taken < left {
                        return Ok(Progress::NeedMore);
                    }
                    // `taken` is at most the length of `rest`.
                    return Ok(self.done(at + taken as usize));
                }
                ReaderState::Chunked(chunked) => {
                    let (taken, ended) = self.read_chunked(chunked, rest, sink)?;
                    if !ended {
                        return Ok(Progress::NeedMore);
                    }
                    return Ok(self.done(at + taken));
                }
                ReaderState::UntilClose => {
                    self.read_until_close(rest, sink)?;
                    return Ok(Progress::NeedMore);
                }
                ReaderState::Bodyless => return Ok(self.done(at)),
                ReaderState::Upgraded => {
                    self.rest();
                    return Ok(Progress::Upgraded { consumed: at });
                }
                ReaderState::Idle => {
                    return Ok(Progress::Done {
                        consumed: 0,
                        keep_alive: false,
                    });
                }
            }
        }
    }

    fn done(&mut self, consumed: usize) -> Progress {
        self.rest();
        Progress::Done {
            consumed,
            keep_alive: self.keep_alive,
        }
    }

    fn read_sized<S: Sink + ?Sized>(&mut self, left: u64, input: &[u8], sink: &mut S) -> u64 {
        let taken = left.min(input.len() as u64);
        if taken > 0 {
            sink.body(&input[..taken as usize]);
            self.body += taken;
        }
        self.state = ReaderState::Sized { left: left - taken };
        taken
    }

    fn read_chunked<S: Sink + ?Sized>(
        &mut self,
        mut chunked: Chunked,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(usize, bool), ReadError> {
        let mut room = Room {
            head_used: &mut self.head_used,
            head_limit: self.limits.head_bytes,
            body: &mut self.body,
            body_limit: self.limits.body_bytes,
            offset: self.offset,
        };
        let (taken, ended) = chunked.advance(input, &mut room, |piece| sink.body(piece))?;
        self.offset += taken as u64;
        self.state = ReaderState::Chunked(chunked);
        Ok((taken, ended))
    }

    fn read_until_close<S: Sink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(), ReadError> {
        let limit = self.limits.body_bytes;
        let taken = (limit - self.body).min(input.len() as u64) as usize;
        if taken > 0 {
            sink.body(&input[..taken]);
            self.body += taken as u64;
        }
        if taken < input.len() {
            return Err(ReadError::BodyLimit { limit });
        }
        Ok(())
    }

    /// Reads a head. Returns the bytes taken, or nothing if all of the input
    /// was taken and the head goes on.
    #[inline]
    fn read_head<S: Sink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<Option<usize>, ReadError> {
        if !self.saved.is_empty() {
            return self.resume_head(input, sink);
        }
        let room = self.limits.head_bytes - self.head_used;
        let window = &input[..input.len().min(room)];
        // Stray line ends before a head are harmless (RFC 9112, 2.2).
        let blank = window
            .iter()
            .take_while(|b| matches!(b, b'\r' | b'\n'))
            .count();
        self.head_used += blank;
        self.offset += blank as u64;
        let head = &window[blank..];
        if !head.is_empty()
            && let Some(taken) = self.parse_head(head, sink)?
        {
            return Ok(Some(blank + taken));
        }
        if window.len() == room {
            return Err(self.head_too_long());
        }
        self.saved.extend_from_slice(head);
        self.parse_again_at = parse_again_at(head.len());
        Ok(None)
    }

    /// Goes on with a head of which a part is saved.
    #[cold]
    fn resume_head<S: Sink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<Option<usize>, ReadError> {
        let room = self.limits.head_bytes - self.head_used - self.saved.len();
        let window = &input[..input.len().min(room)];
        let end = head_end(&self.saved, window);
        let taken = end.unwrap_or(window.len());
        self.saved.extend_from_slice(&window[..taken]);
        let full = taken == room;
        if end.is_some() || full || self.saved.len() >= self.parse_again_at {
            let saved = take(&mut self.saved);
            if let Some(parsed) = self.parse_head(&saved, sink)? {
                debug_assert_eq!(parsed, saved.len());
                return Ok(Some(taken));
            }
            self.parse_again_at = parse_again_at(saved.len());
            self.saved = saved;
        }
        if full {
            return Err(self.head_too_long());
        }
        Ok((taken < input.len()).then_some(taken))
    }

    #[cold]
    fn explain(&self, error: httparse::Error, bytes: &[u8]) -> ReadError {
        explain(error, bytes, self.offset, self.limits.headers)
    }

    #[cold]
    fn head_too_long(&self) -> ReadError {
        ReadError::HeaderLimit {
            limit: self.limits.head_bytes as u64,
            unit: "bytes",
        }
    }

    /// Parses a head that may be incomplete. If it is complete, reports it,
    /// sets the next state and returns its length.
    #[inline]
    fn parse_head<S: Sink + ?Sized>(
        &mut self,
        bytes: &[u8],
        sink: &mut S,
    ) -> Result<Option<usize>, ReadError> {
        let mut slots = [const { MaybeUninit::uninit() }; USUAL_HEADERS];
        let slots = &mut slots[..USUAL_HEADERS.min(self.limits.headers)];
        let mut response = httparse::Response::new(&mut []);
        match parser().parse_response_with_uninit_headers(&mut response, bytes, slots) {
            Ok(httparse::Status::Complete(length)) => {
                self.accept(&response, bytes, length, sink)?;
                Ok(Some(length))
            }
            Ok(httparse::Status::Partial) => Ok(None),
            Err(_) => self.parse_unusual_head(bytes, sink),
        }
    }

    /// The same with as many headers as the limit allows, and with a diagnosis.
    #[cold]
    fn parse_unusual_head<S: Sink + ?Sized>(
        &mut self,
        bytes: &[u8],
        sink: &mut S,
    ) -> Result<Option<usize>, ReadError> {
        let mut slots = vec![MaybeUninit::uninit(); self.limits.headers];
        let mut response = httparse::Response::new(&mut []);
        match parser().parse_response_with_uninit_headers(&mut response, bytes, &mut slots) {
            Ok(httparse::Status::Complete(length)) => {
                self.accept(&response, bytes, length, sink)?;
                Ok(Some(length))
            }
            Ok(httparse::Status::Partial) => Ok(None),
            Err(error) => Err(self.explain(error, bytes)),
        }
    }

    /// Takes a complete head of `length` bytes at the start of `bytes`.
    #[inline]
    fn accept<S: Sink + ?Sized>(
        &mut self,
        response: &httparse::Response<'_, '_>,
        bytes: &[u8],
        length: usize,
        sink: &mut S,
    ) -> Result<(), ReadError> {
        let head = Head {
            version_minor: response.version.unwrap_or(1),
            status: response.code.unwrap_or(0),
            reason: match response.reason {
                Some(reason) if !reason.is_empty() => reason.as_bytes(),
                _ => raw_reason(bytes),
            },
            headers: response.headers,
        };
        let informational = matches!(head.status, 100..=199) && head.status != 101;
        if informational {
            sink.informational(&head);
        } else {
            self.begin_body(&head, bytes, sink)?;
        }
        self.head_used += length;
        self.offset += length as u64;
        Ok(())
    }

    /// Reports the final head and decides where the response ends.
    #[inline]
    fn begin_body<S: Sink + ?Sized>(
        &mut self,
        head: &Head<'_>,
        bytes: &[u8],
        sink: &mut S,
    ) -> Result<(), ReadError> {
        if head.status < 100 {
            return Err(ReadError::malformed(
                "status code below 100",
                self.offset + STATUS_AT as u64,
                bytes,
            ));
        }
        let tunnel = self.method == RequestMethod::Connect && matches!(head.status, 200..=299);
        let bodyless = self.method == RequestMethod::Head || matches!(head.status, 204 | 304);
        let facts = facts(head, bytes, self.offset, !(tunnel || bodyless))?;
        self.keep_alive = facts.keep_alive;
        sink.head(head);
        self.state = match facts.framing {
            _ if tunnel || head.status == 101 => ReaderState::Upgraded,
            _ if bodyless => ReaderState::Bodyless,
            Framing::Length(length) if length > self.limits.body_bytes => {
                return Err(ReadError::BodyLimit {
                    limit: self.limits.body_bytes,
                });
            }
            Framing::Length(0) => ReaderState::Bodyless,
            Framing::Length(left) => ReaderState::Sized { left },
            Framing::Chunked => ReaderState::Chunked(Chunked::new()),
            Framing::UntilClose => ReaderState::UntilClose,
        };
        Ok(())
    }
}
