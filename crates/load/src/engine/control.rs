//! How a run is ended from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::watch;

/// How far the end has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// The run goes on.
    Running,
    /// No new work; requests in flight get their grace time.
    NoNewWork,
    /// Requests in flight are cut off.
    CutOff,
}

/// Ends a run; copies end the same run.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: AtomicU8,
    changed: watch::Sender<Stop>,
}

impl Default for Stopper {
    fn default() -> Self {
        Self(Arc::new(Inner {
            state: AtomicU8::new(0),
            changed: watch::Sender::new(Stop::Running),
        }))
    }
}

impl Stopper {
    /// Begins no new work from now on.
    pub fn stop(&self) {
        self.set(Stop::NoNewWork);
    }

    /// Cuts off what is in flight.
    pub fn cut_off(&self) {
        self.set(Stop::CutOff);
    }

    fn set(&self, stop: Stop) {
        self.0.state.fetch_max(stop as u8, Ordering::SeqCst);
        self.0.changed.send_if_modified(|state| {
            let further = stop > *state;
            *state = stop.max(*state);
            further
        });
    }

    /// How far the end has come.
    #[must_use]
    #[inline]
    pub fn state(&self) -> Stop {
        match self.0.state.load(Ordering::Relaxed) {
            0 => Stop::Running,
            1 => Stop::NoNewWork,
            _ => Stop::CutOff,
        }
    }

    /// Waits for the state to be at least this.
    pub async fn reached(&self, stop: Stop) {
        let mut changed = self.0.changed.subscribe();
        // The sender lives as long as `self`.
        let _ = changed.wait_for(|state| *state >= stop).await;
    }
}
