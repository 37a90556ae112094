//! A lease: the right to start work, until a moment of the run's clock.
//!
//! A process that makes a share of a load may be cut off from whoever gave it that share, and
//! the share may be given to another one. So it starts nothing once its lease is over, by its
//! own clock, until the lease is renewed. Without a controller there is a lease that never ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::clock::Nanos;

/// A lease; copies are the same lease.
///
/// ```
/// use plimsoll_load::Lease;
///
/// let lease = Lease::until(1_000);
/// assert!(!lease.is_over(999) && lease.is_over(1_000));
/// // Whoever gave it renews it, and knows afterwards how long it was gone.
/// lease.clone().renew(1_500, 3_000);
/// assert!(!lease.is_over(2_000));
/// let gap = lease.last_gap().ok_or("it was over")?;
/// assert_eq!((gap.over_ns, gap.back_ns), (1_000, 1_500));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lease(Arc<LeaseInner>);

#[derive(Debug)]
struct LeaseInner {
    until_ns: AtomicU64,
    over_ns: AtomicU64,
    back_ns: AtomicU64,
    changed: watch::Sender<()>,
    /// What each load thread has started; each is written by its own thread alone.
    started: Mutex<Vec<Arc<AtomicU64>>>,
}

/// What one load thread has started under a lease.
#[derive(Debug, Clone)]
pub(crate) struct Started(Arc<AtomicU64>);

impl Started {
    /// One more was started, by the only thread that writes.
    #[inline]
    pub(crate) fn add(&self) {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before + 1, Ordering::Relaxed);
    }
}

/// A time without the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// When the lease was over.
    pub over_ns: Nanos,
    /// When it was renewed.
    pub back_ns: Nanos,
}

impl Default for Lease {
    /// A lease that never ends.
    fn default() -> Self {
        Self::until(Nanos::MAX)
    }
}

impl Lease {
    /// A lease until then.
    #[must_use]
    pub fn until(at_ns: Nanos) -> Self {
        Self(Arc::new(LeaseInner {
            until_ns: AtomicU64::new(at_ns),
            over_ns: AtomicU64::new(0),
            back_ns: AtomicU64::new(0),
            changed: watch::Sender::new(()),
            started: Mutex::default(),
        }))
    }

    /// From now on the lease ends then, be it later or earlier than before.
    pub fn renew(&self, now_ns: Nanos, until_ns: Nanos) {
        let before_ns = self.until_ns();
        if before_ns <= now_ns && now_ns < until_ns {
            self.0.over_ns.store(before_ns, Ordering::Relaxed);
            self.0.back_ns.store(now_ns, Ordering::Release);
        }
        self.0.until_ns.store(until_ns, Ordering::Release);
        self.0.changed.send_replace(());
    }

    /// The lease is over now.
    pub fn end(&self, now_ns: Nanos) {
        self.renew(now_ns, now_ns.min(self.until_ns()));
    }

    /// The first moment at which nothing may start any more.
    #[must_use]
    #[inline]
    pub fn until_ns(&self) -> Nanos {
        self.0.until_ns.load(Ordering::Relaxed)
    }

    /// Whether it is over at that time.
    #[must_use]
    #[inline]
    pub fn is_over(&self, now_ns: Nanos) -> bool {
        now_ns >= self.until_ns()
    }

    /// How many requests have been started under it, over all load threads.
    #[must_use]
    pub fn started(&self) -> u64 {
        let all = self.0.started.lock();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|one| one.load(Ordering::Relaxed)).sum()
    }

    /// A load thread's own counter of what it starts.
    pub(crate) fn counter(&self) -> Started {
        let own = Arc::<AtomicU64>::default();
        let all = self.0.started.lock();
        let mut all = all.unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&own));
        Started(own)
    }

    /// The last time without the lease that has come to its end.
    #[must_use]
    pub fn last_gap(&self) -> Option<Gap> {
        let back_ns = self.0.back_ns.load(Ordering::Acquire);
        let over_ns = self.0.over_ns.load(Ordering::Relaxed);
        (back_ns > 0).then_some(Gap { over_ns, back_ns })
    }

    /// When it was renewed after it had been over; 0: it never was.
    #[inline]
    pub(crate) fn back_ns(&self) -> Nanos {
        self.0.back_ns.load(Ordering::Relaxed)
    }

    /// Hears of each renewal from now on.
    pub(crate) fn renewals(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_was_over_comes_back() {
        let lease = Lease::until(100);
        let copy = lease.clone();
        assert!(!lease.is_over(99) && lease.is_over(100));
        copy.renew(50, 150);
        assert_eq!(lease.last_gap(), None, "it was renewed in time");
        assert!(!lease.is_over(149));
        copy.renew(180, 280);
        let gap = Gap {
            over_ns: 150,
            back_ns: 180,
        };
        assert_eq!(lease.last_gap(), Some(gap));
        lease.end(200);
        assert!(lease.is_over(200));
        lease.end(300);
        assert_eq!(lease.until_ns(), 200, "it was over before");
        assert_eq!(lease.last_gap(), Some(gap));
        assert!(!Lease::default().is_over(Nanos::MAX - 1));
    }
}
