//! The two ends of a connection, and which connections are followed.

use std::net::{IpAddr, SocketAddr};

use crate::fnv::Fnv;

/// Spreads sums of addresses and ports: odd, near the golden ratio of 2^32.
pub(crate) const SPREAD: u32 = 0x9E37_79B1;
/// From this port on the kernel gives out ports to whoever does not care which (`ip_local_port_range`).
const GIVEN_OUT: u16 = 32_768;
/// Of so many equal parts of all connections a share consists.
const PARTS: u32 = 256;

/// Who called and who was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ends {
    /// The end that called.
    pub client: SocketAddr,
    /// The end that was called.
    pub server: SocketAddr,
}

/// The ends, the lower first; of a loopback with the network namespace that it is of.
pub(crate) type PairKey = (u32, SocketAddr, SocketAddr);

impl Ends {
    /// Those of a packet by their ports: who has one that was given out has called who chose his own. None where both
    /// are of one kind.
    pub(crate) fn by_ports(source: SocketAddr, target: SocketAddr) -> Option<Self> {
        let (client, server) = match [source, target].map(|end| end.port() >= GIVEN_OUT) {
            [true, false] => (source, target),
            [false, true] => (target, source),
            _ => return None,
        };
        Some(Self { client, server })
    }

    /// What a packet of either direction is known by, seen in that network namespace.
    pub(crate) fn key(&self, space: u32) -> PairKey {
        let space = if self.is_loopback() { space } else { 0 };
        match self.client <= self.server {
            true => (space, self.client, self.server),
            false => (space, self.server, self.client),
        }
    }

    /// A number of the connection that is the same on each host that sees it, of 48 bits, so that every reader
    /// of JSON keeps it.
    pub(crate) fn number(&self) -> u64 {
        let mut hash = Fnv::new();
        for end in [self.client, self.server] {
            match end.ip().to_canonical() {
                IpAddr::V4(v4) => hash.add(v4.octets()),
                IpAddr::V6(v6) => hash.add(v6.octets()),
            }
            hash.add(end.port().to_be_bytes());
        }
        hash.value() >> 16
    }

    /// Whether they are of this host's loopback, of which each network namespace has one of its own.
    pub(crate) fn is_loopback(&self) -> bool {
        self.client.ip().is_loopback() && self.server.ip().is_loopback()
    }
}

/// Which share of the connections is followed: whole connections, by their addresses and ports, the
/// same in both directions. The kernel's filter sees it the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowedShare(u32);

impl FollowedShare {
    /// Every connection.
    pub const ALL: Self = Self(PARTS);

    /// Half as many connections, all of them among those of this share; none if there would be
    /// too few.
    #[must_use]
    pub fn halved(self) -> Option<Self> {
        (self.0 > 1).then_some(Self(self.0 / 2))
    }

    /// The share as a number between 0 and 1.
    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / f64::from(PARTS)
    }

    /// Parts of 256.
    pub(crate) fn parts(self) -> u32 {
        self.0
    }

    /// Whether the connection between these ends belongs to it.
    #[must_use]
    pub fn has(self, one: SocketAddr, other: SocketAddr) -> bool {
        part(one, other) < self.0
    }
}

/// The part of all connections that one belongs to, 0 to 255.
fn part(one: SocketAddr, other: SocketAddr) -> u32 {
    let ports = u32::from(one.port()).wrapping_add(u32::from(other.port()));
    let sum = last_word(one.ip())
        .wrapping_add(last_word(other.ip()))
        .wrapping_add(ports);
    sum.wrapping_mul(SPREAD) >> 24
}

fn last_word(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(v4) => u32::from(v4),
        IpAddr::V6(v6) => (u128::from(v6) & 0xffff_ffff) as u32,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_connections_are_their_own_however_addresses_are_written() {
        let ends = |client: &str, server: &str| Ends {
            client: client.parse().unwrap(),
            server: server.parse().unwrap(),
        };
        let plain = ends("10.0.0.5:40000", "10.0.0.9:3306").number();
        let mapped = ends("[::ffff:10.0.0.5]:40000", "[::ffff:10.0.0.9]:3306").number();
        assert_eq!(plain, mapped);
        assert!(plain < 1 << 48);
        let mut all = std::collections::BTreeSet::new();
        for port in 1_024..=u16::MAX {
            let client = SocketAddr::from(([10, 0, 0, 5], port));
            let server = SocketAddr::from(([10, 0, 0, 9], 3_306));
            assert!(all.insert(Ends { client, server }.number()));
        }
    }

    #[test]
    fn a_share_has_its_part_of_neighbouring_ports_and_halves_are_within_it() {
        let server: SocketAddr = "127.0.0.1:80".parse().unwrap();
        let clients = || (30_000..60_000).map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let mut share = FollowedShare::ALL;
        assert_eq!(
            clients().filter(|one| share.has(*one, server)).count(),
            30_000
        );
        while let Some(half) = share.halved() {
            let inside = clients().filter(|one| half.has(*one, server));
            assert!(inside.clone().all(|one| share.has(server, one)));
            let wanted = 30_000.0 * half.number();
            let count = inside.count() as f64;
            assert!(
                (count - wanted).abs() < 0.02 * wanted + 2.0,
                "{count} of {wanted}"
            );
            share = half;
        }
        assert_eq!(share.number(), 1.0 / 256.0);
    }
}
