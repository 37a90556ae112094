//! Reads Prometheus' text format 0.0.4 and OpenMetrics 1.0.

use std::borrow::Cow;
use std::collections::HashMap;

/// What a family says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FamilyType {
    Counter,
    Gauge,
    Histogram,
    Summary,
    Untyped,
}

/// One sample: a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrometheusSample<'a> {
    pub(crate) name: &'a str,
    pub(crate) labels: Vec<(&'a str, Cow<'a, str>)>,
    pub(crate) value: f64,
}

impl PrometheusSample<'_> {
    /// A label's value.
    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_ref())
    }
}

/// A text that was read.
#[derive(Debug, Default)]
pub(crate) struct Exposition<'a> {
    pub(crate) samples: Vec<PrometheusSample<'a>>,
    types: HashMap<&'a str, FamilyType>,
    /// The first line that is neither comment nor sample.
    pub(crate) wrong: Option<&'a str>,
}

/// Endings that make a sample's name of its family's.
const ENDS: &[&str] = &["_total", "_bucket", "_count", "_sum", "_created", "_info"];

impl<'a> Exposition<'a> {
    /// Reads a whole text. What makes no sense is left out and told of in `wrong`.
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut read = Self::default();
        for line in text.lines() {
            let line = line.trim_matches([' ', '\t', '\r']);
            if line.is_empty() {
                continue;
            }
            if let Some(comment) = line.strip_prefix('#') {
                read.comment(comment.trim_start());
            } else if let Some(sample) = sample(line) {
                read.samples.push(sample);
            } else {
                read.wrong.get_or_insert(line);
            }
        }
        read
    }

    fn comment(&mut self, comment: &'a str) {
        let mut words = comment.split_ascii_whitespace();
        if words.next() == Some("TYPE")
            && let (Some(name), Some(kind)) = (words.next(), words.next())
        {
            let kind = match kind {
                "counter" => FamilyType::Counter,
                "gauge" | "info" | "stateset" => FamilyType::Gauge,
                "histogram" | "gaugehistogram" => FamilyType::Histogram,
                "summary" => FamilyType::Summary,
                _ => FamilyType::Untyped,
            };
            self.types.insert(name, kind);
        }
    }

    /// The family of a sample's name, and its type.
    pub(crate) fn family(&self, name: &'a str) -> (&'a str, FamilyType) {
        if let Some(kind) = self.types.get(name) {
            return (name, *kind);
        }
        for end in ENDS {
            if let Some(family) = name.strip_suffix(end)
                && let Some(kind) = self.types.get(family)
            {
                return (family, *kind);
            }
        }
        (name, FamilyType::Untyped)
    }
}

/// `name{label="value",…} value [time] [# exemplar]`.
fn sample(line: &str) -> Option<PrometheusSample<'_>> {
    let end = line.find(|c: char| c == '{' || c.is_ascii_whitespace())?;
    let name = &line[..end];
    if !is_name(name) {
        return None;
    }
    let mut labels = Vec::new();
    let mut rest = line[end..].trim_start();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = read_labels(inside, &mut labels)?;
    }
    let mut words = rest.split_ascii_whitespace();
    let value = number(words.next()?)?;
    match words.next() {
        None | Some("#") => {}
        Some(time) => {
            number(time)?;
        }
    }
    Some(PrometheusSample {
        name,
        labels,
        value,
    })
}

/// Names as Prometheus has had them; with its new quoted names a line is left out.
fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_' || first == b':')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'))
}

fn number(text: &str) -> Option<f64> {
    match text {
        "+Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => text.parse().ok(),
    }
}

/// Reads labels after the brace; gives what follows the closing one.
fn read_labels<'a>(
    mut rest: &'a str,
    labels: &mut Vec<(&'a str, Cow<'a, str>)>,
) -> Option<&'a str> {
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some(after);
        }
        let (name, after) = rest.split_once('=')?;
        let name = name.trim();
        if !is_name(name) {
            return None;
        }
        let after = after.trim_start().strip_prefix('"')?;
        let (value, after) = quoted(after)?;
        labels.push((name, value));
        rest = after;
    }
}

/// A text up to its closing quote, and what follows.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = text.find(['"', '\\'])?;
    if text.as_bytes()[end] == b'"' {
        return Some((Cow::Borrowed(&text[..end]), &text[end + 1..]));
    }
    let mut value = String::from(&text[..end]);
    let mut letters = text[end..].char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((Cow::Owned(value), &text[end + at + 1..])),
            '\\' => match letters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
# HELP http_requests Requests \"so far\".
# TYPE http_requests counter
http_requests_total{path=\"C:\\\\DIR\\\\\\n\\\"x\\\"\",code=\"200\",} 1027 1395066363000
http_requests_total{} 3 # {trace_id=\"a\"} 0.5
# TYPE rpc summary
rpc{quantile=\"0.5\"} 4.7e-3
rpc_sum 1.5e+3
rpc_count 2
no_type -Inf
not a number here
# EOF
";

    #[test]
    fn both_formats() {
        let read = Exposition::parse(TEXT);
        let first = &read.samples[0];
        assert_eq!(first.label("path"), Some("C:\\DIR\\\n\"x\""));
        assert_eq!(first.label("code"), Some("200"));
        let values: Vec<_> = read.samples.iter().map(|sample| sample.value).collect();
        assert_eq!(
            values,
            [1027.0, 3.0, 4.7e-3, 1500.0, 2.0, f64::NEG_INFINITY]
        );
        assert_eq!(read.family("rpc_sum"), ("rpc", FamilyType::Summary));
        assert_eq!(
            read.family("http_requests_total"),
            ("http_requests", FamilyType::Counter)
        );
        assert_eq!(read.family("no_type"), ("no_type", FamilyType::Untyped));
        assert_eq!(read.wrong, Some("not a number here"));
    }

    #[test]
    fn lines_that_are_no_samples() {
        for line in [
            "{a=\"b\"} 1",
            "a{b=\"c\" 1",
            "a{b=c} 1",
            "a{b=\"c} 1",
            "a",
            "1a 2",
            "a 1 x",
            "<html>",
        ] {
            assert_eq!(sample(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC*", line in "a\\{[a-z\"\\\\=,{} 1]*") {
            let _ = Exposition::parse(&text);
            let _ = Exposition::parse(&line);
        }

        #[test]
        fn labels_come_back(value in "\\PC*", number in any::<f64>()) {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            let line = format!("a_b{{c=\"{escaped}\"}} {number}");
            let read = sample(&line).unwrap();
            prop_assert_eq!(read.label("c"), Some(value.as_str()));
            prop_assert!(read.value == number || read.value.is_nan() && number.is_nan());
        }
    }
}
