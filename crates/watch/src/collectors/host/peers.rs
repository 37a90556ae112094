//! TCP connections by state and peer, and the ephemeral ports they take.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_stats::series::Entity;

use super::area::{Area, Out};
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::names::host as names;
use crate::proc::file::{numbers, read, unreadable};
use crate::sockets::summary::{SocketPeer, SocketSummary};
use crate::sockets::{EVERY_STATE, NetSpace, Sockets, TcpState};

/// So many peers have series of their own.
const MAX_PEERS: usize = 100;

/// The connections of one network namespace.
pub(crate) struct Connections {
    sockets: Sockets,
    space: NetSpace,
    /// Peers that have series.
    known: BTreeSet<SocketPeer>,
    /// Series that were told: one that is empty again is told as 0.
    told: BTreeMap<(Option<SocketPeer>, TcpState), f64>,
    states: BTreeMap<TcpState, f64>,
}

impl Connections {
    pub(crate) fn new(space: NetSpace) -> Self {
        Self {
            sockets: Sockets::new(space.clone()),
            space,
            known: BTreeSet::new(),
            told: BTreeMap::new(),
            states: BTreeMap::new(),
        }
    }

    fn count(&mut self) -> std::io::Result<SocketSummary> {
        let mut listening = BTreeSet::new();
        let mut visit = |socket: crate::sockets::TcpSocket| {
            listening.insert(socket.local.port());
        };
        self.sockets.each(TcpState::Listen.bit(), &mut visit)?;
        let mut summary = SocketSummary::new(listening);
        self.sockets
            .each(EVERY_STATE, &mut |socket| summary.add(&socket))?;
        Ok(summary.finish())
    }

    fn tell(&mut self, summary: &SocketSummary, out: &mut Out<'_>) {
        self.states.values_mut().for_each(|count| *count = 0.0);
        for (state, count) in &summary.states {
            self.states.insert(*state, *count as f64);
        }
        for (state, count) in &self.states {
            let attributes = [
                ("network.connection.state", state.name()),
                ("network.transport", "tcp"),
            ];
            out.value(&names::CONNECTIONS, &attributes, *count);
        }
        self.told.values_mut().for_each(|count| *count = 0.0);
        // The largest first, should there be too many for all to have series.
        let mut peers: Vec<_> = summary.peers.iter().collect();
        peers.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        for ((peer, state), count) in peers {
            let own = self.known.contains(peer) || self.known.len() < MAX_PEERS;
            if own {
                self.known.insert(peer.clone());
            }
            let key = (own.then(|| peer.clone()), *state);
            *self.told.entry(key).or_default() += *count as f64;
        }
        for ((peer, state), count) in &self.told {
            tell_peer(peer.as_ref(), *state, *count, out);
        }
    }
}

impl Area for Connections {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        let summary = self
            .count()
            .map_err(|error| unreadable("/proc/net/tcp".as_ref(), &error))?;
        self.tell(&summary, out);
        if let Some((first, last)) = port_range(&self.space) {
            let used = f64::from(summary.ports_used(first, last));
            out.value(&names::PORTS_USED, &[], used);
            let limit = f64::from(last.saturating_sub(first)) + 1.0;
            out.value(&names::PORTS_LIMIT, &[], limit);
        }
        let most = summary.most_to_one() as f64;
        out.value(&names::PORTS_USED_BY_ONE, &[], most);
        Ok(())
    }
}

fn tell_peer(peer: Option<&SocketPeer>, state: TcpState, count: f64, out: &mut Out<'_>) {
    let metric = &names::PEER_CONNECTIONS;
    let state = ("network.connection.state", state.name());
    match peer {
        Some(SocketPeer::Client(address, port)) => {
            let (address, port) = (address.to_string(), port.to_string());
            let attributes = [
                ("client.address", address.as_str()),
                state,
                ("server.port", port.as_str()),
            ];
            out.value(metric, &attributes, count);
        }
        Some(SocketPeer::Server(server)) => {
            let (address, port) = (server.ip().to_string(), server.port().to_string());
            let attributes = [
                state,
                ("server.address", address.as_str()),
                ("server.port", port.as_str()),
            ];
            out.value(metric, &attributes, count);
        }
        None => out.value(metric, &[state, ("server.address", "other")], count),
    }
}

/// The range of ephemeral ports. `/proc/sys/net` shows that of whoever reads.
fn port_range(space: &NetSpace) -> Option<(u16, u16)> {
    let path = "/proc/sys/net/ipv4/ip_local_port_range";
    let text = space.inside(|| read(path)).ok()?.ok()?;
    parse_range(&text)
}

fn parse_range(text: &str) -> Option<(u16, u16)> {
    let mut ports = numbers(text).map(|port| port as u16);
    Some((ports.next()?, ports.next()?))
}

/// Looks every 5 s: a table of many sockets is dear.
pub(super) struct Peers {
    entity: Arc<Entity>,
    connections: Connections,
}

impl Peers {
    pub(super) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            connections: Connections::new(NetSpace::own()),
        }
    }
}

impl Collector for Peers {
    fn about(&self) -> String {
        format!("connections of {}", self.entity)
    }

    fn period(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move {
            let entity = &self.entity;
            self.connections.look(&mut Out { look, entity })
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;

    #[test]
    fn peers_that_are_gone_count_zero_and_too_many_are_one() {
        let mut connections = Connections::new(NetSpace::own());
        let mut summary = SocketSummary::default();
        let server = |port: u16| SocketPeer::Server(([10, 0, 0, 1], port).into());
        for n in 0..MAX_PEERS + 10 {
            let port = 1000 + n as u16;
            summary
                .peers
                .insert((server(port), TcpState::TimeWait), 1000 - n as u64);
        }
        let first = told(|out| connections.tell(&summary, out));
        let of = |told: &[(String, f64)], address: &str| {
            let attributes = format!("network.connection.state=time_wait,server.address={address}");
            value(
                told,
                &format!("system.network.peer.connection.count{{{attributes}}}"),
            )
        };
        assert_eq!(of(&first, "10.0.0.1,server.port=1000"), Some(1000.0));
        let other: u64 = (MAX_PEERS..MAX_PEERS + 10).map(|n| 1000 - n as u64).sum();
        assert_eq!(of(&first, "other"), Some(other as f64));
        let none = told(|out| connections.tell(&SocketSummary::default(), out));
        assert_eq!(of(&none, "10.0.0.1,server.port=1000"), Some(0.0));
        assert_eq!(of(&none, "other"), Some(0.0));
    }

    #[test]
    fn the_range_of_ports_is_two_numbers() {
        assert_eq!(parse_range("32768\t60999\n"), Some((32_768, 60_999)));
        assert_eq!(parse_range("32768"), None);
    }
}
