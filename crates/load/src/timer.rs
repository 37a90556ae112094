//! Timers of a load thread with the kernel's own grain.
//!
//! The runtime's timer wheel ticks each millisecond, which would add up to 1 ms to every
//! arrival. These timers sit on one alarm a thread ([`Alarm`]): one system call when the earliest
//! deadline changes, none otherwise. Time-outs, which nearly never fire, are watched
//! lazily: moving a [`Watch`] is a store to a cell.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::clock::{Clock, Nanos, nanos};
use crate::driver::Alarm;

/// No deadline.
const NEVER: Nanos = Nanos::MAX;
/// The deadline of a watch that is set but that time does not fire.
const FAR: Nanos = NEVER - 1;

struct TimerEntry {
    /// When to wake; `NEVER`: not wanted.
    deadline_ns: Nanos,
    /// Time of the item of the heap that counts; others for this entry are stale.
    queued_ns: Nanos,
    waker: Option<Waker>,
    /// Waits on purpose, which the run's end interrupts.
    interruptible: bool,
    /// Belongs to a sample that the run's cut-off ends.
    cuttable: bool,
    next_free: Option<u32>,
}

/// The timers of one load thread.
pub struct Timers {
    clock: Clock,
    alarm: Alarm,
    /// What the alarm is set to.
    armed_ns: Cell<Nanos>,
    heap: RefCell<BinaryHeap<Reverse<(Nanos, u32)>>>,
    entries: RefCell<Vec<TimerEntry>>,
    free: Cell<Option<u32>>,
    /// Samples are cut off from now on.
    cut: Cell<bool>,
}

impl Timers {
    /// Timers on this clock, woken by this alarm of a load thread's loop.
    #[must_use]
    pub fn new(clock: Clock, alarm: Alarm) -> Rc<Self> {
        Rc::new(Self {
            clock,
            alarm,
            armed_ns: Cell::new(NEVER),
            heap: RefCell::default(),
            entries: RefCell::default(),
            free: Cell::new(None),
            cut: Cell::new(false),
        })
    }

    /// The run's clock.
    #[inline]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Waits until the clock reads `at_ns`.
    pub async fn sleep_until(self: &Rc<Self>, at_ns: Nanos) {
        if at_ns <= self.clock.now_ns() {
            return;
        }
        let watch = Watch::new(self);
        watch.set(at_ns);
        watch.expired().await;
    }

    /// Waits so long from the first poll on.
    pub async fn sleep(self: &Rc<Self>, time: Duration) {
        let at_ns = self.clock.now_ns().saturating_add(nanos(time));
        self.sleep_until(at_ns).await;
    }

    /// Runs the timers; the thread polls this for as long as it lives.
    pub async fn drive(self: &Rc<Self>) {
        loop {
            self.fire();
            if !self.alarm.rings().await {
                return;
            }
            self.armed_ns.set(NEVER);
        }
    }

    /// Fires all interruptible watches now.
    pub fn interrupt(&self) {
        for entry in self.entries.borrow_mut().iter_mut() {
            if entry.interruptible && entry.deadline_ns != NEVER {
                entry.deadline_ns = NEVER;
                if let Some(waker) = &entry.waker {
                    waker.wake_by_ref();
                }
            }
        }
    }

    /// Fires all cuttable watches, now and whenever one is set.
    pub fn cut(&self) {
        self.cut.set(true);
        for entry in self
            .entries
            .borrow_mut()
            .iter_mut()
            .filter(|entry| entry.cuttable)
        {
            entry.deadline_ns = NEVER;
            if let Some(waker) = &entry.waker {
                waker.wake_by_ref();
            }
        }
    }

    /// Wakes all whose time has come, and sets the alarm for the next.
    fn fire(&self) {
        let now = self.clock.now_ns();
        let mut heap = self.heap.borrow_mut();
        let mut entries = self.entries.borrow_mut();
        while let Some(&Reverse((at, index))) = heap.peek() {
            if at > now {
                break;
            }
            heap.pop();
            let entry = &mut entries[index as usize];
            if entry.queued_ns != at {
                continue;
            }
            entry.queued_ns = NEVER;
            if entry.deadline_ns <= now {
                entry.deadline_ns = NEVER;
                if let Some(waker) = &entry.waker {
                    waker.wake_by_ref();
                }
            } else if entry.deadline_ns < FAR {
                entry.queued_ns = entry.deadline_ns;
                heap.push(Reverse((entry.deadline_ns, index)));
            }
        }
        let next = heap.peek().map_or(NEVER, |Reverse((at, _))| *at);
        drop(heap);
        if next < self.armed_ns.get() {
            self.arm(next);
        }
    }

    fn arm(&self, at_ns: Nanos) {
        self.armed_ns.set(at_ns);
        self.alarm.set(self.clock.kernel_ns(at_ns));
    }

    fn allocate(&self) -> u32 {
        let mut entries = self.entries.borrow_mut();
        if let Some(index) = self.free.get() {
            let entry = &mut entries[index as usize];
            self.free.set(entry.next_free.take());
            // An item of the heap may still point here; it then finds the new deadline.
            entry.deadline_ns = NEVER;
            return index;
        }
        let index = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        entries.push(TimerEntry {
            deadline_ns: NEVER,
            queued_ns: NEVER,
            waker: None,
            interruptible: false,
            cuttable: false,
            next_free: None,
        });
        index
    }

    #[inline]
    fn set(&self, index: u32, at_ns: Nanos) {
        let mut entries = self.entries.borrow_mut();
        let entry = &mut entries[index as usize];
        if entry.cuttable && self.cut.get() {
            entry.deadline_ns = NEVER;
            return;
        }
        // The latest time there is must not look like a deadline that has fired.
        entry.deadline_ns = at_ns.min(FAR);
        if at_ns >= FAR {
            return;
        }
        if entry.queued_ns <= at_ns {
            // The item that is there fires first and then moves on to the new deadline.
            return;
        }
        entry.queued_ns = at_ns;
        drop(entries);
        self.heap.borrow_mut().push(Reverse((at_ns, index)));
        if at_ns < self.armed_ns.get() {
            self.arm(at_ns);
        }
    }
}

/// A deadline that can be moved at no cost; see [`Timers`].
pub struct Watch {
    timers: Rc<Timers>,
    index: u32,
}

impl Watch {
    /// A watch without a deadline.
    #[must_use]
    pub fn new(timers: &Rc<Timers>) -> Self {
        Self {
            timers: Rc::clone(timers),
            index: timers.allocate(),
        }
    }

    /// A watch over a sample that the run's cut-off ends, and that is recorded then.
    #[must_use]
    pub fn cuttable(timers: &Rc<Timers>) -> Self {
        let watch = Self::new(timers);
        timers.entries.borrow_mut()[watch.index as usize].cuttable = true;
        watch
    }

    /// Whether a cut-off ends its sample, instead of dropping it.
    pub fn is_cuttable(&self) -> bool {
        self.timers.entries.borrow()[self.index as usize].cuttable
    }

    /// Whether the run's cut-off has ended its sample.
    pub fn is_cut(&self) -> bool {
        self.timers.cut.get() && self.is_cuttable()
    }

    /// Sets or moves the deadline.
    #[inline]
    pub fn set(&self, at_ns: Nanos) {
        self.timers.set(self.index, at_ns);
    }

    /// Takes the deadline away.
    #[inline]
    pub fn clear(&self) {
        self.timers.entries.borrow_mut()[self.index as usize].deadline_ns = NEVER;
    }

    /// Says whether [`Timers::interrupt`] fires it.
    pub fn set_interruptible(&self, interruptible: bool) {
        self.timers.entries.borrow_mut()[self.index as usize].interruptible = interruptible;
    }

    /// Keeps the waker to be woken; cheap when it is the same as before.
    #[inline]
    pub fn register(&self, waker: &Waker) {
        let mut entries = self.timers.entries.borrow_mut();
        match &mut entries[self.index as usize].waker {
            Some(known) if known.will_wake(waker) => {}
            slot => *slot = Some(waker.clone()),
        }
    }

    /// Whether the deadline has fired (or there is none).
    #[inline]
    pub fn is_over(&self) -> bool {
        self.timers.entries.borrow()[self.index as usize].deadline_ns == NEVER
    }

    /// Waits for the deadline.
    pub async fn expired(&self) {
        poll_fn(|cx| {
            if self.is_over() {
                return Poll::Ready(());
            }
            self.register(cx.waker());
            Poll::Pending
        })
        .await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut entries = self.timers.entries.borrow_mut();
        let entry = &mut entries[self.index as usize];
        entry.deadline_ns = NEVER;
        entry.waker = None;
        entry.interruptible = false;
        entry.cuttable = false;
        entry.next_free = self.timers.free.get();
        self.timers.free.set(Some(self.index));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn timers() -> Rc<Timers> {
        let clock = Clock::start();
        Timers::new(clock, Alarm::of_kernel(clock).unwrap())
    }

    fn on_runtime<F: Future>(future: F) -> F::Output {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let local = tokio::task::LocalSet::new();
        local.block_on(&runtime, future)
    }

    #[test]
    fn sleepers_wake_in_the_order_of_their_deadlines_and_never_early() {
        on_runtime(async {
            let timers = timers();
            let driver = Rc::clone(&timers);
            tokio::task::spawn_local(async move { driver.drive().await });
            let order = Rc::new(RefCell::new(Vec::new()));
            let sleeper = |at: Nanos| {
                let (timers, order) = (Rc::clone(&timers), Rc::clone(&order));
                tokio::task::spawn_local(async move {
                    timers.sleep_until(at).await;
                    assert!(timers.clock().now_ns() >= at);
                    order.borrow_mut().push(at);
                })
            };
            let tasks: Vec<_> = [9_000_000, 3_000_000, 6_000_000, 3_000_001]
                .map(sleeper)
                .into();
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(
                *order.borrow(),
                [3_000_000, 3_000_001, 6_000_000, 9_000_000]
            );
        });
    }

    #[test]
    fn a_deadline_at_the_end_of_time_does_not_fire_until_it_is_moved() {
        on_runtime(async {
            let timers = timers();
            let driver = Rc::clone(&timers);
            tokio::task::spawn_local(async move { driver.drive().await });
            let watch = Watch::new(&timers);
            watch.set(1_000_000);
            watch.set(Nanos::MAX);
            timers.sleep_until(2_000_000).await;
            assert!(!watch.is_over());
            watch.set(3_000_000);
            watch.expired().await;
            assert!(timers.clock().now_ns() >= 3_000_000);
        });
    }

    #[test]
    fn a_moved_deadline_fires_at_its_last_place() {
        on_runtime(async {
            let timers = timers();
            let driver = Rc::clone(&timers);
            tokio::task::spawn_local(async move { driver.drive().await });
            let watch = Watch::new(&timers);
            watch.set(2_000_000);
            watch.set(8_000_000);
            watch.expired().await;
            assert!(timers.clock().now_ns() >= 8_000_000);
            watch.set(timers.clock().now_ns() + 50_000_000_000);
            let earlier = timers.clock().now_ns() + 1_000_000;
            watch.set(earlier);
            watch.expired().await;
            let now = timers.clock().now_ns();
            assert!(now >= earlier && now < earlier + 40_000_000_000);
        });
    }

    #[test]
    fn a_cut_fires_what_is_cuttable_and_nothing_else() {
        on_runtime(async {
            let timers = timers();
            let (plain, cuttable) = (Watch::new(&timers), Watch::cuttable(&timers));
            plain.set(FAR);
            cuttable.set(FAR);
            assert!(!cuttable.is_over() && !cuttable.is_cut());
            timers.cut();
            cuttable.expired().await;
            assert!(cuttable.is_cut() && !plain.is_over() && !plain.is_cut());
            // What begins later is over at once.
            cuttable.set(FAR);
            assert!(cuttable.is_over());
            drop(cuttable);
            assert!(!Watch::new(&timers).is_cuttable());
        });
    }

    #[test]
    fn a_dropped_watch_is_used_again() {
        on_runtime(async {
            let timers = timers();
            drop(Watch::new(&timers));
            let first = Watch::new(&timers);
            let second = Watch::new(&timers);
            assert_ne!(first.index, second.index);
            assert_eq!(timers.entries.borrow().len(), 2);
        });
    }
}
