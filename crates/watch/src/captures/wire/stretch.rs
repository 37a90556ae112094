//! The stretch of time that is looked at, by several threads at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::now_unix_ns;

/// A stretch is so long at least, also where it had to begin anew; but all together no longer than
/// [`MAX_LASTS`].
const LEAST_LASTS: Duration = Duration::from_millis(1_500);
const MAX_LASTS: Duration = Duration::from_secs(6);
/// It begins anew so much later, so that all who look hear of it before.
const AHEAD: Duration = Duration::from_millis(200);

/// A time in nanoseconds.
pub(super) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// From when to when anybody looks, Unix nanoseconds.
pub(super) struct Stretch {
    began_ns: u64,
    from_ns: AtomicU64,
    until_ns: AtomicU64,
    again: AtomicU64,
}

impl Stretch {
    /// One that begins now.
    pub(super) fn new(lasts: Duration) -> Self {
        let now_ns = now_unix_ns();
        Self {
            began_ns: now_ns,
            from_ns: AtomicU64::new(now_ns),
            until_ns: AtomicU64::new(now_ns + nanos(lasts)),
            again: AtomicU64::new(0),
        }
    }

    pub(super) fn begins_ns(&self) -> u64 {
        self.from_ns.load(Ordering::Relaxed)
    }

    pub(super) fn until_ns(&self) -> u64 {
        self.until_ns.load(Ordering::Relaxed)
    }

    /// How long it still lasts.
    pub(super) fn left(&self) -> Duration {
        Duration::from_nanos(self.until_ns().saturating_sub(now_unix_ns()))
    }

    /// How often it began anew.
    pub(super) fn began_again(&self) -> u64 {
        self.again.load(Ordering::Relaxed)
    }

    /// Something was lost: what was counted so far is too little. It begins anew, a moment from now, unless there is no
    /// time left for it.
    pub(super) fn begin_anew(&self) {
        let now_ns = now_unix_ns();
        let from_ns = now_ns + nanos(AHEAD);
        let least_ns = from_ns + nanos(LEAST_LASTS);
        // It is about to.
        let is_ahead = self.begins_ns() > now_ns;
        if is_ahead || least_ns > self.began_ns + nanos(MAX_LASTS) {
            return;
        }
        self.from_ns.store(from_ns, Ordering::Relaxed);
        self.until_ns.fetch_max(least_ns, Ordering::Relaxed);
        self.again.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_anew_a_moment_later_and_lasts_long_enough_as_long_as_there_is_time() {
        let stretch = Stretch::new(Duration::from_secs(1));
        let (from_ns, until_ns) = (stretch.begins_ns(), stretch.until_ns());
        stretch.begin_anew();
        let new_ns = stretch.begins_ns();
        assert!(new_ns >= from_ns + nanos(AHEAD));
        assert_eq!(
            stretch.until_ns(),
            until_ns.max(new_ns + nanos(LEAST_LASTS))
        );
        // Whoever else lost something then has it begin no later.
        stretch.begin_anew();
        assert_eq!((stretch.begins_ns(), stretch.began_again()), (new_ns, 1));
        let old = Stretch {
            began_ns: from_ns - nanos(MAX_LASTS - LEAST_LASTS),
            ..Stretch::new(Duration::from_secs(1))
        };
        let before = (old.begins_ns(), old.until_ns());
        old.begin_anew();
        assert_eq!((old.begins_ns(), old.until_ns()), before);
        assert_eq!(old.began_again(), 0);
    }
}
