//! Files of variables.

use super::common::{around, has_outer_space, in_quotes, unescaped, unquoted};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

/// What a shell does not take as it stands.
const OF_SHELLS: &[char] = &[
    ' ', '\t', '"', '\\', '`', '$', ';', '&', '|', '<', '>', '(', ')', '#', '*', '?', '~', '!',
];

pub(super) fn parts(line: &str) -> Option<LineParts> {
    if line.trim_start().starts_with(['#', ';']) {
        return None;
    }
    let mut parts = around(line, &['='], line.len())?;
    let name = &line[parts.key.clone()];
    if let Some(own) = name.strip_prefix("export ") {
        parts.key.start = parts.key.end - own.trim_start().len();
    }
    Some(parts)
}

pub(super) fn decoded(value: &str) -> String {
    match unquoted(value) {
        Some(('"', inner)) => unescaped(inner, |next, plain| match next {
            '"' | '\\' | '$' | '`' => plain.push(next),
            '\n' => {}
            _ => plain.extend(['\\', next]),
        }),
        Some((_, inner)) => inner.to_owned(),
        None => value.to_owned(),
    }
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    // What is in single quotes is itself for each reader that knows quotes; a shell that reads the file would run what
    // follows a blank.
    if value.contains(OF_SHELLS) && !value.contains('\'') {
        return Ok(format!("'{value}'"));
    }
    Ok(match value.contains('\'') || has_outer_space(value) {
        true => in_quotes(&value.replace('$', "\u{0}")).replace('\u{0}', "\\$"),
        false => value.to_owned(),
    })
}
