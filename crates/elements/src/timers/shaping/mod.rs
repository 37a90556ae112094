//! `kg.apc.jmeter.timers.VariableThroughputTimer` (Throughput Shaping Timer, jpgc-tst 2.6): a rate for each second,
//! by a table of stretches. Each second begins anew: what was not sent in it is not made up for.

mod profile;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use plimsoll_plan::model::Action;
use plimsoll_plan::program::{SiteId, ValueProgram};

use self::profile::RateProfile;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::leaf::{Bound, Timer};

/// What the properties with the state of a timer are called behind its name.
pub(crate) const DELAYED: &str = "_cntDelayed";
pub(crate) const SENT: &str = "_cntSent";
pub(crate) const RATE: &str = "_rps";

/// The property, of the element and of JMeter, with the profile.
const PROFILE: &str = "load_profile";

struct ShapingTimer {
    name: Field,
    rows: Vec<[Field; 3]>,
    site: SiteId,
}

/// What all users of the timer share.
#[derive(Default)]
struct Shaping {
    profile: RateProfile,
    /// The second in which the first sample came, since 1970-01-01 UTC.
    first_s: Option<u64>,
    /// The second that is given out, and how many places of it are taken.
    second_s: u64,
    taken: u64,
    /// The second that was told of last.
    told_s: u64,
    /// When those are due that have places since the second that was told of last, in this order, milliseconds.
    waiting: VecDeque<u64>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let row = |row: &ValueProgram| match row {
        ValueProgram::List(cells) => {
            let cell = |at: usize| match cells.get(at) {
                Some(ValueProgram::Text(text)) => Field::from(text.clone()),
                _ => Field::default(),
            };
            Some([cell(0), cell(1), cell(2)])
        }
        _ => None,
    };
    Bound::Timer(Box::new(ShapingTimer {
        name: Field::from(fields.0.name.clone()),
        rows: fields.0.list(PROFILE).iter().filter_map(row).collect(),
        site: fields.0.site,
    }))
}

impl Timer for ShapingTimer {
    fn delay_ms(&self, cx: &mut dyn Context) -> Result<u64, Fault> {
        let name = self.name.text(cx)?.into_owned();
        let shared = keep::shared(cx, self.site, || Mutex::new(None::<Shaping>));
        let known = shared
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some();
        // Texts are computed without the lock: a function among them may come back here.
        let fresh = match known {
            true => None,
            false => Some(self.profile(&name, cx)?),
        };
        let now_ms = cx.unix_ms();
        let shares = cx.thread().share.count();
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let shaping = shared.get_or_insert_with(|| Shaping {
            profile: fresh.unwrap_or_default(),
            ..Shaping::default()
        });
        let told = shaping.tell(now_ms);
        let place = shaping.place(now_ms, shares);
        if let Some(told) = told {
            let set = |what: &str, value: &str| {
                cx.properties().set(&format!("{name}{what}"), value);
            };
            set("_totalDuration", &shaping.profile.duration_s().to_string());
            set(DELAYED, &told.delayed.to_string());
            set(SENT, &told.sent.to_string());
            set(RATE, &crate::functions::numbers::java_double(told.rate));
        }
        drop(shared);
        match place {
            SampleStart::At(at_ms) => Ok(at_ms.saturating_sub(now_ms)),
            SampleStart::Over => {
                cx.log("No further RPS schedule, asking threads to stop...");
                cx.ask(Action::StopScenario);
                Ok(0)
            }
            SampleStart::OverSoon => {
                cx.ask(Action::StopUser);
                Ok(0)
            }
        }
    }
}

impl ShapingTimer {
    /// The profile: that of JMeter's property (of the timer's own name, or for all), or that of the plan.
    fn profile(&self, name: &str, cx: &mut dyn Context) -> Result<RateProfile, Fault> {
        let own = cx.properties().get(&format!("{name}.{PROFILE}"));
        let own = own.filter(|text| !text.is_empty());
        if let Some(text) = own.or_else(|| cx.properties().get(PROFILE))
            && !text.is_empty()
        {
            let (profile, wrong) = RateProfile::parse(&text);
            for chunk in wrong {
                cx.log(&format!("Wrong load chunk {chunk} will be ignored"));
            }
            return Ok(profile);
        }
        let mut profile = RateProfile::default();
        for [from, to, lasts_s] in &self.rows {
            let from = from.number(cx, 0.0)?;
            let to = to.number(cx, 0.0)?;
            profile.push(from, to, lasts_s.whole(cx, 0)?);
        }
        Ok(profile)
    }
}

/// When a sample may begin.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SampleStart {
    /// Then, in milliseconds since 1970-01-01 UTC.
    At(u64),
    /// Never: the profile is over.
    Over,
    /// Never: it will be over before there is a place.
    OverSoon,
}

/// What is told of a second.
struct SecondTold {
    delayed: usize,
    sent: u64,
    rate: f64,
}

impl Shaping {
    /// Takes the next place of the profile; of several shares of the load each has its part of the rate.
    fn place(&mut self, now_ms: u64, shares: u32) -> SampleStart {
        let now_s = now_ms / 1000;
        let first_s = *self.first_s.get_or_insert(now_s);
        if self.second_s < now_s {
            (self.second_s, self.taken) = (now_s, 0);
        }
        loop {
            let elapsed_s = self.second_s - first_s;
            let Some(rate) = self.profile.rate(elapsed_s) else {
                return match self.second_s > now_s {
                    true => SampleStart::OverSoon,
                    false => SampleStart::Over,
                };
            };
            let spacing_ms = 1000.0 * f64::from(shares) / rate;
            #[expect(clippy::cast_precision_loss)] // Places of one second.
            let offset_ms = match self.taken {
                // At no rate at all the plugin lets one through.
                0 => 0.0,
                taken => taken as f64 * spacing_ms,
            };
            if offset_ms < 1000.0 {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let at_ms = self.second_s * 1000 + offset_ms.ceil() as u64;
                self.taken += 1;
                let at_ms = at_ms.max(now_ms);
                self.waiting.push_back(at_ms);
                return SampleStart::At(at_ms);
            }
            (self.second_s, self.taken) = (self.second_s + 1, 0);
        }
    }

    /// What is to be told when a second has begun since the last time.
    fn tell(&mut self, now_ms: u64) -> Option<SecondTold> {
        let now_s = now_ms / 1000;
        if now_s == self.told_s {
            return None;
        }
        self.told_s = now_s;
        let before = |at_ms: &u64| *at_ms < now_s * 1000;
        let mut sent = 0;
        while self.waiting.front().is_some_and(before) {
            self.waiting.pop_front();
            sent += 1;
        }
        let elapsed_s = now_s - self.first_s.unwrap_or(now_s).min(now_s);
        Some(SecondTold {
            delayed: self.waiting.iter().filter(|at| **at > now_ms).count(),
            sent,
            rate: self.profile.rate(elapsed_s).unwrap_or(1.0),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_plan::program::ElementProgram;

    use super::*;
    use crate::context::testing::TestContext;
    use crate::testing::{element, texts};
    use crate::timers::testing::bound;

    fn shaping(rows: &[[&str; 3]]) -> ElementProgram {
        let mut timer = element("kg.apc.jmeter.timers.VariableThroughputTimer", &[]);
        let rows = rows.iter().map(|row| texts(row)).collect();
        timer
            .properties
            .push((PROFILE.into(), ValueProgram::List(rows)));
        timer
    }

    /// When so many samples begin, of users that come as soon as they may, from 0 s on.
    fn begins(rows: &[[&str; 3]], cx: &mut TestContext, count: usize) -> Vec<u64> {
        let timer = bound(&shaping(rows));
        let mut begins = Vec::new();
        while begins.len() < count && cx.asked.is_none() {
            let at_ms = cx.unix_ms + timer.delay_ms(cx).unwrap();
            if cx.asked.is_none() {
                begins.push(at_ms - 1_000_000);
                cx.unix_ms = at_ms;
            }
        }
        begins
    }

    fn at_start() -> TestContext {
        let mut cx = TestContext::with(&[("rate", "2")]);
        cx.unix_ms = 1_000_000;
        cx
    }

    #[test]
    fn each_second_has_its_rate_and_then_the_group_ends() {
        let mut cx = at_start();
        let found = begins(&[["${rate}", "2", "1"], ["4", "4", "1"]], &mut cx, 99);
        // The end of a stretch belongs to it: its rate holds in its last second, too.
        assert_eq!(found, [0, 500, 1000, 1500, 2000, 2250, 2500, 2750]);
        assert_eq!(cx.asked, Some(Action::StopUser));
        cx.asked = None;
        let mut late = at_start();
        assert_eq!(begins(&[["2", "2", "1"]], &mut late, 1), [0]);
        let timer = bound(&shaping(&[["1", "1", "1"]]));
        timer.delay_ms(&mut late).unwrap();
        late.unix_ms += 9_000;
        timer.delay_ms(&mut late).unwrap();
        assert_eq!(
            late.asked,
            Some(Action::StopScenario),
            "its site keeps the first profile"
        );
    }

    #[test]
    fn what_was_missed_is_not_made_up_for() {
        let mut cx = at_start();
        cx.unix_ms += 750;
        // Within the second it is.
        let found = begins(&[["4", "4", "9"]], &mut cx, 6);
        assert_eq!(found, [750, 750, 750, 750, 1000, 1250]);
        cx.unix_ms += 5_000;
    }

    #[test]
    fn a_property_wins_over_the_plan() {
        let mut cx = at_start();
        cx.properties.set("load_profile", "const(1,2s)");
        cx.properties.set(
            "the name.load_profile",
            "const(1,1s) step(2,4,2,1s) nothing(1)",
        );
        let found = begins(&[["9", "9", "9"]], &mut cx, 99);
        let gaps: Vec<u64> = found.windows(2).map(|two| two[1] - two[0]).collect();
        assert_eq!(gaps, [1000, 1000, 500, 500, 250, 250, 250]);
        assert!(
            cx.logged.iter().any(|line| line.contains("nothing(1")),
            "{:?}",
            cx.logged
        );
        assert_eq!(
            cx.properties.get("the name_totalDuration").as_deref(),
            Some("3")
        );
    }

    #[test]
    fn the_state_is_told_in_properties() {
        let mut cx = at_start();
        begins(&[["2", "2", "9"]], &mut cx, 4);
        let told = |what: &str| cx.properties.get(&format!("the name{what}")).unwrap();
        assert_eq!(
            (told(RATE), told(SENT), told(DELAYED)),
            ("2.0".into(), "2".into(), "0".into())
        );
    }
}
