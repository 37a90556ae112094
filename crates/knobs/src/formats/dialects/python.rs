//! Assignments of Python at the outermost level, as Gunicorn reads its settings (`gunicorn.conf.py`).

use super::common::{around, ends_in_backslash, trimmed, unescaped, unquoted};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let mut parts = around(line, &['='], line.len())?;
    let name = &line[parts.key.clone()];
    // What is indented is of a function or a condition; `==`, `+=` and `a.b = 1` set no setting.
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let assigns = is_name && !name.is_empty() && parts.key.start == 0;
    if !assigns || line[parts.value.clone()].starts_with('=') {
        return None;
    }
    let value = &line[parts.value.clone()];
    let end = parts.value.start + code(value).0;
    parts.value = trimmed(line, parts.value.start, end);
    Some(parts)
}

/// Where a comment begins behind code, else its end; and how many brackets are open there.
fn code(text: &str) -> (usize, i32) {
    let (mut quote, mut escaped, mut open) = (None, false, 0);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(own), letter) if own == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open -= 1,
            (None, '#') if open <= 0 => return (at, open),
            (None, _) => {}
        }
    }
    (text.len(), open)
}

/// Brackets that are open, and a backslash, go on in the next line.
pub(super) fn goes_on(first: &str, line: &str, _: &str) -> bool {
    let begun = line.as_ptr() as usize - first.as_ptr() as usize + line.len();
    let so_far = first.get(..begun).unwrap_or(line);
    ends_in_backslash(line) || code(so_far).1 > 0
}

pub(super) fn decoded(value: &str) -> String {
    match unquoted(value) {
        Some((_, inner)) => unescaped(inner, |next, plain| match next {
            '"' | '\'' | '\\' => plain.push(next),
            _ => plain.extend(['\\', next]),
        }),
        None => value.to_owned(),
    }
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
    let is_word = ["True", "False", "None"].contains(&value);
    Ok(match is_number || is_word {
        true => value.to_owned(),
        false => super::common::in_quotes(value),
    })
}
