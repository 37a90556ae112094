//! `com.atlantbh.jmeter.plugins.jsonutils.jsonformatter.JSONFormatter` (jpgc-json 2.7): the response set out in lines, as
//! json-lib 2.4 does it. What is no JSON stays as it is.

use std::fmt::Write as _;

use crate::context::{Context, Fault};
use crate::fields::Fields;
use crate::functions::numbers::{java_double, java_float};
use crate::json::{Json, Number, parse_strict};
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;

/// Blanks of a level.
const INDENT: usize = 4;
/// Values in each other; what is deeper stays as it is.
const DEEPEST: usize = 400;

struct JsonFormatter;

pub(super) fn bind(_: Fields<'_>) -> Bound {
    Bound::Post(Box::new(JsonFormatter))
}

impl PostProcessor for JsonFormatter {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let written = sample.text().into_owned();
        match formatted(&written) {
            Ok(text) => sample.body = text.into_bytes(),
            Err(why) => cx.log(&format!("WARN Failed to format JSON: {why}")),
        }
        Ok(())
    }
}

/// What json-lib makes of a text (`JSONSerializer.toJSON(text).toString(4)`): it has to begin with an object or an
/// array and to end with it.
fn formatted(text: &str) -> Result<String, String> {
    if text == "null" {
        return Ok(text.to_owned());
    }
    if !text.starts_with(['{', '[']) {
        return Err("Invalid JSON String".to_owned());
    }
    let text = text.trim_end_matches(|c: char| c <= ' ');
    // What follows the value does not matter to the parser; json-lib refuses it.
    if !text.ends_with(if text.starts_with('{') { '}' } else { ']' }) {
        return Err("Found a beginning without its end".to_owned());
    }
    let document = parse_strict(text)?;
    let mut out = String::with_capacity(text.len() * 2);
    write(&mut out, &document, 0, 0);
    Ok(out)
}

fn write(out: &mut String, value: &Json<'_>, indent: usize, depth: usize) {
    // The parser goes no deeper.
    debug_assert!(depth <= DEEPEST + 1);
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(value) => out.push_str(&number(value)),
        Json::Text(value) if value == "null" || is_function(value) => {
            quoted(out, &format!("\"{value}\""));
        }
        Json::Text(value) => quoted(out, value),
        Json::Array(items) => lines(out, ['[', ']'], items.len(), indent, |out, at, indent| {
            write(out, &items[at], indent, depth + 1);
        }),
        Json::Object(members) => {
            lines(out, ['{', '}'], members.len(), indent, |out, at, indent| {
                let (name, value) = &members[at];
                quoted(out, name);
                out.push_str(": ");
                write(out, value, indent, depth + 1);
            });
        }
    }
}

/// One alone stands in the line of its brackets; of several each has its own, and then json-lib puts the blanks of
/// the level before the opening bracket, too, wherever that stands.
fn lines(
    out: &mut String,
    [open, close]: [char; 2],
    count: usize,
    indent: usize,
    mut each: impl FnMut(&mut String, usize, usize),
) {
    let blanks = |out: &mut String, count: usize| out.extend(std::iter::repeat_n(' ', count));
    if count < 2 {
        out.push(open);
        if count == 1 {
            each(out, 0, indent);
        }
        out.push(close);
        return;
    }
    blanks(out, indent);
    out.push(open);
    for at in 0..count {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        blanks(out, indent + INDENT);
        each(out, at, indent + INDENT);
    }
    out.push('\n');
    blanks(out, indent);
    out.push(close);
}

/// json-lib takes such texts for JavaScript and marks them as texts.
fn is_function(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("function") else {
        return false;
    };
    let rest = rest.trim_start();
    rest.starts_with('(') && rest.contains(')') && rest.contains('{') && rest.ends_with('}')
}

/// A number as commons-lang 2.5 reads one: with a fraction it is a `Float` unless that is infinite or nothing.
fn number(value: &Number<'_>) -> String {
    let shown = match value {
        Number::Int(number) => number.to_string(),
        Number::Big(digits) => digits.to_string(),
        Number::Double(_) | Number::Decimal(_) => fraction(value),
    };
    let has_exponent = shown.contains(['e', 'E']);
    match shown.contains('.') && !has_exponent {
        true => match shown.trim_end_matches('0').trim_end_matches('.') {
            "-0" => "0".to_owned(),
            short => short.to_owned(),
        },
        false => shown,
    }
}

fn fraction(value: &Number<'_>) -> String {
    let double = value.value();
    #[expect(clippy::cast_possible_truncation)] // It is what json-lib does.
    let float = double as f32;
    if double == 0.0 {
        return "0".to_owned();
    }
    if float.is_finite() && float != 0.0 {
        return java_float(float);
    }
    java_double(double)
}

fn quoted(out: &mut String, text: &str) {
    let mut before = '\0';
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' | '"' => out.extend(['\\', c]),
            '/' if before == '<' => out.push_str("\\/"),
            '\x08' => out.push_str("\\b"),
            '\x0C' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1F' => {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
        before = c;
    }
    out.push('"');
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::context::testing::TestContext;
    use crate::post::testing::process;
    use crate::testing::sample;
    use proptest::prelude::*;

    const CLASS: &str = "com.atlantbh.jmeter.plugins.jsonutils.jsonformatter.JSONFormatter";

    /// What json-lib 2.4 itself made of them.
    const TRUTH: &[(&str, &str)] = &[
        (r#"{"a":1,"b":2}"#, "{\n    \"a\": 1,\n    \"b\": 2\n}"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("null", "null"),
        ("[1]\n", "[1]"),
        (
            "[[1],[2,3]]",
            "[\n    [1],\n        [\n        2,\n        3\n    ]\n]",
        ),
        (
            r#"{"a":{"b":{"c":[1,{"d":2}]}}}"#,
            "{\"a\": {\"b\": {\"c\": [\n    1,\n    {\"d\": 2}\n]}}}",
        ),
        (
            r#"{"a":{"b":1,"c":2},"d":1}"#,
            "{\n    \"a\":     {\n        \"b\": 1,\n        \"c\": 2\n    },\n    \"d\": 1\n}",
        ),
        (
            r#"{"a":[[1,2],[3]]}"#,
            "{\"a\": [\n        [\n        1,\n        2\n    ],\n    [3]\n]}",
        ),
        (
            "[1.0,1e3,0.10,12345678901,99999999999999999999,-0]",
            "[\n    1,\n    1000,\n    0.1,\n    12345678901,\n    99999999999999999999,\n    0\n]",
        ),
        (
            "[3.14159265358979,1.5e-9,1e-50,-2.50,100000000.0]",
            "[\n    3.1415927,\n    1.5E-9,\n    1.0E-50,\n    -2.5,\n    1.0E8\n]",
        ),
        (r#"["\/ <\/ </"]"#, r#"["/ <\/ <\/"]"#),
        (
            "[\"null\",\"function(){ return 1; }\",\"function (x)\"]",
            "[\n    \"\\\"null\\\"\",\n    \"\\\"function(){ return 1; }\\\"\",\n    \"function (x)\"\n]",
        ),
        (r#"["a\u0001\n中"]"#, r#"["a\u0001\n中"]"#),
    ];

    #[test]
    fn as_json_lib_writes() {
        for (body, expected) in TRUTH {
            let mut sample = sample(body);
            let mut cx = TestContext::with(&[]);
            assert_eq!(process(CLASS, &[], &mut cx, &mut sample), Ok(()));
            assert_eq!(sample.text(), *expected, "{body}");
        }
    }

    #[test]
    fn a_float_has_its_shortest_digits() {
        // Java before 19 writes 1.23456792E8.
        assert_eq!(formatted("[123456789.123]").unwrap(), "[1.2345679E8]");
    }

    #[test]
    fn what_is_no_json_stays() {
        for body in [
            "",
            "\"str\"",
            "3.14",
            "<html>",
            " {\"a\":1}",
            "[1] x",
            "{\"a\":}",
            "[tru]",
        ] {
            let mut sample = sample(body);
            let mut cx = TestContext::with(&[]);
            assert_eq!(process(CLASS, &[], &mut cx, &mut sample), Ok(()));
            assert_eq!(sample.text(), body);
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in r#"[\[{]([\[\]{}:,"a1.e \\-]|null|true){0,60}"#) {
            if let Ok(written) = formatted(&text) {
                // It is still the same JSON but for its numbers.
                prop_assert!(parse_strict(&written).is_ok(), "{text} {written}");
            }
        }
    }
}
