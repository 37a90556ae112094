//! Scalars as they are written, so that YAML 1.1 and 1.2 read the same.

use saphyr_parser::ScalarStyle;

/// Words that YAML 1.1 takes for something else than themselves.
const TAKEN: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "null", "~"];

/// Whether YAML 1.1 takes a word for true or false: where one stood, another is one, too.
pub(super) fn is_switch(word: &str) -> bool {
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false"];
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// A value in the style that was there.
pub(super) fn scalar_text(value: &str, style: ScalarStyle) -> String {
    match style {
        ScalarStyle::SingleQuoted => format!("'{}'", value.replace('\'', "''")),
        ScalarStyle::Plain if is_plain(value) => value.to_owned(),
        _ => quoted(value),
    }
}

/// A key of a mapping.
pub(super) fn key_text(key: &str) -> String {
    scalar_text(key, ScalarStyle::Plain)
}

fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            '\t' => text.push_str("\\t"),
            '\u{feff}' => text.push_str("\\uFEFF"),
            _ => text.push(letter),
        }
    }
    text.push('"');
    text
}

/// Whether every reader takes it for what it looks like.
fn is_plain(value: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = value.strip_prefix('-').unwrap_or(value);
    if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let octal = whole.len() > 1 && whole.starts_with('0');
        let number = digits(whole) && digits(part) && !octal;
        // `20s`, `512MB`: no exponent, no base.
        let with_unit = digits(value.trim_end_matches(|c: char| c.is_ascii_alphabetic())) && !octal;
        return number || with_unit;
    }
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.chars().all(letters)
        && !TAKEN.iter().any(|word| word.eq_ignore_ascii_case(value))
}
