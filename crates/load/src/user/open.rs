//! A transaction that is open.

use plimsoll_stats::{Code, ErrorKind, LabelId};

use super::due::Due;
use crate::clock::Nanos;

/// A transaction that has begun.
#[derive(Debug)]
pub struct Open {
    pub(super) label: LabelId,
    pub(super) include_pauses: bool,
    /// Its requests are sub-samples and it is the sample.
    pub as_parent: bool,
    pub(super) due: Due,
    pub(super) start_ns: Nanos,
    /// Time spent waiting on purpose.
    pub(super) pauses_ns: u64,
    pub(super) sent_bytes: u64,
    pub(super) received_bytes: u64,
    pub(super) code: Code,
    pub(super) error: Option<ErrorKind>,
    pub(super) samples: u64,
    /// Those of them that failed.
    pub(super) failures: u64,
    /// What of its samples' time was the generator's: before their start, and after.
    pub(super) late_ns: u64,
    pub(super) lag_ns: u64,
}

impl Open {
    /// How much of its time was the generator's, apart from how late it began itself.
    pub fn lag_ns(&self) -> u64 {
        match self.include_pauses {
            true => {
                // It is as late as the first of them, and that counts once.
                let began_late_ns = self.start_ns.saturating_sub(self.due.ready_ns);
                (self.lag_ns + self.late_ns).saturating_sub(began_late_ns)
            }
            false => self.lag_ns,
        }
    }

    /// The same transaction to a branch within it, without what it has summed up.
    pub(super) fn shadow(&self) -> Self {
        Self {
            due: self.due,
            code: Code::None,
            error: None,
            pauses_ns: 0,
            sent_bytes: 0,
            received_bytes: 0,
            samples: 0,
            failures: 0,
            late_ns: 0,
            lag_ns: 0,
            ..*self
        }
    }

    /// Adds what a branch summed up, but for its pauses.
    pub(super) fn absorb(&mut self, branch: &Self) {
        self.sent_bytes += branch.sent_bytes;
        self.received_bytes += branch.received_bytes;
        self.samples += branch.samples;
        self.failures += branch.failures;
        self.late_ns += branch.late_ns;
        self.lag_ns += branch.lag_ns;
        if self.error.is_none() {
            self.error = branch.error;
            self.code = branch.code;
        }
    }

    /// Its label.
    pub fn label(&self) -> LabelId {
        self.label
    }
}
