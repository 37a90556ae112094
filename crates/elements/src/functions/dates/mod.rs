//! Dates and times: `__time`, `__timeShift`, `__dateTimeConvert`, `__RandomDate`.

mod duration;
mod locale;
mod moment;
mod pattern;
mod read;
#[cfg(test)]
mod tests;
mod write;
mod zones;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, Zoned};
use plimsoll_plan::program::{Call, SiteId, Template};

use super::args::{count, save, text, trim, trimmed};
use super::keep::{made, own};
use crate::context::{Context, Fault, between};
use locale::Locale;
use moment::{DateMoment, days_between};
use pattern::{DateField, DatePattern};
use read::read;
use write::write;

/// A pattern that was read, or what is wrong with it.
type Known = Arc<Result<DatePattern, String>>;

/// The local time now.
fn now(cx: &dyn Context) -> Zoned {
    let ms = i64::try_from(cx.unix_ms()).unwrap_or(i64::MAX);
    local(ms).unwrap_or_else(|_| Timestamp::UNIX_EPOCH.to_zoned(zones::LOCAL.clone()))
}

/// The local time of milliseconds since 1970-01-01 UTC.
fn local(unix_ms: i64) -> Result<Zoned, String> {
    let time = Timestamp::from_millisecond(unix_ms).map_err(|error| error.to_string())?;
    Ok(time.to_zoned(zones::LOCAL.clone()))
}

/// `__time([format[, variable]])`: the time now; milliseconds since 1970 without a format,
/// and divided by a number with `/number`.
pub(super) fn time(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let format = text(call, 0, cx)?;
    let value = match &*format {
        "" => cx.unix_ms().to_string(),
        format => match divisor(format) {
            Some(divisor) => (cx.unix_ms() / divisor).to_string(),
            None => formatted_now(call, format, cx)?,
        },
    };
    save(call, 1, &value, cx)?;
    Ok(value)
}

fn divisor(format: &str) -> Option<u64> {
    let digits = format.strip_prefix('/')?;
    let number = digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| digits.parse().ok());
    number.flatten().filter(|divisor| *divisor > 0)
}

fn formatted_now(call: &Call, format: &str, cx: &mut dyn Context) -> Result<String, Fault> {
    let alias = match format {
        "YMD" => Some("yyyyMMdd"),
        "HMS" => Some("HHmmss"),
        "YMDHMS" => Some("yyyyMMdd-HHmmss"),
        "USER1" | "USER2" => Some(""),
        _ => None,
    };
    let format = match alias {
        Some(alias) => match cx.properties().get(&format!("time.{format}")) {
            Some(own) => trim(&own).to_owned(),
            None => alias.to_owned(),
        },
        None => format.to_owned(),
    };
    // A property may change what an alias stands for.
    let fixed = alias.is_none() && is_fixed(&call.args, 0);
    let pattern = made(cx, call.site, fixed, &format, DatePattern::new);
    let refused = || {
        Fault::new(format!(
            "java.lang.IllegalArgumentException: Unable to parse date format {format}"
        ))
    };
    let pattern = (*pattern).as_ref().map_err(|_| refused())?;
    write(pattern, &DateMoment::of(&now(cx)), Locale::english()).map_err(Fault::new)
}

fn is_fixed(args: &[Template], at: usize) -> bool {
    args.get(at).is_some_and(|arg| arg.as_text().is_some())
}

/// `__timeShift(format, date, shift[, locale][, variable])`: a time (now by default), moved by
/// an ISO duration.
pub(super) fn shift(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let format = trimmed(call, 0, cx)?;
    let amount = trimmed(call, 2, cx)?;
    let day = trimmed(call, 1, cx)?;
    let (locale, variable) = match count(call) {
        0..=4 => (Locale::english(), 3),
        _ => (locale_of(&trimmed(call, 3, cx)?)?, 4),
    };
    let fixed = is_fixed(&call.args, 0);
    let pattern: Option<Known> =
        (!format.is_empty()).then(|| made(cx, call.site, fixed, &format, DatePattern::new));
    let pattern = match pattern.as_deref() {
        None => None,
        Some(Ok(pattern)) => Some(pattern),
        Some(Err(wrong)) => {
            cx.log(&format!(
                "ERROR __timeShift: Format date pattern '{format}' is invalid: {wrong}"
            ));
            return Ok(String::new());
        }
    };
    let now = now(cx);
    let mut time = now.clone();
    if !day.is_empty() {
        match start(pattern, &day, locale, &now) {
            Ok(start) => time = start,
            Err(why) => cx.log(&format!(
                "ERROR __timeShift: Failed to parse the date '{day}': {why}"
            )),
        }
    }
    if !amount.is_empty() {
        match duration::parse(&amount) {
            Some(nanos) => time = shifted(time, nanos)?,
            None => cx.log(&format!(
                "ERROR __timeShift: Failed to parse the amount duration '{amount}'"
            )),
        }
    }
    let value = match pattern {
        Some(pattern) => write(pattern, &DateMoment::of(&time), locale).map_err(Fault::new)?,
        None => time.timestamp().as_millisecond().to_string(),
    };
    save(call, variable, &value, cx)?;
    Ok(value)
}

fn shifted(time: Zoned, nanos: i128) -> Result<Zoned, Fault> {
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000));
    let rest = i32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0);
    let beyond = || Fault::new("java.time.DateTimeException: the shift is too large");
    let by = SignedDuration::new(seconds.map_err(|_| beyond())?, rest);
    time.checked_add(by).map_err(|_| beyond())
}

/// The time that a text says. What its pattern does not name is the beginning, of this year
/// and of the day, at the offset of now.
fn start(
    pattern: Option<&DatePattern>,
    day: &str,
    locale: &Locale,
    now: &Zoned,
) -> Result<Zoned, String> {
    let Some(pattern) = pattern else {
        return local(
            day.parse()
                .map_err(|_| format!("For input string: \"{day}\""))?,
        );
    };
    let defaults = [
        (DateField::Nano, 0),
        (DateField::Milli, 0),
        (DateField::Second, 0),
        (DateField::Minute, 0),
        (DateField::Hour, 0),
        (DateField::Day, 1),
        (DateField::Month, 1),
        (DateField::YearOfEra, i64::from(now.year())),
        (DateField::OffsetSeconds, i64::from(now.offset().seconds())),
    ];
    let moment = read(pattern, day, locale, &defaults)?;
    let (Some(date), Some(time), Some(offset)) = (moment.date, moment.time, moment.offset) else {
        return Err("no date, no time or no offset".to_owned());
    };
    let offset = jiff::tz::Offset::from_seconds(offset).map_err(|error| error.to_string())?;
    let stamp = offset
        .to_timestamp(date.to_datetime(time))
        .map_err(|error| error.to_string())?;
    let zone = moment
        .zone
        .unwrap_or_else(|| jiff::tz::TimeZone::fixed(offset));
    Ok(stamp.to_zoned(zone))
}

/// A locale by its tag (`fr`, `zh_CN`); English for none and for those whose names are not
/// known here.
fn locale_of(tag: &str) -> Result<&'static Locale, Fault> {
    if tag.is_empty() {
        return Ok(Locale::english());
    }
    let mut parts = tag.split(['_', '-']);
    let language = parts.next().unwrap_or_default();
    let is_language =
        matches!(language.len(), 2 | 3) && language.bytes().all(|b| b.is_ascii_lowercase());
    let is_region = |part: &str| {
        part.is_empty()
            || part
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    if !is_language || !parts.next().is_none_or(is_region) {
        return Err(Fault::new(format!(
            "java.lang.IllegalArgumentException: Invalid locale format: {tag}"
        )));
    }
    Ok(Locale::of(tag).unwrap_or(Locale::english()))
}

/// Patterns that a call with several of them keeps: the last of each.
type Kept = [Option<(String, Known)>; 2];

/// One of several patterns of a call.
fn kept(cx: &mut dyn Context, site: SiteId, at: usize, format: &str) -> Known {
    let kept = &mut own(cx, site, Kept::default)[at];
    if let Some((known, pattern)) = kept
        && known == format
    {
        return Arc::clone(pattern);
    }
    let pattern = Arc::new(DatePattern::new(format));
    *kept = Some((format.to_owned(), Arc::clone(&pattern)));
    pattern
}

/// `__dateTimeConvert(date, from, to[, variable])`: from one format to another; without the
/// first one the date is milliseconds since 1970.
pub(super) fn convert(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let day = text(call, 0, cx)?;
    let from = text(call, 1, cx)?;
    let to = text(call, 2, cx)?;
    match converted(call.site, &day, &from, &to, cx) {
        Ok(value) => {
            save(call, 3, &value, cx)?;
            Ok(value)
        }
        Err(why) => {
            cx.log(&format!(
                "ERROR __dateTimeConvert: value {day}, source format {from}, target format {to}: {why}"
            ));
            Ok(String::new())
        }
    }
}

fn converted(
    site: SiteId,
    day: &str,
    from: &str,
    to: &str,
    cx: &mut dyn Context,
) -> Result<String, String> {
    let to = kept(cx, site, 1, to);
    let to = (*to).as_ref().map_err(String::clone)?;
    if from.is_empty() {
        let ms = day
            .parse()
            .map_err(|_| format!("For input string: \"{day}\""))?;
        return write(to, &DateMoment::of(&local(ms)?), Locale::english());
    }
    let from = kept(cx, site, 0, from);
    let from = (*from).as_ref().map_err(String::clone)?;
    let mut moment = read(from, day, Locale::english(), &[])?;
    let zone = moment.zone.clone().unwrap_or_else(|| zones::LOCAL.clone());
    if zone != *zones::LOCAL
        && let (Some(date), Some(time)) = (moment.date, moment.time)
    {
        // Seen from here. An offset beside the zone decides.
        let civil = date.to_datetime(time);
        let stamp = match moment.offset.map(jiff::tz::Offset::from_seconds) {
            Some(Ok(offset)) => offset.to_timestamp(civil),
            _ => zone.to_ambiguous_timestamp(civil).compatible(),
        };
        let stamp = stamp.map_err(|error| error.to_string())?;
        moment = DateMoment::of(&stamp.to_zoned(zones::LOCAL.clone()));
    } else {
        moment.zone = Some(zones::LOCAL.clone());
    }
    write(to, &moment, Locale::english())
}

/// `__RandomDate(format, from, to[, locale[, variable]])`: a day, without the last one.
pub(super) fn random(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let locale = locale_of(&trimmed(call, 3, cx)?)?;
    let format = trimmed(call, 0, cx)?;
    let format = if format.is_empty() {
        "yyyy-MM-dd"
    } else {
        &format
    };
    let fixed = is_fixed(&call.args, 0);
    let pattern = made(cx, call.site, fixed, format, DatePattern::new);
    let pattern = match &*pattern {
        Ok(pattern) => pattern,
        Err(wrong) => {
            cx.log(&format!(
                "ERROR __RandomDate: Format date pattern '{format}' is invalid: {wrong}"
            ));
            return Ok(String::new());
        }
    };
    let from = trimmed(call, 1, cx)?;
    let to = trimmed(call, 2, cx)?;
    let today = now(cx).date();
    let epoch = jiff::civil::date(1970, 1, 1);
    let first = if from.is_empty() {
        days_between(epoch, today)
    } else {
        day_number(pattern, &from, locale, cx)
    };
    let end = day_number(pattern, &to, locale, cx);
    if end < first {
        cx.log(&format!(
            "ERROR __RandomDate: End Date '{to}' must be greater than Start Date '{from}'"
        ));
        return Ok(String::new());
    }
    if end == first {
        return Err(Fault::new(
            "java.lang.IllegalArgumentException: bound must be greater than origin",
        ));
    }
    let day = between(cx.random_bits(), first, end - 1);
    let day = epoch.checked_add(jiff::Span::new().days(day));
    let day = day.map_err(|error| Fault::new(error.to_string()))?;
    let moment = DateMoment {
        date: Some(day),
        ..DateMoment::default()
    };
    let value = write(pattern, &moment, locale).map_err(|why| {
        Fault::new(format!(
            "java.time.temporal.UnsupportedTemporalTypeException: {why}"
        ))
    })?;
    save(call, 4, &value, cx)?;
    Ok(value)
}

/// Days since 1970-01-01; 0, with a word in the log, when the text says no day.
fn day_number(pattern: &DatePattern, day: &str, locale: &Locale, cx: &mut dyn Context) -> i64 {
    let year = i64::from(now(cx).year());
    let defaults = [
        (DateField::Day, 1),
        (DateField::Month, 1),
        (DateField::YearOfEra, year),
    ];
    let epoch = jiff::civil::date(1970, 1, 1);
    match read(pattern, day, locale, &defaults).map(|moment| moment.date) {
        Ok(Some(date)) => days_between(epoch, date),
        Ok(None) => 0,
        Err(why) => {
            cx.log(&format!(
                "ERROR __RandomDate: Failed to parse Date '{day}': {why}"
            ));
            0
        }
    }
}
