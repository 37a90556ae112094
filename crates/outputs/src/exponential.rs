//! Histograms whose buckets grow by a factor, as Prometheus (native) and OpenTelemetry have them.

use plimsoll_stats::Histogram;

/// The finest factor is 2^(1/2^4): buckets 4.4 % wide.
const FINEST: i32 = 4;
/// Buckets at most, as OpenTelemetry's own libraries have.
const MOST_BUCKETS: i64 = 160;

/// Times in seconds: with the factor f = 2^(1/2^scale), the bucket `first + i` holds times above f^(first + i)
/// and up to f^(first + i + 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExponentialBuckets {
    pub(crate) scale: i32,
    pub(crate) first: i32,
    pub(crate) counts: Vec<u64>,
    /// Times of zero.
    pub(crate) zeros: u64,
}

impl ExponentialBuckets {
    /// The same times in coarser buckets. Their own are at most 0.1 % wide: next to a bound a time may be
    /// counted on its other side.
    pub(crate) fn of(times: &Histogram) -> Self {
        let mut zeros = 0;
        let mut found: Vec<(i64, u64)> = Vec::new();
        for (low, high, count) in times.buckets() {
            match place(low, high) {
                None => zeros += count,
                Some(at) => match found.last_mut() {
                    Some((last, sum)) if *last == at => *sum += count,
                    _ => found.push((at, count)),
                },
            }
        }
        let (first, last) = match (found.first(), found.last()) {
            (Some((first, _)), Some((last, _))) => (*first, *last),
            _ => (0, -1),
        };
        let coarser = (0..).find(|by| (last >> by) - (first >> by) < MOST_BUCKETS);
        let coarser = coarser.unwrap_or_default();
        let first = first >> coarser;
        let len = usize::try_from((last >> coarser) - first + 1).unwrap_or_default();
        let mut counts = vec![0; len];
        for (at, count) in found {
            // Within the first and the last by construction.
            counts[usize::try_from((at >> coarser) - first).unwrap_or_default()] += count;
        }
        Self {
            scale: FINEST - coarser,
            first: i32::try_from(first).unwrap_or_default(),
            counts,
            zeros,
        }
    }
}

/// The bucket of the finest factor for times between two bounds, in ns; none for zero.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "bounds of 0.1 %; a logarithm of a time is small"
)]
fn place(low_ns: u64, high_ns: u64) -> Option<i64> {
    let middle_s = (low_ns as f64 + high_ns as f64) / 2e9;
    let place = (middle_s.log2() * f64::from(1 << FINEST)).ceil() - 1.0;
    (high_ns > 0).then_some(place as i64)
}
