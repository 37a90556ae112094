//! What was seen at one moment, as bytes.
//!
//! ```text
//! varint  time, Unix microseconds
//! varint  number of points
//! then, for each point in the order of ids
//! varint  id − the id before (the first: id)
//! value   see `value`
//! ```

use super::SeriesId;
use crate::histogram::{DecodeError, HistogramReader, put_varint, unzigzag, zigzag};

/// Points of one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// The moment, Unix nanoseconds on the run's clock; kept to the microsecond.
    pub at_unix_ns: u64,
    /// Values, at most one a series.
    pub points: Vec<(SeriesId, f64)>,
}

impl Batch {
    /// Appends the bytes of the batch; sorts its points.
    pub fn encode(&mut self, out: &mut Vec<u8>) {
        self.points.sort_by_key(|(id, _)| *id);
        put_varint(out, self.at_unix_ns / 1_000);
        put_varint(out, self.points.len() as u64);
        let mut before = 0;
        for (id, value) in &self.points {
            put_varint(out, u64::from(id.0 - before));
            before = id.0;
            put_value(out, *value);
        }
    }

    /// Reads what [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    /// Bytes that are cut off or make no sense.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = HistogramReader::new(bytes);
        let at_us = reader.varint()?;
        let count = reader.varint()?;
        let mut points = Vec::new();
        let mut id = 0_u32;
        for _ in 0..count {
            let at = reader.position();
            let step = u32::try_from(reader.varint()?).ok();
            let next = step.and_then(|step| id.checked_add(step));
            id = next.ok_or(DecodeError::Overflow { at })?;
            points.push((SeriesId(id), value(&mut reader)?));
        }
        reader.end()?;
        Ok(Self {
            at_unix_ns: at_us.saturating_mul(1_000),
            points,
        })
    }
}

/// Largest whole number that a double holds without loss.
pub(super) const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Whether a value is a whole number that an integer form keeps.
pub(super) fn is_whole(value: f64) -> bool {
    value.abs() < WHOLE && value.trunc() == value && !(value == 0.0 && value.is_sign_negative())
}

/// Whole numbers as a varint of `zigzag << 1 | 1`, others as a 0 byte and eight bytes.
fn put_value(out: &mut Vec<u8>, value: f64) {
    if is_whole(value) {
        #[expect(clippy::cast_possible_truncation, reason = "is_whole bounds it")]
        put_varint(out, zigzag(value as i64) << 1 | 1);
    } else {
        out.push(0);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn value(reader: &mut HistogramReader<'_>) -> Result<f64, DecodeError> {
    let head = reader.varint()?;
    if head & 1 == 1 {
        #[expect(clippy::cast_precision_loss, reason = "written from a double")]
        return Ok(unzigzag(head >> 1) as f64);
    }
    let bytes = reader.slice(8)?;
    let mut raw = [0; 8];
    raw.copy_from_slice(bytes);
    Ok(f64::from_le_bytes(raw))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn comes_back(at_us in 0_u64..1 << 52, points in prop::collection::btree_map(
            any::<u32>(), prop_oneof![any::<f64>(), (-1e9..1e9_f64).prop_map(f64::trunc)], 0..40))
        {
            let points: Vec<_> = points.into_iter().map(|(id, v)| (SeriesId(id), v)).collect();
            let mut batch = Batch { at_unix_ns: at_us * 1_000, points: points.clone() };
            batch.points.reverse();
            let mut bytes = Vec::new();
            batch.encode(&mut bytes);
            let back = Batch::decode(&bytes).unwrap();
            prop_assert_eq!(back.at_unix_ns, at_us * 1_000);
            let bits = |points: &[(SeriesId, f64)]|
                points.iter().map(|(id, v)| (*id, v.to_bits())).collect::<Vec<_>>();
            prop_assert_eq!(bits(&back.points), bits(&points));
            for cut in 0..bytes.len() {
                prop_assert!(Batch::decode(&bytes[..cut]).is_err());
            }
        }

        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Batch::decode(&bytes);
        }
    }
}
