//! TCP sockets of a network namespace: by netlink (sock_diag(7)), which is quick and knows
//! listen queues, or where that is refused by `/proc/PID/net/tcp`.

mod diag;
pub(crate) mod netlink;
mod space;
pub(crate) mod summary;
mod text;

use std::io;
use std::net::SocketAddr;

pub(crate) use space::NetSpace;

/// A state of TCP, with the kernel's numbers (`include/net/tcp_states.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum TcpState {
    Established = 1,
    SynSent = 2,
    SynReceived = 3,
    FinWait1 = 4,
    FinWait2 = 5,
    TimeWait = 6,
    Closed = 7,
    CloseWait = 8,
    LastAck = 9,
    Listen = 10,
    Closing = 11,
}

/// The bits of all states that are told of: those of [`TcpState`] and half-open connections
/// (12). A mask with every bit would have newer kernels walk all ports that are bound but not
/// connected, each under its lock, which programs that open connections wait for.
pub(crate) const EVERY_STATE: u32 = 0b1_1111_1111_1110;

impl TcpState {
    /// All of them.
    pub(crate) const ALL: [Self; 11] = [
        Self::Established,
        Self::SynSent,
        Self::SynReceived,
        Self::FinWait1,
        Self::FinWait2,
        Self::TimeWait,
        Self::Closed,
        Self::CloseWait,
        Self::LastAck,
        Self::Listen,
        Self::Closing,
    ];

    /// The state with that number; a half-open connection has one more (12).
    fn of(number: u8) -> Option<Self> {
        let number = if number == 12 { 3 } else { number };
        Self::ALL.into_iter().find(|state| *state as u8 == number)
    }

    /// The bit of this state in a mask of states.
    pub(crate) fn bit(self) -> u32 {
        1 << (self as u8)
    }

    /// Its name as an attribute (OpenTelemetry: `network.connection.state`).
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Established => "established",
            Self::SynSent => "syn_sent",
            Self::SynReceived => "syn_received",
            Self::FinWait1 => "fin_wait_1",
            Self::FinWait2 => "fin_wait_2",
            Self::TimeWait => "time_wait",
            Self::Closed => "closed",
            Self::CloseWait => "close_wait",
            Self::LastAck => "last_ack",
            Self::Listen => "listen",
            Self::Closing => "closing",
        }
    }
}

/// A TCP socket.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TcpSocket {
    pub(crate) state: TcpState,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    /// Bytes to be read; of a listening socket, connections to be accepted.
    pub(crate) receive_queue: u32,
    /// Bytes not acknowledged; of a listening socket, how many connections may wait (0 from
    /// text, which does not tell).
    pub(crate) send_queue: u32,
    /// Its number, as in `/proc/PID/fd`; 0 if no process holds it.
    pub(crate) inode: u64,
    /// Connections that a listening socket dropped, where it is told.
    pub(crate) drops: Option<u32>,
}

/// Reads the sockets of one namespace again and again.
#[derive(Debug)]
pub(crate) struct Sockets {
    space: NetSpace,
    diag: Option<diag::Diag>,
    /// Netlink is refused here.
    refused: bool,
}

impl Sockets {
    pub(crate) fn new(space: NetSpace) -> Self {
        Self {
            space,
            diag: None,
            refused: false,
        }
    }

    /// Whether only text is to be had, which knows less of listening sockets.
    pub(crate) fn by_text(&self) -> bool {
        self.refused
    }

    /// Visits each TCP socket in one of the states (a mask of [`TcpState::bit`]s).
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
                let done = diag.dump(states, visit);
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
        read("tcp")?;
        // Absent where IPv6 is switched off.
        let _ = read("tcp6");
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
    fn the_mask_of_every_state_has_those_that_are_told_and_no_other() {
        for number in 0..32_u8 {
            let told = EVERY_STATE & (1 << number) != 0;
            assert_eq!(told, TcpState::of(number).is_some(), "{number}");
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
