//! What failed, grouped: how often, when first and last, and a few samples of each.
//!
//! A table is bounded. What does not fit counts under its kind, with no message of its own, so
//! that the counts together are always those of all failures.

mod encoding;
mod ledger;
mod report;

use std::sync::Arc;

pub use encoding::Detail;
pub use ledger::{Ledger, Note};
pub use report::{FailureGroup, FailureSample, groups};

use crate::{Code, ErrorKind};

/// Groups that a load thread makes of a label's failures.
pub const MAX_GROUPS: usize = 20;
/// Groups of several threads, workers and seconds together.
const MAX_MERGED: usize = 60;
/// Samples that are kept of a group: the earliest.
pub const MAX_SAMPLES: usize = 5;
/// Longest message of a group, bytes.
pub const MAX_MESSAGE_BYTES: usize = 300;

/// A failed sample with what was sent and what came back, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptSample {
    /// When it ended, ms since the run's start.
    pub at_ms: u64,
    /// Why it failed, with what was found.
    pub detail: String,
    /// What was sent: first line, headers and body, cut.
    pub request: String,
    /// What came back, cut; empty: nothing.
    pub response: String,
}

/// Failures of one kind, code and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The kind.
    pub kind: ErrorKind,
    /// The response code.
    pub code: Code,
    /// Which check failed, or what the system said; `None`: any, since there were too many.
    pub message: Option<Box<str>>,
    /// How many.
    pub count: u64,
    /// When the first ended, ms since the run's start.
    pub first_ms: u64,
    /// When the last ended.
    pub last_ms: u64,
    /// The earliest of those that were kept.
    pub samples: Vec<Arc<KeptSample>>,
}

/// What tells groups apart.
pub type FailureKey<'a> = (ErrorKind, Code, Option<&'a str>);

impl Failed {
    fn new((kind, code, message): FailureKey<'_>) -> Self {
        Self {
            kind,
            code,
            message: message.map(Box::from),
            count: 0,
            first_ms: u64::MAX,
            last_ms: 0,
            samples: Vec::new(),
        }
    }

    fn key(&self) -> FailureKey<'_> {
        (self.kind, self.code, self.message.as_deref())
    }

    fn count(&mut self, n: u64, first_ms: u64, last_ms: u64) {
        self.count = self.count.saturating_add(n);
        self.first_ms = self.first_ms.min(first_ms);
        self.last_ms = self.last_ms.max(last_ms);
    }

    fn merge(&mut self, other: &Self) {
        self.count(other.count, other.first_ms, other.last_ms);
        if !other.samples.is_empty() {
            self.samples.extend(other.samples.iter().cloned());
            self.samples.sort();
            self.samples.truncate(MAX_SAMPLES);
        }
    }
}

/// The failures of a label in an interval, or in several, sorted by kind, code and message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures(Vec<Failed>);

impl Failures {
    /// Counts one.
    #[inline]
    pub fn add(&mut self, key: FailureKey<'_>, at_ms: u64) {
        self.group(key, MAX_GROUPS).count(1, at_ms, at_ms);
    }

    /// Keeps a sample of one that was counted.
    pub fn keep(&mut self, key: FailureKey<'_>, sample: KeptSample) {
        let kept = &mut self.group(key, MAX_GROUPS).samples;
        if kept.len() < MAX_SAMPLES {
            kept.push(Arc::new(sample));
            kept.sort();
        }
    }

    /// Adds everything `other` holds.
    pub fn merge(&mut self, other: &Self) {
        for failed in &other.0 {
            self.merge_group(failed);
        }
    }

    fn merge_group(&mut self, failed: &Failed) {
        if failed.count == 0 {
            return;
        }
        let is_new = self.find(failed.key()).is_err() && failed.message.is_some();
        if is_new && self.named() >= MAX_MERGED && !self.make_room(failed.count) {
            self.group(folded(failed.kind), usize::MAX).merge(failed);
            return;
        }
        self.group(failed.key(), usize::MAX).merge(failed);
    }

    /// Folds the group with the fewest failures, if it has fewer than `count`.
    fn make_room(&mut self, count: u64) -> bool {
        let named = self.0.iter().enumerate();
        let named = named.filter(|(_, failed)| failed.message.is_some());
        let Some((at, least)) = named.min_by_key(|(_, failed)| failed.count) else {
            return false;
        };
        if least.count >= count {
            return false;
        }
        let least = self.0.remove(at);
        self.group(folded(least.kind), usize::MAX).merge(&least);
        true
    }

    /// The groups with what did not fit, sorted.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Failed> + '_ {
        self.0.iter()
    }

    /// All failures.
    pub fn total(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum, failed| sum.saturating_add(failed.count))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all but keeps the buffer.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn named(&self) -> usize {
        let named = self.0.iter().filter(|failed| failed.message.is_some());
        named.count()
    }

    fn find(&self, key: FailureKey<'_>) -> Result<usize, usize> {
        self.0.binary_search_by(|failed| failed.key().cmp(&key))
    }

    /// The group of that key, or the one it is folded into.
    fn group(&mut self, key: FailureKey<'_>, limit: usize) -> &mut Failed {
        let at = match self.find(key) {
            Ok(at) => at,
            Err(at) if key.2.is_none() || limit == usize::MAX || self.named() < limit => {
                self.0.insert(at, Failed::new(key));
                at
            }
            Err(_) => {
                let other = folded(key.0);
                self.find(other).unwrap_or_else(|at| {
                    self.0.insert(at, Failed::new(other));
                    at
                })
            }
        };
        &mut self.0[at]
    }
}

/// The group of what does not fit.
const fn folded(kind: ErrorKind) -> FailureKey<'static> {
    (kind, Code::None, None)
}

/// At most so many bytes of a text, in whole characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
