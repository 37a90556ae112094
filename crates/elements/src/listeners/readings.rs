//! What is seen of the target while the load runs, for listeners that write it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// A value that was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetReading {
    /// What it is called.
    pub label: Arc<str>,
    /// The value.
    pub value: f64,
    /// When, milliseconds since 1970-01-01 UTC.
    pub unix_ms: u64,
}

/// Where values go that are seen; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct TargetReadings(Arc<Mutex<Vec<Sender<TargetReading>>>>);

impl TargetReadings {
    /// All that is seen from now on.
    pub(super) fn subscribe(&self) -> Receiver<TargetReading> {
        let (sender, receiver) = channel();
        let mut listening = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listening.push(sender);
        receiver
    }

    /// Tells whoever listens.
    pub fn tell(&self, reading: &TargetReading) {
        let mut listening = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those of runs that have ended are gone.
        listening.retain(|sender| sender.send(reading.clone()).is_ok());
    }
}
