//! What the descriptors of a process are of, and who is at the other end of its sockets.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;

use super::call::CallKind;
use super::peers::PeerTable;
use super::wait::{FdKind, OpenFds, PolledFd};
use crate::proc::Pid;
use crate::proc::descriptors::socket_number;

/// A call that waits for more descriptors is an event loop's.
const MAX_POLLED: usize = 8;
/// So many descriptors a set of `select` has.
const MAX_SELECTED: u64 = 1024;
/// Bytes of `struct pollfd`: descriptor, wanted and seen events.
const POLLED_BYTES: usize = 8;
const POLLIN: u16 = libc::POLLIN.cast_unsigned();
const POLLOUT: u16 = libc::POLLOUT.cast_unsigned();

/// The open descriptors of a process.
pub(super) struct ProcessFds<'a> {
    pub(super) pid: Pid,
    /// It has one thread: then an epoll set of it is small enough to be asked for.
    pub(super) alone: bool,
    pub(super) peers: &'a mut PeerTable,
}

impl OpenFds for ProcessFds<'_> {
    fn kind(&mut self, fd: i32) -> FdKind {
        let link = fs::read_link(format!("/proc/{}/fd/{fd}", self.pid));
        let Ok(link) = link else {
            return FdKind::Other;
        };
        let link = link.as_os_str().as_encoded_bytes();
        if let Some(inode) = socket_number(link) {
            return self.peers.kind(inode);
        }
        match link {
            link if link.starts_with(b"pipe:") => FdKind::Pipe,
            link if link.starts_with(b"/dev/") => FdKind::Other,
            link if link.starts_with(b"/") => FdKind::File,
            _ => FdKind::Other,
        }
    }

    fn polled(&mut self, kind: CallKind, arguments: &[u64; 6]) -> Option<Vec<PolledFd>> {
        match kind {
            CallKind::Poll => self.array(arguments[0], arguments[1]),
            CallKind::Select => self.sets(arguments),
            CallKind::Epoll if self.alone => self.epoll_set(arguments[0]),
            _ => None,
        }
    }
}

impl ProcessFds<'_> {
    /// A few bytes of the process's memory, only read.
    fn memory(&self, address: u64, bytes: &mut [u8]) -> io::Result<()> {
        fs::File::open(format!("/proc/{}/mem", self.pid))?.read_exact_at(bytes, address)
    }

    fn array(&self, address: u64, count: u64) -> Option<Vec<PolledFd>> {
        let count = usize::try_from(count).ok()?;
        if count > MAX_POLLED {
            return None;
        }
        let mut bytes = vec![0; count * POLLED_BYTES];
        self.memory(address, &mut bytes).ok()?;
        Some(
            bytes
                .chunks_exact(POLLED_BYTES)
                .filter_map(polled_fd)
                .collect(),
        )
    }

    fn sets(&self, arguments: &[u64; 6]) -> Option<Vec<PolledFd>> {
        let [count, read, write, ..] = *arguments;
        if count > MAX_SELECTED {
            return None;
        }
        let mut all = Vec::new();
        for (address, to_write) in [(read, false), (write, true)] {
            if address == 0 {
                continue;
            }
            let mut bytes = vec![0; usize::try_from(count.div_ceil(64)).ok()? * 8];
            self.memory(address, &mut bytes).ok()?;
            all.extend(members(&bytes, count).map(|fd| PolledFd { fd, to_write }));
        }
        (all.len() <= MAX_POLLED).then_some(all)
    }

    /// The descriptors of an epoll set, as the kernel lists them: `tfd:        5 events: …`.
    fn epoll_set(&self, fd: u64) -> Option<Vec<PolledFd>> {
        let folder = fs::read_dir(format!("/proc/{}/fd", self.pid)).ok()?;
        // A long list would hold up the process.
        if folder.take(MAX_OPEN + 1).count() > MAX_OPEN {
            return None;
        }
        let text = crate::proc::file::read(format!("/proc/{}/fdinfo/{fd}", self.pid)).ok()?;
        let all: Vec<_> = text.lines().filter_map(epoll_fd).collect();
        (!all.is_empty() && all.len() <= MAX_POLLED).then_some(all)
    }
}

/// A process with more descriptors is not asked for its epoll sets.
const MAX_OPEN: usize = 64;

/// A descriptor that an epoll set holds, of a line of its `fdinfo`.
pub(super) fn epoll_fd(line: &str) -> Option<PolledFd> {
    let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
    let fd = words.next()?.parse().ok()?;
    Some(PolledFd {
        fd,
        to_write: false,
    })
}

/// `struct pollfd`; a negative descriptor is none.
fn polled_fd(bytes: &[u8]) -> Option<PolledFd> {
    let (fd, rest) = bytes.split_first_chunk()?;
    let fd = i32::from_ne_bytes(*fd);
    let wanted = u16::from_ne_bytes(*rest.first_chunk()?);
    let to_write = wanted & POLLIN == 0 && wanted & POLLOUT != 0;
    (fd >= 0).then_some(PolledFd { fd, to_write })
}

/// The members of a set of `select`, less than `count`: words of the machine's order.
fn members(bytes: &[u8], count: u64) -> impl Iterator<Item = i32> {
    let words = bytes.chunks_exact(8).map(|word| {
        let word: [u8; 8] = word.try_into().unwrap_or_default();
        u64::from_ne_bytes(word)
    });
    let words: Vec<u64> = words.collect();
    (0..count).filter_map(move |fd| {
        let at = usize::try_from(fd / 64).ok()?;
        let held = words.get(at)? >> (fd % 64) & 1 == 1;
        held.then(|| i32::try_from(fd).ok()).flatten()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn descriptors_of_calls_are_read() {
        let mut bytes = 7_i32.to_ne_bytes().to_vec();
        bytes.extend(POLLOUT.to_ne_bytes());
        bytes.extend([0; 2]);
        let expected = PolledFd {
            fd: 7,
            to_write: true,
        };
        assert_eq!(polled_fd(&bytes), Some(expected));
        assert_eq!(polled_fd(&[0xff; 8]), None);
        assert_eq!(polled_fd(&bytes[..5]), None);
        let line = "tfd:       12 events: 80002019 data:        c  pos:0 ino:1 sdev:8";
        assert_eq!(epoll_fd(line).unwrap().fd, 12);
        assert_eq!(epoll_fd("pos:\t0"), None);
        let mut set = vec![0; 16];
        set[..8].copy_from_slice(&0b1001_u64.to_ne_bytes());
        set[8..].copy_from_slice(&0b10_u64.to_ne_bytes());
        assert_eq!(members(&set, 70).collect::<Vec<_>>(), [0, 3, 65]);
        assert_eq!(members(&set, 3).collect::<Vec<_>>(), [0]);
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), count in 0..2_000_u64, line in "(tfd:|[0-9]{0,12}| |.){0,8}") {
            let _ = polled_fd(&bytes);
            let _ = members(&bytes, count).count();
            let _ = epoll_fd(&line);
        }
    }
}
