//! The socket table of a moment, in few numbers: states, listening ports, peers.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use serde_json::{Value, json};

use crate::capture::{Artifact, Asked, Capture, Level, Moment};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::proc::file::unreadable;
use crate::sockets::summary::{SocketPeer, SocketSummary};
use crate::sockets::{EVERY_STATE, NetSpace, Sockets, TcpSocket, TcpState};

/// So many peers are listed.
const MAX_PEERS: usize = 500;

/// Takes the table of this program's network namespace.
pub(crate) struct SocketTable {
    entity: Arc<Entity>,
    sockets: Sockets,
}

impl SocketTable {
    pub(crate) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            sockets: Sockets::new(NetSpace::own()),
        }
    }

    fn table(&mut self) -> std::io::Result<Value> {
        let mut listening = Vec::new();
        let mut visit = |socket: TcpSocket| listening.push(socket);
        self.sockets.each(TcpState::Listen.bit(), &mut visit)?;
        let ports = listening.iter().map(|socket| socket.local.port());
        let mut summary = SocketSummary::new(ports.collect());
        self.sockets
            .each(EVERY_STATE, &mut |socket| summary.add(&socket))?;
        Ok(table(&listening, &summary.finish()))
    }
}

fn table(listening: &[TcpSocket], summary: &SocketSummary) -> Value {
    let states: BTreeMap<&str, u64> = summary
        .states
        .iter()
        .map(|(state, count)| (state.name(), *count))
        .collect();
    let mut listening: Vec<_> = listening.iter().collect();
    listening.sort_by_key(|socket| (socket.local.port(), socket.local.ip()));
    let listening = listening.iter().map(|socket| {
        let limit = (socket.send_queue > 0).then_some(socket.send_queue);
        json!({
            "address": socket.local.to_string(),
            "queue_length": socket.receive_queue,
            "queue_limit": limit,
            "dropped": socket.drops,
        })
    });
    let listening: Vec<Value> = listening.collect();
    let mut peers: BTreeMap<&SocketPeer, BTreeMap<&str, u64>> = BTreeMap::new();
    for ((peer, state), count) in &summary.peers {
        peers.entry(peer).or_default().insert(state.name(), *count);
    }
    let count = peers.len();
    let mut peers: Vec<_> = peers.into_iter().collect();
    peers.sort_by_key(|(_, states)| std::cmp::Reverse(states.values().sum::<u64>()));
    peers.truncate(MAX_PEERS);
    let peers = peers.into_iter().map(|(peer, states)| match peer {
        SocketPeer::Client(address, port) => {
            json!({ "client": address.to_string(), "port": port, "states": states })
        }
        SocketPeer::Server(server) => json!({ "server": server.to_string(), "states": states }),
    });
    json!({
        "states": states,
        "listening": listening,
        "peers": peers.collect::<Vec<Value>>(),
        "peers_left_out": count.saturating_sub(MAX_PEERS),
    })
}

impl Capture for SocketTable {
    fn kind(&self) -> &'static str {
        "sockets"
    }

    fn entity(&self) -> Arc<Entity> {
        Arc::clone(&self.entity)
    }

    fn level(&self) -> Level {
        Level::Observe
    }

    fn at(&self, _: Moment) -> bool {
        true
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async move {
            let at_unix_ns = now_unix_ns();
            let table = self
                .table()
                .map_err(|error| -> Trouble { unreadable("/proc/net/tcp".as_ref(), &error) })?;
            let (entity, bytes) = (Arc::clone(&self.entity), format!("{table:#}"));
            Ok(vec![Artifact::json(entity, "sockets", at_unix_ns, bytes)])
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use plimsoll_stats::series::EntityKind;

    #[test]
    fn the_table_shows_a_queue_and_both_ends_of_a_connection() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let _client = std::net::TcpStream::connect(server).unwrap();
        let entity = Entity::new(EntityKind::Host, "", "test");
        let table = SocketTable::new(entity).table().unwrap();
        let all = |name: &str| table[name].as_array().unwrap().clone();
        let own = all("listening");
        let own = own
            .iter()
            .find(|socket| socket["address"] == server.to_string())
            .unwrap();
        assert_eq!(
            (&own["queue_length"], &own["dropped"]),
            (&json!(1), &json!(0))
        );
        let peers = all("peers");
        let find = |name: &str, value: Value| peers.iter().any(|peer| peer[name] == value);
        assert!(find("server", json!(server.to_string())), "{table:#}");
        assert!(find("port", json!(server.port())), "{table:#}");
        assert!(table["states"]["established"].as_u64().unwrap() >= 2);
    }
}
