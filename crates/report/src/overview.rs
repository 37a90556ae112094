//! The report as blocks, for text and Markdown.

use plimsoll_text::Message;

use crate::data::RunData;
use crate::document::{ReportBlock, ReportGrid, Say};
use crate::sections::{ERRORS_BY_KIND, TableSection, generator, goals, not_run, notices};
use crate::sections::{says_limited, tables, verdict};

/// The sections in the order in which they matter.
pub(crate) fn document(data: &RunData<'_>) -> Vec<ReportBlock> {
    let say = data.say;
    let notices = notices(data).into_iter();
    let mut blocks: Vec<ReportBlock> = notices
        .map(|(level, text)| ReportBlock::Notice(level, text))
        .collect();
    let (level, name, meaning) = verdict(data);
    if !says_limited(data) {
        let line = Message::new("report-verdict-line").with("verdict", name);
        blocks.push(ReportBlock::Notice(
            level,
            say.message(&line.with("meaning", meaning)),
        ));
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
        blocks.push(ReportBlock::Heading(say.text("report-not-run")));
        blocks.extend(lines.into_iter().map(ReportBlock::Text));
    }
    blocks.push(ReportBlock::Heading(say.text("report-generator")));
    blocks.extend(generator(data).into_iter().map(ReportBlock::Text));
    blocks
}

/// A table with what is said below it; nothing for an empty one.
fn table_blocks(say: Say, title: &str, grid: ReportGrid, lines: Vec<String>) -> Vec<ReportBlock> {
    if grid.is_empty() {
        return Vec::new();
    }
    let head = [
        ReportBlock::Heading(say.text(title)),
        ReportBlock::Table(grid),
    ];
    let lines = lines.into_iter().map(ReportBlock::Text);
    head.into_iter().chain(lines).collect()
}

/// Errors by kind for narrow media: the counts, and a sentence for each kind.
fn errors_in_lines(say: Say, mut grid: ReportGrid) -> (ReportGrid, Vec<String>) {
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
