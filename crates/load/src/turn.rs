//! When the loop of a load thread came late, and so which responses may have lain unnoticed.
//!
//! To ask the kernel when a response came costs a little with each read, so it is asked where it
//! may matter: after a turn of the loop that took long or began long after the one before, for
//! a sample of all reads, and for those that follow one which had waited notably. What no read
//! tells (a connection that was made meanwhile) is known by the turns that came late: a beat is
//! due every 20 ms, and when it is noticed late, the loop stood still from then on.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::{Clock, Nanos};
use crate::monitor::ThreadUsage;

/// One response in so many carries the kernel's receive time, unless told otherwise.
pub const TIMED_EVERY: u32 = 64;
/// A turn that comes later than this came late; shorter waits are found by the sample of reads.
pub const LATE_NS: Nanos = 1_000_000;
/// A shorter stop is not told from interrupts.
const STOPPED_NS: Nanos = 100_000_000;
/// From one beat to the next.
pub const BEAT_NS: Nanos = 20_000_000;
/// A response that waited for less than this needs no company.
const NOTABLE_NS: u64 = 20_000;
/// Nor one of whose time that was less than one part in so many.
const NOTABLE_PART: u64 = 20;
/// Reads that are timed after one that had waited notably.
const BURST: u32 = 64;
/// Stalls that are remembered; samples that span more of them are rare.
const STALLS: usize = 16;

/// When the runtime last came back from the kernel; told by the runtime's own hooks.
#[derive(Debug)]
pub struct Wakes {
    clock: Clock,
    woke_ns: AtomicU64,
    /// From the wake before to the last.
    gap_ns: AtomicU64,
}

impl Wakes {
    /// No wake yet.
    #[must_use]
    pub fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            clock,
            woke_ns: AtomicU64::new(0),
            gap_ns: AtomicU64::new(0),
        })
    }

    /// The runtime comes back from the kernel.
    #[inline]
    pub fn woke(&self) {
        let now_ns = self.clock.now_ns();
        let before_ns = self.woke_ns.swap(now_ns, Ordering::Relaxed);
        self.gap_ns
            .store(now_ns.saturating_sub(before_ns), Ordering::Relaxed);
    }
}

/// What a beat found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beat {
    /// How late it came.
    pub late_ns: Nanos,
    /// The part of that in which the thread neither ran nor waited for a CPU.
    pub stopped_ns: Nanos,
}

/// The turns of a load thread's loop.
#[derive(Debug)]
pub struct Turns {
    wakes: Arc<Wakes>,
    /// One read in so many is timed; 0: none is.
    timed_every: u32,
    until_timed: Cell<u32>,
    /// Reads that are still timed after one that had waited.
    burst: Cell<u32>,
    /// When the clock was last looked at within this turn.
    seen_ns: Cell<Nanos>,
    /// When the next beat is due.
    beat_ns: Cell<Nanos>,
    usage: Cell<ThreadUsage>,
    stalls: RefCell<VecDeque<(Nanos, Nanos)>>,
    /// End of the last stall, to leave out in one look what began after it.
    last_stall_ns: Cell<Nanos>,
}

impl Turns {
    /// Turns of a loop that has not begun.
    #[must_use]
    pub fn new(wakes: Arc<Wakes>, timed_every: u32) -> Self {
        Self {
            wakes,
            timed_every,
            until_timed: Cell::new(0),
            burst: Cell::new(0),
            seen_ns: Cell::new(0),
            beat_ns: Cell::new(Nanos::MAX),
            usage: Cell::default(),
            stalls: RefCell::default(),
            last_stall_ns: Cell::new(0),
        }
    }

    /// Whether connections ask the kernel for receive times.
    #[must_use]
    pub fn are_timed(&self) -> bool {
        self.timed_every > 0
    }

    /// Whether the next read is timed.
    #[inline]
    #[must_use]
    pub fn times_next(&self) -> bool {
        self.timed_every > 0
            && (self.until_timed.get() == 0 || self.burst.get() > 0 || self.came_late())
    }

    /// Whether what this turn brings may have waited for long.
    #[inline]
    fn came_late(&self) -> bool {
        let gap_ns = self.wakes.gap_ns.load(Ordering::Relaxed);
        let woke_ns = self.wakes.woke_ns.load(Ordering::Relaxed);
        // A signal wakes the loop as well, so that the turn before may have been an empty one.
        gap_ns > LATE_NS
            || woke_ns > self.beat_ns.get().saturating_add(LATE_NS)
            || self.seen_ns.get().saturating_sub(woke_ns) > LATE_NS
    }

    /// A read brought something now; `lag_ns` is how long it had waited, if that is known, and
    /// `elapsed_ns` how long ago its request began.
    #[inline]
    pub fn read(&self, now_ns: Nanos, lag_ns: Option<u64>, elapsed_ns: u64) {
        self.seen_ns.set(now_ns);
        self.burst.set(self.burst.get().saturating_sub(1));
        match self.until_timed.get().checked_sub(1) {
            Some(left) => self.until_timed.set(left),
            None => self.until_timed.set(self.timed_every.saturating_sub(1)),
        }
        if let Some(lag_ns) = lag_ns
            && lag_ns > NOTABLE_NS
            && lag_ns > elapsed_ns / NOTABLE_PART
        {
            self.burst.set(BURST);
        }
    }

    /// Waits for the next beat from now on; gives when it is due.
    pub fn expect_beat(&self, now_ns: Nanos, usage: ThreadUsage) -> Nanos {
        self.usage.set(usage);
        let due_ns = now_ns.saturating_add(BEAT_NS);
        self.beat_ns.set(due_ns);
        due_ns
    }

    /// The beat came.
    pub fn beat(&self, now_ns: Nanos, usage: ThreadUsage) -> Beat {
        let due_ns = self.beat_ns.replace(Nanos::MAX);
        let late_ns = now_ns.saturating_sub(due_ns);
        if late_ns <= LATE_NS {
            return Beat {
                late_ns,
                stopped_ns: 0,
            };
        }
        let before = self.usage.get();
        let ran_ns = usage.cpu_ns.saturating_sub(before.cpu_ns);
        let waited_ns = usage
            .runqueue_wait_ns
            .saturating_sub(before.runqueue_wait_ns);
        let stopped_ns = late_ns.saturating_sub(ran_ns.saturating_add(waited_ns));
        // Interrupts that are served on its CPU are in no thread's account either.
        let stood_still = stopped_ns > STOPPED_NS.max(late_ns / 4 * 3);
        let mut stalls = self.stalls.borrow_mut();
        if stalls.len() == STALLS {
            stalls.pop_front();
        }
        stalls.push_back((due_ns, now_ns));
        self.last_stall_ns.set(now_ns);
        Beat {
            late_ns,
            stopped_ns: if stood_still { stopped_ns } else { 0 },
        }
    }

    /// How much of a request's time was the generator's: its connection was made, or its
    /// response came, while the loop stood still. `known_ns` is what the kernel tells of the
    /// response; without it, one that was noticed as a late turn began came somewhere in it.
    #[inline]
    #[must_use]
    pub fn lag_ns(
        &self,
        start_ns: Nanos,
        connected_ns: Nanos,
        end_ns: Nanos,
        known_ns: Option<u64>,
    ) -> u64 {
        let is_over = self.last_stall_ns.get() <= start_ns;
        if is_over && end_ns <= self.beat_ns.get().saturating_add(LATE_NS) {
            return known_ns.unwrap_or(0);
        }
        let connecting_ns = self.stood_still_ns(start_ns, connected_ns.min(end_ns));
        let is_late = end_ns <= self.last_stall_ns.get().saturating_add(LATE_NS)
            || end_ns > self.beat_ns.get().saturating_add(LATE_NS);
        let receiving_ns = match known_ns {
            Some(lag_ns) => lag_ns,
            None if is_late => self.stood_still_ns(connected_ns, end_ns),
            None => 0,
        };
        connecting_ns.saturating_add(receiving_ns)
    }

    /// For how long the loop stood still between the two.
    #[cold]
    fn stood_still_ns(&self, from_ns: Nanos, to_ns: Nanos) -> u64 {
        let overlap = |begin_ns: Nanos, end_ns: Nanos| {
            let (begin_ns, end_ns) = (begin_ns.max(from_ns), end_ns.min(to_ns));
            end_ns.saturating_sub(begin_ns)
        };
        let stalls = self.stalls.borrow();
        let known: u64 = stalls.iter().map(|(from, to)| overlap(*from, *to)).sum();
        // The one that nobody has noticed yet.
        let beat_ns = self.beat_ns.get();
        let is_late = to_ns > beat_ns.saturating_add(LATE_NS);
        known.saturating_add(if is_late { overlap(beat_ns, to_ns) } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn turns(timed_every: u32) -> Turns {
        Turns::new(Wakes::new(Clock::start()), timed_every)
    }

    fn wakes_at(turns: &Turns, before_ns: Nanos, now_ns: Nanos) {
        turns.wakes.woke_ns.store(now_ns, Ordering::Relaxed);
        let gap_ns = &turns.wakes.gap_ns;
        gap_ns.store(now_ns - before_ns, Ordering::Relaxed);
    }

    fn used(cpu_ms: u64, waited_ms: u64) -> ThreadUsage {
        ThreadUsage {
            cpu_ns: cpu_ms * MS,
            runqueue_wait_ns: waited_ms * MS,
        }
    }

    #[test]
    fn one_read_in_so_many_is_timed_while_the_loop_is_in_time() {
        let turns = turns(4);
        let mut timed = 0;
        for n in 0..400 {
            wakes_at(&turns, n * 10_000, n * 10_000 + 10_000);
            timed += u32::from(turns.times_next());
            turns.read(n * 10_000 + 12_000, Some(5_000), 60_000);
        }
        assert_eq!(timed, 100);
        let none = self::turns(0);
        wakes_at(&none, 0, 50 * MS);
        assert!(!none.times_next() && !none.are_timed());
    }

    #[test]
    fn all_reads_of_a_late_turn_are_timed() {
        let turns = turns(1_000);
        turns.read(0, None, 0);
        wakes_at(&turns, 0, 100_000);
        assert!(!turns.times_next(), "a short turn");
        wakes_at(&turns, 0, 1_500 * MS);
        assert!(turns.times_next(), "it came long after the one before");
        wakes_at(&turns, 1_500 * MS, 1_500 * MS + 10_000);
        assert!(!turns.times_next());
        turns.read(1_503 * MS, None, 3 * MS);
        assert!(turns.times_next(), "the turn itself takes long");
        // The signal that let it go on made a turn of its own.
        wakes_at(&turns, 1_600 * MS, 1_600 * MS + 10_000);
        assert!(!turns.times_next());
        turns.expect_beat(1_500 * MS, used(0, 0));
        assert!(turns.times_next(), "the beat has not come");
    }

    #[test]
    fn a_response_that_had_waited_has_the_next_ones_timed() {
        let turns = turns(1_000);
        turns.read(0, Some(30_000), 10 * MS);
        assert!(!turns.times_next(), "nothing against its ten milliseconds");
        turns.read(0, Some(MS), 10 * MS);
        for _ in 0..BURST {
            assert!(turns.times_next());
            turns.read(0, None, 10 * MS);
        }
        assert!(!turns.times_next());
    }

    #[test]
    fn a_stall_is_the_generators_as_far_as_something_was_ready_in_it() {
        let turns = turns(1);
        turns.expect_beat(0, used(0, 0));
        let end_ns = BEAT_NS + 1_500 * MS;
        // While nobody has noticed it yet, and after.
        for noticed in [false, true] {
            if noticed {
                turns.beat(end_ns, used(0, 0));
                turns.expect_beat(end_ns, used(0, 0));
            }
            let lag_ms = |start_ms: u64, connected_ms: u64, known: Option<u64>| {
                let (start_ns, connected_ns) = (start_ms * MS, connected_ms * MS);
                turns.lag_ns(start_ns, connected_ns, end_ns, known) / MS
            };
            // The kernel knows when the response came; else it may have been at once.
            assert_eq!(lag_ms(0, 0, Some(1_400 * MS)), 1_400);
            assert_eq!(lag_ms(0, 0, None), 1_500);
            assert_eq!(lag_ms(0, 1_520, Some(0)), 1_500, "it was connecting");
            assert_eq!(lag_ms(0, 120, Some(30 * MS)), 130);
        }
        // Whoever responds long after the stall was not kept waiting by it.
        turns.beat(end_ns + BEAT_NS, used(0, 0));
        turns.expect_beat(end_ns + 490 * MS, used(0, 0));
        assert_eq!(turns.lag_ns(0, 0, end_ns + 500 * MS, None), 0);
        assert_eq!(turns.lag_ns(end_ns, end_ns, end_ns + 5 * MS, Some(7)), 7);
    }

    #[test]
    fn a_late_beat_tells_how_long_the_loop_stood_still_and_why() {
        let turns = turns(1);
        assert_eq!(turns.expect_beat(0, used(0, 0)), BEAT_NS);
        assert_eq!(turns.lag_ns(0, 0, BEAT_NS, None), 0);
        // Noticed before the beat itself is.
        let noticed_ns = BEAT_NS + 300 * MS;
        assert_eq!(turns.stood_still_ns(0, noticed_ns), 300 * MS);
        let beat = turns.beat(noticed_ns, used(5, 40));
        assert_eq!(beat.late_ns, 300 * MS);
        assert_eq!(beat.stopped_ns, 255 * MS);
        turns.expect_beat(noticed_ns, used(5, 40));
        for (from_ms, to_ms, stood_ms) in
            [(0, 20, 0), (0, 120, 100), (220, 335, 100), (320, 330, 0)]
        {
            let stood_ns = turns.stood_still_ns(from_ms * MS, to_ms * MS);
            assert_eq!(stood_ns, stood_ms * MS, "{from_ms} to {to_ms}");
        }
        let served = self::turns(1);
        served.expect_beat(0, used(0, 0));
        let beat = served.beat(BEAT_NS + 300 * MS, used(100, 80));
        assert_eq!(beat.stopped_ns, 0, "a part that interrupts may have taken");
        let busy = self::turns(1);
        busy.expect_beat(0, used(0, 0));
        let beat = busy.beat(BEAT_NS + 300 * MS, used(250, 60));
        assert_eq!((beat.late_ns, beat.stopped_ns), (300 * MS, 0));
    }
}
