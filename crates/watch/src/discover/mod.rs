//! Finding what belongs to a target on this host: the process that listens, its JVM, and the
//! processes it is connected to, in front and behind.

mod ask;
mod found;
mod local;
mod map;
mod specs;

use std::collections::BTreeSet;
use std::net::{SocketAddr, ToSocketAddrs};

use plimsoll_text::Message;

use crate::capture::Level;
use crate::proc::{Pid, name};
use map::SocketMap;

pub use found::Discovered;

/// Processes of a chain that are watched at most.
const MAX_PROCESSES: usize = 12;

/// Looks for what serves `target` (`host:port`) on this host. Asks services that listen here
/// on loopback whether they are an actuator or a stub_status, and changes nothing. Takes
/// seconds at most. Connections that are made only under load are not there before it: who
/// calls this again then finds more.
#[must_use]
pub fn around(target: &str, level: Level) -> Discovered {
    let mut found = Discovered::default();
    let addresses: Vec<SocketAddr> = match target.to_socket_addrs() {
        Ok(addresses) => addresses.collect(),
        Err(error) => {
            let message = Message::new("watch-auto-no-address")
                .with("target", target)
                .with("reason", error.to_string());
            found.note(message);
            return found;
        }
    };
    let Some((space, address)) = local::place(&addresses) else {
        found.note(Message::new("watch-auto-elsewhere").with("target", target));
        return found;
    };
    found.specs.push(specs::host(level));
    let map = SocketMap::read();
    let Some(pid) = map.listener(&space, address) else {
        let id = match map.listens(&space, address) {
            true => "watch-auto-hidden",
            false => "watch-auto-nobody",
        };
        found.note(Message::new(id).with("target", target));
        return found;
    };
    let mut chain = chain(&map, pid);
    add_behind_sockets(&mut chain);
    for pid in &chain {
        specs::add(*pid, &map, level, &mut found);
    }
    for (caller, server) in map.elsewhere(&chain) {
        let name = name::entity_name(caller).unwrap_or_default();
        let message = Message::new("watch-auto-remote")
            .with("name", name)
            .with("server", server.to_string());
        found.note(message);
    }
    if map.hidden > 0 {
        found.note(Message::new("watch-auto-not-root").with("count", map.hidden));
    }
    found
}

/// PHP-FPM mostly listens at Unix sockets, which do not show who is connected: with a web server in
/// the chain, that of this host is taken.
fn add_behind_sockets(chain: &mut Vec<Pid>) {
    if !chain.iter().any(|pid| specs::is_web_server(*pid)) {
        return;
    }
    for pid in crate::collectors::php_fpm::masters() {
        if !chain.contains(&pid) && chain.len() < MAX_PROCESSES {
            chain.push(pid);
        }
    }
}

/// The processes that a target's process is connected to, and those that these are.
fn chain(map: &SocketMap, first: Pid) -> Vec<Pid> {
    let mut chain = vec![first];
    let mut seen: BTreeSet<Pid> = [first, std::process::id()].into();
    let mut next = 0;
    while next < chain.len() && chain.len() < MAX_PROCESSES {
        for pid in map.neighbours(chain[next]) {
            if seen.insert(pid) && chain.len() < MAX_PROCESSES {
                chain.push(pid);
            }
        }
        next += 1;
    }
    chain
}
