//! What is told of the lease of a share.

use plimsoll_text::Message;

use super::Observer;
use super::event::Event;
use crate::clock::{Clock, Nanos};
use crate::lease::{Gap, Lease};

/// Tells when the lease is over and when it is back, while the load lasts.
pub(super) struct LeaseTeller<'a> {
    lease: Lease,
    clock: Clock,
    /// The load: what is before and after it is nobody's concern.
    from_ns: Nanos,
    end_ns: &'a dyn Fn() -> Nanos,
    told_over: bool,
    /// The end of the last gap that was looked at.
    known_back_ns: Nanos,
}

impl<'a> LeaseTeller<'a> {
    pub fn new(lease: &Lease, clock: Clock, from_ns: Nanos, end_ns: &'a dyn Fn() -> Nanos) -> Self {
        Self {
            lease: lease.clone(),
            clock,
            from_ns,
            end_ns,
            told_over: false,
            known_back_ns: from_ns,
        }
    }

    /// Tells what is new. A share that `ends` anyway says nothing more.
    pub fn tell(&mut self, ends: bool, observer: &mut dyn Observer) {
        if let Some(gap) = self.lease.last_gap()
            && gap.back_ns > self.known_back_ns
        {
            self.known_back_ns = gap.back_ns;
            if gap.over_ns < (self.end_ns)() {
                self.tell_gap(gap, observer);
            }
        }
        let now_ns = self.clock.now_ns();
        let over_ns = self.lease.until_ns().max(self.from_ns);
        let is_over = now_ns >= self.from_ns.max(1) && self.lease.is_over(now_ns);
        if !self.told_over && !ends && is_over && over_ns < (self.end_ns)() {
            self.tell_over(over_ns, observer);
        }
    }

    fn tell_over(&mut self, at_ns: Nanos, observer: &mut dyn Observer) {
        self.told_over = true;
        observer.event(&Event {
            at_ns,
            message: Message::new("event-lease-over"),
            is_error: true,
        });
    }

    fn tell_gap(&mut self, gap: Gap, observer: &mut dyn Observer) {
        let over_ns = gap.over_ns.max(self.from_ns);
        if !self.told_over {
            self.tell_over(over_ns, observer);
        }
        self.told_over = false;
        let ms = gap.back_ns.saturating_sub(over_ns) / 1_000_000;
        let seconds = format!("{}.{:03}", ms / 1000, ms % 1000);
        observer.event(&Event {
            at_ns: gap.back_ns,
            message: Message::new("event-lease-back").with("seconds", seconds),
            is_error: false,
        });
    }
}
