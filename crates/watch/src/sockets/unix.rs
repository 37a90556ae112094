//! Sockets of the file system (UNIX domain): by netlink, which knows both ends, or where that is
//! refused by `/proc/net/unix`, which knows the server's alone.

use std::io;

use super::NetSpace;
use super::netlink::{Netlink, attribute, u32_at};
use super::socket::TcpState;
use crate::proc::file::read;

/// Of `linux/sock_diag.h` and `linux/unix_diag.h`.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const MESSAGE_BYTES: usize = 16;
const AF_UNIX: u8 = 1;
const UDIAG_SHOW_NAME: u32 = 1;
const UDIAG_SHOW_PEER: u32 = 4;
const UDIAG_SHOW_ICONS: u32 = 8;
const UDIAG_SHOW_RQLEN: u32 = 16;
const UNIX_DIAG_NAME: u16 = 0;
const UNIX_DIAG_PEER: u16 = 2;
const UNIX_DIAG_ICONS: u16 = 3;
const UNIX_DIAG_RQLEN: u16 = 4;
const SOCK_DGRAM: u8 = 2;

/// A UNIX socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnixSocket {
    /// Its number, as in `/proc/PID/fd`.
    pub(crate) inode: u64,
    /// Its path, or `@name`; empty: it has none, as most clients.
    pub(crate) path: String,
    pub(crate) listens: bool,
    /// The number of the other end, where it is told; 0: the server has not accepted it yet.
    pub(crate) peer: Option<u64>,
    /// Whether it carries messages one by one, which no connection does.
    pub(crate) is_datagram: bool,
    /// Bytes that wait to be read; of one that listens, connections that wait to be accepted.
    pub(crate) receive_queue: u32,
    /// Of one that listens: the clients' ends that wait to be accepted.
    pub(crate) pending: Vec<u64>,
}

/// Reads the UNIX sockets of one namespace again and again by netlink.
pub(crate) struct UnixDiag(Netlink);

impl UnixDiag {
    pub(crate) fn open(space: &NetSpace) -> io::Result<Self> {
        let open = || Netlink::open(Some(rustix::net::netlink::SOCK_DIAG));
        Ok(Self(space.inside(open)??))
    }

    /// Visits each in one of the states (a mask of [`TcpState::bit`]s).
    pub(crate) fn each(
        &mut self,
        states: u32,
        visit: &mut dyn FnMut(UnixSocket),
    ) -> io::Result<()> {
        let kind = SOCK_DIAG_BY_FAMILY;
        let each = &mut |body: &[u8]| socket(body).into_iter().for_each(&mut *visit);
        self.0.dump(kind, &request(states), kind, each)
    }
}

/// All UNIX sockets of a namespace.
pub(crate) fn unix_sockets(space: &NetSpace) -> Vec<UnixSocket> {
    let by_netlink = || -> io::Result<Vec<UnixSocket>> {
        let mut all = Vec::new();
        UnixDiag::open(space)?.each(u32::MAX, &mut |socket| all.push(socket))?;
        Ok(all)
    };
    by_netlink().unwrap_or_else(|_| {
        let text = read(space.folder().join("unix")).unwrap_or_default();
        text.lines().filter_map(line).collect()
    })
}

/// `struct unix_diag_req`.
fn request(states: u32) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[0] = AF_UNIX;
    let show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS | UDIAG_SHOW_RQLEN;
    bytes[4..8].copy_from_slice(&states.to_ne_bytes());
    bytes[12..16].copy_from_slice(&show.to_ne_bytes());
    bytes
}

/// `struct unix_diag_msg` and its attributes.
fn socket(bytes: &[u8]) -> Option<UnixSocket> {
    let message = bytes.get(..MESSAGE_BYTES)?;
    let attributes = &bytes[MESSAGE_BYTES..];
    let number = |wanted| attribute(attributes, wanted).and_then(|bytes| u32_at(bytes, 0));
    let pending = attribute(attributes, UNIX_DIAG_ICONS).unwrap_or_default();
    let pending = pending.chunks_exact(4).filter_map(|bytes| u32_at(bytes, 0));
    Some(UnixSocket {
        inode: u64::from(u32_at(message, 4)?),
        path: unix_path(attribute(attributes, UNIX_DIAG_NAME).unwrap_or_default()),
        listens: message[2] == TcpState::Listen as u8,
        peer: number(UNIX_DIAG_PEER).map(u64::from),
        is_datagram: message[1] == SOCK_DGRAM,
        receive_queue: number(UNIX_DIAG_RQLEN).unwrap_or(0),
        pending: pending.map(u64::from).collect(),
    })
}

/// A path may end with NUL; a name in no file system begins with it.
pub(crate) fn unix_path(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.strip_prefix('\0') {
        Some(name) => format!("@{}", name.replace('\0', "@")),
        None => text.trim_end_matches('\0').to_owned(),
    }
}

/// A line of `/proc/net/unix`: `Num RefCount Protocol Flags Type St Inode Path`.
fn line(line: &str) -> Option<UnixSocket> {
    let mut words = line.split_ascii_whitespace().skip(3);
    let flags = u32::from_str_radix(words.next()?, 16).ok()?;
    let kind = u32::from_str_radix(words.next()?, 16).ok()?;
    Some(UnixSocket {
        inode: words.nth(1)?.parse().ok()?,
        path: words.next().unwrap_or_default().to_owned(),
        // SO_ACCEPTCON
        listens: flags & 0x1_0000 != 0,
        peer: None,
        is_datagram: kind == u32::from(SOCK_DGRAM),
        receive_queue: 0,
        pending: Vec::new(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;
    use proptest::prelude::*;

    fn inode(socket: &impl AsRawFd) -> u64 {
        let link = std::fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap();
        let link = link.to_string_lossy().into_owned();
        let digits = link.trim_start_matches("socket:[").trim_end_matches(']');
        digits.parse().unwrap()
    }

    #[test]
    fn both_ends_are_known_by_netlink_and_the_servers_by_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let client = UnixStream::connect(&path).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let waiting = UnixStream::connect(&path).unwrap();
        std::io::Write::write_all(&mut &client, b"hello").unwrap();
        let path = path.to_str().unwrap();
        let all = unix_sockets(&NetSpace::own());
        let of = |inode: u64| all.iter().find(|socket| socket.inode == inode).unwrap();
        let (own, other) = (of(inode(&client)), of(inode(&accepted)));
        assert_eq!((own.path.as_str(), own.peer), ("", Some(other.inode)));
        assert_eq!((other.path.as_str(), other.peer), (path, Some(own.inode)));
        assert!(of(inode(&listener)).listens && !other.listens);
        assert_eq!((own.receive_queue, other.receive_queue), (0, 5));
        let queue = of(inode(&listener));
        assert_eq!(
            (queue.receive_queue, queue.pending.as_slice()),
            (1, &[inode(&waiting)][..])
        );
        assert_eq!(of(inode(&waiting)).peer, Some(0), "nobody has accepted it");
        assert!(!own.is_datagram && !queue.is_datagram);
        let text = read("/proc/net/unix").unwrap();
        let by_text = text.lines().filter_map(line);
        let by_text = by_text.filter(|socket| socket.path == path);
        assert_eq!(by_text.filter(|socket| socket.listens).count(), 1);
    }

    #[test]
    fn lines_and_names_are_read() {
        let text = "0000000000000000: 00000002 00000000 00010000 0001 01 4711 /run/php/fpm.sock";
        let read = line(text).unwrap();
        assert_eq!((read.inode, read.listens), (4711, true));
        assert_eq!(read.path, "/run/php/fpm.sock");
        assert_eq!(line("0: 3 0 00000000 0001 03 4713").unwrap().path, "");
        assert!(line("Num       RefCount Protocol Flags    Type St Inode Path").is_none());
        assert_eq!(unix_path(b"/run/a\0"), "/run/a");
        assert_eq!(unix_path(b"\0name"), "@name");
    }

    /// A message as the kernel makes it.
    fn made(head: [u8; 3], inode: u32, attributes: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = [&head[..], &[0], &inode.to_ne_bytes(), &[7; 8]].concat();
        for (kind, content) in attributes {
            bytes.extend(u16::try_from(content.len() + 4).unwrap().to_ne_bytes());
            bytes.extend(kind.to_ne_bytes());
            bytes.extend(content);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    proptest! {
        #[test]
        fn what_the_kernel_says_is_read(
            inode in 1..u32::MAX, kind in 1..6_u8, state in prop::sample::select(vec![1_u8, 7, 10]),
            name in "(/[a-z]{1,60})?", peer in prop::option::of(any::<u32>()),
            pending in prop::collection::vec(any::<u32>(), 0..40), queue in any::<u32>(),
            order in Just(vec![0, 1, 2, 3]).prop_shuffle(), cut in any::<prop::sample::Index>(),
            place in any::<prop::sample::Index>(), with in any::<u8>(),
        ) {
            let number = |number: u32| number.to_ne_bytes().to_vec();
            let waits = pending.iter().flat_map(|one| one.to_ne_bytes()).collect();
            let known = [
                (UNIX_DIAG_NAME, name.clone().into_bytes()),
                (UNIX_DIAG_PEER, peer.map(number).unwrap_or_default()),
                (UNIX_DIAG_ICONS, waits),
                (UNIX_DIAG_RQLEN, [number(queue), number(128)].concat()),
            ];
            let known: Vec<_> = order.iter().map(|at: &usize| known[*at].clone()).collect();
            let mut bytes = made([AF_UNIX, kind, state], inode, &known);
            let read = socket(&bytes).unwrap();
            prop_assert_eq!((read.inode, read.path), (u64::from(inode), name));
            prop_assert_eq!((read.listens, read.is_datagram), (state == 10, kind == SOCK_DGRAM));
            prop_assert_eq!((read.peer, read.receive_queue), (peer.map(u64::from), queue));
            let waits: Vec<u64> = pending.into_iter().map(u64::from).collect();
            prop_assert_eq!(read.pending, waits);
            // What is cut or spoiled is read as far as it makes sense.
            let _ = socket(&bytes[..cut.index(bytes.len())]);
            let place = place.index(bytes.len());
            bytes[place] = with;
            let _ = socket(&bytes);
        }

        #[test]
        fn never_panics(text in "([0-9a-f]{1,12}:? |/[a-z]{1,5}|@| |.){0,12}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = line(&text);
            let _ = socket(&bytes);
            let _ = unix_path(&bytes);
        }
    }
}
