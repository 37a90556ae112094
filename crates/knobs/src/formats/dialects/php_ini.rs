//! PHP's ini.

use super::common::{around, has_outer_space, in_quotes, trimmed, unescaped, unquoted};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let start = line.trim_start();
    if start.is_empty() || start.starts_with([';', '#', '[']) {
        return None;
    }
    let mut parts = around(line, &['='], line.len())?;
    let value = &line[parts.value.clone()];
    let end = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => closing(value, quote).map(|end| end + 1),
        _ => value.find(';'),
    };
    if let Some(end) = end {
        parts.value = trimmed(line, parts.value.start, parts.value.start + end);
    }
    Some(parts)
}

/// The one pool of a file that has none of the asked name.
pub(super) fn only_pool<'a>(asked: &str, sections: &[&'a str]) -> Option<&'a str> {
    let mut pools = sections.iter().filter(|section| **section != "global");
    let (first, second) = (pools.next()?, pools.next());
    (asked != "global" && second.is_none()).then_some(*first)
}

fn closing(value: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    let mut letters = value.char_indices().skip(1);
    letters
        .find(|(_, c)| {
            let closes = *c == quote && !escaped;
            escaped = quote == '"' && *c == '\\' && !escaped;
            closes
        })
        .map(|(at, _)| at)
}

pub(super) fn decoded(value: &str) -> String {
    match unquoted(value) {
        Some(('"', inner)) => unescaped(inner, |next, plain| match next {
            '"' | '\\' => plain.push(next),
            _ => plain.extend(['\\', next]),
        }),
        Some((_, inner)) => inner.to_owned(),
        None => value.to_owned(),
    }
}

pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    if value.contains("${") {
        return Err(Stop::value(value, "knobs-why-interpolated"));
    }
    let special = [
        ';', '=', '"', '\'', '(', ')', '&', '|', '^', '~', '!', '{', '}', '?', '[', '$', '\\', '#',
    ];
    let quoted = value.contains(special) || value.is_empty() || has_outer_space(value);
    Ok(if quoted {
        in_quotes(value)
    } else {
        value.to_owned()
    })
}
