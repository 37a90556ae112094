//! Where HdrHistogram's buckets lie.

use super::error::HdrError;

/// The buckets of an HdrHistogram with given digits and range.
#[derive(Clone, Copy, Debug)]
pub(super) struct HdrLayout {
    /// log2 of the lowest trackable value.
    unit_bits: u32,
    /// log2 of half the number of sub-buckets.
    half_bits: u32,
    /// Number of buckets.
    len: u64,
}

impl HdrLayout {
    pub(super) fn new(digits: u32, lowest: u64, highest: u64) -> Result<Self, HdrError> {
        if digits > 5 {
            return Err(HdrError::Field {
                field: "number of significant digits",
            });
        }
        if lowest < 1 {
            return Err(HdrError::Field {
                field: "lowest trackable value",
            });
        }
        let unit_bits = lowest.ilog2();
        // Sub-buckets resolve 2 × 10^digits units, rounded up to a power of 2.
        let sub_buckets = (2 * 10_u64.pow(digits)).next_power_of_two();
        let sub_bits = sub_buckets.ilog2();
        let too_high = lowest > i64::MAX as u64 / 2
            || highest < lowest.saturating_mul(2)
            || highest > i64::MAX as u64
            || unit_bits + sub_bits > 62;
        if too_high {
            return Err(HdrError::Field {
                field: "highest trackable value",
            });
        }
        // Octaves above the first 2^(unit_bits + sub_bits) values.
        let octaves = (highest.ilog2() + 1).saturating_sub(unit_bits + sub_bits);
        Ok(Self {
            unit_bits,
            half_bits: sub_bits - 1,
            len: u64::from(octaves + 2) << (sub_bits - 1),
        })
    }

    /// The middle of a bucket; `None` if there is no such bucket.
    pub(super) fn middle(&self, index: u64) -> Option<u64> {
        if index >= self.len {
            return None;
        }
        let octave = (index >> self.half_bits).saturating_sub(1);
        let sub_bucket = index - (octave << self.half_bits);
        let shift = self.unit_bits + octave as u32;
        // Cannot overflow: the highest bucket ends below 2^64.
        Some((sub_bucket << shift) + ((1 << shift) - 1) / 2)
    }
}
