//! The report as blocks, for a page and for Markdown.

use plimsoll_stats::Verdict;

use super::asked::limit_ns;
use super::report::AcceptanceReport;
use super::{chart, table, words};
use crate::diagnosis;
use crate::document::{NoticeLevel, ReportBlock};

/// All of it, in the order of reading.
pub(super) fn blocks(report: &AcceptanceReport) -> Vec<ReportBlock> {
    let say = report.say;
    let level = match report.verdict() {
        Verdict::Passed => NoticeLevel::Good,
        Verdict::NotJudged => NoticeLevel::Plain,
        _ => NoticeLevel::Bad,
    };
    let warning = words::warning(report);
    let mut blocks: Vec<ReportBlock> = warning
        .map(|text| ReportBlock::Notice(NoticeLevel::Bad, text))
        .into_iter()
        .collect();
    blocks.push(ReportBlock::Notice(level, words::conclusion(report)));
    blocks.push(ReportBlock::Heading(say.text("acceptance-about")));
    blocks.push(ReportBlock::Facts(report.facts.clone()));
    blocks.push(ReportBlock::Heading(say.text("acceptance-requirements")));
    if report.requirements.is_empty() {
        blocks.push(ReportBlock::Text(say.text("acceptance-no-requirements")));
    }
    for goal in &report.requirements {
        blocks.push(ReportBlock::Text(format!("• {goal}")));
    }
    blocks.push(ReportBlock::Heading(say.text("acceptance-results")));
    blocks.push(ReportBlock::Picture(chart::svg(report)));
    blocks.push(ReportBlock::Table(table::without_run(
        report,
        table::grid(report),
    )));
    if limit_ns(&report.requirements).is_some() {
        blocks.push(ReportBlock::Text(say.text("acceptance-errors-note")));
    }
    blocks.push(ReportBlock::Text(say.text("acceptance-table-note")));
    blocks.push(ReportBlock::Heading(say.text("diagnosis-title")));
    if let Some(diagnosis) = &report.diagnosis {
        blocks.extend(diagnosis::blocks(diagnosis, say));
    }
    blocks.push(ReportBlock::Heading(say.text("acceptance-sign")));
    blocks.push(ReportBlock::Text(say.text("acceptance-sign-note")));
    blocks.push(ReportBlock::Table(words::signatures(report)));
    blocks
}
