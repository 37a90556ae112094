//! Wall-clock time that does not step while it is watched.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Wall-clock time by one reading and the monotonic clock since: a step of the wall clock
/// does not move it.
#[derive(Debug, Clone, Copy)]
pub struct WallClock {
    began: Instant,
    unix_ns: u64,
}

impl WallClock {
    /// A clock that reads the wall clock now, once.
    #[must_use]
    pub fn start() -> Self {
        let unix_ns = now_unix_ns();
        Self {
            began: Instant::now(),
            unix_ns,
        }
    }

    /// The same clock, ahead by so much (behind, if negative): for tests of clocks that differ.
    #[must_use]
    pub fn shifted(mut self, by_ns: i64) -> Self {
        self.unix_ns = self.unix_ns.saturating_add_signed(by_ns);
        self
    }

    /// Now, Unix nanoseconds.
    #[must_use]
    pub fn unix_ns(&self) -> u64 {
        let since = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.unix_ns.saturating_add(since)
    }
}

/// The wall clock now, Unix nanoseconds.
pub(crate) fn now_unix_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
}
