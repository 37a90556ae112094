//! The sparse encoding of a histogram, version 1.
//!
//! ```text
//! byte    0xB1: high nibble "a histogram", low nibble the version
//! varint  count; nothing follows if it is 0
//! varint  min (ns), max - min, sum - count × min
//! then for each non-empty bucket, ascending, until `count` values were read:
//! varint  gap << 1 | (the bucket holds one value)
//!         gap = bucket - previous bucket - 1; for the first one 0, since it is
//!         the minimum's bucket
//! varint  the bucket's count - 2, unless it holds one value
//! ```
//!
//! The encoding ends by itself, so histograms follow each other in one stream
//! without lengths. 100 values over one octave take about 110 bytes.

use super::wire::{DecodeError, HistogramReader, put_varint, put_varint_wide};
use super::{Histogram, index_of};

/// Marks a histogram and its version.
const HEAD: u8 = 0xB0 | VERSION;
const VERSION: u8 = 1;

/// Checks a head byte of the form `kind << 4 | version`.
pub(crate) fn check_head(found: u8, expected: u8, what: &'static str) -> Result<(), DecodeError> {
    if found >> 4 != expected >> 4 {
        return Err(DecodeError::WrongKind { what, found });
    }
    if found != expected {
        return Err(DecodeError::UnknownVersion {
            what,
            found: found & 0x0f,
            known: expected & 0x0f,
        });
    }
    Ok(())
}

/// Totals of a histogram, as they stand at the head of its encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistogramTotals {
    pub(super) count: u64,
    pub(super) min_ns: u64,
    pub(super) max_ns: u64,
    pub(super) sum_ns: u128,
}

impl HistogramTotals {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.push(HEAD);
        put_varint(out, self.count);
        if self.count == 0 {
            return;
        }
        put_varint(out, self.min_ns);
        put_varint(out, self.max_ns - self.min_ns);
        put_varint_wide(out, self.sum_ns.saturating_sub(self.floor()));
    }

    /// The sum if every value were the minimum.
    fn floor(&self) -> u128 {
        u128::from(self.count) * u128::from(self.min_ns)
    }

    fn read(reader: &mut HistogramReader<'_>) -> Result<Self, DecodeError> {
        check_head(reader.byte()?, HEAD, "histogram")?;
        let count = reader.varint()?;
        let mut totals = Self {
            count,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
        };
        if count == 0 {
            return Ok(totals);
        }
        totals.min_ns = reader.varint()?;
        let at = reader.position();
        let spread = reader.varint()?;
        totals.max_ns = totals
            .min_ns
            .checked_add(spread)
            .ok_or(DecodeError::Overflow { at })?;
        let at = reader.position();
        let above = reader.varint_wide()?;
        if above > u128::from(count) * u128::from(spread) {
            return Err(DecodeError::Damaged {
                at,
                what: "the sum is larger than the maximum allows",
            });
        }
        totals.sum_ns = totals.floor() + above;
        Ok(totals)
    }
}

/// Writes buckets in ascending order.
pub(super) struct BucketWriter {
    next: usize,
}

impl BucketWriter {
    pub(super) fn new(min_ns: u64) -> Self {
        Self {
            next: index_of(min_ns),
        }
    }

    pub(super) fn put(&mut self, out: &mut Vec<u8>, index: usize, n: u64) {
        let gap = (index - self.next) as u64;
        put_varint(out, gap << 1 | u64::from(n == 1));
        if n > 1 {
            put_varint(out, n - 2);
        }
        self.next = index + 1;
    }
}

/// Reads the buckets of an encoding, ascending.
#[derive(Clone, Debug)]
pub(super) struct BucketReader<'a> {
    reader: HistogramReader<'a>,
    next: usize,
    last: usize,
    left: u64,
}

impl BucketReader<'_> {
    /// The next bucket and its count; `None` when all values were read.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<(usize, u64)>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        let at = self.reader.position();
        let damaged = |what| DecodeError::Damaged { at, what };
        let word = self.reader.varint()?;
        let n = match word & 1 {
            1 => 1,
            _ => self
                .reader
                .varint()?
                .checked_add(2)
                .ok_or(DecodeError::Overflow { at })?,
        };
        let index = usize::try_from(word >> 1)
            .ok()
            .and_then(|gap| self.next.checked_add(gap))
            .filter(|index| *index <= self.last)
            .ok_or_else(|| damaged("a bucket lies above the maximum"))?;
        self.left = self
            .left
            .checked_sub(n)
            .ok_or_else(|| damaged("the buckets hold more than the count"))?;
        if self.left == 0 && index != self.last {
            return Err(damaged("the maximum's bucket is empty"));
        }
        self.next = index + 1;
        Ok(Some((index, n)))
    }
}

/// A checked encoding inside a longer stream: applying it cannot fail.
#[derive(Clone, Debug)]
pub(crate) struct Encoded<'a> {
    pub(super) totals: HistogramTotals,
    buckets: BucketReader<'a>,
}

impl<'a> Encoded<'a> {
    /// Reads and checks one histogram and moves the reader behind it.
    pub(crate) fn read(reader: &mut HistogramReader<'a>) -> Result<Self, DecodeError> {
        let totals = HistogramTotals::read(reader)?;
        let mut buckets = BucketReader {
            reader: reader.clone(),
            next: index_of(totals.min_ns),
            last: index_of(totals.max_ns),
            left: totals.count,
        };
        let start = buckets.clone();
        let at = reader.position();
        let mut first = true;
        while let Some((index, _)) = buckets.next()? {
            if first && index != index_of(totals.min_ns) {
                return Err(DecodeError::Damaged {
                    at,
                    what: "the minimum's bucket is empty",
                });
            }
            first = false;
        }
        *reader = buckets.reader;
        Ok(Self {
            totals,
            buckets: start,
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.totals.count
    }

    /// Count, minimum (0 without any) and sum.
    pub(crate) fn totals(&self) -> (u64, u64, u128) {
        let totals = self.totals;
        let min_ns = if totals.count > 0 { totals.min_ns } else { 0 };
        (totals.count, min_ns, totals.sum_ns)
    }

    pub(super) fn into_buckets(self) -> BucketReader<'a> {
        self.buckets
    }
}

impl Histogram {
    /// Appends the sparse encoding, version 1 (about one byte a value for a
    /// few hundred values).
    pub fn encode(&self, out: &mut Vec<u8>) {
        let totals = HistogramTotals {
            count: self.count,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            sum_ns: self.sum_ns,
        };
        totals.put(out);
        let mut writer = BucketWriter::new(self.min_ns);
        for (index, n) in self.occupied() {
            writer.put(out, index, n);
        }
    }

    /// Adds an encoded histogram without building it first.
    ///
    /// # Errors
    /// If the bytes are not exactly one valid encoding, or the total count
    /// would not fit; the histogram is then unchanged.
    pub fn merge_encoded(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut reader = HistogramReader::new(bytes);
        let encoded = Encoded::read(&mut reader)?;
        reader.end()?;
        self.check_room(encoded.count())?;
        self.apply(encoded);
        Ok(())
    }

    /// Whether `count` more values can be counted.
    pub(crate) fn check_room(&self, count: u64) -> Result<(), DecodeError> {
        self.count
            .checked_add(count)
            .map(|_| ())
            .ok_or(DecodeError::CountOverflow)
    }

    /// Adds a checked encoding; the caller has checked the room.
    pub(crate) fn apply(&mut self, encoded: Encoded<'_>) {
        let totals = encoded.totals;
        if totals.count == 0 {
            return;
        }
        let mut buckets = encoded.into_buckets();
        // The encoding was read once already, so this cannot fail.
        while let Ok(Some((index, n))) = buckets.next() {
            self.add_to_bucket(index, n);
        }
        self.add_totals(totals.count, totals.min_ns, totals.max_ns, totals.sum_ns);
    }
}
