//! Blocks as text for a screen.

use plimsoll_text::{COLUMNS, display_width, wrap_after};

use crate::document::{NoticeLevel, ReportBlock};

/// Columns that a label may take; longer ones lose their middle.
const MAX_CELL: usize = 48;

/// What the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// No line is longer, but those of what is shown as it is.
    pub columns: usize,
    /// It may have colours.
    pub colours: bool,
}

impl Screen {
    /// A file or a program that reads.
    pub const PLAIN: Self = Self {
        columns: COLUMNS,
        colours: false,
    };
}

/// The blocks as plain text.
pub(crate) fn to_text(blocks: &[ReportBlock]) -> String {
    fitted(blocks, Screen::PLAIN)
}

/// The blocks as text for a screen.
pub(crate) fn fitted(blocks: &[ReportBlock], screen: Screen) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            ReportBlock::Heading(title) => {
                let lines = wrap_after(&printable(title), screen.columns, "", "");
                let lines = lines.iter().map(|line| painted(line, "1", screen));
                text.push('\n');
                put(&mut text, lines);
            }
            ReportBlock::Notice(level, notice) => text.push_str(&marked(*level, notice, screen)),
            ReportBlock::Text(line) => put(&mut text, hanging(&printable(line), screen.columns)),
            ReportBlock::Table(grid) => {
                let table = grid.table(cell(grid.heads.len()));
                text.push_str(&table.to_text_within(screen.columns));
            }
            ReportBlock::Facts(facts) => text.push_str(&named(facts, screen.columns)),
            ReportBlock::Picture(_) => continue,
            ReportBlock::Verbatim(body) => {
                for line in body.lines() {
                    text.push_str(&format!("    {}\n", printable(line)));
                }
            }
        }
    }
    text
}

fn put(text: &mut String, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
}

/// A text in lines; those after the first stand behind the mark that it begins with.
fn hanging(text: &str, columns: usize) -> Vec<String> {
    let is_mark = |word: &&str| ["•", "→", "⚗"].contains(word);
    match text.split_once(' ').filter(|(mark, _)| is_mark(mark)) {
        Some((mark, text)) => wrap_after(text, columns, &format!("{mark} "), "  "),
        None => wrap_after(text, columns, "", ""),
    }
}

fn marked(level: NoticeLevel, notice: &str, screen: Screen) -> String {
    let (mark, colour) = match level {
        NoticeLevel::Good => ("✓ ", "32"),
        NoticeLevel::Plain => ("", ""),
        NoticeLevel::Warn => ("! ", "33"),
        NoticeLevel::Bad => ("✗ ", "31"),
    };
    let lines: Vec<String> = notice.lines().map(printable).collect();
    let mut lines = wrap_after(&lines.join("\n"), screen.columns, mark, "  ");
    if let Some(first) = lines.first_mut()
        && let Some(rest) = first.strip_prefix(mark).filter(|_| !mark.is_empty())
    {
        *first = format!("{}{rest}", painted(mark, colour, screen));
    }
    let mut text = String::new();
    put(&mut text, lines);
    text
}

/// Names and values side by side; a name that is too long has its value below it.
#[must_use]
pub fn named(facts: &[(String, String)], columns: usize) -> String {
    let widths = facts.iter().map(|(name, _)| display_width(name));
    let width = widths.max().unwrap_or(0).min(columns / 3);
    let rest = " ".repeat(width + 2);
    let mut text = String::new();
    for (name, value) in facts {
        let value = value.lines().map(printable).collect::<Vec<_>>().join("; ");
        let name = printable(name);
        let first = match width.checked_sub(display_width(&name)) {
            Some(pad) => format!("{name}{}  ", " ".repeat(pad)),
            None => {
                put(&mut text, wrap_after(&name, columns, "", ""));
                rest.clone()
            }
        };
        put(&mut text, wrap_after(&value, columns, &first, &rest));
    }
    text
}

/// The text in a colour, or bold, where there are colours.
fn painted(text: &str, code: &str, screen: Screen) -> String {
    match screen.colours {
        true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        false => text.to_owned(),
    }
}

/// Labels are cut in wide tables; sentences of narrow ones are not.
fn cell(columns: usize) -> impl Fn(&str) -> String {
    move |text| match columns {
        0..=5 => printable(text),
        _ => shorten(&printable(text), MAX_CELL),
    }
}

/// The text without what would steer a terminal: control characters and those that change
/// the direction of writing become `�`, line breaks blanks.
#[must_use]
pub fn printable(text: &str) -> String {
    plimsoll_text::printable(text).into_owned()
}

/// At most `width` columns, with `…` for the middle that is left out.
fn shorten(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let half = (width - 1) / 2;
    let take = |chars: &mut dyn Iterator<Item = char>| {
        let mut part = Vec::new();
        let mut used = 0;
        for c in chars {
            used += display_width(c.encode_utf8(&mut [0; 4]));
            if used > half {
                break;
            }
            part.push(c);
        }
        part
    };
    let start: String = take(&mut text.chars()).into_iter().collect();
    let end: String = take(&mut text.chars().rev()).into_iter().rev().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_steer_the_terminal() {
        assert_eq!(
            printable("a\u{1b}[2Jb\nc\u{202e}"),
            "a\u{fffd}[2Jb c\u{fffd}"
        );
    }

    #[test]
    fn long_labels_lose_their_middle() {
        assert_eq!(shorten("abcdefghij", 7), "abc…hij");
        assert_eq!(shorten("下单下单下单", 7), "下…单");
        assert_eq!(shorten("short", 7), "short");
    }
}
