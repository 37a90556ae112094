//! A log-linear histogram of durations in nanoseconds.
//!
//! Values below 1,024 ns have a bucket each; every octave above is cut into
//! 1,024 buckets up to 2^42 ns (1 h 13 min), so a bucket is never wider than
//! 1/1024 (0.098 %) of its lowest value. The layout is the one HdrHistogram
//! uses for three significant digits and a unit of 1, hence the lossless
//! exchange in [`crate::hdr`].
//!
//! Counts lie in pages of 128 buckets that are allocated when first touched: a
//! label whose responses spread over one octave costs 8 KB, an empty histogram
//! nothing. Counts are `u64`: at a billion samples a second they last five
//! centuries, and 32 bits would overflow within a long run's hottest bucket.
//! The total saturates instead of wrapping, and no bucket exceeds the total.

mod encoding;
mod merge;
mod wire;

pub use merge::merge_streams;
pub use wire::DecodeError;

pub(crate) use encoding::{Encoded, check_head};
pub(crate) use wire::{HistogramReader, put_varint, unzigzag, zigzag};

/// log2 of the number of buckets in one octave.
const OCTAVE_BITS: u32 = 10;
/// Buckets in one page.
const PAGE_LEN: usize = 128;
/// Values from here on share the last bucket (their maximum stays exact).
const CLAMP_NS: u64 = 1 << 42;
/// Number of buckets of the whole range.
pub(crate) const BUCKETS: usize = index_of(CLAMP_NS - 1) + 1;
/// Number of pages of the whole range.
const PAGES: usize = BUCKETS.div_ceil(PAGE_LEN);

type Page = [u64; PAGE_LEN];

/// The bucket a value belongs to.
#[inline]
pub(crate) const fn index_of(value_ns: u64) -> usize {
    let value = if value_ns < CLAMP_NS {
        value_ns
    } else {
        CLAMP_NS - 1
    };
    // The `|` makes everything below 1,024 behave like the first octave.
    let shift = 63 - OCTAVE_BITS - (value | (1 << OCTAVE_BITS)).leading_zeros();
    ((shift as usize) << OCTAVE_BITS) + (value >> shift) as usize
}

/// Lowest and highest (inclusive) value of a bucket.
pub(crate) const fn bounds_of(index: usize) -> (u64, u64) {
    let octave = index >> OCTAVE_BITS;
    let shift = if octave == 0 { 0 } else { octave - 1 };
    let low = ((index - (shift << OCTAVE_BITS)) as u64) << shift;
    (low, low + (1 << shift) - 1)
}

/// A log-linear histogram of durations in nanoseconds; see the module's text.
///
/// Count, minimum, maximum and sum are exact; percentiles are within 0.1 % of a
/// value that was recorded (for values below 2^42 ns).
#[derive(Clone)]
pub struct Histogram {
    pages: Vec<Option<Box<Page>>>,
    count: u64,
    // `u64::MAX` and 0 while empty, so that the hot path needs no branch.
    min_ns: u64,
    max_ns: u64,
    sum_ns: u128,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram; allocates nothing.
    pub const fn new() -> Self {
        Self {
            pages: Vec::new(),
            count: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
        }
    }

    /// Records one value. Allocates only when it touches a page for the first
    /// time.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        if self.count == u64::MAX {
            return; // saturated: nothing may wrap
        }
        self.add_to_bucket(index_of(value_ns), 1);
        self.count += 1;
        self.sum_ns += u128::from(value_ns);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    /// Records the same value `n` times. The total saturates at `u64::MAX`.
    pub fn record_n(&mut self, value_ns: u64, n: u64) {
        let n = n.min(u64::MAX - self.count);
        if n == 0 {
            return;
        }
        self.add_to_bucket(index_of(value_ns), n);
        self.count += n;
        self.sum_ns = self
            .sum_ns
            .saturating_add(u128::from(value_ns) * u128::from(n));
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    /// Adds to one bucket only; the caller keeps count, sum, min and max.
    #[inline]
    fn add_to_bucket(&mut self, index: usize, n: u64) {
        let (page, slot) = (index / PAGE_LEN, index % PAGE_LEN);
        if let Some(Some(counts)) = self.pages.get_mut(page) {
            counts[slot] += n;
        } else {
            self.page_mut(page)[slot] += n;
        }
    }

    /// The page, allocated if need be.
    #[cold]
    fn page_mut(&mut self, page: usize) -> &mut Page {
        debug_assert!(page < PAGES);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([0; PAGE_LEN]))
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.count.checked_add(other.count).is_none() {
            return self.merge_saturating(other);
        }
        for page in other.page_range() {
            let Some(from) = other.page(page) else {
                continue;
            };
            let into = match self.pages.get_mut(page) {
                Some(Some(into)) => into,
                _ => self.page_mut(page),
            };
            for (into, from) in into.iter_mut().zip(from) {
                *into += from;
            }
        }
        self.add_totals(other.count, other.min_ns, other.max_ns, other.sum_ns);
    }

    /// Only for totals beyond 2^64, which garbage alone can reach: bucket by
    /// bucket, so that what does not fit is dropped and the sums stay coherent.
    #[cold]
    fn merge_saturating(&mut self, other: &Self) {
        for (low, high, n) in other.buckets() {
            self.record_n(
                (low + (high - low) / 2).clamp(other.min_ns, other.max_ns),
                n,
            );
        }
        if index_of(self.min_ns) == index_of(other.min_ns) {
            self.min_ns = self.min_ns.min(other.min_ns);
        }
        if index_of(self.max_ns) == index_of(other.max_ns) {
            self.max_ns = self.max_ns.max(other.max_ns);
        }
    }

    /// Adds totals whose buckets were added already. The counts must fit.
    fn add_totals(&mut self, count: u64, min_ns: u64, max_ns: u64, sum_ns: u128) {
        self.count += count;
        self.min_ns = self.min_ns.min(min_ns);
        self.max_ns = self.max_ns.max(max_ns);
        self.sum_ns = self.sum_ns.saturating_add(sum_ns);
    }

    /// Number of recorded values.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether nothing was recorded.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The smallest recorded value, exact; 0 if there is none.
    pub fn min_ns(&self) -> u64 {
        if self.is_empty() { 0 } else { self.min_ns }
    }

    /// The largest recorded value, exact; 0 if there is none.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// The sum of all values, exact.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// The arithmetic mean from the exact sum; 0 if there are no values.
    pub fn mean_ns(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            self.sum_ns as f64 / self.count as f64
        }
    }

    /// The value at quantile `q` (0 to 1) by nearest rank: the smallest
    /// recorded value that at least `q` of all values do not exceed, within
    /// 0.1 %. 0 if there are no values; `q` outside 0..=1 is clamped.
    ///
    /// ```
    /// use plimsoll_stats::Histogram;
    ///
    /// let mut times = Histogram::new();
    /// (1..=100).for_each(|ms| times.record(ms * 1_000_000));
    /// let p95_ms = times.percentile_ns(0.95) as f64 / 1e6;
    /// assert!((p95_ms - 95.0).abs() < 0.1);
    /// ```
    pub fn percentile_ns(&self, q: f64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        // Without the correction 0.07 × 100 = 7.000000000000001 is rank 8.
        let exact = q.clamp(0.0, 1.0) * self.count as f64 * (1.0 - 4.0 * f64::EPSILON);
        let rank = (exact.ceil() as u64).clamp(1, self.count);
        if rank == 1 {
            return self.min_ns;
        }
        if rank == self.count {
            return self.max_ns;
        }
        let mut seen = 0;
        for (index, n) in self.occupied() {
            seen += n;
            if seen >= rank {
                return self.value_of(index);
            }
        }
        self.max_ns
    }

    /// The value that stands for a bucket: its middle, within what was seen.
    fn value_of(&self, index: usize) -> u64 {
        if index == BUCKETS - 1 && self.max_ns >= CLAMP_NS {
            // The last bucket has no upper end: never make it look faster.
            return self.max_ns;
        }
        let (low, high) = bounds_of(index);
        (low + (high - low) / 2).clamp(self.min_ns, self.max_ns)
    }

    /// How many values are above `limit_ns`, exact but for the values that
    /// share the limit's bucket: those count as not above.
    pub fn count_above_ns(&self, limit_ns: u64) -> u64 {
        if self.is_empty() || limit_ns >= self.max_ns {
            return 0;
        }
        if limit_ns < self.min_ns {
            return self.count;
        }
        let limit = index_of(limit_ns);
        self.occupied()
            .filter(|&(index, _)| index > limit)
            .map(|(_, n)| n)
            .sum()
    }

    /// Forgets all values but keeps the pages for the next ones.
    pub fn clear(&mut self) {
        for page in self.page_range() {
            if let Some(Some(counts)) = self.pages.get_mut(page) {
                counts.fill(0);
            }
        }
        self.count = 0;
        self.min_ns = u64::MAX;
        self.max_ns = 0;
        self.sum_ns = 0;
    }

    /// Takes the values out together with their pages and leaves an empty
    /// histogram. To keep buffers, swap with a cleared one instead.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Makes this a copy of `other`, reusing the pages it has.
    pub fn copy_from(&mut self, other: &Self) {
        self.clear();
        self.merge(other);
    }

    /// The buckets that hold anything, ascending, as (lowest value, highest
    /// value inclusive, count), in ns.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.occupied().map(|(index, n)| {
            let (low, high) = bounds_of(index);
            (low, high, n)
        })
    }

    /// Bytes on the heap (page table and pages).
    pub fn heap_bytes(&self) -> usize {
        let pages = self.pages.iter().flatten().count();
        self.pages.capacity() * size_of::<Option<Box<Page>>>() + pages * size_of::<Page>()
    }

    /// Index and count of the non-empty buckets, ascending.
    pub(crate) fn occupied(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.page_range()
            .filter_map(|page| self.page(page).map(|counts| (page, counts)))
            .flat_map(|(page, counts)| {
                counts
                    .iter()
                    .enumerate()
                    .filter(|&(_, n)| *n != 0)
                    .map(move |(slot, n)| (page * PAGE_LEN + slot, *n))
            })
    }

    /// The pages that can hold anything: those from the minimum's to the
    /// maximum's.
    fn page_range(&self) -> std::ops::Range<usize> {
        if self.min_ns > self.max_ns {
            return 0..0;
        }
        index_of(self.min_ns) / PAGE_LEN..index_of(self.max_ns) / PAGE_LEN + 1
    }

    fn page(&self, page: usize) -> Option<&Page> {
        self.pages.get(page)?.as_deref()
    }
}

impl PartialEq for Histogram {
    /// Equal if count, sum, minimum, maximum and every bucket are.
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
            && self.sum_ns == other.sum_ns
            && self.min_ns == other.min_ns
            && self.max_ns == other.max_ns
            && self.occupied().eq(other.occupied())
    }
}

impl Eq for Histogram {}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count)
            .field("min_ns", &self.min_ns())
            .field("p50_ns", &self.percentile_ns(0.5))
            .field("p99_ns", &self.percentile_ns(0.99))
            .field("max_ns", &self.max_ns)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
