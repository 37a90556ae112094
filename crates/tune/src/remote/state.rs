//! What the threads of an agent that changes its host share.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::Pid;

use super::audit::Audit;
use super::lease::LeaseHolder;
use super::scope::HostScope;
use super::wire::AgentWork;

/// What the threads of an agent share.
pub struct HostState {
    pub(super) scope: HostScope,
    pub(super) audit: Audit,
    pub(super) lease: Mutex<LeaseHolder>,
}

impl HostState {
    /// The lease that there is.
    pub(super) fn lease(&self) -> MutexGuard<'_, LeaseHolder> {
        // What it holds is whole at each moment.
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece of work is done.
    pub(super) fn done(&self, id: &str, number: u32, work: AgentWork, pids: Vec<Pid>) {
        if let Some(held) = self.lease().of(id).filter(|held| held.number == number) {
            held.work = work;
            held.pids = pids;
        }
    }

    /// Whether a lease is over.
    pub(super) fn is_over(&self, id: &str, now: Instant) -> bool {
        let longest = self.scope.lease;
        self.lease()
            .of(id)
            .is_none_or(|held| held.is_over(now, longest))
    }

    /// Whether the study has heard what came of its last work.
    pub(super) fn is_told(&self, id: &str) -> bool {
        self.lease().of(id).is_none_or(|held| held.is_told)
    }

    /// A lease is no more.
    pub(super) fn gone(&self, id: &str) {
        self.lease().gone(id);
    }
}
