//! Redis' directives.

use super::common::{has_outer_space, in_quotes, trimmed, unescaped, unquoted};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let all = trimmed(line, 0, line.len());
    let content = &line[all.clone()];
    if content.is_empty() || content.starts_with('#') {
        return None;
    }
    let key = content.find(char::is_whitespace).unwrap_or(content.len());
    Some(LineParts {
        key: all.start..all.start + key,
        value: trimmed(line, all.start + key, all.end),
        alone: None,
    })
}

/// One quoted word without its quotes; several as they are written.
pub(super) fn decoded(value: &str) -> String {
    let single = |quote: char, inner: &str| {
        let mut escaped = false;
        !inner.chars().any(|c| {
            let closes = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        }) && !escaped
    };
    match unquoted(value) {
        Some((quote @ '"', inner)) if single(quote, inner) => {
            unescaped(inner, |next, plain| match next {
                'n' => plain.push('\n'),
                't' => plain.push('\t'),
                'r' => plain.push('\r'),
                _ => plain.push(next),
            })
        }
        Some((quote, inner)) if single(quote, inner) => inner.replace("\\'", "'"),
        _ => value.to_owned(),
    }
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    let special = value.is_empty() || value.contains(['"', '\'', '\\']);
    Ok(match special || has_outer_space(value) {
        true => in_quotes(value),
        false => value.to_owned(),
    })
}
