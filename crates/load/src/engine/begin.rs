//! When the clock of a run begins.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::control::{Stop, Stopper};

/// How often it is looked whether a run was called off before it began.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The moment at which a run's clock reads 0; it may be told after the run is ready. Copies
/// are the same moment.
#[derive(Debug, Clone, Default)]
pub struct Begin(Arc<BeginInner>);

#[derive(Debug, Default)]
struct BeginInner {
    at_boottime_ns: Mutex<Option<u64>>,
    told: Condvar,
}

impl Begin {
    /// The moment at which [`crate::clock::boottime_ns`] gives this: in the future; or in the
    /// past, to take part in a run that goes on ([`super::Options::from`]).
    #[must_use]
    pub fn at(boottime_ns: u64) -> Self {
        let begin = Self::default();
        begin.tell(boottime_ns);
        begin
    }

    /// Tells the moment. The first one counts.
    pub fn tell(&self, boottime_ns: u64) {
        let mut at = self
            .0
            .at_boottime_ns
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        at.get_or_insert(boottime_ns);
        self.0.told.notify_all();
    }

    /// Waits until the moment is known; none when the run is stopped before.
    pub(super) fn wait(&self, stopper: &Stopper) -> Option<u64> {
        let mut at = self
            .0
            .at_boottime_ns
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        while stopper.state() == Stop::Running {
            if at.is_some() {
                return *at;
            }
            let waited = self.0.told.wait_timeout(at, LOOK_EVERY);
            at = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}
