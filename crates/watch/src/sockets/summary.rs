//! Many sockets in few numbers: by state, by peer, by local port.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};

use super::{TcpSocket, TcpState};

/// The other side of connections, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SocketPeer {
    /// Clients at that address of the port at which this side listens.
    Client(IpAddr, u16),
    /// A server that this side called.
    Server(SocketAddr),
}

/// What is counted in one look.
#[derive(Debug, Default)]
pub(crate) struct SocketSummary {
    /// Ports at which this side listens: they tell who called whom.
    pub(crate) listening: BTreeSet<u16>,
    /// Connections by state, listening sockets too.
    pub(crate) states: BTreeMap<TcpState, u64>,
    /// Connections by peer and state, after [`finish`](Self::finish).
    pub(crate) peers: HashMap<(SocketPeer, TcpState), u64>,
    /// Connections of ports at which nobody listens (any more).
    others: Vec<(u16, SocketAddr, TcpState)>,
    /// Local ports of calls to others, one bit each.
    ports: Vec<u64>,
}

impl SocketSummary {
    /// An empty summary of a side that listens at these ports.
    pub(crate) fn new(listening: BTreeSet<u16>) -> Self {
        Self {
            listening,
            ports: vec![0; 1024],
            ..Self::default()
        }
    }

    /// Counts a socket.
    pub(crate) fn add(&mut self, socket: &TcpSocket) {
        *self.states.entry(socket.state).or_default() += 1;
        if matches!(socket.state, TcpState::Listen | TcpState::Closed) {
            return;
        }
        let port = socket.local.port();
        if self.listening.contains(&port) {
            self.count(SocketPeer::Client(socket.remote.ip(), port), socket.state);
        } else {
            self.others.push((port, socket.remote, socket.state));
        }
    }

    fn count(&mut self, peer: SocketPeer, state: TcpState) {
        *self.peers.entry((peer, state)).or_default() += 1;
    }

    /// Ends the counting. Where nobody listens, who called whom is told by numbers: a server
    /// that has ended leaves one local port with many peers, a client many ports with one.
    pub(crate) fn finish(mut self) -> Self {
        let others = std::mem::take(&mut self.others);
        let mut locals: HashMap<u16, u32> = HashMap::new();
        let mut remotes: HashMap<SocketAddr, u32> = HashMap::new();
        for (port, remote, _) in &others {
            *locals.entry(*port).or_default() += 1;
            *remotes.entry(*remote).or_default() += 1;
        }
        for (port, remote, state) in others {
            let (here, there) = (locals[&port], remotes[&remote]);
            // Of two alike the lower port is the server's.
            let served = here > there || here == there && port < remote.port();
            let known = remote.ip().is_loopback() && self.listening.contains(&remote.port());
            if served && !known {
                self.count(SocketPeer::Client(remote.ip(), port), state);
            } else {
                self.ports[usize::from(port / 64)] |= 1 << (port % 64);
                self.count(SocketPeer::Server(remote), state);
            }
        }
        self
    }

    /// Local ports used for calls to others, of those from `first` to `last`.
    pub(crate) fn ports_used(&self, first: u16, last: u16) -> u32 {
        let used = |port: u16| self.ports[usize::from(port / 64)] >> (port % 64) & 1 == 1;
        (first..=last).filter(|port| used(*port)).count() as u32
    }

    /// Connections to the server that has most, in whatever state: each has a local port.
    pub(crate) fn most_to_one(&self) -> u64 {
        let mut servers: HashMap<SocketAddr, u64> = HashMap::new();
        for ((peer, _), count) in &self.peers {
            if let SocketPeer::Server(address) = peer {
                *servers.entry(*address).or_default() += count;
            }
        }
        servers.into_values().max().unwrap_or(0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    pub(super) fn socket(state: TcpState, local: &str, remote: &str) -> TcpSocket {
        TcpSocket {
            state,
            local: local.parse().unwrap(),
            remote: remote.parse().unwrap(),
            receive_queue: 0,
            send_queue: 0,
            inode: 1,
            drops: None,
        }
    }

    #[test]
    fn callers_and_called_are_told_apart() {
        let mut summary = SocketSummary::new([80].into());
        for (state, local, remote) in [
            (TcpState::Listen, "0.0.0.0:80", "0.0.0.0:0"),
            (TcpState::Established, "10.0.0.1:80", "10.0.0.9:40000"),
            (TcpState::Established, "10.0.0.1:80", "10.0.0.9:40001"),
            (TcpState::TimeWait, "10.0.0.1:50000", "10.0.0.2:3306"),
            (TcpState::TimeWait, "10.0.0.1:50001", "10.0.0.2:3306"),
            // The same port towards another server.
            (TcpState::Established, "10.0.0.1:50001", "10.0.0.3:6379"),
            (TcpState::Established, "10.0.0.1:2050", "10.0.0.3:2049"),
            // A server that has ended at 8080.
            (TcpState::TimeWait, "10.0.0.1:8080", "10.0.0.9:41000"),
            (TcpState::TimeWait, "10.0.0.1:8080", "10.0.0.9:41001"),
        ] {
            summary.add(&socket(state, local, remote));
        }
        let summary = summary.finish();
        assert_eq!(summary.states[&TcpState::Listen], 1);
        assert_eq!(summary.states[&TcpState::Established], 4);
        let client = SocketPeer::Client("10.0.0.9".parse().unwrap(), 80);
        assert_eq!(summary.peers[&(client, TcpState::Established)], 2);
        let database = SocketPeer::Server("10.0.0.2:3306".parse().unwrap());
        assert_eq!(summary.peers[&(database, TcpState::TimeWait)], 2);
        let ended = SocketPeer::Client("10.0.0.9".parse().unwrap(), 8080);
        assert_eq!(summary.peers[&(ended, TcpState::TimeWait)], 2);
        assert_eq!(summary.ports_used(32_768, 60_999), 2);
        assert_eq!(summary.ports_used(0, u16::MAX), 3);
        assert_eq!(summary.most_to_one(), 2);
    }
}
