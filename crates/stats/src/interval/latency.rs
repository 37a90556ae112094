//! The parts of an interval: a pair of histograms, counts by key, phase sums.

use crate::histogram::Histogram;

/// Service and response times of the same samples.
///
/// They are the same as long as every sample starts when it is intended to
/// (always so in a closed model without a schedule). Until the first difference
/// only one histogram is kept.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    service: Histogram,
    /// Empty unless `split`.
    response: Histogram,
    split: bool,
}

impl Latency {
    /// Records one sample's service and response time.
    #[inline]
    pub fn record(&mut self, service_ns: u64, response_ns: u64) {
        if self.split || service_ns != response_ns {
            self.split();
            self.response.record(response_ns);
        }
        self.service.record(service_ns);
    }

    /// From here on the two histograms are kept apart.
    #[inline]
    pub(super) fn split(&mut self) {
        if !self.split {
            self.response.copy_from(&self.service);
            self.split = true;
        }
    }

    /// Service times: from the actual start.
    pub fn service(&self) -> &Histogram {
        &self.service
    }

    /// Response times: from the intended start.
    pub fn response(&self) -> &Histogram {
        if self.split {
            &self.response
        } else {
            &self.service
        }
    }

    /// Whether both are the same, so that only one is kept.
    pub fn response_is_service(&self) -> bool {
        !self.split
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.service.count()
    }

    /// Adds all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        if other.split {
            self.split();
        }
        if self.split {
            self.response.merge(other.response());
        }
        self.service.merge(&other.service);
    }

    /// Forgets all samples but keeps the buffers.
    pub fn clear(&mut self) {
        self.service.clear();
        self.response.clear();
        self.split = false;
    }

    /// Both histograms to add to; the second only if they differ.
    pub(super) fn parts_mut(&mut self) -> (&mut Histogram, Option<&mut Histogram>) {
        (&mut self.service, self.split.then_some(&mut self.response))
    }
}

impl PartialEq for Latency {
    fn eq(&self, other: &Self) -> bool {
        self.service == other.service && self.response() == other.response()
    }
}

impl Eq for Latency {}

/// Counts by a key, sorted by it. Meant for few distinct keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<K>(Vec<(K, u64)>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Copy + Ord> Counts<K> {
    /// Adds `n` to a key's count.
    #[inline]
    pub fn add(&mut self, key: K, n: u64) {
        if n == 0 {
            return;
        }
        match self.0.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(at) => self.0[at].1 = self.0[at].1.saturating_add(n),
            Err(at) => self.0.insert(at, (key, n)),
        }
    }

    /// The key's count; 0 if it never came.
    pub fn get(&self, key: K) -> u64 {
        self.0
            .binary_search_by(|(known, _)| known.cmp(&key))
            .map_or(0, |at| self.0[at].1)
    }

    /// Keys and counts, sorted by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Sum of all counts.
    pub fn total(&self) -> u64 {
        self.iter().fold(0, |sum, (_, n)| sum.saturating_add(n))
    }

    /// Whether there are no counts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, n) in other.iter() {
            self.add(key, n);
        }
    }

    /// Forgets all counts but keeps the buffer.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// How often a phase happened, and its sum and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseSum {
    /// How many samples had this phase.
    pub count: u64,
    /// Sum of its durations.
    pub sum_ns: u64,
    /// Its longest duration.
    pub max_ns: u64,
}

impl PhaseSum {
    /// Adds one duration.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.count = self.count.saturating_add(1);
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Mean duration of the samples that had this phase; 0 if there are none.
    pub fn mean_ns(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum_ns as f64 / self.count as f64
        }
    }
}
