//! Moments of a run at which it is worth looking closely, found while it goes on.
//!
//! Both detectors are fed once a second and know no clock. They say when to look, not what
//! limits: the curve of a whole run is judged elsewhere, with intervals.

use std::collections::VecDeque;

/// One second of the load as the detectors see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadSecond {
    /// Requests and users at work on average: users of a closed load, requests in flight of
    /// an open one.
    pub concurrency: f64,
    /// Requests that ended.
    pub throughput: f64,
    /// Their mean response time, ms; 0 without any.
    pub mean_response_ms: f64,
}

/// Notices where throughput stops following the load.
///
/// As long as nothing queues, throughput for each concurrent user is constant (Little's law:
/// X / N = 1 / (R + Z)); past the knee it falls. The detector keeps the best X / N over
/// [`Self::WINDOW_S`] seconds and fires once, when the load has grown by a quarter since and
/// X / N has been a fifth lower for as many seconds.
#[derive(Debug, Clone, Default)]
pub struct KneeDetector {
    recent: VecDeque<LoadSecond>,
    best: Option<Best>,
    bent_s: usize,
    fired: bool,
}

#[derive(Debug, Clone, Copy)]
struct Best {
    per_user: f64,
    concurrency: f64,
}

impl KneeDetector {
    /// Seconds that are looked at together.
    pub const WINDOW_S: usize = 3;
    /// How much the load must have grown.
    const GROWN: f64 = 1.25;
    /// What is left of the best throughput for each user, at most.
    const BENT: f64 = 0.8;

    /// Takes a second; says whether this is the knee. True at most once.
    pub fn second(&mut self, second: LoadSecond) -> bool {
        self.recent.push_back(second);
        if self.recent.len() < Self::WINDOW_S || self.fired {
            return false;
        }
        let sum = |of: fn(&LoadSecond) -> f64| self.recent.iter().map(of).sum::<f64>();
        let throughput = sum(|second| second.throughput);
        let users = sum(|second| second.concurrency);
        self.recent.pop_front();
        if users <= 0.0 {
            return false;
        }
        let now = Best {
            per_user: throughput / users,
            concurrency: users,
        };
        let Some(best) = self.best else {
            self.best = (throughput > 0.0).then_some(now);
            return false;
        };
        if now.per_user >= best.per_user {
            self.best = Some(now);
        }
        let bent = now.concurrency >= best.concurrency * Self::GROWN
            && now.per_user < best.per_user * Self::BENT;
        self.bent_s = if bent { self.bent_s + 1 } else { 0 };
        self.fired = self.bent_s >= Self::WINDOW_S;
        self.fired
    }
}

/// Notices seconds that are far worse than the run was so far: a mean response time above
/// twice the median of the seconds before and above every second that was noticed earlier.
#[derive(Debug, Clone, Default)]
pub struct WorstSecond {
    means_ms: Vec<f64>,
    worst_ms: f64,
    quiet_s: u32,
}

impl WorstSecond {
    /// Seconds that must have been seen before.
    const SETTLED_S: usize = 10;
    /// Seconds between two that are noticed.
    const APART_S: u32 = 10;

    /// Takes a second; says whether it is worth a closer look.
    pub fn second(&mut self, second: LoadSecond) -> bool {
        let mean_ms = second.mean_response_ms;
        self.quiet_s = self.quiet_s.saturating_add(1);
        if second.throughput <= 0.0 {
            return false;
        }
        let at = self.means_ms.partition_point(|known| *known < mean_ms);
        let settled = self.means_ms.len() >= Self::SETTLED_S;
        let median = self.means_ms.get(self.means_ms.len() / 2).copied();
        let worse = mean_ms > 2.0 * median.unwrap_or(f64::INFINITY) && mean_ms > self.worst_ms;
        self.means_ms.insert(at, mean_ms);
        let notice = settled && worse && self.quiet_s >= Self::APART_S;
        if notice {
            self.worst_ms = mean_ms;
            self.quiet_s = 0;
        }
        notice
    }
}

/// Says when to look at a load that goes on evenly: away from its beginning, when caches and
/// compilers warm up, and from its end, when users leave.
#[derive(Debug, Clone)]
pub struct SteadySeconds {
    from_s: u64,
    length_s: Option<u64>,
    taken: usize,
}

impl SteadySeconds {
    /// Shares of the measured time, where the length is known. The last lies in the last step of
    /// a stepped load of up to ten steps.
    const SHARES: [f64; 4] = [0.2, 0.45, 0.7, 0.93];
    /// Seconds after the warm-up, where it is not.
    const SECONDS: [u64; 4] = [10, 20, 60, 180];
    /// Seconds between two looks at least: as long as a look takes.
    const APART_S: u64 = 3;
    /// From the second before the last look to the end: a look begins when a second is over, and
    /// what is seen after the load is not the load's.
    const BEFORE_END_S: u64 = Self::APART_S + 2;

    /// For a load that is measured from `from_s` on and lasts `length_s` in all.
    #[must_use]
    pub fn new(from_s: u64, length_s: Option<u64>) -> Self {
        Self {
            from_s,
            length_s,
            taken: 0,
        }
    }

    /// Takes the number of the second that ended; says whether to look.
    pub fn second(&mut self, second: u64) -> bool {
        let due = self.due_s(self.taken).is_some_and(|due| second >= due);
        if due {
            // What was missed, is missed.
            while self
                .due_s(self.taken)
                .is_some_and(|next| next < second + Self::APART_S)
            {
                self.taken += 1;
            }
        }
        due
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "seconds of a run"
    )]
    fn due_s(&self, index: usize) -> Option<u64> {
        let after = match self.length_s {
            Some(length_s) => {
                let measured_s = length_s.saturating_sub(self.from_s) as f64;
                let share = (measured_s * Self::SHARES.get(index)?) as u64;
                share.min((measured_s as u64).saturating_sub(Self::BEFORE_END_S))
            }
            None => *Self::SECONDS.get(index)?,
        };
        Some(self.from_s + after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(mut steady: SteadySeconds, seconds: u64) -> Vec<u64> {
        (0..seconds)
            .filter(|second| steady.second(*second))
            .collect()
    }

    #[test]
    fn steady_load_is_looked_at_away_from_its_ends() {
        assert_eq!(looks(SteadySeconds::new(10, Some(17)), 17), [11]);
        assert_eq!(looks(SteadySeconds::new(2, Some(12)), 12), [4, 7]);
        assert_eq!(
            looks(SteadySeconds::new(0, Some(100)), 100),
            [20, 45, 70, 93]
        );
        assert_eq!(looks(SteadySeconds::new(5, None), 400), [15, 25, 65, 185]);
        assert_eq!(looks(SteadySeconds::new(0, Some(1)), 1), [0]);
    }

    /// A closed load on `servers` servers of 100 ms: asymptotic bounds.
    fn queue(users: f64, servers: f64) -> LoadSecond {
        let throughput = users.min(servers) / 0.1;
        LoadSecond {
            concurrency: users,
            throughput,
            mean_response_ms: users / throughput * 1e3,
        }
    }

    fn knee_of(loads: impl Iterator<Item = f64>, servers: f64) -> Option<f64> {
        let mut detector = KneeDetector::default();
        let mut found = None;
        for users in loads {
            if detector.second(queue(users, servers)) {
                assert!(found.is_none(), "fires once");
                found = Some(users);
            }
        }
        found
    }

    #[test]
    fn a_ramp_bends_behind_the_last_server() {
        let ramp = || (1..200).map(f64::from);
        let found = knee_of(ramp(), 40.0).unwrap_or_default();
        assert!((50.0..70.0).contains(&found), "{found}");
        assert_eq!(knee_of(ramp(), 400.0), None, "nothing queues");
        let steps = [10.0, 20.0, 40.0, 80.0].into_iter();
        let steps = steps.flat_map(|users| std::iter::repeat_n(users, 10));
        assert_eq!(knee_of(steps, 40.0), Some(80.0));
    }

    #[test]
    fn a_constant_load_or_an_idle_one_has_no_knee() {
        assert_eq!(knee_of(std::iter::repeat_n(100.0, 60), 40.0), None);
        assert_eq!(knee_of(std::iter::repeat_n(0.0, 60), 40.0), None);
    }

    #[test]
    fn a_slow_second_is_noticed_once_and_a_slower_one_again() {
        let mut detector = WorstSecond::default();
        let mut noticed = Vec::new();
        for second in 0..60 {
            let mean_response_ms = match second {
                3 => 500.0,
                20 | 21 => 300.0,
                40 => 250.0,
                50 => 900.0,
                _ => 100.0,
            };
            let second_seen = LoadSecond {
                concurrency: 10.0,
                throughput: 100.0,
                mean_response_ms,
            };
            if detector.second(second_seen) {
                noticed.push(second);
            }
        }
        assert_eq!(noticed, [20, 50]);
    }
}
