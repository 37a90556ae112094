//! An open connection: bytes in both directions, by TLS where the plan says so, and the reader
//! of its responses.

use std::io;
use std::task::{Context, Poll, ready};

use super::session::{Ending, Session};
use super::stream::{Received, Stream};
use crate::failure::Failure;
use crate::http1::{Progress, ReadError, ResponseReader, Sink};

/// An open connection with the reader of its responses.
pub struct Connection {
    stream: Stream,
    tls: Option<Box<Session>>,
    /// Reads the responses.
    pub reader: ResponseReader,
}

/// What bytes from the wire brought.
#[derive(Debug)]
pub struct Taken {
    /// Bytes of HTTP; 0: only TLS's own messages came, or the end.
    pub bytes: u64,
    /// The state of the response.
    pub response: Result<State, Failure>,
}

/// How far a response has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// More is to come.
    Partial,
    /// It is complete.
    Whole {
        /// Another request may be sent on the connection.
        keep_alive: bool,
    },
}

impl Taken {
    fn nothing() -> Self {
        Self {
            bytes: 0,
            response: Ok(State::Partial),
        }
    }

    fn feed<S: Sink + ?Sized>(&mut self, reader: &mut ResponseReader, piece: &[u8], sink: &mut S) {
        self.bytes += piece.len() as u64;
        match &mut self.response {
            Ok(State::Partial) => self.response = state(reader.feed(piece, sink), piece.len()),
            // Bytes beyond the response were not asked for: what follows cannot be trusted.
            Ok(State::Whole { keep_alive }) => *keep_alive = false,
            Err(_) => {}
        }
    }
}

fn state(progress: Result<Progress, ReadError>, given: usize) -> Result<State, Failure> {
    match progress {
        Ok(Progress::NeedMore) => Ok(State::Partial),
        Ok(Progress::Done {
            consumed,
            keep_alive,
        }) => Ok(State::Whole {
            keep_alive: keep_alive && consumed == given,
        }),
        Ok(Progress::Upgraded { .. }) => Ok(State::Whole { keep_alive: false }),
        Err(error) => Err(Failure::new(error.kind(), error.to_string())),
    }
}

impl Connection {
    pub(super) fn new(stream: Stream, tls: Option<Session>) -> Self {
        Self {
            stream,
            tls: tls.map(Box::new),
            reader: ResponseReader::new(),
        }
    }

    /// Whether it must not be used for another request: the other side closed it, or sent what
    /// nobody asked for. TLS's own messages (tickets, new keys) are none of that.
    pub fn is_stale(&mut self) -> bool {
        let Some(tls) = &mut self.tls else {
            return self.stream.is_stale();
        };
        if tls.holds_plaintext() || tls.ending() != Ending::Open {
            return true;
        }
        if !self.stream.is_readable() {
            return false;
        }
        let mut wire = [0; 4096];
        loop {
            match self.stream.try_read(&mut wire) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Ok(bytes @ 1..) => {
                    let mut asked_for = true;
                    let fed = tls.feed(&wire[..bytes], &mut |_| asked_for = false);
                    if fed.is_err() || !asked_for || tls.ending() != Ending::Open {
                        return true;
                    }
                }
                _ => return true,
            }
        }
    }

    /// Writes what fits now. With TLS what is taken may wait to be sent: see
    /// [`Connection::poll_flush`].
    ///
    /// # Errors
    /// `WouldBlock` when nothing fits; else as the system says.
    #[inline]
    pub fn try_write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else {
            return self.stream.try_write(bytes);
        };
        let taken = tls.write(bytes)?;
        match tls.send(&mut self.stream.writer()) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(taken),
        }
    }

    /// Ready when the socket takes more.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll_write_ready(cx)
    }

    /// Sends what TLS holds back; ready when nothing is left.
    pub fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(tls) = &mut self.tls else {
            return Poll::Ready(Ok(()));
        };
        while tls.wants_write() {
            match tls.send(&mut self.stream.writer()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_write_ready(cx))?;
                }
                result => result?,
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Whether TLS holds bytes back.
    #[must_use]
    pub fn wants_flush(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }

    /// Reads from the wire what is there, for [`Connection::take`]; `timed` asks for the
    /// kernel's receive time. No bytes: `take` knows what that means.
    #[inline]
    pub fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        wire: &mut [u8],
        timed: bool,
    ) -> Poll<io::Result<Received>> {
        if let Some(tls) = &mut self.tls
            && (tls.holds_plaintext() || tls.ending() != Ending::Open)
        {
            return Poll::Ready(Ok(Received::NOTHING));
        }
        if timed {
            return self.stream.poll_read_timed(cx, wire);
        }
        let bytes = ready!(self.stream.poll_read(cx, wire))?;
        Poll::Ready(Ok(Received {
            bytes,
            kernel_lag_ns: None,
        }))
    }

    /// Gives to the reader what [`Connection::poll_receive`] brought.
    #[inline]
    pub fn take<S: Sink + ?Sized>(&mut self, wire: &[u8], sink: &mut S) -> Taken {
        let mut taken = Taken::nothing();
        let Some(tls) = &mut self.tls else {
            if wire.is_empty() {
                taken.response = state(self.reader.end_of_stream(sink), 0);
            } else {
                taken.feed(&mut self.reader, wire, sink);
            }
            return taken;
        };
        let reader = &mut self.reader;
        let fed = tls.feed(wire, &mut |piece| taken.feed(reader, piece, sink));
        if tls.wants_write() {
            // Key updates and the like; what does not fit goes with the next request.
            let _ = tls.send(&mut self.stream.writer());
        }
        match (&mut taken.response, fed) {
            (Ok(State::Partial), Err(error)) => taken.response = Err(Failure::talking(&error)),
            (Ok(State::Partial), Ok(())) if wire.is_empty() && taken.bytes == 0 => {
                tls.end_of_wire();
                // Whether with TLS's goodbye or without: many servers say none, and HTTP's own
                // framing tells where a body was cut short. So do curl and browsers take it.
                taken.response = state(reader.end_of_stream(sink), 0);
            }
            (Ok(State::Whole { keep_alive }), fed) => {
                *keep_alive &= fed.is_ok() && tls.ending() == Ending::Open;
            }
            _ => {}
        }
        taken
    }
}
