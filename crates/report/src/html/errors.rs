//! The errors on the page: a table, and below it the samples of each group.

use plimsoll_text::Message;

use super::escape;
use super::page::{self, paragraphs, table};
use crate::data::Data;
use crate::errors::{exchange, grid, groups, more, sample_line, what};
use crate::number::count;

/// Most groups on a page.
const SHOWN: usize = 50;

/// The section; empty for a run without errors.
pub(super) fn section(data: &Data<'_>) -> String {
    let say = data.say;
    let groups = groups(data);
    if groups.is_empty() {
        return String::new();
    }
    let (first, left) = groups.split_at(groups.len().min(SHOWN));
    let mut html = table(&grid(say, first, usize::MAX), page::NAMED);
    html.push_str(&paragraphs(
        &more(say, left).into_iter().collect::<Vec<_>>(),
    ));
    for group in first.iter().filter(|group| !group.samples.is_empty()) {
        let title = Message::new("report-errors-group")
            .with("count", count(group.count))
            .with("label", group.label.as_str())
            .with("what", what(say, group));
        html.push_str(&format!(
            "<details class=\"finding\"><summary>{}</summary>\n",
            escape(&say.message(&title))
        ));
        for sample in &group.samples {
            html.push_str(&paragraphs(&[sample_line(say, sample)]));
            for text in exchange(say, sample) {
                html.push_str(&format!("<pre>{}</pre>\n", escape(&text)));
            }
        }
        html.push_str("</details>\n");
    }
    page::section(&say.text("report-errors-title"), &html)
}
