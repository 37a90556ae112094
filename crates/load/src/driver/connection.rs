//! An open connection: bytes in both directions, by TLS where the plan says so.
//!
//! What is written is taken here and sent later at the latest ([`Connection::poll_flush`]); what
//! came is handed on piece by piece ([`Connection::deliver`]). What the bytes mean is the
//! protocols' affair.

use std::io;
use std::task::{Context, Poll, ready};

use super::inbox::{Ask, Inbox, Received};
use super::session::{TlsEnding, TlsSession};
use super::stream::Stream;

/// An open connection.
pub struct Connection {
    stream: Stream,
    tls: Option<Box<TlsSession>>,
}

/// What bytes from the wire brought.
#[derive(Debug)]
pub struct Delivery {
    /// Bytes that were handed on; 0: only TLS's own messages came, or the end.
    pub bytes: u64,
    /// What is known of what follows, or why nothing can.
    pub then: io::Result<StreamState>,
}

/// What is known of the bytes that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// More may come.
    Open,
    /// The other side sends no more.
    Ended,
}

impl Connection {
    /// A connection over a stream, with TLS whose handshake is done.
    #[must_use]
    pub fn new(stream: Stream, tls: Option<TlsSession>) -> Self {
        Self {
            stream,
            tls: tls.map(Box::new),
        }
    }

    /// Whether it must not be used any more though nothing was expected: the other side closed it, or sent what
    /// nobody asked for. TLS's own messages (tickets, new keys) are none of that.
    pub fn is_stale(&mut self) -> bool {
        let Some(tls) = &mut self.tls else {
            return self.stream.is_stale();
        };
        if tls.holds_plaintext() || tls.ending() != TlsEnding::Open {
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
                    if fed.is_err() || !asked_for || tls.ending() != TlsEnding::Open {
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

    /// Reads from the wire what is there, for [`Connection::deliver`]. No bytes: `deliver` knows
    /// what that means.
    #[inline]
    pub fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        inbox: &mut Inbox,
        ask: Ask,
    ) -> Poll<io::Result<Received>> {
        if let Some(tls) = &mut self.tls
            && (tls.holds_plaintext() || tls.ending() != TlsEnding::Open)
        {
            return Poll::Ready(Ok(Received::NOTHING));
        }
        let room = inbox.room(ask.most);
        if ask.timed {
            return self.stream.poll_read_timed(cx, room);
        }
        let bytes = ready!(self.stream.poll_read(cx, room))?;
        Poll::Ready(Ok(Received {
            bytes,
            kernel_lag_ns: None,
        }))
    }

    /// Hands on what [`Connection::poll_receive`] brought, decrypted, in pieces.
    #[inline]
    pub fn deliver(
        &mut self,
        inbox: &Inbox,
        received: Received,
        take: &mut impl FnMut(&[u8]),
    ) -> Delivery {
        let wire = inbox.bytes(received);
        let Some(tls) = &mut self.tls else {
            let then = match wire {
                [] => StreamState::Ended,
                _ => {
                    take(wire);
                    StreamState::Open
                }
            };
            return Delivery {
                bytes: wire.len() as u64,
                then: Ok(then),
            };
        };
        let mut bytes = 0;
        let fed = tls.feed(wire, &mut |piece| {
            bytes += piece.len() as u64;
            take(piece);
        });
        if tls.wants_write() {
            // Key updates and the like; what does not fit goes with what is written next.
            let _ = tls.send(&mut self.stream.writer());
        }
        let is_end = wire.is_empty() && bytes == 0;
        if is_end {
            tls.end_of_wire();
        }
        let then = fed.map(|()| match is_end || tls.ending() != TlsEnding::Open {
            true => StreamState::Ended,
            false => StreamState::Open,
        });
        Delivery { bytes, then }
    }
}
