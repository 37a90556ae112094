//! `java.util.Properties`.

use super::common::ends_in_backslash;
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

const SPACE: [char; 3] = [' ', '\t', '\u{c}'];

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let start = line.len() - line.trim_start_matches(SPACE).len();
    if matches!(line[start..].chars().next()?, '#' | '!' | '\r' | '\n') {
        return None;
    }
    let mut escaped = false;
    let end = line[start..].find(|c: char| {
        let stops = !escaped && (matches!(c, '=' | ':' | '\r' | '\n') || SPACE.contains(&c));
        escaped = c == '\\' && !escaped;
        stops
    });
    let key_end = end.map_or(line.len(), |end| start + end);
    let rest = line[key_end..].trim_start_matches(SPACE);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    let rest = rest.trim_start_matches(SPACE);
    Some(LineParts {
        key: start..key_end,
        value: line.len() - rest.len()..line.len(),
        alone: None,
    })
}

pub(super) fn goes_on(first: &str, line: &str, _: &str) -> bool {
    !first.trim_start_matches(SPACE).starts_with(['#', '!']) && ends_in_backslash(line)
}

pub(super) fn decoded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // A pair of surrogates is written as two escapes.
    let mut units: Vec<u16> = Vec::new();
    let flush = |units: &mut Vec<u16>, plain: &mut String| {
        plain.push_str(&String::from_utf16_lossy(units));
        units.clear();
    };
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter != '\\' {
            flush(&mut units, &mut plain);
            plain.push(letter);
            continue;
        }
        let code = rest.strip_prefix('u').and_then(|rest| rest.get(..4));
        if let Some(unit) = code.and_then(|code| u16::from_str_radix(code, 16).ok()) {
            units.push(unit);
            rest = &rest[5..];
            continue;
        }
        flush(&mut units, &mut plain);
        let Some(next) = rest.chars().next() else {
            break;
        };
        rest = &rest[next.len_utf8()..];
        match next {
            't' => plain.push('\t'),
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            'f' => plain.push('\u{c}'),
            '\r' | '\n' => {
                rest = rest.trim_start_matches(['\n', ' ', '\t', '\u{c}']);
            }
            other => plain.push(other),
        }
    }
    flush(&mut units, &mut plain);
    plain
}

/// In ASCII alone, since `load(InputStream)` reads ISO 8859-1.
fn escaped(text: &str, special: &[char]) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => written.push_str("\\t"),
            _ if special.contains(&letter) => written.extend(['\\', letter]),
            _ if letter.is_ascii() => written.push(letter),
            _ => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    written.push_str(&format!("\\u{unit:04X}"));
                }
            }
        }
    }
    written
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn encoded(value: &str) -> Result<String, Stop> {
    let mut written = escaped(value, &['\\']);
    if written.starts_with(' ') {
        written.insert(0, '\\');
    }
    Ok(written)
}

pub(super) fn written_key(key: &str) -> String {
    escaped(key, &['\\', ' ', '=', ':', '#', '!'])
}
