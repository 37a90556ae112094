//! Which processes hold the sockets of the file system, and which of them stand for others.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::super::held::{Held, INIT};
use super::table::UnixMoment;
use crate::proc::find::spaces;
use crate::proc::{Pid, name};
use crate::sockets::listening;

/// The processes, as they were looked at last.
pub(super) struct Processes {
    pub(super) held: Held,
    held_at: Instant,
    /// All sockets that listen, by number.
    pub(super) listening: HashSet<u64>,
    roots: HashMap<Pid, Pid>,
    names: HashMap<Pid, String>,
}

impl Processes {
    pub(super) fn look() -> Self {
        let tcp = spaces().into_iter();
        let tcp = tcp.filter_map(|space| listening(&space).ok()).flatten();
        Self {
            held: Held::read(),
            held_at: Instant::now(),
            listening: tcp.map(|socket| socket.inode).collect(),
            roots: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// How long ago that was.
    pub(super) fn age(&self) -> Duration {
        self.held_at.elapsed()
    }

    pub(super) fn look_again(&mut self) {
        (self.held, self.held_at) = (Held::read(), Instant::now());
    }

    /// Takes in who listens now.
    pub(super) fn take_listeners(&mut self, moment: &UnixMoment) {
        self.listening.extend(moment.listeners.keys());
        self.roots.clear();
    }

    /// Who serves at a socket that listens, and all processes that may have its connections.
    pub(super) fn serving(&mut self, inode: u64) -> Option<(Pid, Vec<Pid>)> {
        let holders = self.held.holders(inode).to_vec();
        let serving = holders.iter().find(|pid| **pid != INIT);
        let root = self.root(*serving.or(holders.first())?);
        let own = holders.into_iter();
        let own = own.filter(|pid| *pid != INIT || root == INIT).collect();
        Some((root, own))
    }

    /// The process that stands for one.
    pub(super) fn root(&mut self, pid: Pid) -> Pid {
        let (held, listening) = (&self.held, &self.listening);
        let known = self.roots.entry(pid);
        *known.or_insert_with(|| held.root(pid, listening))
    }

    pub(super) fn name(&mut self, root: Pid) -> String {
        let known = self.names.entry(root);
        let name = known.or_insert_with(|| name::entity_name(root).unwrap_or_default());
        name.clone()
    }
}
