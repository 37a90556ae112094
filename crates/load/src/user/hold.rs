//! What a user does when nothing may start: the lease of its share is over, or the process has
//! stood still.

use std::rc::Rc;

use super::User;
use crate::clock::Nanos;

impl User {
    /// Lets a request begin: at once, or when it may. Gives the time then; none when it is not
    /// to begin at all, since the user is to stop, or its arrival is not made up for.
    #[inline]
    pub async fn may_begin(&mut self, now_ns: Nanos) -> Option<Nanos> {
        if self.thread.starts.are_free(now_ns) {
            self.unbegun_ns = None;
            return Some(now_ns);
        }
        Box::pin(self.hold()).await
    }

    #[cold]
    async fn hold(&mut self) -> Option<Nanos> {
        let thread = Rc::clone(&self.thread);
        thread.notice_pause();
        let begin_ns = thread.clock.now_ns();
        if let Some(due_ns) = self.unbegun_ns.take()
            && thread.starts.withholds(due_ns, begin_ns)
        {
            thread.recorder.withheld(due_ns);
            return None;
        }
        if !thread.starts.are_barred(begin_ns) {
            return Some(begin_ns);
        }
        let now_ns = self.wait_for_lease().await?;
        self.add_pause(now_ns.saturating_sub(begin_ns));
        // It is meant to begin now: what it had to wait for is told apart.
        (self.previous_end_ns, self.intended_ns) = (now_ns, None);
        Some(now_ns)
    }

    /// Waits for the lease; gives the time then, or none when the user is to stop.
    async fn wait_for_lease(&mut self) -> Option<Nanos> {
        let thread = Rc::clone(&self.thread);
        let back_ns = loop {
            self.watch.set(self.stop_ns());
            let now_ns = thread.clock.now_ns();
            if self.is_over(now_ns) {
                break None;
            }
            if !thread.starts.are_barred(now_ns) {
                thread.notice_renewal();
                break Some(now_ns);
            }
            tokio::select! {
                () = thread.starts.renewed() => {}
                // It may be for the users of another scenario, or the load may have changed.
                () = thread.stopping.notified() => {}
                () = self.watch.expired() => {}
            }
        };
        self.watch.clear();
        back_ns
    }
}
