//! Whose the ends of connections are: sockets and who holds them, looked at again and again while
//! connections come and go.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};

use plimsoll_wire::{EndOwner, Owners};

use super::held::Held;
use crate::proc::find::spaces;
use crate::proc::{Pid, name};
use crate::sockets::{EVERY_STATE, Sockets, TcpSocket, TcpState};

/// The owners of sockets, as far as they were seen.
#[derive(Default)]
pub(super) struct SocketOwners {
    /// By a connection's own end and the other.
    connections: HashMap<(SocketAddr, SocketAddr), Pid>,
    listeners: HashMap<SocketAddr, Pid>,
    /// Addresses of this host.
    addresses: HashSet<IpAddr>,
    names: HashMap<Pid, String>,
}

impl SocketOwners {
    /// Looks at all sockets of this host; what was seen before stays.
    pub(super) fn look(&mut self) {
        let mut sockets = Vec::new();
        for space in spaces() {
            let visit = &mut |socket: TcpSocket| {
                // The loopback of another namespace is another one.
                if space.is_own() || !socket.local.ip().is_loopback() {
                    sockets.push(socket);
                }
            };
            // A namespace that ended just now.
            let _ = Sockets::new(space.clone()).each(EVERY_STATE, visit);
        }
        let held = Held::read();
        let listens = |socket: &&TcpSocket| socket.state == TcpState::Listen;
        let listening: HashSet<u64> = sockets
            .iter()
            .filter(listens)
            .map(|one| one.inode)
            .collect();
        let mut known = HashMap::new();
        for socket in &sockets {
            if !socket.local.ip().is_unspecified() {
                self.addresses.insert(socket.local.ip());
            }
            let Some(holder) = held.holders(socket.inode).first().copied() else {
                continue;
            };
            let root = *known
                .entry(holder)
                .or_insert_with(|| held.root(holder, &listening));
            match socket.state {
                TcpState::Listen => self.listeners.insert(socket.local, root),
                _ => self.connections.insert((socket.local, socket.remote), root),
            };
            self.names
                .entry(root)
                .or_insert_with(|| name::entity_name(root).unwrap_or_default());
        }
    }

    /// The ports at which this host listens.
    pub(super) fn ports(&self) -> BTreeSet<u16> {
        self.listeners.keys().map(SocketAddr::port).collect()
    }

    fn listener(&self, at: SocketAddr) -> Option<Pid> {
        if !at.ip().is_loopback() && !self.addresses.contains(&at.ip()) {
            return None;
        }
        let everywhere = [
            SocketAddr::from(([0; 4], at.port())),
            SocketAddr::from(([0_u16; 8], at.port())),
        ];
        let mut places = [at].into_iter().chain(everywhere);
        places.find_map(|place| self.listeners.get(&place).copied())
    }

    /// Whether who holds a connection serves for the listener, and was gone before it was known whose child
    /// it is.
    fn is_passing(&self, holder: Pid, listener: Pid) -> bool {
        let program = |pid| -> Option<&str> {
            let name = self.names.get(&pid)?.split('[').next()?;
            (!name.is_empty()).then_some(name)
        };
        let listens = self.listeners.values().any(|pid| *pid == holder);
        !listens && program(holder).is_none_or(|name| program(listener) == Some(name))
    }
}

impl Owners for SocketOwners {
    fn owner(&self, own: SocketAddr, other: SocketAddr) -> Option<EndOwner> {
        let known = self.connections.get(&(own, other)).copied();
        let pid = match (known, self.listener(own)) {
            (Some(holder), Some(listener)) if self.is_passing(holder, listener) => listener,
            (Some(holder), _) => holder,
            (None, listener) => listener?,
        };
        Some(EndOwner {
            process: self.names.get(&pid).cloned().unwrap_or_default(),
            is_generator: pid == std::process::id(),
        })
    }
}
