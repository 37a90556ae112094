//! Which processes hold which sockets, and which of them stands for the others.

use std::collections::{HashMap, HashSet};

use crate::proc::descriptors::Descriptors;
use crate::proc::find::{roots, stat_of};
use crate::proc::{Pid, name, pids};

/// So many processes that came from one another are followed back.
const MAX_PARENTS: usize = 16;
/// Whoever starts services may hold their listening sockets too, but does not serve.
pub(super) const INIT: Pid = 1;

/// Who holds which sockets now.
pub(super) struct Held {
    holders: HashMap<u64, Vec<Pid>>,
    sockets: HashMap<Pid, Vec<u64>>,
}

impl Held {
    pub(super) fn read() -> Self {
        let mut held = Self {
            holders: HashMap::new(),
            sockets: HashMap::new(),
        };
        for pid in pids() {
            // Another user's processes cannot be looked into; they are not named.
            let open = Descriptors::of(pid).unwrap_or_default();
            for inode in &open.sockets {
                held.holders.entry(*inode).or_default().push(pid);
            }
            held.sockets.insert(pid, open.sockets);
        }
        held
    }

    /// The processes that hold a socket.
    pub(super) fn holders(&self, inode: u64) -> &[Pid] {
        self.holders.get(&inode).map_or(&[], Vec::as_slice)
    }

    /// The process that is watched of those that share a process's listening sockets, or of those it
    /// comes from; without either it is the process itself.
    pub(super) fn root(&self, pid: Pid, listening: &HashSet<u64>) -> Pid {
        let program = name::executable(pid);
        let mut current = pid;
        for _ in 0..MAX_PARENTS {
            let sockets = self.sockets.get(&current).into_iter().flatten();
            let shared = sockets
                .filter(|inode| listening.contains(inode))
                .flat_map(|inode| self.holders(*inode));
            let started = |pid: &Pid| *pid != INIT || name::executable(INIT) == program;
            let shared: Vec<Pid> = shared.copied().filter(started).collect();
            if let Some(root) = roots(&shared).first() {
                return *root;
            }
            let Some(parent) = stat_of(current).map(|stat| stat.parent) else {
                break;
            };
            if program.is_none() || name::executable(parent) != program {
                break;
            }
            current = parent;
        }
        pid
    }
}
