//! A connection on which HTTP/1.1 is spoken: the driver's bytes, and the reader of responses.

use crate::driver::{Connection, Inbox, Received, StreamState};
use crate::failure::Failure;
use crate::http1::{Limits, Progress, ReadError, RequestMethod, ResponseReader, Sink};

/// An open connection with the reader of its responses.
pub struct HttpConnection {
    /// Its bytes.
    pub wire: Connection,
    reader: ResponseReader,
    /// What came behind the head of a response after which another protocol is spoken.
    behind: Vec<u8>,
}

/// What a read brought of a response.
#[derive(Debug)]
pub struct ResponsePart {
    /// Bytes of HTTP; 0: only TLS's own messages came, or the end.
    pub bytes: u64,
    /// How far the response has come.
    pub state: Result<ResponseState, Failure>,
}

/// How far a response has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseState {
    /// More is to come.
    Partial,
    /// It is complete.
    Whole {
        /// Another request may be sent on the connection.
        keep_alive: bool,
    },
    /// It is complete, and another protocol is spoken from here on: see
    /// [`HttpConnection::into_upgraded`].
    Upgraded,
}

impl HttpConnection {
    /// A connection on which nothing was said yet.
    #[must_use]
    pub fn new(wire: Connection) -> Self {
        Self {
            wire,
            reader: ResponseReader::new(),
            behind: Vec::new(),
        }
    }

    /// Expects the response to a request that is being sent.
    #[inline]
    pub fn start(&mut self, method: RequestMethod, limits: &Limits) {
        self.reader.start(method, limits);
    }

    /// Gives to the reader what [`Connection::poll_receive`] brought.
    #[inline]
    pub fn take<S: Sink + ?Sized>(
        &mut self,
        inbox: &Inbox,
        received: Received,
        sink: &mut S,
    ) -> ResponsePart {
        let (reader, behind) = (&mut self.reader, &mut self.behind);
        let mut state = Ok(ResponseState::Partial);
        let delivery = self.wire.deliver(inbox, received, &mut |piece| {
            read(reader, behind, &mut state, piece, sink);
        });
        match (&mut state, delivery.then) {
            (Ok(ResponseState::Partial), Err(error)) => state = Err(Failure::talking(&error)),
            // Whether with TLS's goodbye or without: many servers say none, and HTTP's own
            // framing tells where a body was cut short. So do curl and browsers take it.
            (Ok(ResponseState::Partial), Ok(StreamState::Ended)) => {
                state = state_of(&reader.end_of_stream(sink), 0);
            }
            (Ok(ResponseState::Whole { keep_alive }), then) => {
                *keep_alive &= matches!(then, Ok(StreamState::Open));
            }
            _ => {}
        }
        ResponsePart {
            bytes: delivery.bytes,
            state,
        }
    }

    /// The connection for another protocol, and what came of that with the response.
    #[must_use]
    pub fn into_upgraded(self) -> (Connection, Vec<u8>) {
        (self.wire, self.behind)
    }
}

#[inline]
fn read<S: Sink + ?Sized>(
    reader: &mut ResponseReader,
    behind: &mut Vec<u8>,
    state: &mut Result<ResponseState, Failure>,
    piece: &[u8],
    sink: &mut S,
) {
    match state {
        Ok(ResponseState::Partial) => {
            let progress = reader.feed(piece, sink);
            if let Ok(Progress::Upgraded { consumed }) = progress {
                behind.extend_from_slice(&piece[consumed..]);
            }
            *state = state_of(&progress, piece.len());
        }
        // Bytes beyond the response were not asked for: what follows cannot be trusted.
        Ok(ResponseState::Whole { keep_alive }) => *keep_alive = false,
        Ok(ResponseState::Upgraded) => behind.extend_from_slice(piece),
        Err(_) => {}
    }
}

fn state_of(
    progress: &Result<Progress, ReadError>,
    given: usize,
) -> Result<ResponseState, Failure> {
    match progress {
        Ok(Progress::NeedMore) => Ok(ResponseState::Partial),
        Ok(Progress::Done {
            consumed,
            keep_alive,
        }) => Ok(ResponseState::Whole {
            keep_alive: *keep_alive && *consumed == given,
        }),
        Ok(Progress::Upgraded { .. }) => Ok(ResponseState::Upgraded),
        Err(error) => Err(Failure::new(error.kind(), error.to_string())),
    }
}
