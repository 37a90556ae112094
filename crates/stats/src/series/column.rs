//! A stretch of one series as bytes.
//!
//! ```text
//! varint  number of points
//! byte    0 = whole numbers, 1 = doubles
//! varint  time of the first point, ms
//! signed  for each further point: the step's difference from the step before, ms
//! then the values
//!   whole numbers: signed, each the difference from the one before
//!   doubles: the bits XOR those before: a byte (leading zero bytes << 4 | trailing ones),
//!            then the bytes between (as in Gorilla, Pelkonen et al., VLDB 2015, by bytes)
//! ```
//!
//! Steps of a steady collector are zeros and small numbers, which the store's packing then
//! nearly removes.

use super::batch::is_whole;
use crate::histogram::{DecodeError, HistogramReader, put_varint, unzigzag, zigzag};

const WHOLE_NUMBERS: u8 = 0;
const DOUBLES: u8 = 1;

/// Points of one series in the order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// Milliseconds, from a moment that the owner of the column knows.
    pub at_ms: Vec<i64>,
    /// As many values.
    pub values: Vec<f64>,
    /// Points, by their places, before which nobody looked for a while: nothing is known between
    /// each and the one before. Not part of the bytes: whoever keeps the column knows.
    pub breaks: Vec<usize>,
}

impl Column {
    /// Adds a point; times must not go back, or bytes are wasted.
    pub fn push(&mut self, at_ms: i64, value: f64) {
        self.at_ms.push(at_ms);
        self.values.push(value);
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Appends the bytes of the column.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, self.len() as u64);
        let whole = self.values.iter().all(|value| is_whole(*value));
        out.push(if whole { WHOLE_NUMBERS } else { DOUBLES });
        let (mut before, mut step) = (0_i64, 0_i64);
        for (index, at) in self.at_ms.iter().enumerate() {
            let next = at.wrapping_sub(before);
            put_varint(out, zigzag(next.wrapping_sub(step)));
            // The first time is no step.
            step = if index == 0 { 0 } else { next };
            before = *at;
        }
        if whole {
            put_whole(out, &self.values);
        } else {
            put_doubles(out, &self.values);
        }
    }

    /// Reads what [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    /// Bytes that are cut off or make no sense.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = HistogramReader::new(bytes);
        let count = reader.varint()?;
        let form_at = reader.position();
        let form = reader.byte()?;
        let mut column = Self::default();
        let (mut at, mut step) = (0_i64, 0_i64);
        for index in 0..count {
            let next = step.wrapping_add(unzigzag(reader.varint()?));
            at = at.wrapping_add(next);
            step = if index == 0 { 0 } else { next };
            column.at_ms.push(at);
        }
        match form {
            WHOLE_NUMBERS => whole(&mut reader, count, &mut column.values)?,
            DOUBLES => doubles(&mut reader, count, &mut column.values)?,
            _ => return Err(DecodeError::Overflow { at: form_at }),
        }
        reader.end()?;
        Ok(column)
    }
}

fn put_whole(out: &mut Vec<u8>, values: &[f64]) {
    let mut before = 0_i64;
    for value in values {
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53")]
        let value = *value as i64;
        put_varint(out, zigzag(value.wrapping_sub(before)));
        before = value;
    }
}

fn whole(
    reader: &mut HistogramReader<'_>,
    count: u64,
    values: &mut Vec<f64>,
) -> Result<(), DecodeError> {
    let mut value = 0_i64;
    for _ in 0..count {
        value = value.wrapping_add(unzigzag(reader.varint()?));
        #[expect(clippy::cast_precision_loss, reason = "written from doubles")]
        values.push(value as f64);
    }
    Ok(())
}

fn put_doubles(out: &mut Vec<u8>, values: &[f64]) {
    let mut before = 0_u64;
    for value in values {
        let bits = value.to_bits();
        let change = (bits ^ before).to_be_bytes();
        before = bits;
        let leading = change.iter().take_while(|byte| **byte == 0).count();
        let trailing = change[leading..]
            .iter()
            .rev()
            .take_while(|byte| **byte == 0)
            .count();
        out.push((leading << 4 | trailing) as u8);
        out.extend_from_slice(&change[leading..8 - trailing]);
    }
}

fn doubles(
    reader: &mut HistogramReader<'_>,
    count: u64,
    values: &mut Vec<f64>,
) -> Result<(), DecodeError> {
    let mut before = 0_u64;
    for _ in 0..count {
        let at = reader.position();
        let head = reader.byte()?;
        let (leading, trailing) = (usize::from(head >> 4), usize::from(head & 15));
        let length = 8_usize.checked_sub(leading + trailing);
        let length = length.ok_or(DecodeError::Overflow { at })?;
        let mut change = [0; 8];
        change[leading..leading + length].copy_from_slice(reader.slice(length as u64)?);
        before ^= u64::from_be_bytes(change);
        values.push(f64::from_bits(before));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(column: &Column) -> usize {
        let mut bytes = Vec::new();
        column.encode(&mut bytes);
        let back = Column::decode(&bytes).unwrap();
        assert_eq!(back.at_ms, column.at_ms);
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.values), bits(&column.values));
        bytes.len()
    }

    proptest! {
        #[test]
        fn comes_back(points in prop::collection::vec((any::<i64>(), any::<f64>()), 0..50)) {
            let mut column = Column::default();
            points.iter().for_each(|(at, value)| column.push(*at, *value));
            round(&column);
            column.values.iter_mut().for_each(|value| *value = (*value % 1e9).trunc() + 0.0);
            round(&column);
        }

        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Column::decode(&bytes);
        }
    }

    #[test]
    fn a_steady_counter_is_small() {
        let mut column = Column::default();
        for n in 0..3_600_i64 {
            column.push(1_790_000_000_000 + n * 1_000, (n * 17) as f64);
        }
        assert!(round(&column) < 3_600 * 2 + 20);
    }
}
