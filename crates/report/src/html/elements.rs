//! Elements that pages are made of.

use super::escape::escape;
use crate::document::{NoticeLevel, ReportGrid};

/// Tables whose cells are named where there is no room for columns.
pub(super) const NAMED: &str = "stack named";

/// Something to be told at once, line by line.
pub(super) fn notice(level: NoticeLevel, text: &str) -> String {
    let lines = text.lines().map(|line| format!("<p>{}</p>", escape(line)));
    let (class, lines) = (class(level), lines.collect::<String>());
    format!("<div class=\"notice {class}\">{lines}</div>\n")
}

/// A remark.
pub(super) fn note(text: &str) -> String {
    format!("<p class=\"note\">{}</p>\n", escape(text))
}

/// Names and values.
pub(super) fn definitions(facts: &[(String, String)]) -> String {
    let facts = facts
        .iter()
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
    format!("<dl>{}</dl>\n", facts.collect::<String>())
}

/// The class of a level.
pub(super) fn class(level: NoticeLevel) -> &'static str {
    match level {
        NoticeLevel::Good => "good",
        NoticeLevel::Plain => "plain",
        NoticeLevel::Warn => "warn",
        NoticeLevel::Bad => "bad",
    }
}

/// A section with a heading.
pub(super) fn section(title: &str, content: &str) -> String {
    format!(
        "<section class=\"long\"><h2>{}</h2>\n{content}</section>\n",
        escape(title)
    )
}

/// A table of a class.
pub(super) fn table(grid: &ReportGrid, class: &str) -> String {
    let class_of = |column: usize| match grid.heads.get(column) {
        Some((_, true)) => " class=\"r\"",
        _ => "",
    };
    // Where a phone stacks the cells, each says what it is.
    let head_of = |column: usize| match grid.heads.get(column) {
        Some((head, _)) if class == NAMED => format!(" data-head=\"{}\"", escape(head)),
        _ => String::new(),
    };
    let mut html =
        format!("<div class=\"scroll\" tabindex=\"0\"><table class=\"{class}\"><thead><tr>");
    for (column, (head, _)) in grid.heads.iter().enumerate() {
        html.push_str(&format!("<th{}>{}</th>", class_of(column), escape(head)));
    }
    html.push_str("</tr></thead><tbody>\n");
    for (number, row) in grid.rows.iter().enumerate() {
        let of = |rows: &[usize]| rows.contains(&number);
        html.push_str(match (of(&grid.totals), of(&grid.strong)) {
            (true, _) => "<tr class=\"strong total\">",
            (false, true) => "<tr class=\"strong\">",
            (false, false) => "<tr>",
        });
        for (column, cell) in row.iter().enumerate() {
            let (class, name) = (class_of(column), head_of(column));
            html.push_str(&format!("<td{class}{name}>{}</td>", marked(cell)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// A cell; those that begin with a verdict's mark get its colour.
fn marked(cell: &str) -> String {
    match cell.chars().next() {
        Some('✓') => format!("<span class=\"good\">{}</span>", escape(cell)),
        Some('✗') => format!("<span class=\"bad\">{}</span>", escape(cell)),
        _ => escape(cell),
    }
}

/// A paragraph for each line.
pub(super) fn paragraphs(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("<p>{}</p>\n", escape(line)))
        .collect()
}
