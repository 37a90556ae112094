//! The report in Markdown.

use std::io::Write;

use plimsoll_diagnose::{Evidence, diagnose};
use plimsoll_store::Run;
use plimsoll_text::Message;

use crate::data::RunData;
use crate::diagnosis;
use crate::document::{NoticeLevel, ReportBlock};
use crate::facts::{events, facts};
use crate::overview::document;
use crate::target::ReportTarget;
use crate::{ReportError, ReportOptions, printable};

/// Markdown with tables (GitHub's dialect).
pub(crate) fn export(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let data = RunData::read(run, options.lang)?;
    let say = data.say;
    let title = Message::new("report-title").with("name", data.summary.run.as_str());
    let mut text = format!("# {}\n\n", escape(&say.message(&title)));
    let mut blocks = document(&data);
    let diagnosis = diagnose(&Evidence::of_run(run)?);
    blocks.push(ReportBlock::Heading(say.text("diagnosis-title")));
    blocks.extend(diagnosis::blocks(&diagnosis, say));
    blocks.push(ReportBlock::Heading(say.text("report-run")));
    blocks.push(ReportBlock::Facts(facts(&data)));
    blocks.extend(ReportTarget::by_second(run, say)?.blocks(say));
    let events = events(&data);
    if !events.is_empty() {
        blocks.push(ReportBlock::Heading(say.text("report-events")));
        blocks.push(ReportBlock::Table(events));
    }
    blocks.push(ReportBlock::Heading(say.text("report-plan-text")));
    blocks.push(ReportBlock::Verbatim(data.meta().plan_source.clone()));
    text.push_str(&to_markdown(&blocks));
    out.write_all(text.as_bytes())?;
    Ok(())
}

pub(crate) fn to_markdown(blocks: &[ReportBlock]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            ReportBlock::Heading(title) => text.push_str(&format!("## {}\n", escape(title))),
            ReportBlock::Notice(level, notice) => {
                let mark = match level {
                    NoticeLevel::Good => "✅ ",
                    NoticeLevel::Plain => "",
                    NoticeLevel::Warn => "⚠️ ",
                    NoticeLevel::Bad => "❌ ",
                };
                // Stars beside a blank are no emphasis.
                let lines = notice
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty());
                let lines: Vec<String> = lines.map(escape).collect();
                if lines.is_empty() {
                    continue;
                }
                text.push_str(&format!("> {mark}**{}**\n", lines.join("**\n>\n> **")));
            }
            ReportBlock::Text(line) => text.push_str(&format!("{}\n", escape_line(line))),
            ReportBlock::Table(grid) => {
                let mut grid = grid.clone();
                for (head, _) in &mut grid.heads {
                    *head = escape_cell(head);
                }
                text.push_str(&grid.table(escape_cell).to_markdown());
            }
            ReportBlock::Facts(facts) => {
                for (name, value) in facts {
                    let value: Vec<String> = value.lines().map(escape).collect();
                    text.push_str(&format!("- {}: {}\n", escape_line(name), value.join("; ")));
                }
            }
            ReportBlock::Picture(_) => continue,
            ReportBlock::Verbatim(body) => {
                let fence = "`".repeat(longest_fence(body).max(2) + 1);
                text.push_str(&format!("{fence}\n{}\n{fence}\n", verbatim(body)));
            }
        }
        text.push('\n');
    }
    text
}

/// A fence must be longer than any run of backticks inside it.
fn longest_fence(body: &str) -> usize {
    body.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The lines as they are, without what would steer a terminal that shows the file.
fn verbatim(body: &str) -> String {
    let line = |line: &str| {
        line.split('\t')
            .map(printable)
            .collect::<Vec<_>>()
            .join("\t")
    };
    body.trim_end()
        .lines()
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Text that Markdown shows as it is at the beginning of a line, too: no list, no quotation, no
/// rule below the line before, no code by indentation.
fn escape_line(text: &str) -> String {
    let mut safe = escape(text.trim());
    let number = safe.bytes().take_while(u8::is_ascii_digit).count();
    match safe.as_bytes().get(number) {
        Some(b'-' | b'+' | b'=' | b'>') if number == 0 => safe.insert(0, '\\'),
        Some(b'.' | b')') if number > 0 => safe.insert(number, '\\'),
        _ => {}
    }
    safe
}

/// Text that Markdown shows as it is.
pub(crate) fn escape(text: &str) -> String {
    escape_cell(text).replace('|', "\\|")
}

/// The same for a table's cell, whose pipes the table itself escapes.
fn escape_cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '$' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
