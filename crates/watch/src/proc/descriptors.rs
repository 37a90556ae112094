//! What a process has open.

use std::io;
use std::mem::MaybeUninit;

use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat_raw};
use rustix::io::Errno;

use super::Pid;

/// Open file descriptors by kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Descriptors {
    /// Files and devices.
    pub(crate) files: u32,
    /// Pipes.
    pub(crate) pipes: u32,
    /// epoll, timers, events.
    pub(crate) other: u32,
    /// The numbers of its sockets.
    pub(crate) sockets: Vec<u64>,
}

/// How the link of a descriptor that is of a socket begins.
const SOCKET: &[u8] = b"socket:[";

/// The number of the socket that a descriptor is of, by what it links to.
pub(crate) fn socket_number(link: &[u8]) -> Option<u64> {
    let digits = link.strip_prefix(SOCKET)?.strip_suffix(b"]")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl Descriptors {
    /// What that process has open. Another user's processes may only be looked at by root.
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        let mut all = Self::default();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, format!("/proc/{pid}/fd"), flags, Mode::empty())?;
        let mut buffer = [MaybeUninit::<u8>::uninit(); 256];
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            if entry.file_name().to_bytes().starts_with(b".") {
                continue;
            }
            // A path beyond the buffer is cut, and a file's.
            match readlinkat_raw(&folder, entry.file_name(), &mut buffer) {
                Ok((link, _)) => all.add(link),
                // Root without CAP_SYS_PTRACE may list them, and no more: that is not none.
                Err(error @ (Errno::ACCESS | Errno::PERM)) => return Err(error.into()),
                // Closed meanwhile.
                Err(_) => {}
            }
        }
        Ok(all)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.files + self.pipes + self.other + self.sockets.len() as u32
    }

    fn add(&mut self, link: &[u8]) {
        if link.starts_with(SOCKET) {
            self.sockets.extend(socket_number(link));
        } else if link.starts_with(b"pipe:") {
            self.pipes += 1;
        } else if link.starts_with(b"/") {
            self.files += 1;
        } else {
            self.other += 1;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn what_this_program_opens_is_counted() {
        let before = Descriptors::of(std::process::id()).unwrap();
        let _files: Vec<_> = (0..50)
            .map(|_| std::fs::File::open("/proc/self/stat").unwrap())
            .collect();
        let _listeners: Vec<_> = (0..50)
            .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let _pipes: Vec<_> = (0..25).map(|_| std::io::pipe().unwrap()).collect();
        let after = Descriptors::of(std::process::id()).unwrap();
        // Other tests of this program open and close a few at the same time.
        let near = |grown: u32, by: u32| grown.abs_diff(by) <= 20;
        assert!(near(after.files - before.files, 50), "{before:?} {after:?}");
        assert!(near(after.pipes - before.pipes, 50), "{before:?} {after:?}");
        let sockets = (after.sockets.len() - before.sockets.len()) as u32;
        assert!(near(sockets, 50), "{before:?} {after:?}");
    }
}
