//! The aggregate report as plain text.

use std::io::Write;

use plimsoll_store::Run;
use plimsoll_text::display_width;

use crate::data::Data;
use crate::document::{Block, Level};
use crate::sections::document;
use crate::{Exporter, Options, ReportError};

/// Columns that a label may take; longer ones lose their middle.
const MAX_CELL: usize = 48;

/// Plain text, for a terminal or a log.
#[derive(Debug, Clone, Copy)]
pub struct Terminal;

impl Exporter for Terminal {
    fn name(&self) -> &'static str {
        "text"
    }

    fn extension(&self) -> &'static str {
        "txt"
    }

    fn export(&self, run: &Run, options: &Options, out: &mut dyn Write) -> Result<(), ReportError> {
        let data = Data::read(run, options.lang)?;
        out.write_all(to_text(&document(&data)).as_bytes())?;
        Ok(())
    }
}

pub(crate) fn to_text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading(title) => text.push_str(&format!("\n{title}\n")),
            Block::Notice(level, notice) => {
                let mark = match level {
                    Level::Good => "✓ ",
                    Level::Plain => "",
                    Level::Warn => "! ",
                    Level::Bad => "✗ ",
                };
                let lines: Vec<String> = notice.lines().map(printable).collect();
                text.push_str(&format!("{mark}{}\n", lines.join("\n  ")));
            }
            Block::Text(line) => text.push_str(&format!("{}\n", printable(line))),
            Block::Table(grid) => text.push_str(&grid.table(cell(grid.heads.len())).to_text()),
            Block::Facts(facts) => {
                let width = facts.iter().map(|(name, _)| display_width(name)).max();
                for (name, value) in facts {
                    let pad = width.unwrap_or(0) - display_width(name);
                    let value = value.lines().map(printable).collect::<Vec<_>>().join("; ");
                    text.push_str(&format!("{name}{}  {value}\n", " ".repeat(pad)));
                }
            }
            Block::Picture(_) => continue,
            Block::Verbatim(body) => {
                for line in body.lines() {
                    text.push_str(&format!("    {}\n", printable(line)));
                }
            }
        }
    }
    text
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
