//! A connection on which HTTP/1.1 is spoken: the driver's bytes, and the reader of responses.

use crate::clock::Nanos;
use crate::driver::{Connection, Inbox, Received, StreamState};
use crate::failure::Failure;
use crate::http1::{Progress, ReadError, RequestMethod, ResponseLimits, ResponseReader, Sink};

/// An open connection with the reader of its responses.
pub struct HttpConnection {
    /// Its bytes.
    pub wire: Connection,
    reader: ResponseReader,
    /// What came behind the head of a response after which another protocol is spoken.
    behind: Vec<u8>,
    /// When it was made.
    pub(super) born_ns: Nanos,
    /// Since when it waits for a request.
    pub(super) idle_from_ns: Nanos,
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
    /// A connection on which nothing was said yet, made then.
    #[must_use]
    pub fn new(wire: Connection, born_ns: Nanos) -> Self {
        Self {
            wire,
            reader: ResponseReader::new(),
            behind: Vec::new(),
            born_ns,
            idle_from_ns: born_ns,
        }
    }

    /// Expects the response to a request that is being sent.
    #[inline]
    pub fn start(&mut self, method: RequestMethod, limits: &ResponseLimits) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::future::poll_fn;
    use std::net::{Ipv4Addr, SocketAddr};
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::driver::simulated::{Act, Deed, HttpPeer, InPieces, World};
    use crate::driver::{Ask, Connection, Driver, TcpOptions};
    use crate::http1::Head;

    struct Nothing;

    impl Sink for Nothing {
        fn head(&mut self, _: &Head<'_>) {}
        fn body(&mut self, _: &[u8]) {}
    }

    const ASK: Ask = Ask {
        most: usize::MAX,
        timed: false,
    };

    /// What comes after the response that says another protocol is spoken, in pieces.
    fn said_behind(said: &'static [u8], seed: u64, longest: usize) -> Vec<u8> {
        let world = World::of_peers(move |_| {
            let head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n";
            let all = [head, said].concat();
            let peer = HttpPeer::new(move |_| {
                let deeds = [Deed::Say(all.clone()), Deed::Close];
                deeds.map(|deed| Act::after(0, deed)).into()
            });
            InPieces::new(peer, seed, longest, 1_000_000)
        });
        let driver = Driver::Simulated(world);
        let clock = driver.clock_in(Duration::ZERO);
        let event_loop = driver.event_loop(|| {}).unwrap();
        let dialer = event_loop.dialer(clock, false);
        event_loop.run(async {
            let to = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
            let stream = dialer
                .open_tcp("", to, TcpOptions::default())
                .await
                .unwrap();
            let mut http = HttpConnection::new(Connection::new(stream, None), 0);
            http.start(RequestMethod::Other, &ResponseLimits::default());
            let request = b"GET / HTTP/1.1\r\n\r\n";
            let mut sent = 0;
            while sent < request.len() {
                poll_fn(|cx| http.wire.poll_write_ready(cx)).await.unwrap();
                sent += http.wire.try_write(&request[sent..]).unwrap_or(0);
            }
            let mut inbox = Inbox::default();
            loop {
                let received = poll_fn(|cx| http.wire.poll_receive(cx, &mut inbox, ASK)).await;
                let part = http.take(&inbox, received.unwrap(), &mut Nothing);
                match part.state.unwrap() {
                    ResponseState::Partial => {}
                    ResponseState::Upgraded => break,
                    ResponseState::Whole { .. } => panic!("no other protocol"),
                }
            }
            let (mut wire, mut all) = http.into_upgraded();
            loop {
                let received = poll_fn(|cx| wire.poll_receive(cx, &mut inbox, ASK)).await;
                let received = received.unwrap();
                let mut take = |piece: &[u8]| all.extend_from_slice(piece);
                if wire.deliver(&inbox, received, &mut take).then.unwrap() == StreamState::Ended {
                    return all;
                }
            }
        })
    }

    proptest! {
        #[test]
        fn nothing_is_lost_behind_an_upgrade(seed: u64, longest in 1..120usize) {
            let said = b"first frame and the second";
            prop_assert_eq!(said_behind(said, seed, longest), said);
        }
    }
}
