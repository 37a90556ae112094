//! The run's clock: nanoseconds since the run's start by a clock of the kernel that is never
//! set, and one wall-clock anchor.
//!
//! A run on one machine reads `CLOCK_MONOTONIC`, which stands while the machine is suspended:
//! such a run goes on where it was. A run that begins at an agreed moment is one part of a
//! whole that goes on meanwhile, so its clock is `CLOCK_BOOTTIME`, which counts that time too
//! (clock_gettime(2)).
//!
//! In tests of the engine time is virtual: it passes when all wait for it (`driver::simulated`).

#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time in nanoseconds since the run's start. A run lasts less than 584 years.
pub type Nanos = u64;

/// The run's clock; a copy is as good as the original.
///
/// ```
/// use std::time::Duration;
///
/// use plimsoll_load::clock::Clock;
///
/// // It reads 0 until the run begins, and never goes back.
/// let clock = Clock::start_in(Duration::from_secs(60));
/// assert_eq!(clock.now_ns(), 0);
/// assert!(clock.until_zero() <= Duration::from_secs(60));
/// // The wall clock's time of a point is as far from the beginning as that point is.
/// assert_eq!(clock.unix_ns(5_000) - clock.unix_ns(0), 5_000);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    source: ClockSource,
    zero_ns: u64,
    unix_zero_ns: u64,
}

/// What a clock is read from.
#[derive(Debug, Clone, Copy)]
enum ClockSource {
    Kernel(libc::clockid_t),
    #[cfg(test)]
    Virtual(&'static AtomicU64),
}

impl ClockSource {
    #[inline]
    fn read(self) -> u64 {
        match self {
            Self::Kernel(id) => read(id),
            #[cfg(test)]
            Self::Virtual(time) => time.load(Ordering::Relaxed),
        }
    }
}

#[inline]
fn read(id: libc::clockid_t) -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid timespec, and both clocks that are asked for exist on Linux.
    unsafe { libc::clock_gettime(id, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// The reading of `CLOCK_BOOTTIME` now: nanoseconds since the machine was started, the time it
/// was suspended included.
#[must_use]
pub fn boottime_ns() -> u64 {
    read(libc::CLOCK_BOOTTIME)
}

fn unix_now_ns() -> u64 {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH);
    nanos(unix.unwrap_or_default())
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
        let source = ClockSource::Kernel(libc::CLOCK_MONOTONIC);
        Self {
            source,
            zero_ns: source.read() + nanos(lead),
            unix_zero_ns: unix_now_ns() + nanos(lead),
        }
    }

    /// A clock that reads 0 when [`boottime_ns`] gives this, be it in the future or in the
    /// past.
    #[must_use]
    pub fn at_boottime(zero_ns: u64) -> Self {
        let (now_ns, unix_ns) = (boottime_ns(), unix_now_ns());
        let unix_zero_ns = unix_ns.saturating_add(zero_ns).saturating_sub(now_ns);
        Self {
            source: ClockSource::Kernel(libc::CLOCK_BOOTTIME),
            zero_ns,
            unix_zero_ns,
        }
    }

    /// A clock that reads 0 now, on a time that is somebody's to pass. Its wall clock begins on
    /// 2026-01-01.
    #[cfg(test)]
    #[must_use]
    pub fn on(time: &'static AtomicU64) -> Self {
        let source = ClockSource::Virtual(time);
        Self {
            source,
            zero_ns: source.read(),
            unix_zero_ns: 1_767_225_600_000_000_000 + source.read(),
        }
    }

    /// Now.
    #[must_use]
    #[inline]
    pub fn now_ns(&self) -> Nanos {
        self.source.read().saturating_sub(self.zero_ns)
    }

    /// How long it is until this clock begins to count.
    #[must_use]
    pub fn until_zero(&self) -> Duration {
        Duration::from_nanos(self.zero_ns.saturating_sub(self.source.read()))
    }

    /// Wall-clock time of a point of this clock, Unix nanoseconds, by the anchor taken at
    /// the start: a step of the wall clock during the run does not move it.
    #[must_use]
    pub fn unix_ns(&self, at: Nanos) -> u64 {
        self.unix_zero_ns + at
    }

    /// What it is read from reads this at a point of this clock: the kernel, unless time is virtual.
    #[must_use]
    pub fn kernel_ns(&self, at: Nanos) -> u64 {
        self.zero_ns.saturating_add(at)
    }

    /// The kernel's clock that it is read from, unless its time is virtual.
    #[must_use]
    #[inline]
    pub fn kernel_id(&self) -> Option<libc::clockid_t> {
        match self.source {
            ClockSource::Kernel(id) => Some(id),
            #[cfg(test)]
            ClockSource::Virtual(_) => None,
        }
    }

    /// Lets the thread sleep until then, with the kernel's own grain; a signal may end the sleep
    /// early. Virtual time passes.
    pub fn sleep_until(&self, at: Nanos) {
        let at = self.kernel_ns(at);
        match self.source {
            ClockSource::Kernel(id) => sleep(id, at),
            #[cfg(test)]
            ClockSource::Virtual(time) => drop(time.fetch_max(at, Ordering::Relaxed)),
        }
    }
}

fn sleep(id: libc::clockid_t, at: u64) {
    let until = libc::timespec {
        tv_sec: (at / 1_000_000_000).cast_signed(),
        tv_nsec: (at % 1_000_000_000).cast_signed(),
    };
    // SAFETY: `until` is a valid time, and nothing is told of what is left.
    unsafe {
        libc::clock_nanosleep(
            id,
            libc::TIMER_ABSTIME,
            &raw const until,
            std::ptr::null_mut(),
        )
    };
}

/// A duration in nanoseconds; what does not fit in 584 years is cut to that.
///
/// ```
/// use std::time::Duration;
///
/// use plimsoll_load::clock::nanos;
///
/// assert_eq!(nanos(Duration::from_millis(2)), 2_000_000);
/// assert_eq!(nanos(Duration::MAX), u64::MAX);
/// ```
#[must_use]
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_begins_at_an_agreed_moment() {
        let past = Clock::at_boottime(boottime_ns() - 5_000_000_000);
        assert!(past.now_ns() >= 5_000_000_000);
        assert_eq!(past.until_zero(), Duration::ZERO);
        let hour = Duration::from_secs(3600);
        let future = Clock::at_boottime(boottime_ns() + nanos(hour));
        assert_eq!(future.now_ns(), 0);
        assert!(future.until_zero() > hour / 2 && future.until_zero() <= hour);
        assert!(future.unix_ns(0) > past.unix_ns(nanos(hour) / 2));
    }
}
