//! The report as blocks, for text and Markdown.

use plimsoll_text::Message;

use crate::data::Data;
use crate::document::{Block, Grid, Say};
use crate::sections::{ERRORS_BY_KIND, TableSection, generator, goals, not_run, notices};
use crate::sections::{says_limited, tables, verdict};

/// The sections in the order in which they matter.
pub(crate) fn document(data: &Data<'_>) -> Vec<Block> {
    let say = data.say;
    let notices = notices(data).into_iter();
    let mut blocks: Vec<Block> = notices
        .map(|(level, text)| Block::Notice(level, text))
        .collect();
    let (level, name, meaning) = verdict(data);
    if !says_limited(data) {
        let line = Message::new("report-verdict-line").with("verdict", name);
        let line = say.message(&line.with("meaning", meaning));
        blocks.push(Block::Notice(level, line));
    }
    blocks.extend(table_blocks(say, "report-goals", goals(data), vec![]));
    for TableSection { title, grid, note } in tables(data) {
        let (grid, lines) = match title {
            ERRORS_BY_KIND => errors_in_lines(say, grid),
            _ => (grid, note.map(|id| say.text(id)).into_iter().collect()),
        };
        blocks.extend(table_blocks(say, title, grid, lines));
        if title == ERRORS_BY_KIND {
            blocks.extend(crate::errors::blocks(data));
        }
    }
    if let Some(curve) = &data.curve {
        blocks.extend(crate::curve::blocks(say, curve));
    }
    if let Some(hops) = &data.hops {
        blocks.extend(crate::hops::blocks(say, hops));
    }
    let lines = not_run(data);
    if !lines.is_empty() {
        blocks.push(Block::Heading(say.text("report-not-run")));
        blocks.extend(lines.into_iter().map(Block::Text));
    }
    blocks.push(Block::Heading(say.text("report-generator")));
    blocks.extend(generator(data).into_iter().map(Block::Text));
    blocks
}

/// A table with what is said below it; nothing for an empty one.
fn table_blocks(say: Say, title: &str, grid: Grid, lines: Vec<String>) -> Vec<Block> {
    if grid.is_empty() {
        return Vec::new();
    }
    let head = [Block::Heading(say.text(title)), Block::Table(grid)];
    let lines = lines.into_iter().map(Block::Text);
    head.into_iter().chain(lines).collect()
}

/// Errors by kind for narrow media: the counts, and a sentence for each kind.
fn errors_in_lines(say: Say, mut grid: Grid) -> (Grid, Vec<String>) {
    grid.heads.truncate(3);
    let mut lines = Vec::new();
    for row in &mut grid.rows {
        let line = Message::new("report-error-line")
            .with("kind", row[0].as_str())
            .with("meaning", row[3].as_str())
            .with("look", row[4].as_str());
        lines.push(say.message(&line));
        row.truncate(3);
    }
    (grid, lines)
}
