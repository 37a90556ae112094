//! Notices when nothing might start: the lease was over, or the process stood still.

use std::rc::Rc;

use super::thread::Thread;
use crate::clock::Nanos;

/// Wakes the users of a thread when the lease is renewed.
pub(super) async fn watch_lease(thread: Rc<Thread>) {
    let mut renewals = thread.starts.lease.renewals();
    // The sender lives as long as the lease.
    while renewals.changed().await.is_ok() {
        thread.notice_renewal();
        thread.starts.renewed.notify_waiters();
    }
}

/// Notices that the process, or the whole machine, has stood still.
pub(super) async fn watch_for_pauses(thread: Rc<Thread>) {
    let starts = &thread.starts;
    if starts.skip_late_ns == Nanos::MAX {
        return;
    }
    loop {
        thread.notice_pause();
        let now_ns = thread.clock.now_ns();
        thread
            .timers
            .sleep_until(now_ns + (starts.skip_late_ns / 4).max(1))
            .await;
    }
}

impl Thread {
    /// Looks whether the thread has stood still since it was last seen to run.
    pub(crate) fn notice_pause(&self) {
        let starts = &self.starts;
        let now_ns = self.clock.now_ns();
        let awake_until_ns = starts.awake_until_ns.get();
        if now_ns >= awake_until_ns {
            self.resumes(now_ns);
        }
        starts
            .awake_until_ns
            .set(now_ns.saturating_add(starts.skip_late_ns));
    }

    /// What was due before the lease was renewed is not made up for.
    pub(crate) fn notice_renewal(&self) {
        self.resumes(self.starts.lease.back_ns());
    }

    fn resumes(&self, at_ns: Nanos) {
        let resumed_ns = &self.starts.resumed_ns;
        if at_ns > resumed_ns.get() {
            resumed_ns.set(at_ns);
            self.due_from(self.clock.unix_ns(at_ns) / 1_000_000);
        }
    }
}
