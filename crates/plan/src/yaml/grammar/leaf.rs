//! The kinds of scalars: what each takes, what it is in the model, how it is written.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use plimsoll_stats::Goal;

use super::emit::{Yaml, plain};
use super::form::{Decoder, Form};
use super::kinds::{Accept, Kind, Leaf, Numbers, boolean};
use crate::model::{Language, PauseTime, Rate, Script, Text, Which};
use crate::units::{parse_duration, parse_rate, parse_size};
use crate::yaml::node::{Node, core_integer, is_template};

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

/// A type of the model that a scalar of any kind may become.
trait Scalar: Sized {
    fn of(node: &Node) -> Option<Self>;

    fn yaml(&self) -> Yaml;

    fn stand_in() -> Option<Self> {
        None
    }
}

macro_rules! scalars {
    ($($of:ty: |$node:ident| $read:expr, |$value:ident| $write:expr $(, $stand_in:expr)?;)*) => {$(
        impl Scalar for $of {
            fn of($node: &Node) -> Option<Self> {
                $read
            }

            fn yaml(&self) -> Yaml {
                let $value = self;
                $write
            }

            $(fn stand_in() -> Option<Self> {
                Some($stand_in)
            })?
        }
    )*};
}
scalars! {
    Text: |node| node.text(), |value| value.into(), Self::default();
    String: |node| node.scalar().map(str::to_owned), |value| value.into(), Self::new();
    Script: |node| node.text().map(|Text { raw, at }| Self { language: Language::JavaScript, source: raw, at }),
        |value| (&value.source).into();
    bool: |node| boolean(node.plain()?), |value| plain(value);
    u8: |node| core_integer(node.plain()?)?.try_into().ok(), |value| plain(value);
    u32: |node| core_integer(node.plain()?)?.try_into().ok(), |value| plain(value);
    u64: |node| core_integer(node.plain()?)?.try_into().ok(), |value| plain(value);
    i64: |node| core_integer(node.plain()?)?.try_into().ok(), |value| plain(value);
    Duration: |node| parse_duration(node.scalar()?), |value| duration(*value), Duration::ZERO;
    IpAddr: |node| node.scalar()?.parse().ok(), |value| Yaml::Text(value.to_string());
    SocketAddr: |node| name_server(node.scalar()?), |value| Yaml::Text(value.to_string());
    Goal: |node| Goal::parse(node.scalar()?).ok(), |value| Yaml::Text(value.to_string());
    Rate: |node| parse_rate(node.scalar()?), |value| plain(rate(*value));
}

/// `Name: Type = "kind", what it takes`, and where the type does not say it: how it is read and written.
macro_rules! leaves {
    ($($name:ident: $of:ty = $id:literal, $accept:expr $(=> $read:expr, $write:expr $(, $stand_in:expr)?)?;)*) => {$(
        pub(crate) struct $name;
        impl Form for $name {
            type Of = $of;

            fn kind() -> Kind {
                static LEAF: Leaf = Leaf { id: $id, accept: $accept };
                Kind::Leaf(&LEAF)
            }

            leaves! { @ways $of $(, $read, $write $(, $stand_in)?)? }
        }
    )*};
    (@ways $of:ty) => {
        fn read(_: &mut Decoder<'_>, node: &Node) -> Option<$of> {
            <$of as Scalar>::of(node)
        }

        fn write(value: &$of) -> Yaml {
            value.yaml()
        }

        fn stand_in() -> Option<$of> {
            <$of as Scalar>::stand_in()
        }
    };
    (@ways $of:ty, $read:expr, $write:expr $(, $stand_in:expr)?) => {
        fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<$of> {
            let read: fn(&mut Decoder<'_>, &Node) -> Option<$of> = $read;
            read(decoder, node)
        }

        fn write(value: &$of) -> Yaml {
            let write: fn(&$of) -> Yaml = $write;
            write(value)
        }

        $(fn stand_in() -> Option<$of> {
            Some($stand_in)
        })?
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
const DURATION: Accept = number(0, 0, concat!("^", duration!(), "$"), |t| {
    parse_duration(t).is_some()
});
const TIMES: Accept = number(0, i64::MAX, TIMES_FORM, |t| {
    is_template(t) || t == "forever" || t.parse::<i64>().is_ok_and(|n| n >= 0)
});
const STATUS_FORM: &str = r"^\s*([1-5]xx|[1-9][0-9]{2}(\s*\.\.\s*[1-9][0-9]{2})?)\s*$";
const TIMES_FORM: &str = r"^[0-9]+$|^forever$|\$\{";
const WHICH_FORM: &str = "^([1-9][0-9]*|random|all)$";
const GOAL_FORM: &str = r"(<|>)=?\s*[0-9.]+\s*(ms|s|us|%|/s)\s*$";

leaves! {
    AnyText: Text = "text", Accept::Text;
    AnyString: String = "text", Accept::Text;
    RangeText: Text = "study-range", Accept::Text;
    PathText: Text = "path", Accept::Text;
    NameText: Text = "name", Accept::Text;
    NameString: String = "name", Accept::Text;
    ScriptText: Script = "script", Accept::Text;
    Template: Text = "template", Accept::Text;
    Flag: bool = "bool", Accept::Bool;
    RedirectCount: u32 = "count-or-zero", Accept::Int(0, 100);
    Count: u32 = "count", Accept::Int(1, u32::MAX as i64);
    CountOrZero: u32 = "count-or-zero", Accept::Int(0, u32::MAX as i64)
        => |_, node| Scalar::of(node), |count| plain(count), 0;
    LongCount: u64 = "count", Accept::Int(1, i64::MAX);
    LongCountOrZero: u64 = "count-or-zero", Accept::Int(0, i64::MAX);
    Integer: i64 = "integer", Accept::Int(i64::MIN, i64::MAX);
    Digits: u8 = "count-or-zero", Accept::Int(0, 20);
    Time: Duration = "duration", DURATION;
    TimeOut: Duration = "duration", DURATION => time_out, |time| duration(*time);
    Seconds: Text = "duration-or-template",
        number(0, 0, concat!("^", duration!(), r"$|\$\{"), |t| is_template(t) || parse_duration(t).is_some()) =>
        |_, node| seconds(node), in_seconds;
    PauseText: (PauseTime, Option<Text>) = "pause",
        number(0, 0, concat!("^", duration!(), r"(\.\.", duration!(), r")?$|\$\{"), |t| is_template(t) || pause_range(t).is_some()) =>
        |_, node| pause(node), |_| plain("");
    Size: u64 = "size", number(0, i64::MAX, concat!("^", size!(), "$"), whole_size) =>
        |_, node| parse_size(node.scalar()?), |bytes| plain(bytes);
    RateText: Rate = "rate", form(concat!("^", rate!(), "$"), |t| parse_rate(t).is_some());
    RateRange: (Rate, Rate) = "rate-range",
        form(concat!("^", rate!(), r"(\.\.", rate!(), ")?$"), |t| rate_range(t).is_some()) =>
        |_, node| rate_range(node.scalar()?), |(from, to)| plain(format!("{}..{}", rate(*from), rate(*to))),
        (Rate::per_second(0), Rate::per_second(0));
    Percent: Text = "percent", Accept::Form {
        pattern: r"^\s*[0-9.]+\s*%?\s*$|\$\{",
        numbers: Some(Numbers { least: 0, most: 100, whole: false }),
        test: percent,
    } => |_, node| without_sign(node), digits;
    Cpus: Text = "cpus", Accept::Form {
        pattern: r"^\s*[0-9]+(\.[0-9]+)?\s*$",
        numbers: Some(Numbers { least: 0, most: 65_536, whole: false }),
        test: |text| text.trim().parse::<f64>().is_ok_and(|cpus| cpus > 0.0 && cpus.is_finite()),
    } => |_, node| node.text(), digits;
    Times: Text = "times", TIMES => |_, node| Some(node.text().unwrap_or_default()), digits;
    TimesOrForever: Option<Text> = "times", TIMES =>
        |_, node| Some(node.text().filter(|times| times.raw != "forever")),
        |times| times.as_ref().map_or_else(|| plain("forever"), digits);
    Status: (u16, u16) = "status", number(100, 999, STATUS_FORM, |t| status_range(t).is_some()) =>
        |_, node| status_range(node.scalar()?), statuses;
    Ip: IpAddr = "ip", form(r"^[0-9A-Fa-f:.]+$", |t| t.parse::<IpAddr>().is_ok());
    NameServer: SocketAddr = "name-server", form(r"^[0-9A-Fa-f:.\[\]]+$", |t| name_server(t).is_some());
    GoalText: Goal = "goal", form(GOAL_FORM, |t| Goal::parse(t).is_ok());
    // Imported plans may give any name: judged here.
    VariableName: String = "variable-name", Accept::Text => variable_name, |name| name.into(), String::new();
    OneCharacter: u8 = "delimiter", form(r"^(.|tab|\\t)$", |t| delimiter(t).is_some()) =>
        |_, node| delimiter(node.scalar()?), |byte| match byte {
            b'\t' => "tab".into(),
            byte => Yaml::Text(char::from(*byte).to_string()),
        };
    WhichMatch: Which = "which", number(1, u32::MAX as i64, WHICH_FORM,
        |t| matches!(t, "random" | "all") || t.parse::<u32>().is_ok_and(|n| n > 0)) => |_, node| which(node), |which| match which {
            Which::Nth(number) => plain(number),
            Which::Random => plain("random"),
            Which::All => plain("all"),
        };
    ComparedTime: Text = "compared-time", number(0, 0,
        concat!(r"^\s*([<>]=?|[=!]=)?", duration!(), "$"), |t| parse_duration(compared(t).1).is_some());
    ComparedSize: Text = "compared-size", number(0, i64::MAX,
        concat!(r"^\s*([<>]=?|[=!]=)?", size!(), "$"), |t| whole_size(compared(t).1));
    Url: Text = "url", form(r"^https?://|\$\{",
        |t| t.contains("${") || t.starts_with("http://") || t.starts_with("https://"));
    ExtractorText: Text = "extractor", form(r"^(body|status|url|\$.*)$",
        |t| matches!(t, "body" | "status" | "url") || t.starts_with('$'));
    ConditionText: Text = "condition", Accept::Text;
}

/// A time-out of zero would fail every request.
fn time_out(decoder: &mut Decoder<'_>, node: &Node) -> Option<Duration> {
    let time = parse_duration(node.scalar()?)?;
    if time.is_zero() {
        decoder.error(node.at, "plan-timeout-zero");
    }
    Some(time)
}

fn variable_name(decoder: &mut Decoder<'_>, node: &Node) -> Option<String> {
    let name = node.scalar()?;
    decoder.check_name(name, node.at);
    Some(name.to_owned())
}

fn which(node: &Node) -> Option<Which> {
    match node.scalar()? {
        "random" => Some(Which::Random),
        "all" => Some(Which::All),
        number => number.parse().ok().map(Which::Nth),
    }
}

fn statuses((from, to): &(u16, u16)) -> Yaml {
    match from == to {
        true => plain(from),
        false => plain(format!("{from}..{to}")),
    }
}

/// The time of a pause, or the template of its milliseconds.
fn pause(node: &Node) -> Option<(PauseTime, Option<Text>)> {
    let text = node.text()?;
    if is_template(&text.raw) {
        return Some((PauseTime::Fixed(Duration::ZERO), Some(text)));
    }
    let time = match pause_range(&text.raw)? {
        (from, to) if from == to => PauseTime::Fixed(from),
        (from, to) => PauseTime::Uniform(from, to),
    };
    Some((time, None))
}

/// A duration as a decimal number of seconds, exactly; a template as it is.
fn seconds(node: &Node) -> Option<Text> {
    let text = node.text()?;
    if is_template(&text.raw) {
        return Some(text);
    }
    let time = parse_duration(&text.raw)?;
    let raw = match time.subsec_nanos() {
        0 => time.as_secs().to_string(),
        rest => format!("{}.{rest:09}", time.as_secs())
            .trim_end_matches('0')
            .to_owned(),
    };
    Some(Text { raw, ..text })
}

/// Seconds as a duration.
fn in_seconds(text: &Text) -> Yaml {
    let raw = text.raw.trim();
    match raw.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => plain(format!("{raw}s")),
        _ if is_template(raw) => text.into(),
        _ => plain("0s"),
    }
}

/// A percentage without its sign.
fn without_sign(node: &Node) -> Option<Text> {
    let text = node.text()?;
    let raw = text.raw.trim().trim_end_matches('%').trim_end().to_owned();
    Some(Text { raw, ..text })
}

/// A number as such; a text with variables as it is.
fn digits(text: &Text) -> Yaml {
    match is_template(&text.raw) {
        true => text.into(),
        false => plain(text.raw.trim()),
    }
}

/// A duration, exactly.
pub(crate) fn duration(time: Duration) -> Yaml {
    let ns = time.as_nanos();
    plain(match () {
        () if ns.is_multiple_of(1_000_000_000) => format!("{}s", time.as_secs()),
        () if ns.is_multiple_of(1_000_000) => format!("{}ms", time.as_millis()),
        () => format!("{ns}ns"),
    })
}

/// A rate, exactly: by a unit people use where that is a short number.
fn rate(rate: Rate) -> String {
    const UNITS: [(&str, u128); 3] = [
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    let per_ns = u128::from(rate.per_ns.max(1));
    for (unit, unit_ns) in UNITS {
        for decimals in 0..=3_u32 {
            let scaled = u128::from(rate.arrivals) * unit_ns * 10_u128.pow(decimals);
            if scaled % per_ns != 0 {
                continue;
            }
            let digits = format!(
                "{:0>width$}",
                scaled / per_ns,
                width = decimals as usize + 1
            );
            let (whole, fraction) = digits.split_at(digits.len() - decimals as usize);
            let point = if decimals > 0 { "." } else { "" };
            return format!("{whole}{point}{fraction}/{unit}");
        }
    }
    format!("{}/{}ns", rate.arrivals, rate.per_ns)
}

/// A size; a number without unit is whole bytes.
fn whole_size(text: &str) -> bool {
    parse_size(text).is_some() && (text.parse::<f64>().is_err() || !text.contains('.'))
}

/// `2s`, or `1s..3s`.
pub(crate) fn pause_range(text: &str) -> Option<(Duration, Duration)> {
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (parse_duration(from)?, parse_duration(to)?);
            (from <= to).then_some((from, to))
        }
        None => parse_duration(text).map(|time| (time, time)),
    }
}

/// `100/s`, or `10/s..100/s`.
pub(crate) fn rate_range(text: &str) -> Option<(Rate, Rate)> {
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::units::parse_rate;

    #[test]
    fn rates_are_written_exactly() {
        for (arrivals, per_ns, text) in [
            (100, 1_000_000_000, "100/s"),
            (1, 2_000_000_000, "0.5/s"),
            (1, 60_000_000_000, "1/min"),
            (7, 3_600_000_000_000, "7/h"),
            (3, 7, "3/7ns"),
            (0, 1, "0/s"),
        ] {
            let written = rate(Rate { arrivals, per_ns });
            assert_eq!(written, text);
            let read = parse_rate(&written).unwrap();
            let same = u128::from(read.arrivals) * u128::from(per_ns)
                == u128::from(arrivals) * u128::from(read.per_ns);
            assert!(same, "{written}");
        }
    }
}
