//! YAML as jpgc-json 2.7 makes JSON of it: SnakeYAML 2.0's types, which are those of YAML 1.1.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil;
use jiff::tz::{Offset, TimeZone};
use regex::Regex;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::{Json, parse};

/// SnakeYAML's limits: characters, nesting, aliases of collections.
const MAX_CHARACTERS: usize = 3 << 20;
const MAX_DEPTH: usize = 50;
const MAX_ALIASES: usize = 50;
/// Values of one document, which aliases of aliases must not multiply without end.
const MAX_VALUES: usize = 1 << 20;

static INTEGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[-+]?0b_*[01][01_]*|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$",
    )
});
static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
    )
});
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]*)?(?:[ \t]*(?:Z|([-+])([0-9]{1,2})(?::?([0-9]{2}))?))?)?$",
    )
});

fn pattern(text: &str) -> Regex {
    // The patterns are constants, and a test compiles each.
    #[expect(clippy::expect_used, reason = "a constant that a test compiles")]
    Regex::new(text).expect("a pattern")
}

/// A mapping or a list that is not closed yet.
struct OpenCollection {
    value: Json<'static>,
    anchor: usize,
    key: Option<MappingKey>,
}

enum MappingKey {
    Own(String),
    /// `<<`: the members of what follows are its own where it has none of their names.
    Merge,
}

#[derive(Default)]
struct YamlReader {
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, Json<'static>>,
    aliases: usize,
    values: usize,
    root: Option<Json<'static>>,
}

/// The JSON of a document, which is a mapping.
///
/// # Errors
/// Why there is none, for people.
pub fn of_yaml(text: &str) -> Result<Json<'static>, String> {
    if text.chars().count() > MAX_CHARACTERS {
        return Err("the document is too long".to_owned());
    }
    let mut reader = YamlReader::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        if let Event::DocumentStart(_) = event
            && reader.root.is_some()
        {
            return Err("more than one document".to_owned());
        }
        reader.take(event)?;
    }
    match reader.root {
        Some(mapping @ Json::Object(_)) => Ok(mapping),
        _ => Err("the document is no mapping".to_owned()),
    }
}

impl YamlReader {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor).cloned();
                let value = known.ok_or("an alias of what is not there yet")?;
                if matches!(value, Json::Array(_) | Json::Object(_)) {
                    self.aliases += 1;
                    if self.aliases > MAX_ALIASES {
                        return Err(format!("more than {MAX_ALIASES} aliases"));
                    }
                }
                self.values += size(&value);
                self.add(value, 0, false)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let is_merge = plain && tag.is_none() && text == "<<";
                let value = scalar(&text, plain, tag.as_deref())?;
                self.add(value, anchor, is_merge)
            }
            Event::SequenceStart(anchor, _) => self.begin(Json::Array(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.begin(Json::Object(Vec::new()), anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => self.add(open.value, open.anchor, false),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Json<'static>, anchor: usize) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        self.open.push(OpenCollection {
            value,
            anchor,
            key: None,
        });
        Ok(())
    }

    /// Puts a value where it belongs.
    fn add(&mut self, value: Json<'static>, anchor: usize, is_merge: bool) -> Result<(), String> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(format!("more than {MAX_VALUES} values"));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        match &mut open.value {
            Json::Array(items) => items.push(value),
            Json::Object(members) => match open.key.take() {
                None if is_merge => open.key = Some(MappingKey::Merge),
                None => open.key = Some(MappingKey::Own(value.java_text().into_owned())),
                Some(MappingKey::Own(name)) => {
                    match members.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => *known = value,
                        None => members.push((Cow::Owned(name), value)),
                    }
                }
                Some(MappingKey::Merge) => merge(members, value)?,
            },
            _ => {}
        }
        Ok(())
    }
}

fn merge(
    members: &mut Vec<(Cow<'static, str>, Json<'static>)>,
    value: Json<'static>,
) -> Result<(), String> {
    match value {
        Json::Object(others) => {
            for (name, value) in others {
                if !members.iter().any(|(known, _)| *known == name) {
                    members.push((name, value));
                }
            }
            Ok(())
        }
        Json::Array(items) => items.into_iter().try_for_each(|item| merge(members, item)),
        _ => Err("what “<<” merges is no mapping".to_owned()),
    }
}

fn size(value: &Json<'_>) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| size(value)).sum::<usize>(),
        _ => 1,
    }
}

fn scalar(text: &str, plain: bool, tag: Option<&Tag>) -> Result<Json<'static>, String> {
    let written = |text: &str| Json::Text(Cow::Owned(text.to_owned()));
    match tag {
        None if !plain => Ok(written(text)),
        None => Ok(implicit(text)),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => Ok(written(text)),
        Some(tag) if tag.is_yaml_core_schema() => Ok(implicit(text)),
        Some(tag) => Err(format!("the tag {}{} is not known", tag.handle, tag.suffix)),
    }
}

/// What a plain scalar is.
fn implicit(text: &str) -> Json<'static> {
    let number = |text: &str| parse(text).map(Json::into_owned).unwrap_or(Json::Null);
    match text {
        "" | "~" | "null" | "Null" | "NULL" | " " => return Json::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Json::Bool(true);
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Json::Bool(false);
        }
        _ => {}
    }
    if INTEGER.is_match(text)
        && let Some(integer) = integer(text)
    {
        return number(&integer);
    }
    if FLOAT.is_match(text) {
        return match float(text) {
            Some(value) if value.is_finite() => number(&format!("{value:?}")),
            // json-smart writes null for these.
            _ => Json::Null,
        };
    }
    let shown = date(text).unwrap_or_else(|| text.to_owned());
    Json::Text(Cow::Owned(shown))
}

/// A whole number in decimal digits.
fn integer(text: &str) -> Option<String> {
    let text = text.replace('_', "");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(&text)),
    };
    let of_radix =
        |digits: &str, radix| Some(i128::from_str_radix(digits, radix).ok()?.to_string());
    let value = if digits == "0" {
        return Some("0".to_owned());
    } else if let Some(digits) = digits.strip_prefix("0b") {
        of_radix(digits, 2)?
    } else if let Some(digits) = digits.strip_prefix("0x") {
        of_radix(digits, 16)?
    } else if digits.contains(':') {
        sexagesimal(digits)?.to_string()
    } else if let Some(digits) = digits.strip_prefix('0') {
        of_radix(digits, 8)?
    } else {
        digits.to_owned()
    };
    Some(format!("{sign}{value}"))
}

fn sexagesimal(digits: &str) -> Option<i128> {
    let mut parts = digits.split(':');
    parts.try_fold(0_i128, |sum, part| {
        sum.checked_mul(60)?.checked_add(part.parse().ok()?)
    })
}

fn float(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    if text.ends_with(['f', 'F', 'n', 'N']) {
        return None;
    }
    if !text.contains(':') {
        return text.parse().ok();
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(&text)),
    };
    let mut parts = digits.split(':');
    let sum: f64 = parts.try_fold(0.0, |sum, part| {
        Some(sum * 60.0 + part.parse::<f64>().ok()?)
    })?;
    Some(sign * sum)
}

/// A date as Java's `Date` shows it in the zone of this host.
fn date(text: &str) -> Option<String> {
    let found = TIME.captures(text)?;
    let part = |at: usize| found.get(at).and_then(|it| it.as_str().parse::<i8>().ok());
    let year: i16 = found.get(1)?.as_str().parse().ok()?;
    let or_zero = |at: usize| part(at).unwrap_or(0);
    let time = civil::date(year, 1, 1)
        .with()
        .month(part(2)?)
        .day(part(3)?)
        .build()
        .ok()?
        .to_datetime(civil::Time::new(or_zero(4), or_zero(5), or_zero(6), 0).ok()?);
    let minutes = i32::from(or_zero(8)) * 60 + i32::from(or_zero(9));
    let sign = if found.get(7).is_some_and(|it| it.as_str() == "-") {
        -1
    } else {
        1
    };
    let offset = Offset::from_seconds(sign * minutes * 60).ok()?;
    let instant = offset.to_timestamp(time).ok()?;
    let shown = instant.to_zoned(TimeZone::system());
    Some(shown.strftime("%a %b %d %H:%M:%S %Z %Y").to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        of_yaml(text).map_or_else(|error| format!("error: {error}"), |value| value.json())
    }

    #[test]
    fn scalars_have_the_types_of_yaml_1_1() {
        for (yaml, expected) in [
            ("1", "1"),
            ("-0x1F", "-31"),
            ("010", "8"),
            ("09", "\"09\""),
            ("0b101", "5"),
            ("1_000", "1000"),
            ("1:30", "90"),
            ("1.5", "1.5"),
            ("1e3", "1000.0"),
            (".5", "0.5"),
            ("1:30.5", "90.5"),
            (".inf", "null"),
            ("yes", "true"),
            ("Off", "false"),
            ("y", "\"y\""),
            ("~", "null"),
            ("", "null"),
            ("'1'", "\"1\""),
            ("\"yes\"", "\"yes\""),
            ("!!str 1", "\"1\""),
            ("plain text", "\"plain text\""),
            ("99999999999999999999", "99999999999999999999"),
        ] {
            assert_eq!(
                json(&format!("a: {yaml}")),
                format!("{{\"a\":{expected}}}"),
                "{yaml}"
            );
        }
        assert!(json("a: 2001-12-14").starts_with("{\"a\":\"Fri Dec 14 "));
        assert!(json("a: 2001-12-14t21:59:43.10-05:00").contains("Dec 1"));
        assert_eq!(json("a: 2001-99-14"), "{\"a\":\"2001-99-14\"}");
    }

    #[test]
    fn mappings_lists_anchors_and_merges() {
        let yaml = "base: &b {x: 1, y: 2}\nlist: [1, two, {three: 3}]\nwith:\n  <<: *b\n  y: own\n\
                    1: number\nnull: none\nx: 1\nx: 2\n";
        assert_eq!(
            json(yaml),
            r#"{"base":{"x":1,"y":2},"list":[1,"two",{"three":3}],"with":{"x":1,"y":"own"},"1":"number","null":"none","x":2}"#
        );
    }

    #[test]
    fn what_is_no_mapping_or_too_much_is_refused() {
        for yaml in [
            "",
            "- 1",
            "text",
            "a: 1\n---\nb: 2",
            "a: [",
            "a: *b",
            "a: !x 1",
            "<<: 1",
        ] {
            assert!(json(yaml).starts_with("error"), "{yaml}");
        }
        let deep = format!("a: {}{}", "[".repeat(60), "]".repeat(60));
        assert!(json(&deep).contains("deeper"));
        let mut laughs = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
        for n in 1..9 {
            let one = format!("*a{}", n - 1);
            laughs.push_str(&format!("a{n}: &a{n} [{}]\n", [one.as_str(); 9].join(",")));
        }
        assert!(json(&laughs).contains("more than"));
    }
}
