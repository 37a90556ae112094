//! A connection of a simulated world.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::network::Network;
use super::script::{Act, Deed, Peer};
use crate::clock::Nanos;
use crate::driver::inbox::Received;

/// The client's end of a connection. What a peer says in one piece is read in one piece, if there
/// is room for it, and never with the next.
pub struct SimulatedStream {
    network: Rc<Network>,
    pipe: Rc<RefCell<Pipe>>,
}

impl std::fmt::Debug for SimulatedStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SimulatedStream")
    }
}

/// A connection.
pub(super) struct Pipe {
    peer: Box<dyn Peer>,
    /// What came and was not read: when, the piece, and how much of it was read.
    came: VecDeque<(Nanos, Vec<u8>, usize)>,
    /// The peer says no more.
    said_all: bool,
    /// The peer hears no more.
    deaf: bool,
    cut_off: bool,
    /// The peer takes nothing now.
    full: bool,
    left: bool,
    /// When the last of what the peer does is done.
    last_ns: Nanos,
    reads: Option<Waker>,
    writes: Option<Waker>,
}

impl Pipe {
    /// What the peer does about bytes.
    pub fn heard(&mut self, bytes: &[u8], at_ns: Nanos) -> Vec<Act> {
        if self.cut_off {
            return Vec::new();
        }
        if self.deaf {
            return vec![Act::after(0, Deed::Reset)];
        }
        self.peer.hear(bytes, at_ns)
    }

    /// When something is done that follows all that is done already.
    pub fn in_order(&mut self, at_ns: Nanos) -> Nanos {
        self.last_ns = self.last_ns.max(at_ns);
        self.last_ns
    }

    /// The peer did something.
    pub fn done(&mut self, deed: Deed, at_ns: Nanos) {
        match deed {
            Deed::Say(bytes) if self.left || self.said_all || self.cut_off => drop(bytes),
            Deed::Say(bytes) => self.came.push_back((at_ns, bytes, 0)),
            Deed::HalfClose => self.said_all = true,
            Deed::Close => (self.said_all, self.deaf) = (true, true),
            Deed::Reset => {
                self.cut_off = true;
                self.has_room();
            }
        }
        if let Some(reader) = self.reads.take() {
            reader.wake();
        }
    }

    /// The peer takes more.
    pub fn has_room(&mut self) {
        self.full = false;
        if let Some(writer) = self.writes.take() {
            writer.wake();
        }
    }

    fn is_readable(&self) -> bool {
        !self.came.is_empty() || self.cut_off || self.said_all
    }

    fn read(&mut self, buffer: &mut [u8], now_ns: Nanos) -> io::Result<Received> {
        let Some((came_ns, piece, read)) = self.came.front_mut() else {
            return match (self.cut_off, self.said_all) {
                (true, _) => Err(io::Error::from_raw_os_error(libc::ECONNRESET)),
                (false, true) => Ok(Received::NOTHING),
                (false, false) => Err(io::ErrorKind::WouldBlock.into()),
            };
        };
        let rest = &piece[*read..];
        let bytes = buffer.len().min(rest.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        *read += bytes;
        let kernel_lag_ns = Some(now_ns.saturating_sub(*came_ns));
        if *read == piece.len() {
            self.came.pop_front();
        }
        Ok(Received {
            bytes,
            kernel_lag_ns,
        })
    }
}

impl SimulatedStream {
    pub(super) fn new(network: &Rc<Network>, peer: Box<dyn Peer>) -> Self {
        let pipe = Pipe {
            peer,
            came: VecDeque::new(),
            said_all: false,
            deaf: false,
            cut_off: false,
            full: false,
            left: false,
            last_ns: 0,
            reads: None,
            writes: None,
        };
        Self {
            network: Rc::clone(network),
            pipe: Rc::new(RefCell::new(pipe)),
        }
    }

    /// As a socket's.
    ///
    /// # Errors
    /// As a socket's.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut pipe = self.pipe.borrow_mut();
        if pipe.cut_off {
            return Err(io::Error::from_raw_os_error(libc::ECONNRESET));
        }
        if pipe.full {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let (room, after_ns) = pipe.peer.room(bytes.len());
        let taken = room.min(bytes.len());
        if taken < bytes.len() {
            pipe.full = true;
            self.network.will_have_room(&self.pipe, after_ns);
        }
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.network.will_hear(&self.pipe, bytes[..taken].to_vec());
        Ok(taken)
    }

    /// As a socket's.
    ///
    /// # Errors
    /// As a socket's.
    pub fn try_write_vectored(&self, pieces: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let all: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
        self.try_write(&all)
    }

    /// As a socket's.
    ///
    /// # Errors
    /// As a socket's.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.pipe.borrow_mut().read(buffer, self.network.now_ns());
        read.map(|received| received.bytes)
    }

    /// As a socket's.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut pipe = self.pipe.borrow_mut();
        if pipe.is_readable() {
            return Poll::Ready(Ok(()));
        }
        pipe.reads = Some(cx.waker().clone());
        Poll::Pending
    }

    /// As a socket's.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut pipe = self.pipe.borrow_mut();
        if !pipe.full {
            return Poll::Ready(Ok(()));
        }
        pipe.writes = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Reads, with the time at which it came.
    pub fn poll_receive(
        &self,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<Received>> {
        std::task::ready!(self.poll_read_ready(cx))?;
        Poll::Ready(self.pipe.borrow_mut().read(buffer, self.network.now_ns()))
    }
}

impl Drop for SimulatedStream {
    fn drop(&mut self) {
        let mut pipe = self.pipe.borrow_mut();
        pipe.left = true;
        pipe.peer.left(self.network.now_ns());
    }
}
