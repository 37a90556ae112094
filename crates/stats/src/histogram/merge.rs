//! Merging encoded histograms into one encoding, without expanding any.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::encoding::{BucketWriter, Encoded, HistogramTotals};
use super::{DecodeError, Histogram, HistogramReader, index_of};

impl Histogram {
    /// This without values that were recorded in it too: buckets, count and sum exactly; the
    /// ends, where they went, to within 0.1 %.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        if other.is_empty() {
            return self.clone();
        }
        let mut left = Self::new();
        let mut taken = other.occupied().peekable();
        for (index, n) in self.occupied() {
            while taken.next_if(|(at, _)| *at < index).is_some() {}
            let gone = taken.next_if(|(at, _)| *at == index);
            let kept = n.saturating_sub(gone.map_or(0, |(_, gone)| gone));
            if kept > 0 {
                left.record_n(self.value_of(index), kept);
            }
        }
        if !left.is_empty() && left.count == self.count.saturating_sub(other.count) {
            left.sum_ns = self.sum_ns.saturating_sub(other.sum_ns);
        }
        let is_left = !left.is_empty();
        let is_same = |one, other| is_left && index_of(one) == index_of(other);
        if is_same(left.max_ns, self.max_ns) && other.max_ns < self.max_ns {
            left.max_ns = self.max_ns;
        }
        if is_same(left.min_ns, self.min_ns) && other.min_ns > self.min_ns {
            left.min_ns = self.min_ns;
        }
        left
    }
}

/// Merges encoded histograms and appends the encoding of the result to `out`:
/// byte for byte what decoding, merging and encoding them would give. Memory
/// is O(number of streams).
///
/// # Errors
/// If a stream is not exactly one valid encoding, or the total count does not
/// fit; `out` is then unchanged.
pub fn merge_streams(streams: &[&[u8]], out: &mut Vec<u8>) -> Result<(), DecodeError> {
    let mut totals = HistogramTotals {
        count: 0,
        min_ns: u64::MAX,
        max_ns: 0,
        sum_ns: 0,
    };
    let mut parts = Vec::with_capacity(streams.len());
    for bytes in streams {
        let mut reader = HistogramReader::new(bytes);
        let encoded = Encoded::read(&mut reader)?;
        reader.end()?;
        let part = encoded.totals;
        totals.count = totals
            .count
            .checked_add(part.count)
            .ok_or(DecodeError::CountOverflow)?;
        totals.min_ns = totals.min_ns.min(part.min_ns);
        totals.max_ns = totals.max_ns.max(part.max_ns);
        totals.sum_ns = totals.sum_ns.saturating_add(part.sum_ns);
        parts.push(encoded.into_buckets());
    }
    // (bucket, stream) with its count; the smallest bucket comes first.
    let mut heads = BinaryHeap::with_capacity(parts.len());
    for (stream, buckets) in parts.iter_mut().enumerate() {
        if let Some((index, n)) = buckets.next()? {
            heads.push(Reverse((index, stream, n)));
        }
    }
    totals.put(out);
    let mut writer = BucketWriter::new(totals.min_ns);
    while let Some(&Reverse((index, _, _))) = heads.peek() {
        let mut sum = 0;
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((at, stream, n)) = *head;
            if at != index {
                break;
            }
            sum += n; // cannot overflow: the total of all counts fits
            // Checked when the stream was read: this cannot fail any more.
            match parts[stream].next() {
                Ok(Some((next, n))) => *head = Reverse((next, stream, n)),
                _ => {
                    std::collections::binary_heap::PeekMut::pop(head);
                }
            }
        }
        writer.put(out, index, sum);
    }
    Ok(())
}
