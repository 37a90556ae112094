//! Names of time zones.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// This host's zone.
pub(super) static LOCAL: LazyLock<TimeZone> = LazyLock::new(TimeZone::system);

/// Names of zones by what the time-zone database calls them for short: short, full and a zone
/// that has them (CLDR 39, as Java 17 writes them).
const NAMES: &[(&str, &str, &str)] = &[
    ("UTC", "Coordinated Universal Time", "UTC"),
    ("GMT", "Greenwich Mean Time", "GMT"),
    ("BST", "British Summer Time", "Europe/London"),
    ("WET", "Western European Standard Time", "WET"),
    ("WEST", "Western European Summer Time", "WET"),
    ("CET", "Central European Standard Time", "CET"),
    ("CEST", "Central European Summer Time", "CET"),
    ("EET", "Eastern European Standard Time", "EET"),
    ("EEST", "Eastern European Summer Time", "EET"),
    ("MSK", "Moscow Standard Time", "Europe/Moscow"),
    ("EST", "Eastern Standard Time", "America/New_York"),
    ("EDT", "Eastern Daylight Time", "America/New_York"),
    ("CST", "Central Standard Time", "America/Chicago"),
    ("CDT", "Central Daylight Time", "America/Chicago"),
    ("MST", "Mountain Standard Time", "America/Denver"),
    ("MDT", "Mountain Daylight Time", "America/Denver"),
    ("PST", "Pacific Standard Time", "America/Los_Angeles"),
    ("PDT", "Pacific Daylight Time", "America/Los_Angeles"),
    ("IST", "India Standard Time", "Asia/Kolkata"),
    ("JST", "Japan Standard Time", "Asia/Tokyo"),
    ("KST", "Korean Standard Time", "Asia/Seoul"),
    ("HKT", "Hong Kong Standard Time", "Asia/Hong_Kong"),
    (
        "AEST",
        "Australian Eastern Standard Time",
        "Australia/Sydney",
    ),
    (
        "AEDT",
        "Australian Eastern Daylight Time",
        "Australia/Sydney",
    ),
];

/// A zone's own name: `Europe/Berlin`, `+01:00`, `Z`.
pub(super) fn id(zone: &TimeZone) -> String {
    if let Some(name) = zone.iana_name() {
        return name.to_owned();
    }
    match zone.to_fixed_offset() {
        Ok(offset) if offset == Offset::UTC => "Z".to_owned(),
        Ok(offset) => {
            let seconds = offset.seconds();
            let sign = if seconds < 0 { '-' } else { '+' };
            let all = seconds.unsigned_abs();
            format!("{sign}{:02}:{:02}", all / 3600, all / 60 % 60)
        }
        Err(_) => "UTC".to_owned(),
    }
}

/// A zone's name at a time: `CET`, or in full.
pub(super) fn name(zone: &TimeZone, at: Timestamp, full: bool, generic: bool) -> String {
    let Some(iana) = zone.iana_name() else {
        return id(zone);
    };
    let info = zone.to_offset_info(at);
    let short = info.abbreviation();
    let long = match (short, iana) {
        ("CST", "Asia/Shanghai" | "PRC") => Some("China Standard Time"),
        _ => NAMES
            .iter()
            .find(|(known, _, _)| *known == short)
            .map(|(_, full, _)| *full),
    };
    let mut text = match (full, long) {
        (true, Some(long)) => long.to_owned(),
        _ => short.to_owned(),
    };
    if generic && short != "UTC" && short != "GMT" {
        if full {
            for season in [" Standard", " Summer", " Daylight"] {
                text = text.replace(season, "");
            }
        } else if text.len() == 3 && text.ends_with("ST") || text.ends_with("DT") {
            text.replace_range(text.len() - 2.., "T");
        }
    }
    text
}

/// The zone that a text begins with, and the length of its name. The longest name counts.
pub(super) fn read(text: &str, by_name: bool) -> Option<(TimeZone, usize)> {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '_' | '+' | '-' | ':'))
        .unwrap_or(text.len());
    for end in (1..=end).rev() {
        let known = text.get(..end)?;
        if let Some(zone) = zone_of(known, by_name) {
            return Some((zone, end));
        }
    }
    None
}

fn zone_of(name: &str, by_name: bool) -> Option<TimeZone> {
    if matches!(name, "Z" | "UTC" | "GMT" | "UT") {
        return if name == "Z" {
            Some(TimeZone::fixed(Offset::UTC))
        } else {
            TimeZone::get(name).ok().or(Some(TimeZone::UTC))
        };
    }
    let digits = ["UTC", "GMT", "UT"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    let digits = digits.unwrap_or(name);
    if digits.starts_with(['+', '-']) {
        return fixed(digits).map(TimeZone::fixed);
    }
    if by_name {
        let named = |(short, full, zone): &&(&str, &str, &'static str)| {
            (*short == name || *full == name).then_some(*zone)
        };
        if let Some(zone) = NAMES.iter().find_map(|entry| named(&entry)) {
            return TimeZone::get(zone).ok();
        }
    }
    // Names of the database have a slash, or are in capitals.
    if !name.contains('/') && name.chars().any(|c| c.is_ascii_lowercase()) {
        return None;
    }
    let zone = TimeZone::get(name).ok()?;
    (zone.iana_name() == Some(name)).then_some(zone)
}

/// `+1`, `+01`, `+01:30`, `+0130`.
pub(super) fn fixed(text: &str) -> Option<Offset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.get(1..)?.replace(':', "");
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.as_str(), "0"),
        4 => digits.split_at(2),
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours > 18 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}
