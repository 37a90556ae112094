//! What reaches a run from outside while it goes on.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use plimsoll_load::engine::steer::Steer;
use plimsoll_outputs::Feed;
use plimsoll_text::Message;

use crate::Interrupt;

/// Reaches one run; copies reach the same.
#[derive(Clone, Default)]
pub struct RunControl {
    /// Ends it.
    pub(crate) interrupt: Interrupt,
    /// Why it was ended, if there is more to say than that somebody did.
    pub(crate) reason: Arc<OnceLock<Message>>,
    /// Changes its load.
    pub(crate) steer: Steer,
    /// Who has asked to hear of it and does not so far.
    fresh: Arc<Mutex<Vec<Feed>>>,
    /// Where it is kept, once that is known; empty: in memory alone.
    pub(crate) folder: Arc<OnceLock<PathBuf>>,
}

impl RunControl {
    /// Of a run that this ends.
    #[must_use]
    pub(crate) fn new(interrupt: &Interrupt) -> Self {
        Self {
            interrupt: interrupt.clone(),
            ..Self::default()
        }
    }

    /// Somebody wants to hear of the run.
    pub(crate) fn join(&self, feed: Feed) {
        self.fresh().push(feed);
    }

    /// Those who have asked since this was called last.
    pub(crate) fn take_fresh(&self) -> Vec<Feed> {
        std::mem::take(&mut *self.fresh())
    }

    fn fresh(&self) -> std::sync::MutexGuard<'_, Vec<Feed>> {
        // A panic leaves whole feeds.
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
