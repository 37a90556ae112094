//! What the threads of an agent that changes its host share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use plimsoll_text::Message;
use rustix::process::Pid;

use super::audit::Audit;
use super::lease::LeaseHolder;
use super::scope::HostScope;
use super::wire::AgentWork;

/// What the threads of an agent share.
pub struct HostState {
    pub(super) audit: Audit,
    /// How long after a study was last heard of everything is put back.
    pub(super) lease_for: Duration,
    scope: Mutex<Arc<HostScope>>,
    lease: Mutex<LeaseHolder>,
}

impl HostState {
    /// With what studies may change.
    pub(super) fn new(scope: HostScope, audit: Audit) -> Self {
        Self {
            audit,
            lease_for: scope.lease,
            scope: Mutex::new(Arc::new(scope)),
            lease: Mutex::default(),
        }
    }

    /// What studies may change, with what it was when no study had changed it.
    pub(super) fn scope(&self) -> Arc<HostScope> {
        let scope = self.scope.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&scope)
    }

    /// Looks again at what is there, which others may have changed: only while no study does.
    ///
    /// # Errors
    /// What the agent's file names is not there any more.
    pub(super) fn look_again(&self) -> Result<(), Message> {
        let fresh = Arc::new(self.scope().looked_at_again()?);
        *self.scope.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

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
        let longest = self.lease_for;
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
