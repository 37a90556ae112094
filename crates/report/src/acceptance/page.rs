//! The report as blocks, for a page and for Markdown.

use plimsoll_stats::Verdict;

use super::asked::limit_ns;
use super::report::Report;
use super::{chart, table, words};
use crate::diagnosis;
use crate::document::{Block, Level};

/// All of it, in the order of reading.
pub(super) fn blocks(report: &Report) -> Vec<Block> {
    let say = report.say;
    let level = match report.verdict() {
        Verdict::Passed => Level::Good,
        Verdict::NotJudged => Level::Plain,
        _ => Level::Bad,
    };
    let warning = words::warning(report);
    let mut blocks: Vec<Block> = warning
        .map(|text| Block::Notice(Level::Bad, text))
        .into_iter()
        .collect();
    blocks.push(Block::Notice(level, words::conclusion(report)));
    blocks.push(Block::Heading(say.text("acceptance-about")));
    blocks.push(Block::Facts(report.facts.clone()));
    blocks.push(Block::Heading(say.text("acceptance-requirements")));
    if report.requirements.is_empty() {
        blocks.push(Block::Text(say.text("acceptance-no-requirements")));
    }
    for goal in &report.requirements {
        blocks.push(Block::Text(format!("• {goal}")));
    }
    blocks.push(Block::Heading(say.text("acceptance-results")));
    blocks.push(Block::Picture(chart::svg(report)));
    blocks.push(Block::Table(table::without_run(
        report,
        table::grid(report),
    )));
    if limit_ns(&report.requirements).is_some() {
        blocks.push(Block::Text(say.text("acceptance-errors-note")));
    }
    blocks.push(Block::Text(say.text("acceptance-table-note")));
    blocks.push(Block::Heading(say.text("diagnosis-title")));
    if let Some(diagnosis) = &report.diagnosis {
        blocks.extend(diagnosis::blocks(diagnosis, say));
    }
    blocks.push(Block::Heading(say.text("acceptance-sign")));
    blocks.push(Block::Text(say.text("acceptance-sign-note")));
    blocks.push(Block::Table(words::signatures(report)));
    blocks
}
