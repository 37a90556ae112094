//! Who is connected to whom on this host.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::ErrorKind;
use std::net::SocketAddr;

use crate::proc::descriptors::Descriptors;
use crate::proc::find::{roots, spaces, workers};
use crate::proc::{Pid, pids};
use crate::sockets::{NetSpace, Sockets, TcpSocket, TcpState, unix_sockets};

/// Sockets of the system's own services, which no request goes to, lie below these or have names in
/// no file system.
const SYSTEM: [&str; 7] = [
    "@",
    "/run/systemd/",
    "/run/dbus/",
    "/run/nscd/",
    "/run/user/",
    "/var/run/dbus/",
    "/var/run/nscd/",
];
/// Whoever starts services may hold their listening sockets, but does not serve.
const INIT: Pid = 1;

/// A socket and the namespace it is in.
struct Placed {
    space: NetSpace,
    socket: TcpSocket,
}

/// All TCP sockets of this host that can be seen, and who holds them.
pub(super) struct SocketMap {
    sockets: Vec<Placed>,
    holders: HashMap<u64, Vec<Pid>>,
    /// Connections by their own end and the other.
    pairs: HashMap<(SocketAddr, SocketAddr), u64>,
    /// Connections by sockets of the file system: the client's end, and the socket that it called.
    calls: BTreeMap<u64, u64>,
    /// Processes that could not be looked into.
    pub(super) hidden: usize,
}

impl SocketMap {
    /// Reads everything, once.
    pub(super) fn read() -> Self {
        let mut map = Self {
            sockets: Vec::new(),
            holders: HashMap::new(),
            pairs: HashMap::new(),
            calls: BTreeMap::new(),
            hidden: 0,
        };
        let states = TcpState::Listen.bit() | TcpState::Established.bit();
        for space in spaces() {
            let visit = &mut |socket: TcpSocket| {
                let ends = (socket.local, socket.remote);
                map.pairs.insert(ends, socket.inode);
                map.sockets.push(Placed {
                    space: space.clone(),
                    socket,
                });
            };
            // A namespace that ended just now.
            let _ = Sockets::new(space.clone()).each(states, visit);
            map.add_calls(&space);
        }
        let is_hidden = |error: &std::io::Error| error.kind() == ErrorKind::PermissionDenied;
        let mut hidden = Vec::new();
        for pid in pids() {
            match Descriptors::of(pid) {
                Ok(open) => {
                    for inode in open.sockets {
                        map.holders.entry(inode).or_default().push(pid);
                    }
                }
                Err(error) if is_hidden(&error) => hidden.push(pid),
                Err(_) => {}
            }
        }
        // One that is just ending refuses, too, and is nobody's neighbour; nor is who starts services.
        hidden.retain(|pid| {
            *pid != INIT && Descriptors::of(*pid).is_err_and(|error| is_hidden(&error))
        });
        map.hidden = hidden.len();
        map
    }

    fn add_calls(&mut self, space: &NetSpace) {
        let sockets = unix_sockets(space);
        let is_service = |path: &str| !SYSTEM.iter().any(|own| path.starts_with(own));
        let listeners = sockets.iter().filter(|socket| socket.listens);
        let listeners: HashMap<&str, u64> = listeners
            .filter(|socket| !socket.path.is_empty() && is_service(&socket.path))
            .map(|socket| (socket.path.as_str(), socket.inode))
            .collect();
        for socket in &sockets {
            let Some(listener) = listeners.get(socket.path.as_str()) else {
                continue;
            };
            // Those that are accepted, and those that wait for that.
            let accepted = socket.peer.filter(|_| !socket.listens);
            let clients = socket.pending.iter().copied().chain(accepted);
            self.calls.extend(clients.map(|client| (client, *listener)));
        }
    }

    /// Servers that a process calls by sockets of the file system.
    fn called(&self, family: &BTreeSet<Pid>) -> BTreeSet<Pid> {
        let calls = self.calls.iter();
        let own = calls.filter(|(client, _)| self.is_held(**client, family));
        let listeners: BTreeSet<u64> = own.map(|(_, listener)| *listener).collect();
        let serving = listeners.iter().filter_map(|listener| {
            let holders = self.holders.get(listener)?.iter();
            let holders: Vec<Pid> = holders.copied().filter(|pid| *pid != INIT).collect();
            roots(&holders).first().copied()
        });
        serving.filter(|pid| !family.contains(pid)).collect()
    }

    /// Whether somebody listens at that address.
    pub(super) fn listens(&self, space: &NetSpace, at: SocketAddr) -> bool {
        self.listeners(space, at).next().is_some()
    }

    /// Who listens there; of workers, the process they come from.
    pub(super) fn listener(&self, space: &NetSpace, at: SocketAddr) -> Option<Pid> {
        let mut pids: Vec<Pid> = self
            .listeners(space, at)
            .flat_map(|placed| self.holders.get(&placed.socket.inode).into_iter().flatten())
            .copied()
            .collect();
        pids.sort_unstable();
        pids.dedup();
        roots(&pids).first().copied()
    }

    /// Sockets that listen at an address: at just that one, or at all of the host's.
    fn listeners<'a>(
        &'a self,
        space: &'a NetSpace,
        at: SocketAddr,
    ) -> impl Iterator<Item = &'a Placed> {
        self.sockets.iter().filter(move |placed| {
            let local = placed.socket.local;
            placed.socket.state == TcpState::Listen
                && placed.space == *space
                && local.port() == at.port()
                && (local.ip() == at.ip() || local.ip().is_unspecified())
        })
    }

    /// Where a process and its workers listen.
    pub(super) fn listening(&self, pid: Pid) -> Vec<SocketAddr> {
        let family = self.family(pid);
        let mut all: Vec<SocketAddr> = self
            .sockets
            .iter()
            .filter(|placed| placed.socket.state == TcpState::Listen)
            .filter(|placed| self.is_held(placed.socket.inode, &family))
            .map(|placed| placed.socket.local)
            .collect();
        all.sort_by_key(|address| (address.port(), address.ip()));
        all.dedup();
        all
    }

    /// Servers of this host that a process calls, and servers that call it.
    pub(super) fn neighbours(&self, pid: Pid) -> Vec<Pid> {
        let family = self.family(pid);
        let mut found = self.connected(&family);
        // Who serves nobody is a client: a load generator, a shell.
        found.retain(|other| !self.listening(*other).is_empty());
        found.extend(self.called(&family));
        found.into_iter().collect()
    }

    /// Processes of this host that a process serves and that serve nobody themselves.
    pub(super) fn clients(&self, pid: Pid) -> Vec<Pid> {
        let mut found = self.connected(&self.family(pid));
        found.retain(|other| self.listening(*other).is_empty());
        found.into_iter().collect()
    }

    /// Processes at the other end of a family's connections.
    fn connected(&self, family: &BTreeSet<Pid>) -> BTreeSet<Pid> {
        let mut found = BTreeSet::new();
        for placed in self.connections(family) {
            // A child that serves one connection holds no socket that listens (PostgreSQL).
            found.extend(self.listener(&placed.space, placed.socket.remote));
            let ends = (placed.socket.remote, placed.socket.local);
            let holders = self
                .pairs
                .get(&ends)
                .and_then(|inode| self.holders.get(inode));
            for other in holders.into_iter().flatten() {
                found.extend(roots(&self.origin(*other)));
            }
        }
        found.retain(|other| !family.contains(other));
        found
    }

    /// Servers on other hosts that these processes call.
    pub(super) fn elsewhere(&self, pids: &[Pid]) -> BTreeSet<(Pid, SocketAddr)> {
        let mut found = BTreeSet::new();
        for pid in pids {
            let family = self.family(*pid);
            let ports: BTreeSet<u16> = self.listening(*pid).iter().map(SocketAddr::port).collect();
            for placed in self.connections(&family) {
                let (local, remote) = (placed.socket.local, placed.socket.remote);
                let here = self.pairs.contains_key(&(remote, local));
                if !here && !remote.ip().is_loopback() && !ports.contains(&local.port()) {
                    found.insert((*pid, remote));
                }
            }
        }
        found
    }

    fn connections<'a>(&'a self, family: &'a BTreeSet<Pid>) -> impl Iterator<Item = &'a Placed> {
        self.sockets.iter().filter(|placed| {
            placed.socket.state == TcpState::Established
                && self.is_held(placed.socket.inode, family)
        })
    }

    fn is_held(&self, inode: u64, family: &BTreeSet<Pid>) -> bool {
        let holders = self.holders.get(&inode).into_iter().flatten();
        holders.into_iter().any(|pid| family.contains(pid))
    }

    fn family(&self, pid: Pid) -> BTreeSet<Pid> {
        let mut family: BTreeSet<Pid> = workers(pid).into_iter().collect();
        family.insert(pid);
        family
    }

    /// A worker together with all that share a listening socket with it.
    fn origin(&self, pid: Pid) -> Vec<Pid> {
        let mut all: BTreeSet<Pid> = [pid].into();
        for placed in &self.sockets {
            let holders = self.holders.get(&placed.socket.inode);
            if placed.socket.state == TcpState::Listen
                && let Some(holders) = holders.filter(|holders| holders.contains(&pid))
            {
                all.extend(holders);
            }
        }
        all.into_iter().collect()
    }

    /// How other processes reach a process: an address at which one of its sockets listens,
    /// a concrete one.
    pub(super) fn address(&self, pid: Pid) -> Option<SocketAddr> {
        let first = self.listening(pid).into_iter().next()?;
        Some(concrete(first))
    }

    /// The namespace in which a process listens.
    pub(super) fn is_own_space(&self, pid: Pid) -> bool {
        NetSpace::of(pid).is_own()
    }

    /// Listening addresses by port, concrete ones, for questions to a process.
    pub(super) fn doors(&self, pid: Pid) -> BTreeMap<u16, SocketAddr> {
        let all = self.listening(pid).into_iter().map(concrete);
        all.map(|address| (address.port(), address)).collect()
    }
}

/// An address that can be called: loopback for one that stands for all.
fn concrete(address: SocketAddr) -> SocketAddr {
    let ip = match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => [127, 0, 0, 1].into(),
        // What listens at `::` mostly takes IPv4 too.
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => [127, 0, 0, 1].into(),
        other => other.ip(),
    };
    SocketAddr::new(ip, address.port())
}
