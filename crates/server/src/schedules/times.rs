//! When something is due: an expression as cron has it, in a time zone.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use plimsoll_text::Message;

use crate::problem::ApiError;

/// Longer expressions and names are none.
const MOST_LETTERS: usize = 200;
/// Times that are counted.
const MOST_COUNTED: u32 = 10_000;

/// The times of a schedule.
pub(crate) struct ScheduleTimes {
    cron: Cron,
    zone: TimeZone,
}

/// Times of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimesBetween {
    /// How many; 10 000 at most.
    pub count: u32,
    /// The last of them, Unix seconds.
    pub last_s: i64,
}

impl ScheduleTimes {
    /// Reads an expression of five fields (minute, hour, day, month, weekday) and the name of a zone, as
    /// `Asia/Shanghai`.
    ///
    /// # Errors
    /// What is none of these.
    pub fn parse(cron: &str, zone: &str) -> Result<Self, ApiError> {
        let wrong = |reason: Message| {
            let message = Message::new("server-bad-cron").with("cron", cron);
            ApiError::bad(message.with("reason", reason))
        };
        if cron.len() > MOST_LETTERS || zone.len() > MOST_LETTERS {
            return Err(wrong(
                Message::new("server-cron-long").with("most", MOST_LETTERS),
            ));
        }
        let parsed = parsed(cron).ok_or_else(|| wrong(what_is_wrong(cron)))?;
        let found = TimeZone::get(zone)
            .map_err(|_| ApiError::bad(Message::new("server-bad-zone").with("zone", zone)))?;
        let times = Self {
            cron: parsed,
            zone: found,
        };
        // The thirtieth of February, of any year.
        match times.next(0) {
            Some(_) => Ok(times),
            None => Err(wrong(Message::new("server-cron-never"))),
        }
    }

    fn at(&self, unix_s: i64) -> Option<Zoned> {
        let moment = Timestamp::from_second(unix_s).ok()?;
        Some(moment.to_zoned(self.zone.clone()))
    }

    /// The first time after a moment, Unix seconds; none: there is none in the years that are looked at.
    pub fn next(&self, after_s: i64) -> Option<i64> {
        let next = self.cron.find_next_occurrence(&self.at(after_s)?, false);
        Some(next.ok()?.timestamp().as_second())
    }

    /// The last time before a moment, Unix seconds.
    pub(super) fn before(&self, before_s: i64) -> Option<i64> {
        let last = self
            .cron
            .find_previous_occurrence(&self.at(before_s)?, false);
        Some(last.ok()?.timestamp().as_second())
    }

    /// The times after a moment, up to another; none: there are none.
    pub(super) fn between(&self, after_s: i64, to_s: i64) -> Option<TimesBetween> {
        let mut next = self.next(after_s).filter(|next| *next <= to_s)?;
        let mut count = 1;
        while count < MOST_COUNTED
            && let Some(later) = self
                .next(next)
                .filter(|later| *later <= to_s && *later > next)
        {
            next = later;
            count += 1;
        }
        let last_s = match count < MOST_COUNTED {
            true => next,
            false => self.before(to_s + 1).unwrap_or(next),
        };
        Some(TimesBetween { count, last_s })
    }
}

fn parsed(cron: &str) -> Option<Cron> {
    // A minute is the shortest time between two runs.
    let parser = CronParser::builder()
        .seconds(Seconds::Disallowed)
        .year(Year::Disallowed)
        .build();
    parser.parse(cron).ok()
}

/// The fields, as the texts call them.
const FIELDS: [&str; 5] = ["minute", "hour", "day", "month", "weekday"];

/// Which of the fields is none, each looked at by itself.
fn what_is_wrong(cron: &str) -> Message {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Message::new("server-cron-fields").with("count", fields.len());
    }
    let alone = |at: usize| {
        let mut only = ["*"; FIELDS.len()];
        only[at] = fields[at];
        parsed(&only.join(" ")).is_none()
    };
    match (0..FIELDS.len()).find(|at| alone(*at)) {
        Some(at) => Message::new("server-cron-field")
            .with("field", FIELDS[at])
            .with("value", fields[at]),
        None => Message::new("server-cron-unreadable"),
    }
}

/// The name of this host's zone.
pub(crate) fn own_zone() -> String {
    let own = TimeZone::try_system().ok();
    let name = own.as_ref().and_then(TimeZone::iana_name);
    name.unwrap_or("UTC").to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unix(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_second()
    }

    #[test]
    fn times_are_those_of_the_zone() {
        let nightly = ScheduleTimes::parse("30 2 * * *", "Asia/Shanghai").unwrap();
        assert_eq!(
            nightly.next(unix("2026-11-27T00:00:00Z")),
            Some(unix("2026-11-27T18:30:00Z")),
            "02:30 in Shanghai"
        );
        // The clocks of Berlin go back on 25 October 2026 at 03:00: 02:30 is there twice, and is due once.
        let nightly = ScheduleTimes::parse("30 2 * * *", "Europe/Berlin").unwrap();
        let two_days = nightly.between(unix("2026-10-24T12:00:00Z"), unix("2026-10-26T12:00:00Z"));
        assert_eq!(two_days.unwrap().count, 2);
        // They go ahead on 29 March: that night has no 02:30, and still its run.
        let two_days = nightly.between(unix("2026-03-28T12:00:00Z"), unix("2026-03-30T12:00:00Z"));
        assert_eq!(two_days.unwrap().count, 2);
        let weekdays = ScheduleTimes::parse("0 9 * * MON-FRI", "UTC").unwrap();
        let week = weekdays.between(unix("2026-11-22T00:00:00Z"), unix("2026-11-29T00:00:00Z"));
        assert_eq!(
            week,
            Some(TimesBetween {
                count: 5,
                last_s: unix("2026-11-27T09:00:00Z")
            })
        );
        let leap = ScheduleTimes::parse("0 0 29 2 *", "UTC").unwrap();
        let next = leap.next(unix("2026-01-01T00:00:00Z"));
        assert_eq!(next, Some(unix("2028-02-29T00:00:00Z")));
    }

    #[test]
    fn long_stretches_are_counted_no_further() {
        let each = ScheduleTimes::parse("* * * * *", "UTC").unwrap();
        let (from, to) = (unix("2026-01-01T00:00:00Z"), unix("2026-12-31T23:59:30Z"));
        let found = each.between(from, to).unwrap();
        assert_eq!(found.count, MOST_COUNTED);
        assert_eq!(found.last_s, unix("2026-12-31T23:59:00Z"));
        assert_eq!(each.between(from, from + 59), None);
    }

    proptest! {
        /// Any text is an expression or is refused; what is one goes on, and in whole minutes.
        #[test]
        fn any_text_is_read(text in "[0-9*/,\\-LW# ?A-Z]{0,30}", from in 0_i64..4_000_000_000) {
            if let Ok(times) = ScheduleTimes::parse(&text, "Asia/Shanghai")
                && let Some(next) = times.next(from)
            {
                prop_assert!(next > from);
                prop_assert_eq!(next % 60, 0);
            }
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for (cron, says) in [
            ("", "0 fields"),
            ("0 2 * *", "4 fields"),
            ("61 2 * * *", "minute (0 to 59) cannot be “61”"),
            (
                "0 2 * XYZ *",
                "month (1 to 12, or JAN to DEC) cannot be “XYZ”",
            ),
            ("0 0 30 2 *", "no such day"),
        ] {
            let refused = ScheduleTimes::parse(cron, "UTC").err().unwrap();
            let told = plimsoll_text::render(plimsoll_text::Lang::En, &refused.message());
            assert!(told.contains(says), "{told}");
        }
        for (cron, zone) in [
            ("61 * * * *", "UTC"),
            ("* * * * * *", "UTC"),
            ("0 2 * * *", "Mars/Base"),
            ("0 2 * * *", "../../etc/passwd"),
            (&"*".repeat(500), "UTC"),
        ] {
            assert!(ScheduleTimes::parse(cron, zone).is_err(), "{cron} {zone}");
        }
    }
}
