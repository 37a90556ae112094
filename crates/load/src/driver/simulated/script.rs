//! What servers do in a simulated world.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::clock::Nanos;

/// The servers of a world.
pub trait Servers {
    /// Somebody wants to connect at this time of the world.
    fn admit(&mut self, to: SocketAddr, at_ns: Nanos) -> Admission;

    /// The address of a name, and how long it takes to find it; none: there is no such name.
    fn address(&mut self, _name: &str) -> (Nanos, Option<IpAddr>) {
        (1_000_000, Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1))))
    }
}

impl<F: FnMut(SocketAddr, Nanos) -> Admission> Servers for F {
    fn admit(&mut self, to: SocketAddr, at_ns: Nanos) -> Admission {
        self(to, at_ns)
    }
}

/// What becomes of an attempt to connect.
pub enum Admission {
    /// It is connected after this time, to this peer.
    Taken(Nanos, Box<dyn Peer>),
    /// It is refused after this time.
    Refused(Nanos),
    /// Nobody says anything.
    Silence,
}

/// The far end of a connection.
pub trait Peer {
    /// What it does about bytes that came at this time of the world.
    fn hear(&mut self, bytes: &[u8], at_ns: Nanos) -> Vec<Act>;

    /// How many of the bytes that are offered it takes now, and after which time it takes more.
    fn room(&mut self, offered: usize) -> (usize, Nanos) {
        (offered, 0)
    }

    /// The other side has closed the connection.
    fn left(&mut self, _at_ns: Nanos) {}
}

impl Peer for Box<dyn Peer> {
    fn hear(&mut self, bytes: &[u8], at_ns: Nanos) -> Vec<Act> {
        (**self).hear(bytes, at_ns)
    }

    fn room(&mut self, offered: usize) -> (usize, Nanos) {
        (**self).room(offered)
    }

    fn left(&mut self, at_ns: Nanos) {
        (**self).left(at_ns);
    }
}

/// What a peer does, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// After the act before it, or after it heard. At least a microsecond passes on the way.
    pub after_ns: Nanos,
    /// What.
    pub deed: Deed,
}

impl Act {
    /// Does something after a time.
    #[must_use]
    pub fn after(after_ns: Nanos, deed: Deed) -> Self {
        Self { after_ns, deed }
    }
}

/// What a peer may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Says bytes, which come in one piece.
    Say(Vec<u8>),
    /// Says no more, and goes on hearing.
    HalfClose,
    /// Says no more and hears no more: whoever still speaks to it is cut off.
    Close,
    /// Cuts the connection off.
    Reset,
}
