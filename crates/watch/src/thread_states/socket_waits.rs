//! At which connections the threads of some processes wait for bytes, at one moment.

use std::collections::{HashMap, HashSet};
use std::fs;

use super::call::{CallKind, CallPlace, kind};
use super::fds::ProcessFds;
use super::files::{Denied, ThreadFiles};
use super::peers::PeerTable;
use super::wait::OpenFds;
use crate::proc::Pid;
use crate::proc::descriptors::socket_number;

/// Of more threads the rest is not looked at.
const MAX_THREADS: usize = 512;

/// What was seen at one look.
#[derive(Debug, Default)]
pub(crate) struct SocketWaits {
    /// Sockets, by number, each of which a thread waits at for bytes and for nothing else.
    pub(crate) awaited: HashSet<u64>,
    /// A thread waits for several connections at once, or where it waits is not to be seen: then a
    /// connection that nobody waits at may be idle all the same.
    pub(crate) has_loops: bool,
}

/// Looks at the threads of some processes again and again.
#[derive(Default)]
pub(crate) struct SocketWaiters {
    files: HashMap<Pid, ThreadFiles>,
}

impl SocketWaiters {
    /// At which of the sockets the threads of the processes wait now.
    pub(crate) fn look(&mut self, pids: &[Pid], sockets: &HashSet<u64>) -> SocketWaits {
        let mut waits = SocketWaits {
            has_loops: pids.is_empty(),
            ..SocketWaits::default()
        };
        let mut left = MAX_THREADS;
        self.files.retain(|pid, _| pids.contains(pid));
        for pid in pids {
            if !self.files.contains_key(pid)
                && let Ok(files) = ThreadFiles::of(*pid)
            {
                self.files.insert(*pid, files);
            }
            let Some(files) = self.files.get_mut(pid) else {
                continue; // it ended just now
            };
            let tids = files.list().unwrap_or_default();
            waits.has_loops |= tids.len() > left;
            left = left.saturating_sub(tids.len());
            if left == 0 {
                break;
            }
            waits.see(*pid, files, &tids, sockets);
        }
        waits
    }
}

impl SocketWaits {
    fn see(&mut self, pid: Pid, files: &mut ThreadFiles, tids: &[Pid], sockets: &HashSet<u64>) {
        let mut denied = Denied::new();
        let mut peers = PeerTable::of(pid);
        let mut fds = ProcessFds {
            pid,
            alone: tids.len() == 1,
            peers: &mut peers,
        };
        for tid in tids {
            let Some(CallPlace::Call(number, arguments)) = files.place(*tid, &mut denied) else {
                continue;
            };
            let kind = kind(number, &arguments);
            let of_ours = |fd: i32| socket(pid, fd).filter(|inode| sockets.contains(inode));
            match kind {
                CallKind::Read => self.awaited.extend(fd(arguments[0]).and_then(of_ours)),
                CallKind::Epoll | CallKind::Poll | CallKind::Select => {
                    let polled = fds.polled(kind, &arguments);
                    let ours = polled.map(|all| {
                        let ours = all.iter().filter_map(|one| of_ours(one.fd));
                        ours.collect::<Vec<u64>>()
                    });
                    match ours.as_deref() {
                        Some([]) => {}
                        Some([one]) => {
                            self.awaited.insert(*one);
                        }
                        _ => self.has_loops = true,
                    }
                }
                CallKind::Queue => self.has_loops = true,
                _ => {}
            }
        }
        self.has_loops |= !denied.is_empty();
    }
}

fn fd(argument: u64) -> Option<i32> {
    i32::try_from(argument).ok()
}

/// The number of the socket that a descriptor is of.
fn socket(pid: Pid, fd: i32) -> Option<u64> {
    let link = fs::read_link(format!("/proc/{pid}/fd/{fd}")).ok()?;
    socket_number(link.as_os_str().as_encoded_bytes())
}
