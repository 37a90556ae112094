//! The errors on the page: a table, and below it the samples of each group.

use super::elements::{NAMED, paragraphs, section as framed, table};
use super::escape::escape;
use crate::data::RunData;
use crate::errors::{exchange, grid, groups, more, sample_line, title};

/// Most groups on a page.
const SHOWN: usize = 50;

/// The section; empty for a run without errors.
pub(super) fn section(data: &RunData<'_>) -> String {
    let say = data.say;
    let groups = groups(data);
    if groups.is_empty() {
        return String::new();
    }
    let (first, left) = groups.split_at(groups.len().min(SHOWN));
    let mut html = table(&grid(say, first, usize::MAX), NAMED);
    html.push_str(&paragraphs(
        &more(say, left).into_iter().collect::<Vec<_>>(),
    ));
    for group in first.iter().filter(|group| !group.samples.is_empty()) {
        html.push_str(&format!(
            "<details class=\"finding\"><summary>{}</summary>\n",
            escape(&title(say, group))
        ));
        for sample in &group.samples {
            html.push_str(&paragraphs(&[sample_line(say, sample)]));
            for text in exchange(say, sample) {
                html.push_str(&format!("<pre>{}</pre>\n", escape(&text)));
            }
        }
        html.push_str("</details>\n");
    }
    framed(&say.text("report-errors-title"), &html)
}
