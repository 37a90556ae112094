//! The rings of packets: our own network namespace's, and those of others in which somebody has sockets.

use std::io;
use std::time::Duration;

use plimsoll_wire::{FollowedShare, Ring, RingSize, SeenPacket, WireSpaces};

use super::owners::SocketOwners;

/// So many other network namespaces are looked into, those with the most sockets.
const MAX_SPACES: usize = 15;

/// A ring for each network namespace.
pub(super) struct Rings {
    own: Ring,
    others: Vec<Ring>,
    spaces: Option<WireSpaces>,
}

impl Rings {
    /// Opens them: one in a namespace is opened by a thread that enters it for that and ends.
    ///
    /// # Errors
    /// Our own is refused; without it nothing is looked at.
    pub(super) fn open(owners: &SocketOwners) -> io::Result<Self> {
        let own = Ring::open(FollowedShare::ALL, RingSize::LARGE, 0)?;
        let spaces = owners.spaces();
        let mut told = WireSpaces {
            left_out: spaces.len().saturating_sub(MAX_SPACES) as u64,
            ..WireSpaces::default()
        };
        let mut others = Vec::new();
        for (number, space) in spaces.iter().take(MAX_SPACES) {
            let open = || Ring::open(FollowedShare::ALL, RingSize::SMALL, *number);
            match space.inside(open).and_then(|opened| opened) {
                Ok(ring) => others.push(ring),
                Err(_) => told.refused += 1,
            }
        }
        told.entered = others.len() as u64;
        Ok(Self {
            own,
            others,
            spaces: (!spaces.is_empty()).then_some(told),
        })
    }

    /// Other namespaces, if there are any.
    pub(super) fn spaces(&self) -> Option<WireSpaces> {
        self.spaces
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Ring> {
        std::iter::once(&mut self.own).chain(&mut self.others)
    }

    /// Hands on the packets there are; waits for those of our own namespace. A packet that waits longer
    /// than that in another one waits for as long as a block takes to be handed over, too.
    pub(super) fn read(
        &mut self,
        patience: Duration,
        mut each: impl FnMut(SeenPacket<'_>),
    ) -> io::Result<()> {
        self.own.read_all(patience, &mut each)?;
        for ring in &mut self.others {
            ring.read_all(Duration::ZERO, &mut each)?;
        }
        Ok(())
    }

    /// Takes in another share of all connections from now on.
    pub(super) fn set_share(&mut self, share: FollowedShare) -> io::Result<()> {
        self.each().try_for_each(|ring| ring.set_share(share))
    }

    /// Packets for which there was no room.
    pub(super) fn dropped(&mut self) -> u64 {
        self.each().map(|ring| ring.counts().dropped).sum()
    }

    /// How long what comes in may lie before it can be read.
    pub(super) fn delay(&self) -> Duration {
        self.own.delay()
    }
}
