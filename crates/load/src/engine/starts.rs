//! Whether work may start on a load thread now.

use std::cell::Cell;

use tokio::sync::Notify;

use crate::clock::Nanos;
use crate::lease::{Lease, Started};

/// What decides whether work may start on a thread: the lease of its share, and whether the
/// process has stood still.
pub struct Starts {
    pub(super) lease: Lease,
    started: Started,
    /// Arrivals that are later than this are not made up for.
    pub(super) skip_late_ns: Nanos,
    /// The thread was seen to run, so that until then no pause can be longer than that.
    pub(super) awake_until_ns: Cell<Nanos>,
    /// When the last time ended in which nothing might start. What was due before is not made
    /// up for.
    pub(super) resumed_ns: Cell<Nanos>,
    /// Told when the lease was renewed.
    pub(super) renewed: Notify,
}

impl Starts {
    /// Work starts while the lease is not over. Without `skip_late_ns` no pause is looked for.
    /// What was due before `from_ns` is not made up for.
    #[must_use]
    pub fn new(lease: Lease, skip_late_ns: Option<Nanos>, from_ns: Nanos) -> Self {
        Self {
            started: lease.counter(),
            lease,
            skip_late_ns: skip_late_ns.unwrap_or(Nanos::MAX),
            awake_until_ns: Cell::new(Nanos::MAX),
            resumed_ns: Cell::new(from_ns),
            renewed: Notify::new(),
        }
    }

    /// Whether work may start now without a closer look.
    #[inline]
    pub fn are_free(&self, now_ns: Nanos) -> bool {
        !self.lease.is_over(now_ns) && now_ns < self.awake_until_ns.get()
    }

    /// Counts a request that starts now.
    #[inline]
    pub fn count(&self) {
        self.started.add();
    }

    /// Whether the lease is over.
    pub fn are_barred(&self, now_ns: Nanos) -> bool {
        self.lease.is_over(now_ns)
    }

    /// Whether something that was due then must not start any more.
    #[inline]
    pub fn withholds(&self, due_ns: Nanos, now_ns: Nanos) -> bool {
        self.lease.is_over(now_ns)
            || now_ns.saturating_sub(due_ns) > self.skip_late_ns
            || due_ns < self.lease.back_ns()
            || due_ns < self.resumed_ns.get()
    }

    /// When the last time ended in which nothing might start; 0: there was none.
    #[inline]
    pub fn resumed_ns(&self) -> Nanos {
        self.resumed_ns.get()
    }

    /// Waits for the lease to be renewed.
    pub async fn renewed(&self) {
        self.renewed.notified().await;
    }
}
