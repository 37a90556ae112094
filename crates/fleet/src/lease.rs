//! The permission to start work, on both sides.
//!
//! A worker says in each sign of life what its clock reads; the renewal that responds to it says so
//! again. The lease then runs from *that* moment of the worker's own clock. No clocks have to agree for it, and a
//! renewal that was long on its way gives no time that is over already. The controller, which
//! sent the renewal later than the worker spoke, knows that the lease is over when its
//! length has passed since the sending.

/// How long a lease lasts, unless another length is given.
pub const LEASE_NS: u64 = 10_000_000_000;

/// How much the rates of two clocks may differ, parts in a million: far beyond what crystals do.
const DRIFT_PPM: u64 = 500;

/// A worker's lease, on the worker's own clock.
#[derive(Debug, Clone, Copy)]
pub struct HeldLease {
    length_ns: u64,
    until_ns: u64,
}

impl HeldLease {
    /// A lease of that length that nobody has renewed yet: it is over.
    #[must_use]
    pub fn new(length_ns: u64) -> Self {
        Self {
            length_ns,
            until_ns: 0,
        }
    }

    /// The controller heard what the worker said at `heard_ns`. What lies in the future was not
    /// said by this worker and counts as said now; an older one takes nothing away.
    pub fn renew(&mut self, heard_ns: u64, now_ns: u64) {
        let from_ns = heard_ns.min(now_ns);
        self.until_ns = self.until_ns.max(from_ns.saturating_add(self.length_ns));
    }

    /// Until when work may be started.
    #[must_use]
    pub fn until_ns(&self) -> u64 {
        self.until_ns
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.until_ns
    }
}

/// What the controller knows of a lease it gives, on its own clock.
#[derive(Debug, Clone, Copy)]
pub struct GivenLease {
    length_ns: u64,
    sent_ns: u64,
}

impl GivenLease {
    /// A lease given with an order sent at this moment.
    #[must_use]
    pub fn at(sent_ns: u64, length_ns: u64) -> Self {
        Self { length_ns, sent_ns }
    }

    /// A renewal was sent.
    pub fn renewed(&mut self, sent_ns: u64) {
        self.sent_ns = self.sent_ns.max(sent_ns);
    }

    /// From when on the lease is over for certain, also on a clock that runs slower than this one.
    #[must_use]
    pub fn over_ns(&self) -> u64 {
        let drift_ns = self.length_ns / 1_000_000 * DRIFT_PPM;
        self.sent_ns
            .saturating_add(self.length_ns)
            .saturating_add(drift_ns)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_renewal_that_was_long_on_its_way_gives_no_more() {
        let mut held = HeldLease::new(10);
        assert!(held.is_over(0));
        held.renew(100, 109);
        held.renew(95, 109);
        assert_eq!(held.until_ns(), 110);
        held.renew(105, 109);
        assert!(!held.is_over(114) && held.is_over(115));
        held.renew(1_000, 112);
        assert_eq!(held.until_ns(), 122);
    }

    #[test]
    fn a_suspended_host_finds_its_lease_over() {
        // One of its clocks goes on meanwhile, the other stands. The lease is by the first.
        let (boottime_ns, monotonic_ns) = (7_000_000_000_000, 7_000_000_000_000);
        let mut held = HeldLease::new(LEASE_NS);
        held.renew(boottime_ns, boottime_ns);
        let boottime_ns = boottime_ns + LEASE_NS;
        assert!(held.is_over(boottime_ns) && !held.is_over(monotonic_ns));
        // What was said before it fell asleep gives nothing any more.
        held.renew(monotonic_ns, boottime_ns);
        assert!(held.is_over(boottime_ns));
        held.renew(boottime_ns, boottime_ns);
        assert!(!held.is_over(boottime_ns));
    }

    proptest! {
        /// Whatever delays signs of life and renewals have: when the controller holds the lease
        /// for over, the worker does, though its clock is slower.
        #[test]
        fn the_controller_is_never_too_early(
            steps in prop::collection::vec((0_u64..5_000_000_000, 0_u64..5_000_000_000), 1..30),
            slow_ppm in 0_u64..400,
            offset in 0_u64..1_000_000_000_000,
        ) {
            let worker_clock = |now: u64| offset + now - now / 1_000_000 * slow_ppm;
            let mut held = HeldLease::new(LEASE_NS);
            let mut given = GivenLease::at(0, LEASE_NS);
            let mut now = 0;
            for (there, back) in steps {
                let said = worker_clock(now);
                now += there;
                given.renewed(now);
                // The renewal arrives later; meanwhile nothing longer is held.
                prop_assert!(held.is_over(worker_clock(given.over_ns())));
                now += back;
                held.renew(said, worker_clock(now));
                prop_assert!(held.is_over(worker_clock(given.over_ns())));
            }
        }
    }
}
