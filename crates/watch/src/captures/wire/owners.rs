//! Whose the ends of connections are: sockets and who holds them, looked at again and again while
//! connections come and go.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};

use plimsoll_wire::{EndOwner, Owners};

use crate::proc::descriptors::Descriptors;
use crate::proc::find::{roots, spaces, stat_of};
use crate::proc::{Pid, name, pids};
use crate::sockets::{EVERY_STATE, Sockets, TcpSocket, TcpState};

/// So many processes that came from one another are followed back.
const MAX_PARENTS: usize = 16;

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

/// Who holds which sockets now.
struct Held {
    holders: HashMap<u64, Vec<Pid>>,
    sockets: HashMap<Pid, Vec<u64>>,
}

impl Held {
    fn read() -> Self {
        let mut held = Self {
            holders: HashMap::new(),
            sockets: HashMap::new(),
        };
        for pid in pids() {
            // Another user's processes cannot be looked into; they are not named.
            let open = Descriptors::of(pid).unwrap_or_default();
            for inode in &open.sockets {
                held.holders.entry(*inode).or_default().push(pid);
            }
            held.sockets.insert(pid, open.sockets);
        }
        held
    }

    /// The process that is watched of those that share a process's listening sockets, or of those it
    /// comes from; without either it is the process itself.
    fn root(&self, pid: Pid, listening: &HashSet<u64>) -> Pid {
        let program = name::executable(pid);
        let mut current = pid;
        for _ in 0..MAX_PARENTS {
            let sockets = self.sockets.get(&current).into_iter().flatten();
            let shared = sockets
                .filter(|inode| listening.contains(inode))
                .flat_map(|inode| self.holders.get(inode).into_iter().flatten());
            let shared: Vec<Pid> = shared.copied().collect();
            if let Some(root) = roots(&shared).first() {
                return *root;
            }
            let Some(parent) = stat_of(current).map(|stat| stat.parent) else {
                break;
            };
            if program.is_none() || name::executable(parent) != program {
                break;
            }
            current = parent;
        }
        pid
    }
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
            let holders = held.holders.get(&socket.inode);
            let Some(holder) = holders.and_then(|holders| holders.first()) else {
                continue;
            };
            let root = *known
                .entry(*holder)
                .or_insert_with(|| held.root(*holder, &listening));
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
}

impl Owners for SocketOwners {
    fn owner(&self, own: SocketAddr, other: SocketAddr) -> Option<EndOwner> {
        let known = self.connections.get(&(own, other)).copied();
        let pid = known.or_else(|| self.listener(own))?;
        Some(EndOwner {
            process: self.names.get(&pid).cloned().unwrap_or_default(),
            is_generator: pid == std::process::id(),
        })
    }
}
