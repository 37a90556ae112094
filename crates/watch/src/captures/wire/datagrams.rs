//! Who holds sockets for datagrams. One may be connected, as those of most resolvers are, or take from and
//! send to anybody; a resolver often has one for each question.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::proc::Pid;
use crate::proc::find::spaces;
use crate::sockets::{NetSpace, Sockets, TcpSocket, TcpState};

/// A network namespace, the own end of a socket, and the other.
pub(super) type DatagramEnds = (u32, SocketAddr, SocketAddr);

/// The states that sockets for datagrams have: connected, and not.
fn states() -> u32 {
    TcpState::Established.bit() | TcpState::Closed.bit()
}

/// The owners, as far as they were seen: of those of our own network namespace.
#[derive(Default)]
pub(super) struct DatagramOwners(HashMap<DatagramEnds, Pid>);

/// Everybody, in that family.
fn anybody(like: SocketAddr) -> [SocketAddr; 2] {
    let all = match like.ip() {
        IpAddr::V4(_) => [
            IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        ],
        IpAddr::V6(_) => [
            IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        ],
    };
    all.map(|address| SocketAddr::new(address, 0))
}

impl DatagramOwners {
    /// All sockets of our own network namespace, with their numbers.
    pub(super) fn sockets() -> Vec<(DatagramEnds, u64)> {
        let own = spaces()
            .into_iter()
            .find(|space| space.known_by().is_none());
        let mut all = Vec::new();
        let visit = &mut |socket: TcpSocket| all.push((ends(&socket), socket.inode));
        // A kernel that does not tell of them tells of no datagrams' owners.
        let _ = Sockets::datagrams(own.unwrap_or_else(NetSpace::own)).each(states(), visit);
        all.retain(|(_, inode)| *inode != 0);
        all
    }

    /// Those that were not seen before, by their numbers.
    pub(super) fn fresh(&self, sockets: &mut Sockets) -> HashMap<u64, DatagramEnds> {
        let mut fresh = HashMap::new();
        // What cannot be read now may be at the next look.
        let _ = sockets.each(states(), &mut |socket: TcpSocket| {
            let ends = ends(&socket);
            if socket.inode != 0 && !self.0.contains_key(&ends) {
                fresh.insert(socket.inode, ends);
            }
        });
        fresh
    }

    pub(super) fn insert(&mut self, ends: DatagramEnds, owner: Pid) {
        self.0.insert(ends, owner);
    }

    /// Who has the end `own` of an exchange with `other`.
    pub(super) fn owner(&self, space: u32, own: SocketAddr, other: SocketAddr) -> Option<Pid> {
        let space = if own.ip().is_loopback() { space } else { 0 };
        let nobody = anybody(own);
        let bound = |local: SocketAddr| nobody.map(|remote| (space, local, remote));
        let everywhere = nobody.map(|any| SocketAddr::new(any.ip(), own.port()));
        let places = [(space, own, other)].into_iter().chain(bound(own));
        let mut places = places.chain(everywhere.into_iter().flat_map(bound));
        places.find_map(|place| self.0.get(&place).copied())
    }
}

fn ends(socket: &TcpSocket) -> DatagramEnds {
    (0, socket.local, socket.remote)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_known_whether_its_socket_is_connected_bound_or_takes_from_anybody() {
        let at = |text: &str| -> SocketAddr { text.parse().unwrap() };
        let mut owners = DatagramOwners::default();
        owners.insert((0, at("127.0.0.1:40000"), at("127.0.0.1:53")), 7);
        owners.insert((0, at("0.0.0.0:53"), at("0.0.0.0:0")), 8);
        owners.insert((0, at("[::]:5353"), at("[::]:0")), 9);
        let owner = |own: &str, other: &str| owners.owner(0, at(own), at(other));
        assert_eq!(owner("127.0.0.1:40000", "127.0.0.1:53"), Some(7));
        assert_eq!(owner("127.0.0.1:53", "127.0.0.1:40000"), Some(8));
        assert_eq!(owner("10.0.0.1:5353", "10.0.0.9:40000"), Some(9));
        assert_eq!(owner("127.0.0.1:40000", "127.0.0.1:54"), None);
        // The loopback of another namespace is another.
        assert_eq!(
            owners.owner(3, at("127.0.0.1:53"), at("127.0.0.1:40000")),
            None
        );
    }
}
