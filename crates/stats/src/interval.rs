//! What labels did in one interval (one second), as a load thread records it.
//!
//! Recording allocates nothing in the steady state: pages and vectors are kept
//! when an interval is cleared. A thread hands its [`IntervalSet`] over by
//! swapping it with a cleared one; encoding is the receiver's work.

mod code;
mod encoding;
mod latency;
mod set;
mod totals;

pub(crate) use code::{put_code, read_code};
pub use latency::{Counts, Latency, PhaseSum};
pub use set::IntervalSet;
pub use totals::IntervalTotals;

use crate::failures::Failures;
use crate::histogram::Histogram;
use crate::{Code, ErrorKind, Phase, Sample};

/// What one label did in one interval, or in several that were merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelInterval {
    /// Times of the samples that succeeded.
    pub ok: Latency,
    /// Times of the samples that failed.
    pub err: Latency,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Failed samples by kind.
    pub errors_by_kind: Counts<ErrorKind>,
    /// Samples by response code.
    pub status_codes: Counts<Code>,
    /// Sums of the phases, indexed by [`Phase`].
    pub phases: [PhaseSum; 5],
    /// Arrivals that did not start, for want of a free user.
    pub dropped_iterations: u64,
    /// Requests cut off by the end of the run; in neither samples nor errors.
    pub cut_off: u64,
    /// Requests that were sent again on a new connection, since a kept one had ended.
    pub resent: u64,
    /// Failed samples by kind, code and message.
    pub failures: Failures,
}

impl LabelInterval {
    /// Folds one sample in.
    #[inline]
    pub fn record(&mut self, sample: &Sample<'_>) {
        self.measure(sample);
        if let Some(kind) = sample.error {
            let message = crate::failures::cut(sample.message, crate::failures::MAX_MESSAGE_BYTES);
            let key = (kind, sample.code, Some(message));
            self.failures.add(key, sample.end_ns / 1_000_000);
        }
    }

    /// Folds one sample in, but for its group of failures.
    #[inline]
    pub fn measure(&mut self, sample: &Sample<'_>) {
        let latency = match sample.error {
            None => &mut self.ok,
            Some(kind) => {
                self.errors_by_kind.add(kind, 1);
                &mut self.err
            }
        };
        latency.record(sample.service_ns(), sample.response_ns());
        self.status_codes.add(sample.code, 1);
        self.sent_bytes = self.sent_bytes.saturating_add(sample.sent_bytes);
        self.received_bytes = self.received_bytes.saturating_add(sample.received_bytes);
        for (phase, sum) in Phase::ALL.iter().zip(&mut self.phases) {
            if let Some(ns) = sample.phase_ns(*phase) {
                sum.record(ns);
            }
        }
    }

    /// Adds everything `other` holds.
    pub fn merge(&mut self, other: &Self) {
        self.merge_measured(other);
        self.failures.merge(&other.failures);
    }

    /// Adds what `other` holds but for its groups of failures, which are of one label.
    pub fn merge_measured(&mut self, other: &Self) {
        self.ok.merge(&other.ok);
        self.err.merge(&other.err);
        self.sent_bytes = self.sent_bytes.saturating_add(other.sent_bytes);
        self.received_bytes = self.received_bytes.saturating_add(other.received_bytes);
        self.errors_by_kind.merge(&other.errors_by_kind);
        self.status_codes.merge(&other.status_codes);
        for (into, from) in self.phases.iter_mut().zip(&other.phases) {
            into.merge(from);
        }
        self.dropped_iterations = self
            .dropped_iterations
            .saturating_add(other.dropped_iterations);
        self.cut_off = self.cut_off.saturating_add(other.cut_off);
        self.resent = self.resent.saturating_add(other.resent);
    }

    /// Number of samples, failed ones included.
    pub fn samples(&self) -> u64 {
        self.ok.count().saturating_add(self.err.count())
    }

    /// Number of failed samples.
    pub fn errors(&self) -> u64 {
        self.err.count()
    }

    /// Whether nothing at all happened.
    pub fn is_empty(&self) -> bool {
        self.samples() == 0 && self.dropped_iterations == 0 && self.cut_off == 0 && self.resent == 0
    }

    /// Forgets everything but keeps the buffers.
    pub fn clear(&mut self) {
        self.ok.clear();
        self.err.clear();
        self.errors_by_kind.clear();
        self.status_codes.clear();
        self.sent_bytes = 0;
        self.received_bytes = 0;
        self.phases = [PhaseSum::default(); 5];
        self.dropped_iterations = 0;
        self.cut_off = 0;
        self.resent = 0;
        self.failures.clear();
    }

    /// Sum of one phase.
    pub fn phase(&self, phase: Phase) -> &PhaseSum {
        &self.phases[phase as usize]
    }

    /// Service times of the successes.
    pub fn ok_service(&self) -> &Histogram {
        self.ok.service()
    }

    /// Response times of the successes.
    pub fn ok_response(&self) -> &Histogram {
        self.ok.response()
    }

    /// Service times of the failures.
    pub fn err_service(&self) -> &Histogram {
        self.err.service()
    }

    /// Response times of the failures.
    pub fn err_response(&self) -> &Histogram {
        self.err.response()
    }

    /// Service times of all samples.
    pub fn all_service(&self) -> Histogram {
        let mut all = self.ok_service().clone();
        all.merge(self.err_service());
        all
    }

    /// Response times of all samples.
    pub fn all_response(&self) -> Histogram {
        let mut all = self.ok_response().clone();
        all.merge(self.err_response());
        all
    }
}

#[cfg(test)]
mod tests;
