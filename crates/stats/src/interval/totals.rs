//! What a label did in an interval, in a few numbers: read off the encoding without building its histograms.

use super::LabelInterval;
use super::encoding::EncodedInterval;
use crate::histogram::{DecodeError, Histogram};

/// What a label did in an interval, in a few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntervalTotals {
    /// Samples that succeeded.
    pub ok: u64,
    /// Samples that failed.
    pub errors: u64,
    /// Their response times together.
    pub response_ns: u128,
    /// The shortest of them; 0 without any.
    pub fastest_ns: u64,
}

impl IntervalTotals {
    /// Those of an interval.
    pub fn of(interval: &LabelInterval) -> Self {
        let times = |times: &Histogram| (times.count(), times.min_ns(), times.sum_ns());
        Self::sum([
            times(interval.ok_response()),
            times(interval.err_response()),
        ])
    }

    /// Those of an encoded interval.
    ///
    /// # Errors
    /// If the bytes are not exactly one valid encoding.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let encoded = EncodedInterval::read(bytes)?;
        Ok(Self::sum([encoded.ok, encoded.err].map(|pair| {
            pair.map_or((0, 0, 0), |(service, response)| {
                response.unwrap_or(service).totals()
            })
        })))
    }

    /// Of count, minimum and sum of the successes and of the failures.
    fn sum([ok, err]: [(u64, u64, u128); 2]) -> Self {
        let fastest = [ok, err].into_iter().filter(|(count, ..)| *count > 0);
        Self {
            ok: ok.0,
            errors: err.0,
            response_ns: ok.2.saturating_add(err.2),
            fastest_ns: fastest.map(|(_, min_ns, _)| min_ns).min().unwrap_or(0),
        }
    }

    /// Number of samples, failed ones included.
    pub fn samples(&self) -> u64 {
        self.ok.saturating_add(self.errors)
    }
}
