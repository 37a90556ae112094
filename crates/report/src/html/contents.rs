//! The table of contents: an anchor for each section and a list of links to them.

use super::escape::escape;
use crate::document::Say;

/// How a section with a heading begins. Foreign text is escaped and cannot look like it.
const OPENING: &str = "<section class=\"long\"><h2>";

/// The body with anchors; the contents stand before the first section.
pub(super) fn with_contents(say: Say, body: &str) -> String {
    let mut parts = body.split(OPENING);
    let mut page = parts.next().unwrap_or_default().to_owned();
    let (mut links, mut sections) = (String::new(), String::new());
    for (part, number) in parts.zip(1..) {
        let title = part.split("</h2>").next().unwrap_or_default();
        links.push_str(&format!(
            "<li><a href=\"#part-{number}\">{title}</a></li>\n"
        ));
        sections.push_str(&format!(
            "<section class=\"long\" id=\"part-{number}\"><h2>{part}"
        ));
    }
    if !links.is_empty() {
        let name = escape(&say.text("report-contents"));
        page.push_str(&format!(
            "<nav class=\"contents\" aria-label=\"{name}\"><ol>\n{links}</ol></nav>\n"
        ));
    }
    page.push_str(&sections);
    page
}
