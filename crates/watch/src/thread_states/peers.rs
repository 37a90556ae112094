//! Who is at the other end of a process's sockets.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use super::wait::{FdKind, Whom};
use crate::proc::Pid;
use crate::sockets::{NetSpace, Sockets, TcpState, UnixSocket, unix_sockets};

/// The tables are read again for a socket that is not in them, but not more often.
const AGAIN: Duration = Duration::from_millis(400);
/// Nor more than so often altogether.
const MAX_READS: u32 = 6;

/// One end of a connection.
#[derive(Debug, Clone, Copy)]
struct SocketEnds {
    local: SocketAddr,
    remote: SocketAddr,
    listens: bool,
}

/// The sockets of a network namespace.
pub(super) struct PeerTable {
    space: NetSpace,
    sockets: Sockets,
    tcp: HashMap<u64, SocketEnds>,
    listening: BTreeSet<u16>,
    unix: HashMap<u64, UnixSocket>,
    read_at: Option<Instant>,
    reads: u32,
}

impl PeerTable {
    /// The table of a process's namespace; it is read when it is needed.
    pub(super) fn of(pid: Pid) -> Self {
        let space = NetSpace::of(pid);
        Self {
            sockets: Sockets::new(space.clone()),
            space,
            tcp: HashMap::new(),
            listening: BTreeSet::new(),
            unix: HashMap::new(),
            read_at: None,
            reads: 0,
        }
    }

    /// What the socket of that number is.
    pub(super) fn kind(&mut self, inode: u64) -> FdKind {
        if let Some(known) = self.known(inode) {
            return known;
        }
        let old = self.read_at.is_none_or(|at| at.elapsed() >= AGAIN);
        if old && self.reads < MAX_READS {
            self.read();
        }
        self.known(inode).unwrap_or(FdKind::Socket(Whom::Unknown))
    }

    fn known(&self, inode: u64) -> Option<FdKind> {
        if let Some(ends) = self.tcp.get(&inode) {
            return Some(match ends {
                SocketEnds { listens: true, .. } => FdKind::Listener,
                SocketEnds { local, remote, .. } => {
                    FdKind::Socket(match self.listening.contains(&local.port()) {
                        true => Whom::Client(remote.ip()),
                        false => Whom::Server(*remote),
                    })
                }
            });
        }
        let unix = self.unix.get(&inode)?;
        if unix.listens {
            return Some(FdKind::Listener);
        }
        // A server's socket has the path of the one that it was accepted at.
        let there = unix.peer.and_then(|peer| self.unix.get(&peer));
        let there = there.map_or("", |there| there.path.as_str());
        Some(FdKind::Socket(match (unix.path.as_str(), there) {
            ("", "") => Whom::Unknown,
            ("", server) => Whom::UnixServer(server.into()),
            (own, _) => Whom::UnixClient(own.into()),
        }))
    }

    fn read(&mut self) {
        self.reads += 1;
        self.read_at = Some(Instant::now());
        self.tcp.clear();
        self.listening.clear();
        let states = [
            TcpState::Listen,
            TcpState::Established,
            TcpState::SynSent,
            TcpState::CloseWait,
            TcpState::FinWait1,
            TcpState::FinWait2,
        ];
        let states = states.iter().fold(0, |all, state| all | state.bit());
        let (tcp, listening) = (&mut self.tcp, &mut self.listening);
        // What cannot be read leaves the other ends unknown.
        let _ = self.sockets.each(states, &mut |socket| {
            let listens = socket.state == TcpState::Listen;
            if listens {
                listening.insert(socket.local.port());
            }
            let ends = SocketEnds {
                local: socket.local,
                remote: socket.remote,
                listens,
            };
            tcp.insert(socket.inode, ends);
        });
        let unix = unix_sockets(&self.space).into_iter();
        self.unix = unix.map(|socket| (socket.inode, socket)).collect();
    }

    /// The numbers of sockets of this host that whoever is at the other end holds.
    pub(super) fn sockets(&self, whom: &Whom) -> Vec<u64> {
        match whom {
            Whom::Server(server) => self.listeners(*server),
            Whom::Client(client) => self.caller(*client).into_iter().collect(),
            Whom::UnixServer(path) => {
                self.at_path(path, |socket| socket.listens.then_some(socket.inode))
            }
            Whom::UnixClient(path) => self.at_path(path, |socket| socket.peer),
            Whom::Unknown => Vec::new(),
        }
    }

    /// Those at which a server listens, if it is on this host.
    fn listeners(&self, server: SocketAddr) -> Vec<u64> {
        let accepted = |ends: &&SocketEnds| !ends.listens && ends.local == server;
        if !self.tcp.values().any(|ends| accepted(&ends)) {
            return Vec::new();
        }
        let listens = |ends: &SocketEnds| ends.listens && ends.local.port() == server.port();
        let all = self.tcp.iter().filter(|(_, ends)| listens(ends));
        all.map(|(inode, _)| *inode).collect()
    }

    /// One by which a client there calls a server here.
    fn caller(&self, client: IpAddr) -> Option<u64> {
        let calls = |ends: &SocketEnds| {
            ends.local.ip() == client
                && self.listening.contains(&ends.remote.port())
                && !self.listening.contains(&ends.local.port())
        };
        let mut all = self.tcp.iter().filter(|(_, ends)| calls(ends));
        all.next().map(|(inode, _)| *inode)
    }

    /// Of sockets of the file system at a path.
    fn at_path(&self, path: &str, wanted: impl Fn(&UnixSocket) -> Option<u64>) -> Vec<u64> {
        let all = self.unix.values().filter(|socket| socket.path == path);
        all.filter_map(wanted).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_connection_are_told_apart() {
        use std::os::fd::AsRawFd;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(server).unwrap();
        let (accepted, from) = listener.accept().unwrap();
        let mut table = PeerTable::of(std::process::id());
        let mut kind = |fd: i32| {
            let link = std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap();
            let link = link.to_string_lossy().into_owned();
            let inode = link.trim_start_matches("socket:[").trim_end_matches(']');
            table.kind(inode.parse().unwrap())
        };
        assert_eq!(kind(listener.as_raw_fd()), FdKind::Listener);
        assert_eq!(
            kind(client.as_raw_fd()),
            FdKind::Socket(Whom::Server(server))
        );
        assert_eq!(
            kind(accepted.as_raw_fd()),
            FdKind::Socket(Whom::Client(from.ip()))
        );
        assert_eq!(table.sockets(&Whom::Server(server)).len(), 1);
        assert_eq!(table.sockets(&Whom::Client(from.ip())).len(), 1);
    }
}
