//! Writing a moment in a pattern.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::locale::Locale;
use super::moment::DateMoment;
use super::pattern::{
    DateField, DatePattern, NumberItem, NumberKind, PatternItem, SignStyle, Width,
};
use super::zones;

/// Writes a moment.
///
/// # Errors
/// Java's words for what the moment does not have.
pub(crate) fn write(
    pattern: &DatePattern,
    moment: &DateMoment,
    locale: &Locale,
) -> Result<String, String> {
    let mut text = String::with_capacity(32);
    items(&pattern.0, moment, locale, &mut text)?;
    Ok(text)
}

fn items(
    all: &[PatternItem],
    moment: &DateMoment,
    locale: &Locale,
    text: &mut String,
) -> Result<(), String> {
    all.iter()
        .try_for_each(|one| item(one, moment, locale, text))
}

fn item(
    one: &PatternItem,
    moment: &DateMoment,
    locale: &Locale,
    text: &mut String,
) -> Result<(), String> {
    match one {
        PatternItem::Literal(literal) => text.push_str(literal),
        PatternItem::Number(number_of) => {
            number(number_of, value(moment, number_of.field, locale)?, text)?
        }
        PatternItem::Text {
            field,
            width,
            alone,
        } => {
            text.push_str(&name(
                *field,
                value(moment, *field, locale)?,
                *width,
                *alone,
                locale,
            ));
        }
        PatternItem::DayPeriod => text.push_str(day_period(
            value(moment, DateField::Hour, locale)?,
            value(moment, DateField::Minute, locale)?,
        )),
        PatternItem::Offset { form, zero } => {
            let seconds = value(moment, DateField::OffsetSeconds, locale)?;
            text.push_str(&offset(seconds, *form, zero));
        }
        PatternItem::NamedOffset { full } => {
            text.push_str(&named_offset(
                value(moment, DateField::OffsetSeconds, locale)?,
                *full,
            ));
        }
        PatternItem::ZoneId => text.push_str(&zones::id(zone(moment)?)),
        PatternItem::ZoneName { full, generic } => {
            text.push_str(&zone_name(moment, *full, *generic)?)
        }
        PatternItem::Pad(width, inner) => {
            let mut inside = String::new();
            item(inner, moment, locale, &mut inside)?;
            pad(*width, &inside, text)?;
        }
        PatternItem::Optional(inner) => {
            let before = text.len();
            if items(inner, moment, locale, text).is_err() {
                text.truncate(before);
            }
        }
    }
    Ok(())
}

fn pad(width: usize, inside: &str, text: &mut String) -> Result<(), String> {
    let long = inside.chars().count();
    if long > width {
        return Err(format!(
            "Cannot print as output of {long} characters exceeds pad width of {width}"
        ));
    }
    text.extend(std::iter::repeat_n(' ', width - long));
    text.push_str(inside);
    Ok(())
}

fn value(moment: &DateMoment, field: DateField, locale: &Locale) -> Result<i64, String> {
    moment
        .get(field, locale)
        .ok_or_else(|| format!("Unsupported field: {field:?}"))
}

fn zone(moment: &DateMoment) -> Result<&TimeZone, String> {
    let unknown = "Unable to extract ZoneId from temporal";
    moment.zone.as_ref().ok_or_else(|| unknown.to_owned())
}

fn number(number: &NumberItem, value: i64, text: &mut String) -> Result<(), String> {
    use std::fmt::Write;
    // Writing to a text cannot fail.
    let _ = match number.kind {
        NumberKind::TwoDigits => write!(text, "{:02}", value.unsigned_abs() % 100),
        NumberKind::Fraction => {
            let digits = format!("{value:09}");
            write!(text, "{}", &digits[..number.most.min(9)])
        }
        NumberKind::Plain => {
            let digits = value.unsigned_abs().to_string();
            let refused = |why: &str| {
                Err(format!(
                    "Field {:?} cannot be printed as the value {value} {why}",
                    number.field
                ))
            };
            if digits.len() > number.most {
                return refused(&format!(
                    "exceeds the maximum print width of {}",
                    number.most
                ));
            }
            match number.sign {
                SignStyle::NotNegative if value < 0 => {
                    return refused("cannot be negative according to the SignStyle");
                }
                SignStyle::ExceedsPad
                    if value >= 0 && digits.len() > number.least && number.least < 19 =>
                {
                    text.push('+');
                }
                _ if value < 0 => text.push('-'),
                _ => {}
            }
            write!(text, "{digits:0>least$}", least = number.least)
        }
    };
    Ok(())
}

/// The name of a number.
pub(super) fn name(
    field: DateField,
    value: i64,
    width: Width,
    alone: bool,
    locale: &Locale,
) -> String {
    let at = usize::try_from(value).unwrap_or(0);
    let narrow = |names: &[&str]| {
        let name = names.get(at.saturating_sub(1)).copied().unwrap_or_default();
        name.chars()
            .next()
            .map_or(String::new(), |first| first.to_uppercase().collect())
    };
    let of = |names: &[&str], at: usize| names.get(at).copied().unwrap_or_default().to_owned();
    match (field, width, alone) {
        (DateField::Month, Width::Narrow, _) => narrow(&locale.months),
        (DateField::Month, Width::Full, false) => of(&locale.months, at.saturating_sub(1)),
        (DateField::Month, Width::Short, false) => of(&locale.short_months, at.saturating_sub(1)),
        (DateField::Month, Width::Full, true) => of(&locale.months_alone, at.saturating_sub(1)),
        (DateField::Month, Width::Short, true) => {
            of(&locale.short_months_alone, at.saturating_sub(1))
        }
        (DateField::Weekday, Width::Narrow, _) => narrow(&locale.weekdays),
        (DateField::Weekday, Width::Full, false) => of(&locale.weekdays, at.saturating_sub(1)),
        (DateField::Weekday, Width::Short, false) => {
            of(&locale.short_weekdays, at.saturating_sub(1))
        }
        (DateField::Weekday, Width::Full, true) => of(&locale.weekdays_alone, at.saturating_sub(1)),
        (DateField::Weekday, Width::Short, true) => {
            of(&locale.short_weekdays_alone, at.saturating_sub(1))
        }
        (DateField::AmPm, _, _) => of(&locale.halves, at),
        (DateField::Era, Width::Short, _) => of(&["BC", "AD"], at),
        (DateField::Era, Width::Full, _) => of(&["Before Christ", "Anno Domini"], at),
        (DateField::Era, Width::Narrow, _) => of(&["B", "A"], at),
        (DateField::Quarter, Width::Short, _) => format!("Q{value}"),
        (DateField::Quarter, Width::Full, _) => {
            let order = ["1st", "2nd", "3rd", "4th"];
            format!("{} quarter", of(&order, at.saturating_sub(1)))
        }
        _ => value.to_string(),
    }
}

/// English names of parts of the day (CLDR 39).
fn day_period(hour: i64, minute: i64) -> &'static str {
    match (hour, minute) {
        (0, 0) => "midnight",
        (12, 0) => "noon",
        (6..=11, _) => "in the morning",
        (12..=17, _) => "in the afternoon",
        (18..=20, _) => "in the evening",
        _ => "at night",
    }
}

fn offset(seconds: i64, form: usize, zero: &str) -> String {
    if seconds == 0 {
        return zero.to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let all = seconds.unsigned_abs();
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let colon = if matches!(form, 3 | 5) { ":" } else { "" };
    let mut text = format!("{sign}{hours:02}");
    if form > 1 || minutes > 0 {
        text.push_str(&format!("{colon}{minutes:02}"));
        if form > 3 && seconds > 0 {
            text.push_str(&format!("{colon}{seconds:02}"));
        }
    }
    text
}

fn named_offset(seconds: i64, full: bool) -> String {
    if seconds == 0 {
        return "GMT".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let all = seconds.unsigned_abs();
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let mut text = if full {
        format!("GMT{sign}{hours:02}:{minutes:02}")
    } else if minutes > 0 || seconds > 0 {
        format!("GMT{sign}{hours}:{minutes:02}")
    } else {
        format!("GMT{sign}{hours}")
    };
    if seconds > 0 {
        text.push_str(&format!(":{seconds:02}"));
    }
    text
}

fn zone_name(moment: &DateMoment, full: bool, generic: bool) -> Result<String, String> {
    let zone = zone(moment)?;
    let when = match (moment.date, moment.time) {
        (Some(date), Some(time)) => zone
            .to_ambiguous_timestamp(date.to_datetime(time))
            .compatible(),
        _ => Ok(Timestamp::UNIX_EPOCH),
    };
    Ok(zones::name(
        zone,
        when.unwrap_or(Timestamp::UNIX_EPOCH),
        full,
        generic,
    ))
}
