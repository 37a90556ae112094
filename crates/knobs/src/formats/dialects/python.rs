//! Assignments of Python at the outermost level, as Gunicorn reads its settings (`gunicorn.conf.py`).

use super::common::{around, ends_in_backslash, trimmed, unescaped, unquoted};
use crate::formats::error::Stop;
use crate::formats::lines::LineParts;

pub(super) fn parts(line: &str) -> Option<LineParts> {
    let mut parts = around(line, &['='], line.len())?;
    // `workers: int = 4`
    if let Some(colon) = line[parts.key.clone()].find(':') {
        parts.key = trimmed(line, parts.key.start, parts.key.start + colon);
    }
    let name = &line[parts.key.clone()];
    // What is indented is of a function or a condition; `==`, `+=` and `a.b = 1` set no setting.
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let assigns = is_name && !name.is_empty() && parts.key.start == 0;
    if !assigns || line[parts.value.clone()].starts_with('=') {
        return None;
    }
    let value = &line[parts.value.clone()];
    let code = code(value);
    // `a = b = 2` sets more than the setting.
    if code.assigns {
        return None;
    }
    parts.value = trimmed(line, parts.value.start, parts.value.start + code.end);
    Some(parts)
}

/// A statement that is longer, bytes, is taken for none: each of its lines is looked at with all before it.
const LONGEST: usize = 64 << 10;

/// A statement of Python.
struct PythonCode {
    /// Where a comment or another statement begins behind it, else its end.
    end: usize,
    /// A bracket or a text in three quotes is open there.
    open: bool,
    /// It has an assignment in it.
    assigns: bool,
}

fn code(text: &str) -> PythonCode {
    let mut found = PythonCode {
        end: text.len(),
        open: false,
        assigns: false,
    };
    let (mut brackets, mut at) = (0_i32, 0);
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        match letter {
            '"' | '\'' => match behind_quotes(rest) {
                Some(length) => at += length,
                None => {
                    found.open = rest.starts_with("\"\"\"") || rest.starts_with("\'\'\'");
                    return found;
                }
            },
            '#' if brackets <= 0 => {
                found.end = at;
                return found;
            }
            '#' => at += rest.find('\n').unwrap_or(rest.len()),
            ';' if brackets <= 0 => {
                found.end = at;
                return found;
            }
            '=' if rest.starts_with("==") => at += 2,
            _ => {
                let compares = text[..at].ends_with(['<', '>', '!', ':']);
                found.assigns |= letter == '=' && brackets <= 0 && !compares;
                brackets += match letter {
                    '(' | '[' | '{' => 1,
                    ')' | ']' | '}' => -1,
                    _ => 0,
                };
                at += letter.len_utf8();
            }
        }
    }
    found.open = brackets > 0;
    found
}

/// How long a text in quotes is, at its first one; none where it is not closed.
fn behind_quotes(text: &str) -> Option<usize> {
    let one = text.get(..1)?;
    let three = one.repeat(3);
    let (quotes, lines) = match text.starts_with(&three) {
        true => (three.as_str(), true),
        false => (one, false),
    };
    let mut at = quotes.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(quotes) {
            return Some(at + quotes.len());
        }
        match rest.chars().next()? {
            '\\' => at += 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            '\n' if !lines => return None,
            letter => at += letter.len_utf8(),
        }
    }
}

/// Brackets that are open, and a backslash, go on in the next line.
pub(super) fn goes_on(first: &str, line: &str, _: &str) -> bool {
    let begun = line.as_ptr() as usize - first.as_ptr() as usize + line.len();
    let so_far = first.get(..begun).unwrap_or(line);
    ends_in_backslash(line) || so_far.len() < LONGEST && code(so_far).open
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
