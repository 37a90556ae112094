//! Whose the ends of connections are: sockets and who holds them, looked at again and again while
//! connections come and go.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use plimsoll_wire::{EndOwner, Owners};

use super::datagrams::DatagramOwners;
use super::held::Held;
use super::stretch::Stretch;
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

/// The number of our own network namespace.
const OWN: u32 = 0;

/// A network namespace that is not ours, as it was seen last.
struct OtherSpace {
    number: u32,
    space: NetSpace,
    sockets: usize,
}

/// The owners of sockets, as far as they were seen.
#[derive(Default)]
pub(super) struct SocketOwners {
    /// By a connection's own end and the other; over loopback by the namespace, too.
    connections: HashMap<(u32, SocketAddr, SocketAddr), Pid>,
    listeners: HashMap<(u32, SocketAddr), Pid>,
    /// Of sockets for datagrams.
    datagrams: DatagramOwners,
    /// Ports at which somebody listens, known or not.
    ports: BTreeSet<u16>,
    /// Addresses of this host, and the namespaces that have them.
    addresses: HashMap<IpAddr, BTreeSet<u32>>,
    names: HashMap<Pid, String>,
    /// Processes that had sockets at the last look, each with the one that stands for it.
    holders: HashMap<Pid, Pid>,
    /// Namespaces by what tells them apart.
    others: BTreeMap<PathBuf, OtherSpace>,
}

/// Of a connection over loopback its namespace; all others have one address in all of them.
fn place(space: u32, own: SocketAddr, other: SocketAddr) -> u32 {
    match own.ip().is_loopback() && other.ip().is_loopback() {
        true => space,
        false => OWN,
    }
}

impl SocketOwners {
    /// Looks during a stretch, and once more then.
    pub(super) fn follow(mut self, stretch: &Stretch) -> Self {
        let mut own = Sockets::new(NetSpace::own());
        let mut datagrams = Sockets::datagrams(NetSpace::own());
        let mut next_look = Instant::now() + LOOK_EVERY;
        while !stretch.left().is_zero() {
            let began = Instant::now();
            let pause = if began >= next_look {
                self.look();
                next_look = Instant::now() + LOOK_EVERY.max(began.elapsed() * LOOK_RARELY);
                GLANCE_EVERY
            } else {
                self.glance(&mut own, &mut datagrams);
                GLANCE_EVERY.max(began.elapsed() * GLANCE_RARELY)
            };
            std::thread::sleep(pause.min(stretch.left()));
        }
        self.look();
        self
    }

    /// Looks whose the new connections are among processes that have others.
    fn glance(&mut self, own: &mut Sockets, datagrams: &mut Sockets) {
        let states = EVERY_STATE & !TcpState::TimeWait.bit() & !TcpState::Listen.bit();
        let mut fresh = HashMap::new();
        // What cannot be read now may be at the next look.
        let _ = own.each(states, &mut |socket: TcpSocket| {
            let ends = (OWN, socket.local, socket.remote);
            if socket.inode != 0 && !self.connections.contains_key(&ends) {
                fresh.insert(socket.inode, ends);
            }
        });
        let fresh_datagrams = self.datagrams.fresh(datagrams);
        for (holder, root) in &self.holders {
            if fresh.is_empty() && fresh_datagrams.is_empty() {
                return;
            }
            let open = Descriptors::of(*holder).unwrap_or_default();
            for inode in open.sockets {
                if let Some(ends) = fresh.remove(&inode) {
                    self.connections.insert(ends, *root);
                }
                if let Some(ends) = fresh_datagrams.get(&inode) {
                    self.datagrams.insert(*ends, *root);
                }
            }
        }
    }

    /// Looks at all sockets of this host; what was seen before stays.
    pub(super) fn look(&mut self) {
        let mut sockets = Vec::new();
        for space in spaces() {
            let before = sockets.len();
            let number = self.number(&space);
            let visit = &mut |socket: TcpSocket| sockets.push((number, socket));
            // A namespace that ended just now.
            let _ = Sockets::new(space.clone()).each(EVERY_STATE, visit);
            let known = self.others.values_mut().find(|one| one.number == number);
            if let Some(other) = known {
                (other.space, other.sockets) = (space, sockets.len() - before);
            }
        }
        let datagrams = DatagramOwners::sockets();
        let held = Held::read();
        let listening: HashSet<u64> = sockets
            .iter()
            .filter(|(_, socket)| socket.state == TcpState::Listen)
            .map(|(_, socket)| socket.inode)
            .collect();
        self.holders.clear();
        for (space, socket) in &sockets {
            let address = socket.local.ip();
            if !address.is_unspecified() && !address.is_loopback() {
                self.addresses.entry(address).or_default().insert(*space);
            }
            if socket.state == TcpState::Listen {
                self.ports.insert(socket.local.port());
            }
            let Some(holder) = held.holders(socket.inode).first().copied() else {
                continue;
            };
            let root = *self
                .holders
                .entry(holder)
                .or_insert_with(|| held.root(holder, &listening));
            let ends = (socket.local, socket.remote);
            match socket.state {
                TcpState::Listen => self.listeners.insert((*space, socket.local), root),
                _ => {
                    let place = place(*space, ends.0, ends.1);
                    self.connections.insert((place, ends.0, ends.1), root)
                }
            };
            self.names
                .entry(root)
                .or_insert_with(|| name::entity_name(root).unwrap_or_default());
        }
        for (ends, inode) in datagrams {
            let Some(holder) = held.holders(inode).first().copied() else {
                continue;
            };
            let root = held.root(holder, &listening);
            self.holders.insert(holder, root);
            self.datagrams.insert(ends, root);
            self.names
                .entry(root)
                .or_insert_with(|| name::entity_name(root).unwrap_or_default());
        }
    }

    fn named(&self, pid: Pid) -> EndOwner {
        EndOwner {
            process: self.names.get(&pid).cloned().unwrap_or_default(),
            is_generator: pid == std::process::id(),
        }
    }

    /// The number of a namespace, the same as long as it lives.
    fn number(&mut self, space: &NetSpace) -> u32 {
        let Some(known_by) = space.known_by() else {
            return OWN;
        };
        let next = OWN + 1 + self.others.len() as u32;
        let known = self.others.entry(known_by).or_insert_with(|| OtherSpace {
            number: next,
            space: space.clone(),
            sockets: 0,
        });
        known.number
    }

    /// Namespaces that are not ours, with their numbers; those with the most sockets first, and none in
    /// which there are no sockets at all.
    pub(super) fn spaces(&self) -> Vec<(u32, NetSpace)> {
        let mut all: Vec<&OtherSpace> = self.others.values().collect();
        all.retain(|space| space.sockets > 0);
        all.sort_by_key(|space| std::cmp::Reverse(space.sockets));
        let all = all.into_iter();
        all.map(|one| (one.number, one.space.clone())).collect()
    }

    /// The ports at which this host listens.
    pub(super) fn ports(&self) -> BTreeSet<u16> {
        self.ports.clone()
    }

    fn listener(&self, space: u32, at: SocketAddr) -> Option<Pid> {
        let own = BTreeSet::from([space]);
        let spaces = match at.ip().is_loopback() {
            true => &own,
            false => self.addresses.get(&at.ip())?,
        };
        let everywhere = [
            SocketAddr::from(([0; 4], at.port())),
            SocketAddr::from(([0_u16; 8], at.port())),
        ];
        let places: Vec<_> = [at].into_iter().chain(everywhere).collect();
        let mut all = spaces
            .iter()
            .flat_map(|space| places.iter().map(move |place| (*space, *place)));
        all.find_map(|place| self.listeners.get(&place).copied())
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
    fn owner(&self, space: u32, own: SocketAddr, other: SocketAddr) -> Option<EndOwner> {
        let place = place(space, own, other);
        let known = self.connections.get(&(place, own, other)).copied();
        let pid = match (known, self.listener(space, own)) {
            (Some(holder), Some(listener)) if self.is_passing(holder, listener) => listener,
            (Some(holder), _) => holder,
            (None, listener) => listener?,
        };
        Some(self.named(pid))
    }

    fn datagram_owner(&self, space: u32, own: SocketAddr, other: SocketAddr) -> Option<EndOwner> {
        let pid = self.datagrams.owner(space, own, other)?;
        Some(self.named(pid))
    }
}
