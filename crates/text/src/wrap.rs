//! Lines that fit a terminal. Between wide (Chinese) characters a line may end anywhere but before
//! closing and behind opening punctuation; elsewhere at blanks; where a word alone is too long,
//! within it.

use unicode_width::UnicodeWidthChar;

/// Columns of a terminal that nobody has asked for its size.
pub const COLUMNS: usize = 80;

/// The text in lines of at most that many columns. Line breaks that it has stay, and so do the
/// blanks that a line of it begins with.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    wrap_after(text, columns, "", "")
}

/// As [`wrap`]; `first` stands before the first line and `rest` before all others, within the
/// columns.
#[must_use]
pub fn wrap_after(text: &str, columns: usize, first: &str, rest: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines().chain(text.is_empty().then_some("")) {
        let before = if lines.is_empty() { first } else { rest };
        wrap_line(line, columns, before, rest, &mut lines);
    }
    lines
}

/// The line that is being filled.
struct Filling<'a> {
    text: String,
    width: usize,
    /// Where the text begins, after what stands before it.
    start: usize,
    /// Where it may end, in bytes.
    end: Option<usize>,
    /// What was broken off stands in the line before.
    goes_on: bool,
    rest: &'a str,
}

fn wrap_line(line: &str, columns: usize, first: &str, rest: &str, lines: &mut Vec<String>) {
    let mut filling = Filling {
        text: first.to_owned(),
        width: width(first),
        start: first.len(),
        end: None,
        goes_on: false,
        rest,
    };
    let mut before = None;
    for c in line.chars() {
        if before.is_some_and(|before| may_end_between(before, c)) && filling.has_text() {
            filling.end = Some(filling.text.len());
        }
        before = Some(c);
        // A blank at the end of a line is not seen.
        while c != ' ' && filling.is_too_long(c, columns) {
            lines.push(filling.break_off());
        }
        filling.push(c);
    }
    lines.push(filling.text.trim_end().to_owned());
}

impl Filling<'_> {
    fn has_text(&self) -> bool {
        !self.text[self.start..].trim().is_empty()
    }

    fn push(&mut self, c: char) {
        // What a line was broken at does not begin the next one.
        if c == ' ' && self.goes_on && self.text == self.rest {
            return;
        }
        self.text.push(c);
        self.width += width_of(c);
    }

    fn is_too_long(&self, c: char, columns: usize) -> bool {
        self.width + width_of(c) > columns && self.text.len() > self.start
    }

    /// Gives the line as far as it goes; what is left begins the next one.
    fn break_off(&mut self) -> String {
        let end = self.end.take().unwrap_or(self.text.len());
        let left = format!("{}{}", self.rest, self.text[end..].trim_start());
        let mut line = std::mem::replace(&mut self.text, left);
        line.truncate(end);
        line.truncate(line.trim_end().len());
        self.width = width(&self.text);
        self.start = self.rest.len();
        self.goes_on = true;
        line
    }
}

fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Columns of a character, at most; what makes the one before it an emoji makes that wider.
fn width_of(c: char) -> usize {
    match c {
        '\u{fe0f}' => 1,
        c => c.width().unwrap_or(0),
    }
}

fn may_end_between(before: char, c: char) -> bool {
    const OPENING: &str = "（“‘《【「([{<";
    const CLOSING: &str = "，。；：！？）”’》】」、…,.;:!?)]}>%";
    if c == ' ' {
        return false;
    }
    let is_wide = |c: char| width_of(c) > 1;
    before == ' '
        || (is_wide(before) || is_wide(c)) && !OPENING.contains(before) && !CLOSING.contains(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::display_width;

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one  two", 4), ["one", "two"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("a\nb", 4), ["a", "b"]);
        assert_eq!(wrap("  a b", 4), ["  a", "b"]);
        assert_eq!(wrap_after("a bb cc", 6, "• ", "  "), ["• a bb", "  cc"]);
    }

    #[test]
    fn chinese_ends_anywhere_but_before_punctuation() {
        assert_eq!(wrap("错误率过高。请看", 10), ["错误率过", "高。请看"]);
        assert_eq!(wrap("（错误）率", 6), ["（错", "误）率"]);
        assert_eq!(wrap("p95是5 ms", 6), ["p95是5", "ms"]);
    }

    proptest! {
        #[test]
        fn lines_fit_and_nothing_is_lost(
            text in "([a-z0-9/]{0,30}|[ \n]|[一-龥]{0,9}|[，。（）“”]|\u{1f468}\u{200d}\u{1f469}|☺\u{fe0f}|e\u{301}){0,40}",
            columns in 4_usize..100,
        ) {
            let lines = wrap_after(&text, columns, "> ", "  ");
            for line in &lines {
                prop_assert!(display_width(line) <= columns, "{line:?}");
            }
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let joined = lines.concat();
            prop_assert_eq!(bare(joined.trim_start_matches('>')), bare(&text));
        }
    }
}
