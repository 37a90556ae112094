//! When a side said something, where requests cannot be told apart.

/// So many messages over so long are no one response.
const SEVERAL: usize = 4;
const SPREAD_NS: u64 = 200_000_000;
/// Times that are kept, at most.
const MAX_TIMES: usize = 20_000;

/// When it did, Unix nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SpokenTimes(Vec<u64>);

impl SpokenTimes {
    pub(crate) fn keep(&mut self, at_ns: u64) {
        if self.0.len() < MAX_TIMES {
            self.0.push(at_ns);
        }
    }

    /// Whether something was said at several moments, and not in one response.
    pub(crate) fn is_spread(&self) -> bool {
        let (first, last) = (self.0.first(), self.0.last());
        let lasted_ns = first
            .zip(last)
            .map_or(0, |(first, last)| last.saturating_sub(*first));
        self.0.len() >= SEVERAL && lasted_ns >= SPREAD_NS
    }

    /// How much they take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }

    pub(crate) fn into_inner(self) -> Vec<u64> {
        self.0
    }
}
