//! The kinds of scalars.

use std::net::{IpAddr, SocketAddr};

use plimsoll_stats::Goal;

use super::grammar::{Accept, Kind, Leaf, Numbers};
use crate::units::{parse_duration, parse_rate, parse_size};

const fn leaf(id: &'static str, accept: Accept) -> Leaf {
    Leaf { id, accept }
}

const fn form(pattern: &'static str, test: fn(&str) -> bool) -> Accept {
    Accept::Form {
        pattern,
        numbers: None,
        test,
    }
}

/// A form that plain numbers can have, too.
const fn number(least: i64, most: i64, pattern: &'static str, test: fn(&str) -> bool) -> Accept {
    Accept::Form {
        pattern,
        numbers: Some(Numbers {
            least,
            most,
            whole: true,
        }),
        test,
    }
}

macro_rules! leaves {
    ($($name:ident = $id:literal, $accept:expr;)*) => {
        $(pub(super) static $name: Kind = Kind::Leaf(&leaf($id, $accept));)*
    };
}

/// A duration, as a part of a regular expression.
macro_rules! duration {
    () => {
        r"\s*(0|([0-9]+(\.[0-9]+)?\s*(ns|us|µs|μs|ms|sec|s|min|m|h|d)\s*)+)\s*"
    };
}
macro_rules! rate {
    () => {
        concat!(
            r"\s*[0-9]+(\.[0-9]+)?\s*/\s*(second|sec|s|minute|min|m|hour|h|",
            duration!(),
            r")\s*"
        )
    };
}
macro_rules! size {
    () => {
        r"\s*[0-9]+(\.[0-9]+)?\s*([kKmMgG][iI]?)?[bB]?\s*"
    };
}
const STATUS_FORM: &str = r"^\s*([1-5]xx|[1-9][0-9]{2}(\s*\.\.\s*[1-9][0-9]{2})?)\s*$";
const TIMES_FORM: &str = r"^[0-9]+$|^forever$|\$\{";
const WHICH_FORM: &str = "^([1-9][0-9]*|random|all)$";
const GOAL_FORM: &str = r"(<|>)=?\s*[0-9.]+\s*(ms|s|us|%|/s)\s*$";

leaves! {
    TEXT = "text", Accept::Text;
    PATH = "path", Accept::Text;
    NAME = "name", Accept::Text;
    SCRIPT = "script", Accept::Text;
    TEMPLATE = "template", Accept::Text;
    BOOL = "bool", Accept::Bool;
    REDIRECT_COUNT = "count-or-zero", Accept::Int(0, 100);
    COUNT = "count", Accept::Int(1, u32::MAX as i64);
    COUNT_OR_ZERO = "count-or-zero", Accept::Int(0, u32::MAX as i64);
    LONG_COUNT = "count", Accept::Int(1, i64::MAX);
    LONG_COUNT_OR_ZERO = "count-or-zero", Accept::Int(0, i64::MAX);
    INTEGER = "integer", Accept::Int(i64::MIN, i64::MAX);
    DIGITS = "count-or-zero", Accept::Int(0, 20);
    DURATION = "duration",
        number(0, 0, concat!("^", duration!(), "$"), |t| parse_duration(t).is_some());
    SECONDS = "duration-or-template",
        number(0, 0, concat!("^", duration!(), r"$|\$\{"), |t| is_template(t) || parse_duration(t).is_some());
    PAUSE = "pause",
        number(0, 0, concat!("^", duration!(), r"(\.\.", duration!(), r")?$|\$\{"), |t| is_template(t) || pause_range(t).is_some());
    SIZE = "size", number(0, i64::MAX, concat!("^", size!(), "$"), whole_size);
    RATE = "rate", form(concat!("^", rate!(), "$"), |t| parse_rate(t).is_some());
    RATE_RANGE = "rate-range",
        form(concat!("^", rate!(), r"(\.\.", rate!(), ")?$"), |t| rate_range(t).is_some());
    PERCENT = "percent", Accept::Form {
        pattern: r"^\s*[0-9.]+\s*%?\s*$|\$\{",
        numbers: Some(Numbers { least: 0, most: 100, whole: false }),
        test: percent,
    };
    TIMES = "times", number(0, i64::MAX, TIMES_FORM,
        |t| is_template(t) || t == "forever" || t.parse::<i64>().is_ok_and(|n| n >= 0));
    STATUS = "status", number(100, 999, STATUS_FORM, |t| status_range(t).is_some());
    IP = "ip", form(r"^[0-9A-Fa-f:.]+$", |t| t.parse::<IpAddr>().is_ok());
    NAME_SERVER = "name-server", form(r"^[0-9A-Fa-f:.\[\]]+$", |t| name_server(t).is_some());
    GOAL = "goal", form(GOAL_FORM, |t| Goal::parse(t).is_ok());
    // Imported plans may give any name; the decoder judges.
    VARIABLE = "variable-name", Accept::Text;
    ONE_CHARACTER = "delimiter", form(r"^(.|tab|\\t)$", |t| delimiter(t).is_some());
    WHICH = "which", number(1, u32::MAX as i64, WHICH_FORM,
        |t| matches!(t, "random" | "all") || t.parse::<u32>().is_ok_and(|n| n > 0));
    COMPARED_TIME = "compared-time", number(0, 0,
        concat!(r"^\s*([<>]=?|[=!]=)?", duration!(), "$"), |t| parse_duration(compared(t).1).is_some());
    COMPARED_SIZE = "compared-size", number(0, i64::MAX,
        concat!(r"^\s*([<>]=?|[=!]=)?", size!(), "$"), |t| whole_size(compared(t).1));
    URL = "url", form(r"^https?://|\$\{",
        |t| t.contains("${") || t.starts_with("http://") || t.starts_with("https://"));
    EXTRACTOR = "extractor", form(r"^(body|status|url|\$.*)$",
        |t| matches!(t, "body" | "status" | "url") || t.starts_with('$'));
    CONDITION = "condition", Accept::Text;
}

/// A size; a number without unit is whole bytes.
fn whole_size(text: &str) -> bool {
    parse_size(text).is_some() && (text.parse::<f64>().is_err() || !text.contains('.'))
}

/// Whether a text holds a variable or a call.
pub(crate) fn is_template(text: &str) -> bool {
    text.contains("${")
}

/// `2s`, or `1s..3s`.
pub(crate) fn pause_range(text: &str) -> Option<(std::time::Duration, std::time::Duration)> {
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (parse_duration(from)?, parse_duration(to)?);
            (from <= to).then_some((from, to))
        }
        None => parse_duration(text).map(|time| (time, time)),
    }
}

/// `100/s`, or `10/s..100/s`.
pub(crate) fn rate_range(text: &str) -> Option<(crate::model::Rate, crate::model::Rate)> {
    match text.split_once("..") {
        Some((from, to)) => Some((parse_rate(from)?, parse_rate(to)?)),
        None => parse_rate(text).map(|rate| (rate, rate)),
    }
}

fn percent(text: &str) -> bool {
    let number = text.trim().trim_end_matches('%').trim_end();
    is_template(text)
        || number
            .parse::<f64>()
            .is_ok_and(|n| (0.0..=100.0).contains(&n))
}

/// `200`, `2xx` or `200..299`.
pub(crate) fn status_range(text: &str) -> Option<(u16, u16)> {
    let text = text.trim();
    if let Some(class) = text.strip_suffix("xx") {
        let class = class.parse::<u16>().ok().filter(|c| (1..=5).contains(c))?;
        return Some((class * 100, class * 100 + 99));
    }
    let one = |text: &str| {
        let text = text.trim();
        let digits = text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u16>().ok().filter(|n| digits && *n >= 100)
    };
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (one(from)?, one(to)?);
            (from <= to).then_some((from, to))
        }
        None => one(text).map(|status| (status, status)),
    }
}

/// An address with or without a port.
pub(crate) fn name_server(text: &str) -> Option<SocketAddr> {
    let bare = || {
        text.parse::<IpAddr>()
            .ok()
            .map(|ip| SocketAddr::new(ip, 53))
    };
    text.parse().ok().or_else(bare)
}

/// A name that `${…}` can take: letters, digits, `_`, `.` and `-`, not a digit first.
pub(crate) fn is_variable_name(text: &str) -> bool {
    let first = text
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_');
    first
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// One ASCII character, or `tab`.
pub(crate) fn delimiter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Some(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | b'"') => Some(*byte),
        _ => None,
    }
}

/// Splits `<= 64KB` into the comparison and the rest; without one, `None`.
pub(crate) fn compared(text: &str) -> (Option<&'static str>, &str) {
    let text = text.trim();
    for op in ["<=", ">=", "==", "!=", "<", ">"] {
        if let Some(rest) = text.strip_prefix(op) {
            return (Some(op), rest.trim());
        }
    }
    (None, text)
}
