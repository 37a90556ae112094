//! PostgreSQL's parameters.

use super::common::{trimmed, unescaped};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let start = line.len() - line.trim_start().len();
    let content = &line[start..];
    let letter =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') || !c.is_ascii();
    if !content.starts_with(|c: char| letter(c) && !c.is_ascii_digit()) {
        return None;
    }
    let key = content.find(|c| !letter(c)).unwrap_or(content.len());
    let behind = content[key..].trim_start();
    let value = behind.strip_prefix('=').unwrap_or(behind).trim_start();
    let from = line.len() - value.len();
    let end = match value.starts_with('\'') {
        true => closing(value).map_or(value.len(), |end| end + 1),
        false => value
            .find(|c: char| c.is_whitespace() || c == '#')
            .unwrap_or(value.len()),
    };
    Some(LineParts {
        key: start..start + key,
        value: trimmed(line, from, from + end),
        alone: value[..end].is_empty().then_some(""),
    })
}

/// The quote that closes: neither doubled nor behind a backslash.
fn closing(value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

pub(super) fn decoded(value: &str) -> String {
    let Some(inner) = value
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    else {
        return value.to_owned();
    };
    unescaped(&inner.replace("''", "'"), |next, plain| match next {
        'n' => plain.push('\n'),
        't' => plain.push('\t'),
        'r' => plain.push('\r'),
        _ => plain.push(next),
    })
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && value
            .chars()
            .all(|c| word(c) || matches!(c, '-' | '.' | ':' | '/'));
    let digits = value.trim_start_matches('-');
    let number = value.len() - digits.len() <= 1
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .trim_end_matches(|c: char| c.is_ascii_alphabetic())
            .parse::<f64>()
            .is_ok();
    Ok(match name || number {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''")),
    })
}

pub(super) fn include(line: &str) -> Option<(&str, bool)> {
    let (key, path) = line.split_once([' ', '\t', '='])?;
    let path = path.trim_start_matches([' ', '\t', '=']);
    match key {
        "include" | "include_if_exists" => Some((path, false)),
        "include_dir" => Some((path, true)),
        _ => None,
    }
}
