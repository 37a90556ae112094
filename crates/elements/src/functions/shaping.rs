//! `__tstFeedback` (the plugin jpgc-tst 2.6, `TSTFeedback`): how many users a Throughput Shaping Timer needs.

use std::sync::atomic::{AtomicBool, Ordering};

use plimsoll_plan::program::Call;

use super::args::text;
use super::keep::shared;
use super::numbers::{double, int};
use crate::context::{Context, Fault};
use crate::timers::shaping::{DELAYED, RATE, SENT};

/// What the property with the users of a timer is called behind its name.
const USERS: &str = "_concurrency";

/// `__tstFeedback(timer, first[, most[, spare]])`: a number of users, by what the timer told of its last second.
pub(super) fn feedback(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let timer = text(call, 0, cx)?.into_owned();
    let started = shared(cx, call.site, || AtomicBool::new(false));
    if !started.swap(true, Ordering::Relaxed) {
        let first = text(call, 1, cx)?;
        cx.properties().set(&format!("{timer}{USERS}"), &first);
    }
    let most = match call.args.len() > 2 {
        true => int(&text(call, 2, cx)?).unwrap_or(i32::MAX),
        false => i32::MAX,
    };
    let spare = match call.args.len() > 3 {
        true => double(&text(call, 3, cx)?).unwrap_or(1.0),
        false => 0.1,
    };
    let told = |what: &str, usual: &str| {
        let found = cx.properties().get(&format!("{timer}{what}"));
        found.unwrap_or_else(|| usual.to_owned())
    };
    let state = LastSecond {
        users: int(&told(USERS, "1"))?,
        delayed: int(&told(DELAYED, "0"))?,
        sent: int(&told(SENT, "0"))?,
        rate: double(&told(RATE, "0")).unwrap_or(0.0),
    };
    let mut needed = state.needed(spare);
    if needed <= 0 {
        cx.log(&format!("Got concurrency less than zero: {needed}"));
        needed = 1;
    }
    if needed > most {
        cx.log(&format!("Got concurrency more than limit: {needed}"));
        needed = most;
    }
    cx.properties()
        .set(&format!("{timer}{USERS}"), &needed.to_string());
    // It is looked at once a second.
    cx.properties().set(&format!("{timer}{RATE}"), "0");
    Ok(needed.to_string())
}

/// What a timer told of its last second.
#[derive(Debug, Clone, Copy)]
struct LastSecond {
    users: i32,
    /// Users that wait.
    delayed: i32,
    sent: i32,
    rate: f64,
}

impl LastSecond {
    /// The users that it needs; below 1 the spare ones are a share of all, else a number.
    #[expect(clippy::cast_possible_truncation)] // Saturates, as Java's.
    fn needed(self, spare: f64) -> i32 {
        let users = f64::from(self.users);
        if self.rate <= 0.0 {
            return self.users;
        }
        if self.delayed > 0 {
            let delayed = f64::from(self.delayed);
            return if spare >= 1.0 {
                let needed = (users - (delayed - spare)) as i32;
                match users > spare {
                    true => spare.max(needed.into()) as i32,
                    false => needed,
                }
            } else if delayed > (users * spare).ceil() {
                (users * (1.0 - spare)) as i32
            } else {
                self.users
            };
        }
        match f64::from(self.sent) < self.rate {
            true => (users * (2.0 - f64::from(self.sent) / self.rate)).ceil() as i32,
            false => self.users,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::TestContext;
    use crate::functions::testing::call;

    #[test]
    fn users_follow_what_the_timer_told() {
        let mut cx = TestContext::with(&[]);
        let mut call = call("__tstFeedback", &["t", "10", "25", "0.1"]);
        call.site.0 = 3;
        let mut next = |delayed: &str, sent: &str, rate: &str| {
            for (what, value) in [(DELAYED, delayed), (SENT, sent), (RATE, rate)] {
                cx.properties.set(&format!("t{what}"), value);
            }
            crate::functions::call(&call, &mut cx).unwrap_or_default()
        };
        assert_eq!(next("0", "0", "0"), "10");
        // Half of the rate was sent: half as many users more.
        assert_eq!(next("0", "50", "100.0"), "15");
        assert_eq!(next("0", "0", "100.0"), "25", "no more than the most");
        assert_eq!(next("1", "100", "100.0"), "25");
        assert_eq!(next("9", "100", "100.0"), "22");
        assert_eq!(cx.properties.get("t_concurrency").as_deref(), Some("22"));
        assert_eq!(cx.properties.get("t_rps").as_deref(), Some("0"));
    }

    #[test]
    fn spare_users_may_be_a_number() {
        let last = |users, delayed| LastSecond {
            users,
            delayed,
            sent: 10,
            rate: 10.0,
        };
        assert_eq!(last(20, 8).needed(5.0), 17);
        assert_eq!(last(20, 19).needed(5.0), 6);
        assert_eq!(last(4, 4).needed(5.0), 5);
    }
}
