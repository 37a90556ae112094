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
const UNIX_DIAG_NAME: u16 = 0;
const UNIX_DIAG_PEER: u16 = 2;

/// A UNIX socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnixSocket {
    /// Its number, as in `/proc/PID/fd`.
    pub(crate) inode: u64,
    /// Its path, or `@name`; empty: it has none, as most clients.
    pub(crate) path: String,
    pub(crate) listens: bool,
    /// The number of the other end, where it is told.
    pub(crate) peer: Option<u64>,
}

/// All UNIX sockets of a namespace.
pub(crate) fn unix_sockets(space: &NetSpace) -> Vec<UnixSocket> {
    let by_netlink = || -> io::Result<Vec<UnixSocket>> {
        let open = || Netlink::open(Some(rustix::net::netlink::SOCK_DIAG));
        let mut link = space.inside(open)??;
        let mut all = Vec::new();
        let kind = SOCK_DIAG_BY_FAMILY;
        link.dump(kind, &request(), kind, &mut |body| all.extend(socket(body)))?;
        Ok(all)
    };
    by_netlink().unwrap_or_else(|_| {
        let text = read(space.folder().join("unix")).unwrap_or_default();
        text.lines().filter_map(line).collect()
    })
}

/// `struct unix_diag_req`.
fn request() -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[0] = AF_UNIX;
    bytes[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
    bytes[12..16].copy_from_slice(&(UDIAG_SHOW_NAME | UDIAG_SHOW_PEER).to_ne_bytes());
    bytes
}

/// `struct unix_diag_msg` and its attributes.
fn socket(bytes: &[u8]) -> Option<UnixSocket> {
    let message = bytes.get(..MESSAGE_BYTES)?;
    let attributes = &bytes[MESSAGE_BYTES..];
    let peer = attribute(attributes, UNIX_DIAG_PEER).and_then(|peer| u32_at(peer, 0));
    Some(UnixSocket {
        inode: u64::from(u32_at(message, 4)?),
        path: path(attribute(attributes, UNIX_DIAG_NAME).unwrap_or_default()),
        listens: message[2] == TcpState::Listen as u8,
        peer: peer.map(u64::from),
    })
}

/// A path may end with NUL; a name in no file system begins with it.
fn path(bytes: &[u8]) -> String {
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
    Some(UnixSocket {
        inode: words.nth(2)?.parse().ok()?,
        path: words.next().unwrap_or_default().to_owned(),
        // SO_ACCEPTCON
        listens: flags & 0x1_0000 != 0,
        peer: None,
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
        let path = path.to_str().unwrap();
        let all = unix_sockets(&NetSpace::own());
        let of = |inode: u64| all.iter().find(|socket| socket.inode == inode).unwrap();
        let (own, other) = (of(inode(&client)), of(inode(&accepted)));
        assert_eq!((own.path.as_str(), own.peer), ("", Some(other.inode)));
        assert_eq!((other.path.as_str(), other.peer), (path, Some(own.inode)));
        assert!(of(inode(&listener)).listens && !other.listens);
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
        assert_eq!(path(b"/run/a\0"), "/run/a");
        assert_eq!(path(b"\0name"), "@name");
    }

    proptest! {
        #[test]
        fn never_panics(text in "([0-9a-f]{1,12}:? |/[a-z]{1,5}|@| |.){0,12}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = line(&text);
            let _ = socket(&bytes);
            let _ = path(&bytes);
        }
    }
}
