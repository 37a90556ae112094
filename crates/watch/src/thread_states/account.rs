//! What threads did over a stretch of time, of looks at each: how long they ran and waited for a CPU
//! by the kernel's own count, and what they waited for else by what was seen at the looks.

use std::collections::HashMap;

use super::wait::{ThreadDoing, ThreadWait};

/// What one look at a thread saw.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ThreadLook {
    /// When, s since the beginning.
    pub(super) at_s: f64,
    pub(super) times: CpuTimes,
    pub(super) doing: ThreadDoing,
}

/// CPU time of a thread since it began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CpuTimes {
    pub(super) ran_s: f64,
    /// Time that it was ready to run; none where the kernel does not count it.
    pub(super) ready_s: Option<f64>,
}

/// Times of a thread or of several, s.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ThreadTotals {
    /// How long it was looked at.
    pub(super) span_s: f64,
    ran_s: f64,
    ready_s: f64,
    /// How long it was seen running or ready.
    runs_seen_s: f64,
    /// Weights of what it waited for.
    waits: HashMap<ThreadWait, f64>,
    /// Whether the time that it was ready is counted by the kernel.
    counted: bool,
}

/// The same, so that it sums to the span.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ThreadShares {
    pub(super) span_s: f64,
    pub(super) running_s: f64,
    pub(super) runnable_s: f64,
    pub(super) waits: HashMap<ThreadWait, f64>,
    /// The part of the waits that is of threads which were seen in no other, from the first look to the last.
    pub(super) still: HashMap<ThreadWait, f64>,
}

/// One thread while it is looked at.
#[derive(Debug, Clone)]
pub(super) struct ThreadAccount {
    last: ThreadLook,
    totals: ThreadTotals,
}

impl ThreadAccount {
    /// A thread that was there before it was looked at: what it did until then is not known.
    pub(super) fn begin(look: ThreadLook) -> Self {
        let counted = look.times.ready_s.is_some();
        let totals = ThreadTotals {
            counted,
            ..ThreadTotals::default()
        };
        Self { last: look, totals }
    }

    /// A thread that came up since somebody looked, `since_s` ago. It stands for all that came and
    /// went unseen: the longer one lives, the likelier it is seen.
    pub(super) fn begin_new(look: ThreadLook, since_s: f64) -> Self {
        let mut account = Self::begin(look);
        let totals = &mut account.totals;
        totals.span_s = since_s;
        match &account.last.doing {
            ThreadDoing::Waits(wait) => {
                totals.waits.insert(wait.clone(), since_s);
            }
            ThreadDoing::Runs => {
                let CpuTimes { ran_s, ready_s } = account.last.times;
                let ready_s = ready_s.unwrap_or(0.0);
                let share = if ready_s > 0.0 {
                    ran_s / (ran_s + ready_s)
                } else {
                    1.0
                };
                totals.runs_seen_s = since_s;
                totals.ran_s = since_s * share;
                totals.ready_s = since_s - totals.ran_s;
            }
        }
        account
    }

    pub(super) fn last(&self) -> &ThreadLook {
        &self.last
    }

    pub(super) fn totals(&self) -> &ThreadTotals {
        &self.totals
    }

    /// Takes the next look. What a thread waited for between two looks is half what it waited
    /// for at the first and half what it waited for at the second.
    pub(super) fn add(&mut self, look: ThreadLook) {
        let passed = (look.at_s - self.last.at_s).max(0.0);
        let ran = (look.times.ran_s - self.last.times.ran_s).max(0.0);
        let ready = match (self.last.times.ready_s, look.times.ready_s) {
            (Some(before), Some(now)) => (now - before).max(0.0),
            _ => 0.0,
        };
        let totals = &mut self.totals;
        totals.span_s += passed;
        totals.ran_s += ran;
        totals.ready_s += ready;
        let waited = (passed - ran - ready).max(0.0);
        match (&self.last.doing, &look.doing) {
            (ThreadDoing::Runs, ThreadDoing::Runs) => totals.runs_seen_s += passed,
            (ThreadDoing::Waits(wait), ThreadDoing::Runs)
            | (ThreadDoing::Runs, ThreadDoing::Waits(wait)) => {
                totals.runs_seen_s += passed / 2.0;
                *totals.waits.entry(wait.clone()).or_default() += waited;
            }
            (ThreadDoing::Waits(before), ThreadDoing::Waits(now)) => {
                *totals.waits.entry(before.clone()).or_default() += waited / 2.0;
                *totals.waits.entry(now.clone()).or_default() += waited / 2.0;
            }
        }
        self.last = look;
    }

    /// The thread was still there at that time, and has ended since.
    pub(super) fn end(&mut self, at_s: f64) {
        let last = ThreadLook {
            at_s,
            ..self.last.clone()
        };
        if at_s > self.last.at_s && self.last.doing != ThreadDoing::Runs {
            self.add(last);
        }
    }
}

impl ThreadTotals {
    /// Where its time went.
    pub(super) fn shares(&self) -> ThreadShares {
        let mut shares = ThreadShares {
            span_s: self.span_s,
            running_s: self.ran_s,
            runnable_s: self.ready_s,
            ..ThreadShares::default()
        };
        if !self.counted {
            shares.runnable_s = (self.runs_seen_s - self.ran_s).max(0.0);
        }
        let busy = shares.running_s + shares.runnable_s;
        if busy > self.span_s {
            // The kernel counts a wait as it ends: some of it was before the first look.
            let over = self.span_s / busy;
            shares.running_s *= over;
            shares.runnable_s *= over;
        }
        let left = (self.span_s - shares.running_s - shares.runnable_s).max(0.0);
        let weight: f64 = self.waits.values().sum();
        if weight > 0.0 {
            let share = |(wait, part): (&ThreadWait, &f64)| (wait.clone(), left * part / weight);
            shares.waits = self.waits.iter().map(share).collect();
        } else if self.runs_seen_s > 0.0 {
            // It has wanted a CPU all the time, and its wait is counted only when it gets one.
            shares.runnable_s += left;
        } else if left > 0.0 {
            shares.waits.insert(ThreadWait::Other, left);
        }
        shares
    }
}

impl ThreadShares {
    /// Adds another's.
    pub(super) fn add(&mut self, other: &Self) {
        self.span_s += other.span_s;
        self.running_s += other.running_s;
        self.runnable_s += other.runnable_s;
        for (sum, parts) in [
            (&mut self.waits, &other.waits),
            (&mut self.still, &other.still),
        ] {
            for (wait, part) in parts {
                *sum.entry(wait.clone()).or_default() += part;
            }
        }
    }

    /// The same of a thread that was there from the first look to the last: in one wait alone it was still.
    pub(super) fn whole(mut self) -> Self {
        if self.waits.len() == 1 {
            self.still.clone_from(&self.waits);
        }
        self
    }

    /// The same shares of another span, s.
    pub(super) fn over(mut self, span_s: f64) -> Self {
        let factor = if self.span_s > 0.0 {
            span_s / self.span_s
        } else {
            0.0
        };
        self.running_s *= factor;
        self.runnable_s *= factor;
        let parts = self.waits.values_mut().chain(self.still.values_mut());
        parts.for_each(|part| *part *= factor);
        self.span_s *= factor;
        self
    }

    /// Time in waits of which that holds, s.
    pub(super) fn waiting_s(&self, holds: impl Fn(&ThreadWait) -> bool) -> f64 {
        let held = self.waits.iter().filter(|(wait, _)| holds(wait));
        held.map(|(_, part)| part).sum()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn look(at_s: f64, ran_s: f64, ready_s: f64, doing: ThreadDoing) -> ThreadLook {
        ThreadLook {
            at_s,
            times: CpuTimes {
                ran_s,
                ready_s: Some(ready_s),
            },
            doing,
        }
    }

    fn waits(wait: ThreadWait) -> ThreadDoing {
        ThreadDoing::Waits(wait)
    }

    #[test]
    fn a_thread_runs_as_long_as_the_kernel_says() {
        let mut account = ThreadAccount::begin(look(0.0, 5.0, 1.0, waits(ThreadWait::Futex)));
        account.add(look(1.0, 5.4, 1.1, waits(ThreadWait::Futex)));
        account.add(look(2.0, 5.4, 1.1, waits(ThreadWait::Sync)));
        let shares = account.totals().shares();
        assert!((shares.running_s - 0.4).abs() < 1e-9);
        assert!((shares.runnable_s - 0.1).abs() < 1e-9);
        assert!((shares.waits[&ThreadWait::Futex] - 1.0).abs() < 1e-9);
        assert!((shares.waits[&ThreadWait::Sync] - 0.5).abs() < 1e-9);
    }

    #[test]
    fn who_never_gets_a_cpu_is_ready_all_the_time() {
        let mut account = ThreadAccount::begin(look(0.0, 1.0, 1.0, ThreadDoing::Runs));
        account.add(look(1.0, 1.0, 1.0, ThreadDoing::Runs));
        assert_eq!(account.totals().shares().runnable_s, 1.0);
        // A wait from before the first look.
        let mut account = ThreadAccount::begin(look(0.0, 1.0, 1.0, ThreadDoing::Runs));
        account.add(look(1.0, 1.0, 9.0, ThreadDoing::Runs));
        assert_eq!(account.totals().shares().runnable_s, 1.0);
    }

    #[test]
    fn without_the_kernels_count_being_ready_is_seen() {
        let seen = |at_s: f64, ran_s: f64, doing: ThreadDoing| ThreadLook {
            times: CpuTimes {
                ran_s,
                ready_s: None,
            },
            ..look(at_s, 0.0, 0.0, doing)
        };
        let mut account = ThreadAccount::begin(seen(0.0, 0.0, ThreadDoing::Runs));
        account.add(seen(2.0, 0.5, ThreadDoing::Runs));
        account.add(seen(3.0, 0.5, waits(ThreadWait::Poll)));
        account.add(seen(4.0, 0.5, waits(ThreadWait::Poll)));
        let shares = account.totals().shares();
        assert_eq!((shares.running_s, shares.runnable_s), (0.5, 2.0));
        assert_eq!(shares.waits[&ThreadWait::Poll], 1.5);
    }

    #[test]
    fn who_came_up_stands_for_the_time_since_somebody_looked() {
        let new = ThreadAccount::begin_new(look(1.0, 0.003, 0.001, ThreadDoing::Runs), 0.02);
        let shares = new.totals().shares();
        assert!((shares.running_s - 0.015).abs() < 1e-9, "{shares:?}");
        assert!((shares.runnable_s - 0.005).abs() < 1e-9);
        let mut new = ThreadAccount::begin_new(look(1.0, 0.0, 0.0, waits(ThreadWait::Sleep)), 0.02);
        new.end(1.1);
        assert!((new.totals().shares().waits[&ThreadWait::Sleep] - 0.12).abs() < 1e-9);
    }

    #[test]
    fn who_comes_from_one_wait_to_another_is_not_still() {
        for moves in [false, true] {
            for runs in [false, true] {
                let other = if moves {
                    ThreadWait::Poll
                } else {
                    ThreadWait::Sleep
                };
                let between = if runs {
                    ThreadDoing::Runs
                } else {
                    waits(ThreadWait::Sleep)
                };
                let mut account = ThreadAccount::begin(look(0.0, 0.0, 0.0, waits(other)));
                account.add(look(1.0, 0.1, 0.0, between));
                account.add(look(2.0, 0.2, 0.0, waits(ThreadWait::Sleep)));
                let shares = account.totals().shares().over(4.0).whole();
                let still = shares.still.get(&ThreadWait::Sleep).copied();
                assert_eq!(still.is_some(), !moves, "{shares:?}");
                let all = shares.waits[&ThreadWait::Sleep];
                assert!(still.is_none_or(|still| (still - all).abs() < 1e-9));
            }
        }
    }

    fn any_look() -> impl Strategy<Value = (f64, f64, f64, usize)> {
        (0.0..0.1_f64, 0.0..0.2_f64, 0.0..0.2_f64, 0..4_usize)
    }

    proptest! {
        #[test]
        fn where_time_went_sums_to_the_span(looks in proptest::collection::vec(any_look(), 1..40), counted in any::<bool>()) {
            let (mut at, mut ran, mut ready) = (0.0, 0.0, 0.0);
            let mut account: Option<ThreadAccount> = None;
            for (passed, more, waited, state) in looks {
                (at, ran, ready) = (at + passed, ran + more, ready + waited);
                let states = [ThreadDoing::Runs, waits(ThreadWait::Futex), waits(ThreadWait::Disk), waits(ThreadWait::Poll)];
                let mut look = look(at, ran, ready, states[state].clone());
                look.times.ready_s = look.times.ready_s.filter(|_| counted);
                match &mut account {
                    Some(account) => account.add(look),
                    None => account = Some(ThreadAccount::begin(look)),
                }
            }
            let shares = account.unwrap().totals().shares();
            let sum = shares.running_s + shares.runnable_s + shares.waiting_s(|_| true);
            prop_assert!((sum - shares.span_s).abs() < 1e-6, "{shares:?}");
            prop_assert!(shares.waits.values().all(|part| *part >= 0.0));
        }
    }
}
