//! Reading a moment in a pattern, and what its numbers make together (Java's resolver style
//! SMART).

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::locale::Locale;
use super::moment::{DateMoment, day_of_week_date, is_weekday};
use super::pattern::{
    DateField, DatePattern, NumberItem, NumberKind, PatternItem, SignStyle, Width,
};
use super::write::name;
use super::zones;

/// What was read so far.
#[derive(Clone, Default)]
struct DateRead {
    fields: Vec<(DateField, i64)>,
    zone: Option<TimeZone>,
}

impl DateRead {
    fn get(&self, field: DateField) -> Option<i64> {
        let found = self.fields.iter().find(|(known, _)| *known == field);
        found.map(|(_, value)| *value)
    }

    fn take(&mut self, field: DateField) -> Option<i64> {
        let at = self.fields.iter().position(|(known, _)| *known == field)?;
        Some(self.fields.swap_remove(at).1)
    }

    /// Two numbers for the same must be equal.
    fn put(&mut self, field: DateField, value: i64) -> Result<(), String> {
        match self.get(field) {
            Some(other) if other != value => Err(format!(
                "Conflict found: {field:?} {other} differs from {field:?} {value}"
            )),
            Some(_) => Ok(()),
            None => {
                self.fields.push((field, value));
                Ok(())
            }
        }
    }
}

/// Reads a whole text. `defaults` hold for numbers that the pattern does not have.
///
/// # Errors
/// Why the text is no moment in this pattern.
pub(crate) fn read(
    pattern: &DatePattern,
    text: &str,
    locale: &Locale,
    defaults: &[(DateField, i64)],
) -> Result<DateMoment, String> {
    let mut read = DateRead::default();
    let letters: Vec<char> = text.chars().collect();
    let end = items(&pattern.0, &letters, 0, locale, &mut read);
    if end != Some(letters.len()) {
        return Err(format!("Text '{text}' could not be parsed"));
    }
    for (field, value) in defaults {
        if read.get(*field).is_none() {
            read.fields.push((*field, *value));
        }
    }
    resolve(read, locale).map_err(|why| format!("Text '{text}' could not be parsed: {why}"))
}

/// Where the text goes on behind the items; none when they do not match.
fn items(
    all: &[PatternItem],
    text: &[char],
    from: usize,
    locale: &Locale,
    read: &mut DateRead,
) -> Option<usize> {
    all.iter()
        .try_fold(from, |at, one| item(one, text, at, locale, read))
}

fn item(
    one: &PatternItem,
    text: &[char],
    at: usize,
    locale: &Locale,
    read: &mut DateRead,
) -> Option<usize> {
    match one {
        PatternItem::Literal(literal) => literal.chars().try_fold(at, |at, expected| {
            (text.get(at) == Some(&expected)).then_some(at + 1)
        }),
        PatternItem::Number(one) => number(one, text, at, read),
        PatternItem::Text {
            field,
            width,
            alone,
        } => {
            let (value, end) = named(*field, *width, *alone, text, at, locale)?;
            read.put(*field, value).ok()?;
            Some(end)
        }
        PatternItem::Offset { form, zero } => {
            let (seconds, end) = offset(text, at, *form, zero)?;
            read.put(DateField::OffsetSeconds, seconds).ok()?;
            Some(end)
        }
        PatternItem::NamedOffset { full } => {
            let (seconds, end) = named_offset(text, at, *full)?;
            read.put(DateField::OffsetSeconds, seconds).ok()?;
            Some(end)
        }
        PatternItem::ZoneId | PatternItem::ZoneName { .. } => {
            let rest: String = text[at..].iter().collect();
            let by_name = matches!(one, PatternItem::ZoneName { .. });
            let (zone, long) = zones::read(&rest, by_name)?;
            read.zone = Some(zone);
            Some(at + rest[..long].chars().count())
        }
        PatternItem::Pad(width, inner) => {
            let end = at + width;
            let padded = text.get(at..end)?;
            let begin = at + padded.iter().take_while(|c| **c == ' ').count();
            let stop = item(inner, &text[..end], begin, locale, read)?;
            (stop == end).then_some(end)
        }
        PatternItem::Optional(inner) => {
            let before = read.clone();
            Some(items(inner, text, at, locale, read).unwrap_or_else(|| {
                *read = before;
                at
            }))
        }
        // Names of parts of the day say no hour.
        PatternItem::DayPeriod => None,
    }
}

fn number(one: &NumberItem, text: &[char], begin: usize, read: &mut DateRead) -> Option<usize> {
    let sign = text.get(begin).copied().filter(|c| matches!(c, '+' | '-'));
    match (sign, one.sign) {
        (Some('+'), SignStyle::Normal) | (Some(_), SignStyle::NotNegative) => return None,
        _ => {}
    }
    let digits_from = begin + usize::from(sign.is_some());
    let run = text
        .iter()
        .skip(digits_from)
        .take_while(|c| c.is_ascii_digit());
    // Digits of numbers that follow are left to them.
    let most = if one.following > 0 && one.least < one.most {
        run.clone()
            .count()
            .saturating_sub(one.following)
            .max(one.least)
            .min(one.most)
    } else {
        one.most
    };
    let digits: String = run.take(most.min(18)).collect();
    if digits.len() < one.least {
        return None;
    }
    let mut value: i64 = digits.parse().ok()?;
    if one.sign == SignStyle::ExceedsPad && sign != Some('-') {
        let exceeds = digits.len() > one.least;
        if exceeds != (sign == Some('+')) {
            return None;
        }
    }
    match (sign, one.kind) {
        (Some('-'), _) if value == 0 => return None,
        (Some('-'), _) => value = -value,
        (_, NumberKind::TwoDigits) => value += 2000,
        (_, NumberKind::Fraction) => value *= 10_i64.pow(9 - u32::try_from(digits.len()).ok()?),
        _ => {}
    }
    read.put(one.field, value).ok()?;
    Some(digits_from + digits.len())
}

/// The longest name that the text has here.
fn named(
    field: DateField,
    width: Width,
    alone: bool,
    text: &[char],
    at: usize,
    locale: &Locale,
) -> Option<(i64, usize)> {
    let values = match field {
        DateField::Month => 1..=12,
        DateField::Weekday => 1..=7,
        DateField::Quarter => 1..=4,
        _ => 0..=1,
    };
    let mut best: Option<(i64, usize)> = None;
    for value in values {
        let name: Vec<char> = name(field, value, width, alone, locale).chars().collect();
        let end = at + name.len();
        if text.get(at..end) == Some(&name) && best.is_none_or(|(_, other)| end > other) {
            best = Some((value, end));
        }
    }
    best
}

fn offset(text: &[char], at: usize, form: usize, zero: &str) -> Option<(i64, usize)> {
    let zero: Vec<char> = zero.chars().collect();
    let end = at + zero.len();
    if text.get(at..end) == Some(&zero) && !zero.starts_with(&['+']) {
        return Some((0, end));
    }
    let sign = match text.get(at)? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let two = |at: usize| -> Option<i64> {
        let digits: String = text.get(at..at + 2)?.iter().collect();
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let hours = two(at + 1)?;
    let mut end = at + 3;
    let mut minutes = 0;
    if form == 1 {
        if let Some(more) = two(end) {
            minutes = more;
            end += 2;
        }
    } else {
        if matches!(form, 3 | 5) {
            if text.get(end) != Some(&':') {
                return None;
            }
            end += 1;
        }
        minutes = two(end)?;
        end += 2;
    }
    if hours > 18 || minutes > 59 {
        return None;
    }
    Some((sign * (hours * 3600 + minutes * 60), end))
}

/// `GMT`, `GMT+2`, `GMT+02:00`.
fn named_offset(text: &[char], at: usize, full: bool) -> Option<(i64, usize)> {
    let mut end = at + 3;
    if text.get(at..end)? != ['G', 'M', 'T'] {
        return None;
    }
    if !matches!(text.get(end), Some('+' | '-')) {
        return Some((0, end));
    }
    let from = end;
    let part = |c: &&char| c.is_ascii_digit() || **c == ':';
    end += 1 + text[end + 1..].iter().take_while(part).count();
    let digits: String = text[from..end].iter().collect();
    if full && digits.len() != 6 {
        return None;
    }
    Some((i64::from(zones::fixed(&digits)?.seconds()), end))
}

/// What the numbers make: a date, a time, what is left.
fn resolve(mut read: DateRead, locale: &Locale) -> Result<DateMoment, String> {
    let (time, late) = resolve_time(&mut read)?;
    let mut date = resolve_date(&mut read, locale)?;
    if late {
        date = match date {
            Some(date) => Some(date.tomorrow().map_err(|error| error.to_string())?),
            None => None,
        };
    }
    let offset = read.take(DateField::OffsetSeconds);
    let moment = DateMoment {
        date,
        time,
        offset: offset.and_then(|seconds| i32::try_from(seconds).ok()),
        zone: read.zone,
        rest: Vec::new(),
    };
    // Numbers that were not needed must agree.
    let mut rest = Vec::new();
    for (field, value) in read.fields {
        match moment.get(field, locale) {
            Some(known) if known != value => {
                return Err(format!(
                    "Conflict found: Field {field:?} {known} differs from {value}"
                ));
            }
            Some(_) => {}
            None => rest.push((field, value)),
        }
    }
    Ok(DateMoment { rest, ..moment })
}

fn check(field: DateField, value: i64, least: i64, most: i64) -> Result<i64, String> {
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(format!(
            "Invalid value for {field:?} (valid values {least} - {most}): {value}"
        ))
    }
}

/// The time, and whether it is the end of the day: 24:00.
fn resolve_time(read: &mut DateRead) -> Result<(Option<Time>, bool), String> {
    resolve_hour(read)?;
    if let Some(nanos) = read.take(DateField::NanoOfDay) {
        let nanos = check(DateField::NanoOfDay, nanos, 0, 86_399_999_999_999)?;
        of_second(read, nanos / 1_000_000_000)?;
        read.put(DateField::Nano, nanos % 1_000_000_000)?;
    }
    if let Some(millis) = read.take(DateField::MilliOfDay) {
        let millis = check(DateField::MilliOfDay, millis, 0, 86_399_999)?;
        of_second(read, millis / 1000)?;
        read.put(DateField::Milli, millis % 1000)?;
    }
    if let Some(milli) = read.take(DateField::Milli) {
        let nano = match read.get(DateField::Nano) {
            // As Java has it: only what is below a millisecond is kept of the nanoseconds.
            Some(nano) => milli * 1_000_000 + nano % 1_000_000,
            None => milli * 1_000_000,
        };
        read.put(DateField::Nano, nano)?;
    }
    let Some(hour) = read.get(DateField::Hour) else {
        return Ok((None, false));
    };
    let (minute, second) = (read.get(DateField::Minute), read.get(DateField::Second));
    let nano = read.get(DateField::Nano);
    if minute.is_none() && (second.is_some() || nano.is_some())
        || second.is_none() && nano.is_some()
    {
        return Ok((None, false));
    }
    for field in [
        DateField::Hour,
        DateField::Minute,
        DateField::Second,
        DateField::Nano,
    ] {
        read.take(field);
    }
    let minute = check(DateField::Minute, minute.unwrap_or(0), 0, 59)?;
    let second = check(DateField::Second, second.unwrap_or(0), 0, 59)?;
    let nano = check(DateField::Nano, nano.unwrap_or(0), 0, 999_999_999)?;
    let late = (hour, minute, second, nano) == (24, 0, 0, 0);
    let hour = if late {
        0
    } else {
        check(DateField::Hour, hour, 0, 23)?
    };
    let [hour, minute, second] = [hour, minute, second].map(|part| i8::try_from(part).unwrap_or(0));
    let time = Time::new(hour, minute, second, i32::try_from(nano).unwrap_or(0));
    Ok((Some(time.map_err(|error| error.to_string())?), late))
}

/// The hour of the day of a clock's hour, and of a half of the day.
fn resolve_hour(read: &mut DateRead) -> Result<(), String> {
    if let Some(hour) = read.take(DateField::ClockHour) {
        read.put(
            DateField::Hour,
            check(DateField::ClockHour, hour, 0, 24)? % 24,
        )?;
    }
    if let Some(hour) = read.take(DateField::ClockHourOfAmPm) {
        read.put(
            DateField::HourOfAmPm,
            check(DateField::ClockHourOfAmPm, hour, 0, 12)? % 12,
        )?;
    }
    if let (Some(half), Some(hour)) = (read.get(DateField::AmPm), read.get(DateField::HourOfAmPm)) {
        let hour = check(DateField::HourOfAmPm, hour, 0, 11)?;
        read.take(DateField::AmPm);
        read.take(DateField::HourOfAmPm);
        read.put(DateField::Hour, half * 12 + hour)?;
    }
    Ok(())
}

fn of_second(read: &mut DateRead, second: i64) -> Result<(), String> {
    read.put(DateField::Hour, second / 3600)?;
    read.put(DateField::Minute, second / 60 % 60)?;
    read.put(DateField::Second, second % 60)
}

fn resolve_date(read: &mut DateRead, locale: &Locale) -> Result<Option<Date>, String> {
    if let Some(year) = read.take(DateField::YearOfEra) {
        let era = read.take(DateField::Era).unwrap_or(1);
        read.put(DateField::Year, if era == 1 { year } else { 1 - year })?;
    }
    if let Some(days) = read.take(DateField::ModifiedJulianDay) {
        let from = jiff::civil::date(1858, 11, 17);
        let days = jiff::Span::new()
            .try_days(days)
            .map_err(|error| error.to_string())?;
        return from
            .checked_add(days)
            .map(Some)
            .map_err(|error| error.to_string());
    }
    if let Some(year) = read.get(DateField::Year) {
        let number = i16::try_from(year).map_err(|_| format!("year {year} is too large"))?;
        if let (Some(month), Some(day)) = (read.get(DateField::Month), read.get(DateField::Day)) {
            let month = check(DateField::Month, month, 1, 12)?;
            let day = check(DateField::Day, day, 1, 31)?;
            for field in [DateField::Year, DateField::Month, DateField::Day] {
                read.take(field);
            }
            return month_and_day(number, month, day).map(Some);
        }
        if let Some(day) = read.get(DateField::DayOfYear) {
            let first = Date::new(number, 1, 1).map_err(|error| error.to_string())?;
            let day = check(
                DateField::DayOfYear,
                day,
                1,
                i64::from(first.days_in_year()),
            )?;
            read.take(DateField::Year);
            read.take(DateField::DayOfYear);
            let days = jiff::Span::new().days(day - 1);
            return first
                .checked_add(days)
                .map(Some)
                .map_err(|error| error.to_string());
        }
    }
    week_date(read, locale)
}

/// A day beyond the end of its month is the month's last.
fn month_and_day(year: i16, month: i64, day: i64) -> Result<Date, String> {
    let month = i8::try_from(month).unwrap_or(1);
    let first = Date::new(year, month, 1).map_err(|error| error.to_string())?;
    let day = i8::try_from(day).unwrap_or(1).min(first.days_in_month());
    Date::new(year, month, day).map_err(|error| error.to_string())
}

fn week_date(read: &mut DateRead, locale: &Locale) -> Result<Option<Date>, String> {
    let (year, week) = (read.get(DateField::WeekYear), read.get(DateField::Week));
    let (Some(year), Some(week)) = (year, week) else {
        return Ok(None);
    };
    let local = match (
        read.get(DateField::LocalWeekday),
        read.get(DateField::Weekday),
    ) {
        (Some(local), _) => check(DateField::LocalWeekday, local, 1, 7)?,
        (None, Some(day)) => (day - locale.week.0).rem_euclid(7) + 1,
        (None, None) => return Ok(None),
    };
    let week = check(DateField::Week, week, 1, 53)?;
    let day = day_of_week_date(year, week, local, locale);
    let day = day.ok_or_else(|| format!("year {year} is too large"))?;
    if let Some(number) = read.get(DateField::Weekday)
        && !is_weekday(day, number)
    {
        return Err(format!("{day} is not weekday {number}"));
    }
    read.take(DateField::WeekYear);
    read.take(DateField::Week);
    read.take(DateField::LocalWeekday);
    Ok(Some(day))
}
