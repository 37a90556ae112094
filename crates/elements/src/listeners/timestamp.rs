//! Times by Java's patterns (`yyyy/MM/dd HH:mm:ss.SSS`), with English names, as JMeter's
//! `FastDateFormat` writes them.

use std::fmt::Write as _;

use jiff::{Timestamp, Zoned, tz::TimeZone};

/// A pattern, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampPattern(Vec<StampPiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum StampPiece {
    Text(String),
    Field(char, usize),
}

const LETTERS: &str = "GyYMLdDEuFwWaHkKhmsSzZX";

impl StampPattern {
    /// A pattern; none when it holds a letter without meaning or an open quote.
    pub fn new(text: &str) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let piece = match c {
                '\'' => StampPiece::Text(quoted(&mut chars)?),
                _ if c.is_ascii_alphabetic() && !LETTERS.contains(c) => return None,
                _ if c.is_ascii_alphabetic() => {
                    let mut length = 1;
                    while chars.next_if_eq(&c).is_some() {
                        length += 1;
                    }
                    StampPiece::Field(c, length)
                }
                _ => StampPiece::Text(c.to_string()),
            };
            pieces.push(piece);
        }
        Some(Self(pieces))
    }

    /// Writes a time of the zone.
    pub fn write(&self, out: &mut String, unix_ms: u64, zone: &TimeZone) {
        let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
        let time = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
        let time = time.to_zoned(zone.clone());
        for piece in &self.0 {
            match piece {
                StampPiece::Text(text) => out.push_str(text),
                StampPiece::Field(letter, length) => field(out, *letter, *length, &time),
            }
        }
    }
}

/// What stands between quotes; two in a row are one.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    if chars.next_if_eq(&'\'').is_some() {
        return Some("'".to_owned());
    }
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\'' if chars.next_if_eq(&'\'').is_some() => text.push('\''),
            '\'' => return Some(text),
            c => text.push(c),
        }
    }
}

fn field(out: &mut String, letter: char, length: usize, time: &Zoned) {
    let hour = i32::from(time.hour());
    let number = match letter {
        'y' if length == 2 => i32::from(time.year()) % 100,
        'y' => i32::from(time.year()),
        'Y' => i32::from(time.date().iso_week_date().year()),
        'M' | 'L' if length < 3 => i32::from(time.month()),
        'd' => i32::from(time.day()),
        'D' => i32::from(time.day_of_year()),
        'u' => i32::from(time.weekday().to_monday_one_offset()),
        'F' => (i32::from(time.day()) - 1) / 7 + 1,
        'w' => i32::from(time.date().iso_week_date().week()),
        'W' => week_of_month(time),
        'H' => hour,
        'k' => (hour + 23) % 24 + 1,
        'K' => hour % 12,
        'h' => (hour + 11) % 12 + 1,
        'm' => i32::from(time.minute()),
        's' => i32::from(time.second()),
        'S' => i32::from(time.millisecond()),
        _ => return words(out, letter, length, time),
    };
    let _ = write!(out, "{number:0length$}");
}

/// Weeks begin on Sunday, as in the United States, JMeter's locale.
fn week_of_month(time: &Zoned) -> i32 {
    let first = i32::from(time.weekday().to_sunday_zero_offset()) - i32::from(time.day()) + 1;
    let offset = first.rem_euclid(7);
    (i32::from(time.day()) + offset - 1) / 7 + 1
}

fn words(out: &mut String, letter: char, length: usize, time: &Zoned) {
    let format = match letter {
        'G' => "AD",
        'M' | 'L' if length == 3 => "%b",
        'M' | 'L' => "%B",
        'E' if length < 4 => "%a",
        'E' => "%A",
        'a' => "%p",
        'z' => "%Z",
        'Z' if length == 2 => "%:z",
        'Z' => "%z",
        _ => return iso_offset(out, length, time),
    };
    let _ = write!(out, "{}", time.strftime(format));
}

/// `X`, `XX`, `XXX`: hours; hours and minutes; with a colon. Nothing away from UTC is `Z`.
fn iso_offset(out: &mut String, length: usize, time: &Zoned) {
    let seconds = time.offset().seconds();
    if seconds == 0 {
        out.push('Z');
        return;
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    let _ = match length {
        1 => write!(out, "{sign}{:02}", minutes / 60),
        2 => write!(out, "{sign}{:02}{:02}", minutes / 60, minutes % 60),
        _ => write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60),
    };
}

/// The zone of this machine, or the one a test names.
pub fn zone(named: Option<&str>) -> TimeZone {
    match named {
        Some(name) => TimeZone::get(name).unwrap_or(TimeZone::UTC),
        None => TimeZone::system(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    // 2026-03-05 14:07:09.045 UTC, a Thursday.
    const AT: u64 = 1_772_719_629_045;

    fn written(pattern: &str, offset_min: i32) -> String {
        let mut out = String::new();
        let offset = jiff::tz::Offset::from_seconds(offset_min * 60).unwrap();
        let zone = TimeZone::fixed(offset);
        StampPattern::new(pattern)
            .unwrap()
            .write(&mut out, AT, &zone);
        out
    }

    #[test]
    fn patterns_of_java() {
        let cases = [
            ("yyyy/MM/dd HH:mm:ss.SSS", "2026/03/05 14:07:09.045"),
            ("yy-M-d h:m:s a S", "26-3-5 2:7:9 PM 45"),
            ("EEE, dd MMM yyyy", "Thu, 05 Mar 2026"),
            ("EEEE MMMM", "Thursday March"),
            ("yyyy-MM-dd'T'HH:mm:ssZ", "2026-03-05T14:07:09+0000"),
            ("k K D u F W 'o''clock' X", "14 2 64 4 1 1 o'clock Z"),
            ("yyyyMMdd-HHmm_", "20260305-1407_"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(written(pattern, 0), expected, "{pattern}");
        }
        assert_eq!(written("HH:mm XXX", 330), "19:37 +05:30");
    }

    #[test]
    fn letters_without_meaning_are_refused() {
        assert_eq!(StampPattern::new("yyyy-bb"), None);
        assert_eq!(StampPattern::new("yyyy 'open"), None);
    }
}
