//! What the shorthand classes are in Java's terms, for `regex`.

/// `Character.isWhitespace`, without the brackets.
pub(super) const JAVA_SPACE: &str = r"\t\n\x0B\f\r\x1C-\x1F\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}";
/// `Character.isLetterOrDigit` and the underscore, without the brackets.
pub(super) const JAVA_WORD: &str = r"\p{L}\p{Nd}_";
/// `Character.isDigit`, without the brackets.
pub(super) const JAVA_DIGIT: &str = r"\p{Nd}";

/// ORO's meaning of `\w`, `\s`, `\d` and their opposites; none for other letters.
pub(super) fn perl_shorthand(letter: char) -> Option<String> {
    let set = match letter.to_ascii_lowercase() {
        'w' => JAVA_WORD,
        's' => JAVA_SPACE,
        'd' => JAVA_DIGIT,
        _ => return None,
    };
    let not = if letter.is_ascii_uppercase() { "^" } else { "" };
    Some(format!("[{not}{set}]"))
}
