//! Texts of others that are shown to a person.

use std::borrow::Cow;

/// The text without what would steer a terminal: control characters and those that change
/// the direction of writing become `�`, line breaks blanks.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| changed(c).is_some()) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| changed(c).unwrap_or(c)).collect()
}

fn changed(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
        c if c.is_control() => Some('\u{fffd}'),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some('\u{fffd}')
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_taken_out() {
        assert!(matches!(printable("Größe 中文"), Cow::Borrowed(_)));
        let odd = "a\u{1b}[2J\u{9b}1m\u{202e}b\nc\0";
        let plain = "a\u{fffd}[2J\u{fffd}1m\u{fffd}b c\u{fffd}";
        assert_eq!(printable(odd), plain);
    }
}
