//! The sockets of the file system at one moment.

use std::collections::HashMap;

use crate::proc::find::spaces;
use crate::sockets::{TcpState, UnixDiag, UnixSocket};

/// More network namespaces are not looked at.
const MAX_SPACES: usize = 32;

/// Reads the sockets of all network namespaces again and again.
pub(super) struct UnixTable {
    spaces: Vec<UnixDiag>,
    /// All of them may be looked into.
    is_whole: bool,
}

/// What is there at one moment.
#[derive(Debug, Default)]
pub(super) struct UnixMoment {
    /// The path of each socket that listens, by its number.
    pub(super) listeners: HashMap<u64, String>,
    pub(super) connections: Vec<UnixConnection>,
}

/// A connection at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnixConnection {
    /// The number of the client's end.
    pub(super) client: u64,
    /// That of the server's end; none: it has not been accepted.
    pub(super) server: Option<u64>,
    /// Where the server listens.
    pub(super) path: String,
    /// Bytes wait at either end.
    pub(super) has_bytes: bool,
}

impl UnixTable {
    /// Opens those that may be looked into.
    pub(super) fn open() -> Self {
        let all = spaces();
        let some = all.iter().take(MAX_SPACES);
        let spaces: Vec<UnixDiag> = some
            .filter_map(|space| UnixDiag::open(space).ok())
            .collect();
        Self {
            is_whole: spaces.len() == all.len(),
            spaces,
        }
    }

    /// Whether all sockets of this host are seen.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// What is there now.
    pub(super) fn now(&mut self) -> UnixMoment {
        let states = TcpState::Established.bit() | TcpState::Listen.bit();
        let mut sockets = Vec::new();
        // Of a namespace that has ended there is nothing to tell.
        self.spaces.retain_mut(|space| {
            space
                .each(states, &mut |socket| sockets.push(socket))
                .is_ok()
        });
        UnixMoment::of(&sockets)
    }
}

impl UnixMoment {
    fn of(sockets: &[UnixSocket]) -> Self {
        let streams = || sockets.iter().filter(|socket| !socket.is_datagram);
        let mut moment = Self::default();
        for socket in streams().filter(|socket| socket.listens && !socket.path.is_empty()) {
            moment.listeners.insert(socket.inode, socket.path.clone());
            let waiting = socket.pending.iter().filter(|client| **client != 0);
            moment
                .connections
                .extend(waiting.map(|client| UnixConnection {
                    client: *client,
                    server: None,
                    path: socket.path.clone(),
                    has_bytes: false,
                }));
        }
        let queues: HashMap<u64, u32> = streams()
            .map(|socket| (socket.inode, socket.receive_queue))
            .collect();
        let accepted = streams().filter(|socket| !socket.listens && !socket.path.is_empty());
        moment.connections.extend(accepted.filter_map(|socket| {
            let client = socket.peer.filter(|client| *client != 0)?;
            let back = queues.get(&client).copied().unwrap_or(0);
            Some(UnixConnection {
                client,
                server: Some(socket.inode),
                path: socket.path.clone(),
                has_bytes: socket.receive_queue > 0 || back > 0,
            })
        }));
        moment
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn queues_and_connections_are_told_by_the_path_of_their_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let mut table = UnixTable::open();
        let path = path.to_str().unwrap().to_owned();
        let mut own = || {
            let mut moment = table.now();
            assert_eq!(
                moment
                    .listeners
                    .values()
                    .filter(|one| **one == path)
                    .count(),
                1
            );
            moment.connections.retain(|one| one.path == path);
            let known = moment.connections.iter();
            let mut known: Vec<_> = known
                .map(|one| (one.server.is_some(), one.has_bytes))
                .collect();
            known.sort_unstable();
            known
        };
        assert_eq!(own(), []);
        let clients = [0; 3].map(|_| UnixStream::connect(&path).unwrap());
        assert_eq!(own(), [(false, false); 3]);
        let _first = listener.accept().unwrap();
        let mut second = listener.accept().unwrap().0;
        assert_eq!(own(), [(false, false), (true, false), (true, false)]);
        second.write_all(b"x").unwrap();
        assert_eq!(own(), [(false, false), (true, false), (true, true)]);
        drop(clients);
        assert_eq!(own(), [], "whose client has gone is none");
    }
}
