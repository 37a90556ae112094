//! The run's clock: monotonic nanoseconds since the run's start, and one wall-clock anchor.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time in nanoseconds since the run's start. A run lasts less than 584 years.
pub type Nanos = u64;

/// The run's clock; a copy is as good as the original.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    zero_ns: u64,
    unix_zero_ns: u64,
}

fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid timespec and CLOCK_MONOTONIC always exists on Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

impl Clock {
    /// A clock that reads 0 now.
    #[must_use]
    pub fn start() -> Self {
        Self::start_in(Duration::ZERO)
    }

    /// A clock that will read 0 after `lead`; until then it reads 0 as well.
    #[must_use]
    pub fn start_in(lead: Duration) -> Self {
        let unix = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            zero_ns: monotonic_ns() + nanos(lead),
            unix_zero_ns: nanos(unix) + nanos(lead),
        }
    }

    /// Now.
    #[must_use]
    #[inline]
    pub fn now_ns(&self) -> Nanos {
        monotonic_ns().saturating_sub(self.zero_ns)
    }

    /// How long it is until this clock begins to count.
    #[must_use]
    pub fn until_zero(&self) -> Duration {
        Duration::from_nanos(self.zero_ns.saturating_sub(monotonic_ns()))
    }

    /// Wall-clock time of a point of this clock, Unix nanoseconds, by the anchor taken at
    /// the start: a step of the wall clock during the run does not move it.
    #[must_use]
    pub fn unix_ns(&self, at: Nanos) -> u64 {
        self.unix_zero_ns + at
    }

    /// The `CLOCK_MONOTONIC` reading of a point of this clock.
    #[must_use]
    pub fn monotonic_ns(&self, at: Nanos) -> u64 {
        self.zero_ns + at
    }
}

/// A duration in nanoseconds; what does not fit in 584 years is cut to that.
#[must_use]
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
