//! A date, a time, an offset: what there is of them.

use jiff::civil::{Date, Time, Weekday, date};
use jiff::tz::TimeZone;

use super::locale::Locale;
use super::pattern::DateField;

/// What is known of a moment. A pattern may name less than a whole one.
#[derive(Debug, Clone, Default)]
pub(crate) struct DateMoment {
    pub date: Option<Date>,
    pub time: Option<Time>,
    /// Seconds east of Greenwich.
    pub offset: Option<i32>,
    pub zone: Option<TimeZone>,
    /// Numbers that make neither a date nor a time.
    pub rest: Vec<(DateField, i64)>,
}

impl DateMoment {
    /// A moment on the timeline, seen from a zone.
    pub(crate) fn of(zoned: &jiff::Zoned) -> Self {
        Self {
            date: Some(zoned.date()),
            time: Some(zoned.time()),
            offset: Some(zoned.offset().seconds()),
            zone: Some(zoned.time_zone().clone()),
            ..Self::default()
        }
    }

    /// A part of it.
    pub(super) fn get(&self, field: DateField, locale: &Locale) -> Option<i64> {
        let known = self.date.and_then(|date| of_date(date, field, locale));
        let known = known.or_else(|| self.time.and_then(|time| of_time(time, field)));
        if field == DateField::OffsetSeconds {
            return self.offset.map(i64::from);
        }
        let rest = || self.rest.iter().find(|(known, _)| *known == field);
        known.or_else(|| rest().map(|(_, value)| *value))
    }
}

fn of_date(day: Date, field: DateField, locale: &Locale) -> Option<i64> {
    let year = i64::from(day.year());
    Some(match field {
        DateField::Era => i64::from(year > 0),
        DateField::YearOfEra => {
            if year > 0 {
                year
            } else {
                1 - year
            }
        }
        DateField::Year => year,
        DateField::DayOfYear => i64::from(day.day_of_year()),
        DateField::Month => i64::from(day.month()),
        DateField::Day => i64::from(day.day()),
        DateField::Quarter => (i64::from(day.month()) + 2) / 3,
        DateField::Weekday => weekday(day),
        DateField::LocalWeekday => local_weekday(day, locale),
        DateField::AlignedWeekday => (i64::from(day.day()) - 1) % 7 + 1,
        DateField::WeekOfMonth => week_of(day, i64::from(day.day()), locale),
        DateField::WeekYear => week_date(day, locale).0,
        DateField::Week => week_date(day, locale).1,
        // Day 0 is 1858-11-17.
        DateField::ModifiedJulianDay => days_between(date(1858, 11, 17), day),
        _ => return None,
    })
}

fn of_time(time: Time, field: DateField) -> Option<i64> {
    let hour = i64::from(time.hour());
    let nanos = i64::from(time.subsec_nanosecond());
    let second_of_day = hour * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second());
    Some(match field {
        DateField::AmPm => hour / 12,
        DateField::HourOfAmPm => hour % 12,
        DateField::ClockHourOfAmPm => (hour + 11) % 12 + 1,
        DateField::Hour => hour,
        DateField::ClockHour => {
            if hour == 0 {
                24
            } else {
                hour
            }
        }
        DateField::Minute => i64::from(time.minute()),
        DateField::Second => i64::from(time.second()),
        DateField::Milli => nanos / 1_000_000,
        DateField::MilliOfDay => second_of_day * 1000 + nanos / 1_000_000,
        DateField::Nano => nanos,
        DateField::NanoOfDay => second_of_day * 1_000_000_000 + nanos,
        _ => return None,
    })
}

pub(super) fn weekday(day: Date) -> i64 {
    i64::from(day.weekday().to_monday_one_offset())
}

fn local_weekday(day: Date, locale: &Locale) -> i64 {
    (weekday(day) - locale.week.0).rem_euclid(7) + 1
}

pub(super) fn days_between(from: Date, to: Date) -> i64 {
    let days = |day: Date| {
        let since = day.duration_since(date(1970, 1, 1));
        since.as_secs().div_euclid(86_400)
    };
    days(to) - days(from)
}

/// The week of a day within a month or a year; 0 when it belongs to the one before.
fn week_of(day: Date, number: i64, locale: &Locale) -> i64 {
    let (_, least) = locale.week;
    let begin = (number - local_weekday(day, locale)).rem_euclid(7);
    // The first whole week begins after `begin` days; what is before counts if long enough.
    let first = if begin + 1 > least { 7 - begin } else { -begin };
    (7 + first + number - 1).div_euclid(7)
}

/// The week of a year, and the year it belongs to.
fn week_date(day: Date, locale: &Locale) -> (i64, i64) {
    let year = i64::from(day.year());
    let week = week_of(day, i64::from(day.day_of_year()), locale);
    if week == 0 {
        let Ok(before) = day.first_of_year().yesterday() else {
            return (year, week);
        };
        return (
            year - 1,
            week_of(before, i64::from(before.day_of_year()), locale),
        );
    }
    if week >= 52
        && let Ok(next) = day.last_of_year().tomorrow()
    {
        let first_week = week_of(next, 1, locale);
        let to_next = days_between(day, next);
        if first_week == 1 && to_next < local_weekday(next, locale) {
            return (year + 1, 1);
        }
    }
    (year, week)
}

/// The day of a week of a year.
pub(super) fn day_of_week_date(year: i64, week: i64, local: i64, locale: &Locale) -> Option<Date> {
    // The fourth of January is always in the first or second week.
    let fourth = date(i16::try_from(year).ok()?, 1, 4);
    let fourth_week = week_of(fourth, 4, locale);
    let days = (week - fourth_week) * 7 + local - local_weekday(fourth, locale);
    let days = jiff::Span::new().try_days(days).ok()?;
    fourth.checked_add(days).ok()
}

/// A weekday from 1 Monday to 7 Sunday.
pub(super) fn is_weekday(day: Date, number: i64) -> bool {
    let known = i8::try_from(number).ok();
    known.and_then(|number| Weekday::from_monday_one_offset(number).ok()) == Some(day.weekday())
}
