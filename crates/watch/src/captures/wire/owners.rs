//! Whose the ends of connections are: sockets and who holds them, looked at again and again while
//! connections come and go.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use plimsoll_wire::{EndOwner, Owners};

use super::held::Held;
use crate::clock::now_unix_ns;
use crate::proc::descriptors::Descriptors;
use crate::proc::find::spaces;
use crate::proc::{Pid, name};
use crate::sockets::{EVERY_STATE, NetSpace, Sockets, TcpSocket, TcpState};

/// All sockets and processes are looked at so often.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// And so much less often than a look takes.
const LOOK_RARELY: u32 = 20;
/// New sockets of processes that have others are looked for so often, since a connection may last for one
/// request.
const GLANCE_EVERY: Duration = Duration::from_millis(10);
/// And so much less often than that takes.
const GLANCE_RARELY: u32 = 40;

/// The owners of sockets, as far as they were seen.
#[derive(Default)]
pub(super) struct SocketOwners {
    /// By a connection's own end and the other.
    connections: HashMap<(SocketAddr, SocketAddr), Pid>,
    listeners: HashMap<SocketAddr, Pid>,
    /// Addresses of this host.
    addresses: HashSet<IpAddr>,
    names: HashMap<Pid, String>,
    /// Processes that had sockets at the last look, each with the one that stands for it.
    holders: HashMap<Pid, Pid>,
}

impl SocketOwners {
    /// Looks until a moment (Unix nanoseconds), and once more then.
    pub(super) fn follow(mut self, until_ns: u64) -> Self {
        let mut own = Sockets::new(NetSpace::own());
        let mut next_look = Instant::now() + LOOK_EVERY;
        while now_unix_ns() < until_ns {
            let began = Instant::now();
            let pause = if began >= next_look {
                self.look();
                next_look = Instant::now() + LOOK_EVERY.max(began.elapsed() * LOOK_RARELY);
                GLANCE_EVERY
            } else {
                self.glance(&mut own);
                GLANCE_EVERY.max(began.elapsed() * GLANCE_RARELY)
            };
            let left = Duration::from_nanos(until_ns.saturating_sub(now_unix_ns()));
            std::thread::sleep(pause.min(left));
        }
        self.look();
        self
    }

    /// Looks whose the new connections are among processes that have others.
    fn glance(&mut self, own: &mut Sockets) {
        let states = EVERY_STATE & !TcpState::TimeWait.bit() & !TcpState::Listen.bit();
        let mut fresh = HashMap::new();
        // What cannot be read now may be at the next look.
        let _ = own.each(states, &mut |socket: TcpSocket| {
            let ends = (socket.local, socket.remote);
            if socket.inode != 0 && !self.connections.contains_key(&ends) {
                fresh.insert(socket.inode, ends);
            }
        });
        for (holder, root) in &self.holders {
            if fresh.is_empty() {
                return;
            }
            let open = Descriptors::of(*holder).unwrap_or_default();
            for inode in open.sockets {
                if let Some(ends) = fresh.remove(&inode) {
                    self.connections.insert(ends, *root);
                }
            }
        }
    }

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
        self.holders.clear();
        for socket in &sockets {
            if !socket.local.ip().is_unspecified() {
                self.addresses.insert(socket.local.ip());
            }
            let Some(holder) = held.holders(socket.inode).first().copied() else {
                continue;
            };
            let root = *self
                .holders
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
