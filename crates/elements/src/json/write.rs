//! Writing values as JMeter's extractors and assertions do.

use std::borrow::Cow;
use std::fmt::Write;

use super::number::plain_double;
use super::{Json, Number};

impl Json<'_> {
    /// As the JSON extractor stores it; none for `null`. The members of the object itself (not
    /// of those within) come in the order of a Java `HashMap`, since JMeter copies it into one.
    #[must_use]
    pub fn extracted(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Object(members) => {
                let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
                let ordered = hash_order(&names).into_iter().map(|at| &members[at]);
                let mut out = String::new();
                object(&mut out, ordered, Style::JsonSmart);
                Some(out.into())
            }
            _ => Some(self.java_text()),
        }
    }

    /// As the JSON assertion shows it.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Number(Number::Double(number)) => plain_double(*number).into(),
            _ => self.extracted().unwrap_or(Cow::Borrowed("null")),
        }
    }

    /// Its `toString` in Java.
    #[must_use]
    pub fn java_text(&self) -> Cow<'_, str> {
        match self {
            Self::Null => Cow::Borrowed("null"),
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            Self::Number(number) => number.text(),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Array(_) => self.json().into(),
            Self::Object(members) => {
                let member = |(name, value): &(Cow<'_, str>, Json<'_>)| {
                    format!("{name}={}", value.java_text())
                };
                let members: Vec<String> = members.iter().map(member).collect();
                format!("{{{}}}", members.join(", ")).into()
            }
        }
    }

    /// As json-smart writes it.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::new();
        write(&mut out, self, Style::JsonSmart);
        out
    }

    /// As Jackson writes it.
    #[must_use]
    pub fn jackson(&self) -> String {
        let mut out = String::new();
        write(&mut out, self, Style::Jackson);
        out
    }

    /// As the JMESPath extractor stores it: a text as it is, all else as Jackson writes it.
    #[must_use]
    pub fn jackson_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            other => other.jackson().into(),
        }
    }
}

/// Whose way of writing.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    JsonSmart,
    Jackson,
}

fn write(out: &mut String, value: &Json<'_>, style: Style) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(Number::Double(number)) if number.is_infinite() => out.push_str("null"),
        Json::Number(number) => out.push_str(&number.text()),
        Json::Text(found) => text(out, found, style),
        Json::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(out, value, style);
            }
            out.push(']');
        }
        Json::Object(members) => object(out, members.iter(), style),
    }
}

fn object<'m, 't: 'm>(
    out: &mut String,
    members: impl Iterator<Item = &'m (Cow<'t, str>, Json<'t>)>,
    style: Style,
) {
    out.push('{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            out.push(',');
        }
        text(out, name, style);
        out.push(':');
        write(out, value, style);
    }
    out.push('}');
}

fn text(out: &mut String, text: &str, style: Style) {
    let smart = style == Style::JsonSmart;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '/' if smart => out.push_str("\\/"),
            '\x08' => out.push_str("\\b"),
            '\x0C' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x7F'..='\u{9F}' | '\u{2000}'..='\u{20FF}' if !smart => out.push(c),
            '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{2000}'..='\u{20FF}' => {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The order in which a Java 17 `HashMap` made from these names (all different) gives them.
fn hash_order(names: &[&str]) -> Vec<usize> {
    // HashMap(Map): room for as many at a load of 3/4, and one more; a power of two.
    let wanted = (names.len() * 4) / 3 + 1;
    let buckets = u32::try_from(wanted.next_power_of_two()).unwrap_or(u32::MAX);
    let bucket = |name: &str| {
        let units = name.encode_utf16();
        let hash = units.fold(0u32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(u32::from(unit))
        });
        (hash ^ (hash >> 16)) & (buckets - 1)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    // Stable: within a bucket they keep their order.
    order.sort_by_key(|at| bucket(names[*at]));
    order
}
