//! Sleeping through responses.
//!
//! At thousands of arrivals a second a load thread would wake twice for each request: for
//! the arrival and for the response, and waking is most of its cost. When an iteration is one
//! request, nothing waits for the moment the response is noticed, and the kernel writes down
//! when it came. The thread then sleeps until the next arrival and takes the responses that
//! came meanwhile, with the kernel's receive times as their end. Lateness of sends does not
//! change; the receive lag grows to the gap between arrivals and is reported as ever.

use std::cell::Cell;

use crate::clock::{Clock, Nanos};

/// Longest gap between arrivals that is slept through: beyond it waking is cheap enough.
const LONGEST_NS: Nanos = 500_000;
/// Shortest gap worth a system call.
const SHORTEST_NS: Nanos = 20_000;

/// Whether a load thread sleeps through responses.
#[derive(Debug, Default)]
pub struct Nap {
    allowed: Cell<bool>,
    /// The kernel was seen to give receive times.
    times_seen: Cell<bool>,
    /// A gap was short enough.
    wanted: Cell<bool>,
}

impl Nap {
    /// Says whether nothing of the load waits for responses to be noticed. A thread that
    /// serves a load of which this is not true never naps.
    pub fn allow(&self, allowed: bool) {
        self.allowed.set(allowed);
    }

    /// Whether every response's receive time is needed.
    #[inline]
    pub fn needs_times(&self) -> bool {
        self.wanted.get() && self.allowed.get()
    }

    /// Whether to sleep until then.
    pub fn is_worth_it(&self, clock: Clock, at_ns: Nanos) -> bool {
        if !self.allowed.get() {
            return false;
        }
        let gap_ns = at_ns.saturating_sub(clock.now_ns());
        if gap_ns < LONGEST_NS && gap_ns > 0 {
            self.wanted.set(true);
        }
        self.times_seen.get() && (SHORTEST_NS..LONGEST_NS).contains(&gap_ns)
    }

    /// When a response came that was noticed now.
    #[inline]
    pub fn true_time(&self, now_ns: Nanos, lag_ns: u64) -> Nanos {
        self.times_seen.set(true);
        if self.needs_times() {
            now_ns.saturating_sub(lag_ns)
        } else {
            now_ns
        }
    }
}

/// Asks for sleeps without the slack of 50 µs that the kernel otherwise adds (prctl(2)).
pub fn sleep_exactly() {
    // SAFETY: a plain system call; where it is refused sleeps end a little later.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_gaps_are_slept_through_once_the_kernel_tells_times() {
        let (nap, clock) = (Nap::default(), Clock::start());
        let soon = || clock.now_ns() + 200_000;
        nap.allow(true);
        assert!(!nap.is_worth_it(clock, soon()), "no receive time was seen");
        assert!(nap.needs_times());
        assert_eq!(nap.true_time(1_000, 400), 600);
        assert!(nap.is_worth_it(clock, soon()));
        assert!(!nap.is_worth_it(clock, clock.now_ns() + 10_000_000));
        nap.allow(false);
        assert!(!nap.is_worth_it(clock, soon()));
        assert_eq!(nap.true_time(1_000, 400), 1_000);
    }

    #[test]
    fn a_nap_never_ends_before_its_time() {
        let clock = Clock::start();
        let at = clock.now_ns() + 300_000;
        clock.sleep_until(at);
        assert!(clock.now_ns() >= at);
    }
}
