//! Ends runs from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_load::engine::control::{Stop, Stopper};

/// Ends the runs that are made with it, one after the other: first no new work, then cut off.
#[derive(Clone, Default)]
pub struct Interrupt {
    hit: Arc<AtomicBool>,
    /// The stopper of the run that goes on.
    current: Arc<Mutex<Stopper>>,
}

/// What a signal did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signalled {
    /// The run ends.
    Ends,
    /// The run was cut off before, and has not ended.
    Again,
}

impl Interrupt {
    /// Ends the run that goes on, and keeps others from beginning. Each further signal is more urgent.
    pub fn signal(&self) -> Signalled {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !self.hit.swap(true, Ordering::SeqCst);
        match current.state() {
            Stop::CutOff if !is_first => return Signalled::Again,
            Stop::NoNewWork if !is_first => current.cut_off(),
            _ => current.stop_from_outside(),
        }
        Signalled::Ends
    }

    /// Ends the run that goes on, and keeps others from beginning.
    pub fn stop(&self) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        self.hit.store(true, Ordering::SeqCst);
        current.stop_from_outside();
    }

    /// The same, and what is in flight is cut off.
    pub fn cut_off(&self) {
        self.stop();
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.cut_off();
    }

    /// Whether there was a signal.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.hit.load(Ordering::SeqCst)
    }

    /// A stopper for the next run.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        let fresh = Stopper::default();
        if self.is_hit() {
            fresh.stop();
        }
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_is_more_urgent() {
        let interrupt = Interrupt::default();
        let stopper = interrupt.stopper();
        assert!(!interrupt.is_hit() && stopper.state() == Stop::Running);
        assert_eq!(interrupt.signal(), Signalled::Ends);
        assert!(interrupt.is_hit() && stopper.state() == Stop::NoNewWork);
        assert_eq!(interrupt.signal(), Signalled::Ends);
        assert_eq!(stopper.state(), Stop::CutOff);
        assert_eq!(interrupt.signal(), Signalled::Again);
        assert_eq!(interrupt.stopper().state(), Stop::NoNewWork);
    }
}
