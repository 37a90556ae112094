//! Requests whose samples are still to be recorded.

use plimsoll_stats::LabelId;

use crate::engine::thread::Thread;

/// Counts a request whose last byte was written but whose sample was never recorded: the
/// run's end dropped it.
pub struct InFlight<'a> {
    thread: &'a Thread,
    label: Option<LabelId>,
    written: bool,
}

impl<'a> InFlight<'a> {
    /// A request that is about to be written; discarded ones have no label.
    pub fn new(thread: &'a Thread, label: Option<LabelId>) -> Self {
        thread
            .recorder
            .in_flight
            .set(thread.recorder.in_flight.get() + 1);
        Self {
            thread,
            label,
            written: false,
        }
    }

    /// The last byte was written.
    pub fn written(&mut self) {
        self.written = true;
    }

    /// Whether its last byte was written.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.written
    }

    /// A sample will tell of it.
    pub fn done(mut self) {
        self.written = false;
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let in_flight = &self.thread.recorder.in_flight;
        in_flight.set(in_flight.get().saturating_sub(1));
        if let (true, Some(label)) = (self.written, self.label) {
            self.thread.recorder.cut_off(label);
        }
    }
}
