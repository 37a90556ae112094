//! Names that people give, and that others read: what turns round or hides letters is in none.

/// Whether a text may be a name: not empty, of so many characters at most, and all of it can be seen.
pub(crate) fn is_title(text: &str, most: usize) -> bool {
    let is_hidden = |c: char| c.is_control() || is_hidden_in_text(c);
    !text.is_empty() && text.chars().count() <= most && !text.chars().any(is_hidden)
}

/// Whether a character has no place in a longer text: controls but tabs and line ends, and those that turn the
/// direction of what is around them (Unicode's bidirectional controls, "Trojan Source", CVE-2021-42574).
pub(crate) fn is_hidden_in_text(c: char) -> bool {
    let is_turning = matches!(
        c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    is_turning || c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_they_look_like() {
        for name in ["nightly", "夜间 – 1.2", "عربي", "a"] {
            assert!(is_title(name, 100), "{name}");
        }
        for name in ["", "a\nb", "a\u{202e}b", "\u{1b}[31m", "a\0", "\u{2066}x"] {
            assert!(!is_title(name, 100), "{name:?}");
        }
        assert!(!is_title(&"x".repeat(101), 100));
        assert!(!"line\n\ttab".chars().any(is_hidden_in_text));
        assert!("line\u{7}".chars().any(is_hidden_in_text));
    }
}
