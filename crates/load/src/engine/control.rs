//! How a run is ended from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use tokio::sync::watch;

use crate::clock::Nanos;

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
pub struct Stopper(Arc<StopperInner>);

#[derive(Debug)]
struct StopperInner {
    state: AtomicU8,
    changed: watch::Sender<Stop>,
    /// Somebody outside the plan wants it to end.
    outside: watch::Sender<bool>,
    /// Time that requests in flight get then; 0: nobody asked.
    granted_ns: AtomicU64,
    /// The plan itself cut it off.
    by_plan: AtomicBool,
}

impl Default for Stopper {
    fn default() -> Self {
        Self(Arc::new(StopperInner {
            state: AtomicU8::new(0),
            changed: watch::Sender::new(Stop::Running),
            outside: watch::Sender::new(false),
            granted_ns: AtomicU64::new(0),
            by_plan: AtomicBool::new(false),
        }))
    }
}

impl Stopper {
    /// Begins no new work from now on.
    pub fn stop(&self) {
        self.set(Stop::NoNewWork);
    }

    /// As [`Stopper::stop`], asked for by somebody outside the plan (Ctrl-C), who is told what is
    /// still in flight and who waits less long for a plan of an extension's.
    pub fn stop_from_outside(&self) {
        self.0.outside.send_replace(true);
        self.stop();
    }

    /// Waits for [`Stopper::stop_from_outside`].
    pub async fn asked_from_outside(&self) {
        let mut asked = self.0.outside.subscribe();
        // The sender lives as long as `self`.
        let _ = asked.wait_for(|asked| *asked).await;
    }

    /// Whoever asked from outside has this long to wait at most.
    pub(super) fn grant(&self, grace_ns: Nanos) {
        self.0.granted_ns.store(grace_ns.max(1), Ordering::SeqCst);
    }

    /// How long whoever asked from outside has to wait at most, once that is known.
    pub(super) fn granted_ns(&self) -> Option<Nanos> {
        Some(self.0.granted_ns.load(Ordering::SeqCst)).filter(|grace_ns| *grace_ns > 0)
    }

    /// Cuts off what is in flight.
    pub fn cut_off(&self) {
        self.set(Stop::CutOff);
    }

    /// As [`Stopper::cut_off`], by the plan itself, and nobody from outside.
    pub(super) fn cut_off_by_plan(&self) {
        self.0.by_plan.store(true, Ordering::SeqCst);
        self.stop();
        self.cut_off();
    }

    /// Whether the plan itself cut it off.
    pub(super) fn was_cut_by_plan(&self) -> bool {
        self.0.by_plan.load(Ordering::SeqCst)
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
