//! Closed loads: which users are there, from when to when.

use plimsoll_plan::model::UserStage;

use crate::clock::{Nanos, nanos};

/// A user's time: it begins iterations from the start on and none from the stop on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserWindow {
    /// First moment.
    pub start_ns: Nanos,
    /// First moment that is over; `None`: the load has no end of its own.
    pub stop_ns: Option<Nanos>,
}

/// The end of the last stage.
#[must_use]
pub fn end_ns(stages: &[UserStage]) -> Nanos {
    stages
        .iter()
        .map(|stage| nanos(stage.ramp) + nanos(stage.hold))
        .sum()
}

/// The most users at any time.
#[must_use]
pub fn peak(stages: &[UserStage]) -> u32 {
    stages.iter().map(|stage| stage.users).max().unwrap_or(0)
}

/// `numerator / denominator` of `span`, exact and without overflow.
fn share(span: Nanos, numerator: u32, denominator: u32) -> Nanos {
    let exact = u128::from(span) * u128::from(numerator) / u128::from(denominator.max(1));
    u64::try_from(exact).unwrap_or(u64::MAX)
}

/// The windows of user `index` (from 0). In a ramp from `a` up to `b` users that lasts D,
/// user i comes at D · (i − a) / (b − a), so that the first comes at once (as JMeter's
/// ramp-up does); in a ramp down the last that came leaves first. A last stage of zero
/// users or `open_end` decides whether the window closes with the stages.
#[must_use]
pub fn windows(stages: &[UserStage], index: u32, open_end: bool) -> Vec<UserWindow> {
    let mut windows: Vec<UserWindow> = Vec::new();
    let mut began: Option<Nanos> = None;
    let (mut at, mut users) = (0, 0);
    for stage in stages {
        let ramp = nanos(stage.ramp);
        let (low, high) = (users.min(stage.users), users.max(stage.users));
        if (low..high).contains(&index) {
            if stage.users > users {
                began = Some(at + share(ramp, index - low, high - low));
            } else if let Some(start_ns) = began.take() {
                let stop_ns = at + share(ramp, high - index, high - low);
                windows.push(UserWindow {
                    start_ns,
                    stop_ns: Some(stop_ns),
                });
            }
        }
        users = stage.users;
        at += ramp + nanos(stage.hold);
    }
    if let Some(start_ns) = began {
        windows.push(UserWindow {
            start_ns,
            stop_ns: (!open_end).then_some(at),
        });
    }
    windows
}

/// Whether a user begins with its scenario.
#[must_use]
pub fn begins_at_once(stages: &[UserStage], number: u32) -> bool {
    let windows = windows(stages, number, false);
    windows.first().is_some_and(|window| window.start_ns == 0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn stage(users: u32, ramp_s: u64, hold_s: u64) -> UserStage {
        UserStage {
            users,
            ramp: Duration::from_secs(ramp_s),
            hold: Duration::from_secs(hold_s),
        }
    }

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_ramp_brings_users_evenly_and_the_first_at_once() {
        let stages = [stage(10, 10, 5)];
        for i in 0..10 {
            let window = windows(&stages, i, false);
            assert_eq!(
                window,
                [UserWindow {
                    start_ns: u64::from(i) * S,
                    stop_ns: Some(15 * S)
                }]
            );
        }
        assert!(windows(&stages, 10, false).is_empty());
    }

    #[test]
    fn steps_keep_the_users_that_are_there() {
        let stages = [stage(30, 0, 600), stage(50, 0, 600), stage(100, 0, 600)];
        assert_eq!(windows(&stages, 0, false)[0].start_ns, 0);
        assert_eq!(windows(&stages, 30, false)[0].start_ns, 600 * S);
        assert_eq!(windows(&stages, 99, false)[0].start_ns, 1200 * S);
        assert_eq!(windows(&stages, 0, false)[0].stop_ns, Some(1800 * S));
    }

    #[test]
    fn the_last_to_come_leaves_first() {
        let stages = [stage(4, 0, 10), stage(0, 4, 0)];
        let stops: Vec<_> = (0..4)
            .map(|i| windows(&stages, i, false)[0].stop_ns)
            .collect();
        assert_eq!(
            stops,
            [Some(14 * S), Some(13 * S), Some(12 * S), Some(11 * S)]
        );
    }

    #[test]
    fn a_user_may_come_twice() {
        let stages = [stage(2, 0, 1), stage(1, 0, 1), stage(2, 0, 1)];
        assert_eq!(windows(&stages, 1, false).len(), 2);
        assert_eq!(windows(&stages, 0, false).len(), 1);
    }

    /// Users there at a time, by the plan.
    fn users_at(stages: &[UserStage], at_ns: Nanos) -> u32 {
        let (mut begin, mut users) = (0, 0);
        for stage in stages {
            let ramp = nanos(stage.ramp);
            let end_of_ramp = begin + ramp;
            if at_ns < end_of_ramp {
                let gone = at_ns - begin;
                let (low, high) = (users.min(stage.users), users.max(stage.users));
                let span = high - low;
                if stage.users >= users {
                    return (low..high)
                        .filter(|i| share(ramp, i - low, span) <= gone)
                        .count() as u32
                        + low;
                }
                return high
                    - (low..high)
                        .filter(|i| share(ramp, high - i, span) <= gone)
                        .count() as u32;
            }
            users = stage.users;
            begin = end_of_ramp + nanos(stage.hold);
            if at_ns < begin {
                return users;
            }
        }
        0
    }

    #[test]
    fn users_at_agrees_with_the_windows() {
        let stages = [
            stage(7, 3, 2),
            stage(19, 5, 0),
            stage(3, 4, 1),
            stage(0, 2, 0),
        ];
        for at_ms in (0..17_000).step_by(37) {
            let at = at_ms * 1_000_000;
            let there = (0..19)
                .filter(|&i| {
                    windows(&stages, i, false)
                        .iter()
                        .any(|w| w.start_ns <= at && w.stop_ns.is_none_or(|stop| at < stop))
                })
                .count();
            assert_eq!(users_at(&stages, at) as usize, there, "at {at_ms} ms");
        }
    }

    #[test]
    fn an_open_end_has_no_stop() {
        assert_eq!(windows(&[stage(1, 0, 0)], 0, true)[0].stop_ns, None);
    }
}
