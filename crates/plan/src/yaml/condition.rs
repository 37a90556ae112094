//! Conditions written as one text: our own simple forms, JavaScript otherwise.
//!
//! A text with `${…}` is ours: a comparison, or a value that must be `true`. A text without
//! is JavaScript, except for the words `last-ok` and `defined NAME`, with or without `not`.

use super::node::{is_template, is_variable_name, template_end};
use crate::model::Comparison;

/// What a text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Simple<'t> {
    Script(&'t str),
    IsTrue(&'t str),
    Compare(&'t str, Comparison, &'t str),
    Defined(&'t str),
    LastOk,
    Not(Box<Simple<'t>>),
}

/// Why a text is no condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    Empty,
    /// `${…}` in what looks like a longer expression.
    Mixed,
    /// `${…}` and more, but no comparison: it could never be `true`.
    NoComparison,
}

/// Reads a condition.
pub(crate) fn parse(text: &str) -> Result<Simple<'_>, Wrong> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Wrong::Empty);
    }
    if let Some(rest) = text.strip_prefix("not ")
        && let Some(simple) = word(rest.trim())
    {
        return Ok(Simple::Not(Box::new(simple)));
    }
    if let Some(simple) = word(text) {
        return Ok(simple);
    }
    // A JavaScript template string holds `${…}` of its own.
    if !is_template(text) || text.contains('`') {
        return Ok(Simple::Script(text));
    }
    let Some((left, op, right)) = comparison(text) else {
        return match text.contains("&&") || text.contains("||") {
            true => Err(Wrong::Mixed),
            false if is_values(text) => Ok(Simple::IsTrue(text)),
            false => Err(Wrong::NoComparison),
        };
    };
    let longer = |side: &str| {
        let bare = unquoted_part(side);
        comparison(&bare).is_some() || bare.contains("&&") || bare.contains("||")
    };
    if left.is_empty() || longer(left) || longer(right) {
        return Err(Wrong::Mixed);
    }
    Ok(Simple::Compare(unquote(left), op, unquote(right)))
}

fn word(text: &str) -> Option<Simple<'_>> {
    if text == "last-ok" {
        return Some(Simple::LastOk);
    }
    let name = text.strip_prefix("defined ")?.trim();
    is_variable_name(name).then_some(Simple::Defined(name))
}

/// The signs of comparisons.
pub(crate) const OPERATORS: &[(&str, Comparison)] = &[
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    (" contains ", Comparison::Contains),
    (" matches ", Comparison::Matches),
];

/// The first comparison outside quotes and `${…}`.
fn comparison(text: &str) -> Option<(&str, Comparison, &str)> {
    let mut quote = None;
    let mut braces = 0_usize;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '{') if previous == '$' || braces > 0 => braces += 1,
            (None, '}') if braces > 0 => braces -= 1,
            _ if braces > 0 => {}
            _ => {
                let found = OPERATORS.iter().find(|(op, _)| text[at..].starts_with(op));
                if let Some((op, comparison)) = found {
                    return Some((text[..at].trim(), *comparison, text[at + op.len()..].trim()));
                }
            }
        }
        previous = c;
    }
    None
}

/// Whether a text is nothing but `${…}`, one or several: their values may be `true`.
fn is_values(text: &str) -> bool {
    let mut rest = text.trim();
    // What does not end is told when it is compiled.
    while rest.starts_with("${") {
        rest = rest[template_end(rest)..].trim_start();
    }
    rest.is_empty()
}

/// The text without what stands in quotes.
fn unquoted_part(text: &str) -> String {
    let mut quote = None;
    let mut out = String::new();
    for c in text.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None => out.push(c),
        }
    }
    out
}

/// Without one pair of quotes around it.
fn unquote(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_forms_are_native() {
        use Comparison::*;
        let compare = |l, op, r| Ok(Simple::Compare(l, op, r));
        assert_eq!(parse("${a} == ok"), compare("${a}", Equal, "ok"));
        assert_eq!(parse("${a}!='x y'"), compare("${a}", NotEqual, "x y"));
        assert_eq!(parse("${n} <= 10"), compare("${n}", AtMost, "10"));
        assert_eq!(parse("${a} contains b c"), compare("${a}", Contains, "b c"));
        assert_eq!(
            parse("${pick(\"<\", b)} == b"),
            compare("${pick(\"<\", b)}", Equal, "b")
        );
        assert_eq!(parse("${a} == ''"), compare("${a}", Equal, ""));
        assert_eq!(parse("${done}"), Ok(Simple::IsTrue("${done}")));
        assert_eq!(parse("defined token"), Ok(Simple::Defined("token")));
        assert_eq!(
            parse("not last-ok"),
            Ok(Simple::Not(Box::new(Simple::LastOk)))
        );
    }

    #[test]
    fn the_rest_is_javascript() {
        assert_eq!(
            parse("vars.n > 3 && vars.ok"),
            Ok(Simple::Script("vars.n > 3 && vars.ok"))
        );
        assert_eq!(
            parse("vars.a === `${1}`"),
            Ok(Simple::Script("vars.a === `${1}`"))
        );
        assert_eq!(parse("not defined"), Ok(Simple::Script("not defined")));
    }

    #[test]
    fn mixtures_are_refused() {
        assert_eq!(parse("${a} == 1 && ${b} == 2"), Err(Wrong::Mixed));
        assert_eq!(parse("${a} && ${b}"), Err(Wrong::Mixed));
        assert_eq!(parse("  "), Err(Wrong::Empty));
        for text in [
            "${s} = a",
            "${s} equals a",
            "x${s}",
            "${a} ${b} c",
            "${a}, ${b}",
        ] {
            assert_eq!(parse(text), Err(Wrong::NoComparison), "{text}");
        }
        for text in [
            "${a}${b}",
            " ${pick('}', \"{\")} ",
            "${= 1 < 2 ? {a: 1}.a : 0 }",
        ] {
            assert_eq!(parse(text), Ok(Simple::IsTrue(text.trim())), "{text}");
        }
    }
}
