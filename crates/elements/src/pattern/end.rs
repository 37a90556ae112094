//! How a text ends, which patterns see with `$`.

/// What ends a line in Java.
pub(super) const LINE_ENDS: &[char] = &['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// What `$` means for the text at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternEnd {
    /// The text does not end with a line's end: only its end.
    Plain,
    /// Its end, or before the line's end that is its end. Needs look-ahead.
    BeforeNewline,
}
