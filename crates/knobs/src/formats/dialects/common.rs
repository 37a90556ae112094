//! What several dialects have in common.

use crate::formats::lines::LineParts;

/// Whether an odd number of backslashes stands before the line's end.
pub(super) fn ends_in_backslash(line: &str) -> bool {
    let line = line.trim_end_matches(['\r', '\n']);
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

/// A range without white space at its ends.
pub(super) fn trimmed(line: &str, from: usize, to: usize) -> std::ops::Range<usize> {
    let part = &line[from..to];
    let start = from + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The parts of `key = value` around the first of these separators.
pub(super) fn around(line: &str, separators: &[char], end: usize) -> Option<LineParts> {
    let at = line[..end].find(separators)?;
    Some(LineParts {
        key: trimmed(line, 0, at),
        value: trimmed(line, at + 1, end),
        alone: None,
    })
}

/// Whether white space would be lost at the ends of a value.
pub(super) fn has_outer_space(value: &str) -> bool {
    value.trim() != value
}

/// In double quotes, with backslashes before quotes and backslashes.
pub(super) fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text between quotes of one kind at both ends.
pub(super) fn unquoted(value: &str) -> Option<(char, &str)> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    Some((quote, inner))
}

/// The text with each `\x` exchanged.
pub(super) fn unescaped(text: &str, exchange: impl Fn(char, &mut String)) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(next) => exchange(next, &mut plain),
                None => plain.push('\\'),
            },
            _ => plain.push(letter),
        }
    }
    plain
}
