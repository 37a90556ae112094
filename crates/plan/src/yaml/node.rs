//! The tree of a YAML document, every node with its place.

use serde_json::{Map, Number, Value as Json};

use crate::model::{Span, Text};

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub at: Span,
    /// A local tag such as `!raw`, without its mark.
    pub tag: Option<String>,
    pub value: Value,
    /// Nodes in this tree, itself included.
    pub count: usize,
    /// Levels of this tree, itself included.
    pub depth: usize,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// `plain`: written without quotes, so that it may be a number, a truth value or nothing.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub name: String,
    pub at: Span,
}

impl Key {
    pub fn text(&self) -> Text {
        let raw = self.name.clone();
        Text { raw, at: self.at }
    }
}

impl Node {
    pub fn new(at: Span, value: Value) -> Self {
        Self {
            at,
            tag: None,
            value,
            count: 1,
            depth: 1,
        }
    }

    /// The text of a scalar that is not nothing.
    pub fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar written without quotes.
    pub fn plain(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain: true } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn map(&self) -> Option<&[(Key, Self)]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let (_, node) = self.map()?.iter().find(|(key, _)| key.name == name)?;
        Some(node)
    }

    /// Nothing: no value at all, `null` or `~`.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    pub fn text(&self) -> Option<Text> {
        let raw = self.scalar()?.to_owned();
        Some(Text { raw, at: self.at })
    }

    /// The items of a list, or the node itself as the only one.
    pub fn one_or_many(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// As JSON, scalars by YAML's core schema: what the JSON Schema judges.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar { plain: true, .. } if self.is_null() => Json::Null,
            Value::Scalar { text, plain: true } => core_scalar(text),
            Value::Scalar { text, plain: false } => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(entries) => {
                let pairs = entries
                    .iter()
                    .map(|(key, node)| (key.name.clone(), node.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// A plain scalar by the core schema of YAML 1.2 (section 10.3.2); what JSON cannot hold
/// stays text.
pub(crate) fn core_scalar(text: &str) -> Json {
    match text {
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    if let Some(whole) = core_integer(text) {
        if let Ok(number) = i64::try_from(whole) {
            return Json::Number(number.into());
        }
        if let Ok(number) = u64::try_from(whole) {
            return Json::Number(number.into());
        }
    }
    if looks_like_float(text)
        && let Some(number) = text.parse().ok().and_then(Number::from_f64)
    {
        return Json::Number(number);
    }
    Json::String(text.to_owned())
}

/// A whole number by the core schema: `12`, `-3`, `+4`, `0o17`, `0x1F`.
pub(crate) fn core_integer(text: &str) -> Option<i128> {
    if let Some(octal) = text.strip_prefix("0o") {
        let digits = octal.bytes().all(|b| b.is_ascii_digit());
        return i128::from_str_radix(octal, 8).ok().filter(|_| digits);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        let digits = hex.bytes().all(|b| b.is_ascii_hexdigit());
        return i128::from_str_radix(hex, 16).ok().filter(|_| digits);
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| all_digits)
}

/// Whether a text holds a variable or a call.
pub(crate) fn is_template(text: &str) -> bool {
    text.contains("${")
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

/// Where the `${…}` that a text begins with ends: behind its brace, or at the text's end.
pub(crate) fn template_end(text: &str) -> usize {
    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Text of a plan in a message: one line, not too long.
pub(crate) fn shown(text: &str) -> String {
    let line: String = text
        .chars()
        .take(60)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().count() > 60 {
        format!("{line}…")
    } else {
        line
    }
}

fn looks_like_float(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && !exponent.is_empty()
        && digits(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        for (text, value) in [
            ("12", json!(12)),
            ("-3", json!(-3)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1.5", json!(1.5)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("true", json!(true)),
            ("yes", json!("yes")),
            ("1.2.3", json!("1.2.3")),
            ("e5", json!("e5")),
            ("-", json!("-")),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(core_scalar(text), value, "{text}");
        }
    }
}
