//! Network namespaces: this program's own, and those of other processes.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::proc::Pid;

/// A network namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NetSpace {
    /// A process that lives in it; none: it is ours.
    pid: Option<Pid>,
}

impl NetSpace {
    /// This program's own.
    pub(crate) fn own() -> Self {
        Self { pid: None }
    }

    /// That of a process. If it is not allowed to know, it is taken for ours.
    pub(crate) fn of(pid: Pid) -> Self {
        let theirs = Self::number(&format!("/proc/{pid}/ns/net"));
        let other = theirs.is_some() && theirs != Self::number("/proc/self/ns/net");
        Self {
            pid: other.then_some(pid),
        }
    }

    /// What tells namespaces apart: `net:[4026531840]`.
    pub(crate) fn number(link: &str) -> Option<PathBuf> {
        fs::read_link(link).ok()
    }

    /// What tells it from others; none: it is our own, or has ended.
    pub(crate) fn known_by(&self) -> Option<PathBuf> {
        Self::number(&format!("/proc/{}/ns/net", self.pid?))
    }

    /// Whether it is this program's own.
    pub(crate) fn is_own(&self) -> bool {
        self.pid.is_none()
    }

    /// The folder that tells of it.
    pub(crate) fn folder(&self) -> PathBuf {
        match self.pid {
            None => PathBuf::from("/proc/net"),
            Some(pid) => PathBuf::from(format!("/proc/{pid}/net")),
        }
    }

    /// Does something in it: on a thread of its own, since a thread that has moved into
    /// another namespace is not fit for anything else. Needs CAP_SYS_ADMIN there.
    pub(crate) fn inside<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        let Some(pid) = self.pid else {
            return Ok(work());
        };
        let space = fs::File::open(format!("/proc/{pid}/ns/net"))?;
        let moved = || {
            move_into_link_name_space(space.as_fd(), Some(LinkNameSpaceType::Network))?;
            Ok(work())
        };
        std::thread::scope(|scope| {
            let done = scope.spawn(moved).join();
            done.unwrap_or_else(|_| Err(io::Error::other("panic in another namespace")))
        })
    }
}
