//! A world in memory, in the place of kernel, network and servers: a driver for tests of what
//! stands above it.
//!
//! Time is virtual: it stands while any task of the load thread can go on, and jumps to the next
//! thing that happens when none can. What happens is the servers' to say ([`Servers`], [`Peer`]):
//! when they take a connection or refuse it, what they say to what they hear, in which pieces and
//! with which delays, where they break off. The same servers and the same seed give the same run.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod http;
mod network;
mod pieces;
mod script;
mod stream;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use http::{HttpPeer, HttpRequest, response};
pub use network::Network;
pub use pieces::{Cut, InPieces};
pub use script::{Act, Admission, Deed, Peer, Servers};
pub use stream::SimulatedStream;
pub use tls::TlsPeer;

use crate::clock::{Clock, Nanos};

type MakeServers = dyn Fn() -> Box<dyn Servers> + Send + Sync;

/// A world: its time, and the servers in it. Copies are the same world.
#[derive(Clone)]
pub struct World {
    time: &'static AtomicU64,
    servers: Arc<MakeServers>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "World at {} ns", self.now_ns())
    }
}

impl World {
    /// A world whose time begins at 0; each phase of a run has servers of its own.
    pub fn new<S: Servers + 'static>(make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Self {
            // Clocks are copied as if they were numbers; a test has few worlds.
            time: Box::leak(Box::default()),
            servers: Arc::new(move || Box::new(make())),
        }
    }

    /// A world of peers that are all alike, each made with the number of its connection, from 0;
    /// connecting takes 0.1 ms.
    pub fn of_peers<P: Peer + 'static>(make: impl Fn(u64) -> P + Send + Sync + 'static) -> Self {
        let make = Arc::new(move |number| Box::new(make(number)) as Box<dyn Peer>);
        Self::new(move || {
            let make = Arc::clone(&make);
            let mut number = 0;
            move |_: std::net::SocketAddr, _: Nanos| {
                number += 1;
                Admission::Taken(100_000, make(number - 1))
            }
        })
    }

    /// A clock that reads 0 now.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock::on(self.time)
    }

    /// The time since the world began.
    #[must_use]
    pub fn now_ns(&self) -> Nanos {
        self.time.load(Ordering::Relaxed)
    }
}
