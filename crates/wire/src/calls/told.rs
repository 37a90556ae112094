//! What is told of calls, and of the connections at which they are.

use std::collections::HashMap;

/// A call at one end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketCall {
    /// When it was done, Unix nanoseconds.
    pub at_ns: u64,
    /// What tells the client's and the server's end from all others that are open.
    pub ends: (u64, u64),
    /// The number of the client's socket, as in `/proc/PID/fd`; 0: it is closed.
    pub client: u64,
    /// What tells the name under which the server listens from others.
    pub name: u64,
    /// Who called; 0: not known.
    pub pid: u32,
    /// Whether it was at the server's end.
    pub by_server: bool,
    /// What it did.
    pub did: SocketDid,
    /// Whether more was there to be received at this end.
    pub unread: bool,
}

/// What a call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketDid {
    /// So many bytes were sent.
    Sent(u32),
    /// So many bytes were received; none: the other end sends no more.
    Received(u32),
    /// The other end is gone.
    Broke,
}

/// A connection at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PresentSocket {
    /// Nobody has accepted it.
    pub queued: bool,
    /// Bytes are under way, in whatever direction.
    pub has_bytes: bool,
}

/// The connections that are there before calls are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PresentSockets {
    /// When all of them were known, Unix nanoseconds.
    pub at_ns: u64,
    /// By the numbers of their clients' sockets.
    pub sockets: HashMap<u64, PresentSocket>,
}

/// Whose the ends of a connection may be told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallEnds {
    /// Who called at the client's end; 0: nobody did, or it is not known.
    pub client_pid: u32,
    /// Who did at the server's.
    pub server_pid: u32,
    /// The number of the client's socket; 0: not known.
    pub client: u64,
    /// What tells the server's name from others.
    pub name: u64,
}
