//! TCP and UDP sockets of a network namespace: by netlink (sock_diag(7)), which is quick and knows
//! listen queues, or where that is refused by `/proc/PID/net/tcp`.

mod diag;
pub(crate) mod netlink;
mod socket;
mod space;
pub(crate) mod summary;
mod text;
mod unix;

use std::io;

pub(crate) use socket::{EVERY_STATE, TcpSocket, TcpState};
pub(crate) use space::NetSpace;
pub(crate) use unix::{UnixDiag, UnixSocket, unix_path, unix_sockets};

/// What sockets are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Tcp,
    Udp,
}

impl Transport {
    /// Its number in headers of IP.
    fn number(self) -> u8 {
        match self {
            Self::Tcp => 6,
            Self::Udp => 17,
        }
    }

    /// Its tables in `/proc/PID/net`, of IPv4 and of IPv6.
    fn tables(self) -> [&'static str; 2] {
        match self {
            Self::Tcp => ["tcp", "tcp6"],
            Self::Udp => ["udp", "udp6"],
        }
    }
}

/// Reads the sockets of one namespace again and again.
#[derive(Debug)]
pub(crate) struct Sockets {
    space: NetSpace,
    transport: Transport,
    diag: Option<diag::Diag>,
    /// Netlink is refused here.
    refused: bool,
}

impl Sockets {
    pub(crate) fn new(space: NetSpace) -> Self {
        Self::of(space, Transport::Tcp)
    }

    /// Those of UDP: connected ones are established, all others closed.
    pub(crate) fn datagrams(space: NetSpace) -> Self {
        Self::of(space, Transport::Udp)
    }

    fn of(space: NetSpace, transport: Transport) -> Self {
        Self {
            space,
            transport,
            diag: None,
            refused: false,
        }
    }

    /// Whether only text is to be had, which knows less of listening sockets.
    pub(crate) fn by_text(&self) -> bool {
        self.refused
    }

    /// Visits each socket in one of the states (a mask of [`TcpState::bit`]s).
    pub(crate) fn each(&mut self, states: u32, visit: &mut dyn FnMut(TcpSocket)) -> io::Result<()> {
        if !self.refused {
            if self.diag.is_none() {
                self.diag = self
                    .space
                    .inside(diag::Diag::open)
                    .and_then(|open| open)
                    .ok();
            }
            if let Some(diag) = &mut self.diag {
                let done = diag.dump(self.transport.number(), states, visit);
                if done.is_err() {
                    self.diag = None;
                }
                if !matches!(&done, Err(error) if error.kind() == io::ErrorKind::NotFound) {
                    return done;
                }
            }
            self.refused = true;
        }
        self.each_by_text(states, visit)
    }

    fn each_by_text(&self, states: u32, visit: &mut dyn FnMut(TcpSocket)) -> io::Result<()> {
        let folder = self.space.folder();
        let mut read = |name: &str| {
            let text = crate::proc::file::read(folder.join(name))?;
            let sockets = text.lines().filter_map(text::parse);
            sockets
                .filter(|socket| states & socket.state.bit() != 0)
                .for_each(&mut *visit);
            Ok::<(), io::Error>(())
        };
        let [v4, v6] = self.transport.tables();
        read(v4)?;
        // Absent where IPv6 is switched off.
        let _ = read(v6);
        Ok(())
    }
}

/// All sockets that listen in a namespace.
pub(crate) fn listening(space: &NetSpace) -> io::Result<Vec<TcpSocket>> {
    let mut all = Vec::new();
    Sockets::new(space.clone()).each(TcpState::Listen.bit(), &mut |socket| all.push(socket))?;
    Ok(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    fn seen(sockets: &mut Sockets, by_text: bool, port: u16) -> Vec<TcpSocket> {
        let mut all = Vec::new();
        let states = TcpState::ALL
            .iter()
            .fold(0, |mask, state| mask | state.bit());
        let mut visit = |socket: TcpSocket| all.push(socket);
        if by_text {
            sockets.each_by_text(states, &mut visit).unwrap();
        } else {
            sockets.each(states, &mut visit).unwrap();
        }
        all.retain(|socket| socket.local.port() == port || socket.remote.port() == port);
        all.sort_by_key(|socket| (socket.state, socket.local.port() == port));
        all
    }

    #[test]
    fn sockets_of_datagrams_are_told_connected_or_not() {
        let bound = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let server = bound.local_addr().unwrap();
        let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        client.connect(server).unwrap();
        for by_text in [false, true] {
            let mut sockets = Sockets::datagrams(NetSpace::own());
            let all = seen(&mut sockets, by_text, server.port());
            let own = |local| all.iter().find(|socket| socket.local == local).unwrap();
            assert_eq!(own(server).state, TcpState::Closed, "{by_text}");
            let connected = own(client.local_addr().unwrap());
            assert_eq!(
                (connected.remote, connected.state),
                (server, TcpState::Established)
            );
            assert_ne!(connected.inode, 0);
        }
    }

    #[test]
    fn netlink_and_text_tell_the_same() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).unwrap();
            let server = listener.local_addr().unwrap();
            let client = TcpStream::connect(server).unwrap();
            let (accepted, _) = listener.accept().unwrap();
            let _waiting = TcpStream::connect(server).unwrap();
            let mut sockets = Sockets::new(NetSpace::own());
            let by_netlink = seen(&mut sockets, false, server.port());
            assert!(!sockets.refused);
            let listening = by_netlink
                .iter()
                .find(|socket| socket.state == TcpState::Listen)
                .unwrap();
            assert_eq!(listening.local, server);
            assert_eq!(listening.receive_queue, 1, "one waits to be accepted");
            assert!(listening.send_queue > 0);
            let pair = by_netlink
                .iter()
                .find(|socket| socket.local == client.local_addr().unwrap())
                .unwrap();
            assert_eq!((pair.remote, pair.state), (server, TcpState::Established));
            assert_ne!(pair.inode, 0);
            let strip = |mut all: Vec<TcpSocket>| {
                for socket in &mut all {
                    socket.drops = None;
                    if socket.state == TcpState::Listen {
                        socket.send_queue = 0;
                    }
                }
                all.sort_by_key(|socket| (socket.local, socket.remote));
                all
            };
            let by_text = seen(&mut sockets, true, server.port());
            assert_eq!(strip(by_netlink), strip(by_text));
            let known = super::listening(&NetSpace::own()).unwrap();
            let listening = known.iter().find(|socket| socket.local == server);
            assert_eq!(listening.unwrap().drops, Some(0));
            drop(accepted);
        }
    }
}
