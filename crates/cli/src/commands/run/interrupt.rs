//! What Ctrl-C does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plimsoll_load::engine::control::{Stop, Stopper};

/// Ctrl-C and SIGTERM: first no new work, then cut off, then the end.
pub struct Interrupt {
    /// The user interrupted.
    pub hit: Arc<AtomicBool>,
    stopper: Arc<std::sync::Mutex<Stopper>>,
}

impl Interrupt {
    /// Installs the handler. Where the system refuses, signals end the program as ever.
    #[must_use]
    pub fn install() -> Self {
        let hit = Arc::new(AtomicBool::new(false));
        let stopper = Arc::new(std::sync::Mutex::new(Stopper::default()));
        let (seen, current) = (Arc::clone(&hit), Arc::clone(&stopper));
        let handler = move || {
            let current = current
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            match current.state() {
                _ if !seen.swap(true, Ordering::SeqCst) => current.stop_from_outside(),
                Stop::Running => current.stop_from_outside(),
                Stop::NoNewWork => current.cut_off(),
                Stop::CutOff => std::process::exit(130),
            }
        };
        // Refused only when another handler is there, which nobody installs.
        let _ = ctrlc::set_handler(handler);
        Self { hit, stopper }
    }

    /// A stopper for the next run.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        let fresh = Stopper::default();
        if self.hit.load(Ordering::SeqCst) {
            fresh.stop();
        }
        *self
            .stopper
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = fresh.clone();
        fresh
    }
}
