//! The frame of every page, and pages without charts.

use plimsoll_text::Lang;

use super::contents::with_contents;
use super::elements::{definitions, notice, paragraphs, section, table};
use super::escape::escape;
use crate::document::{ReportBlock, Say};

const STYLE: &str = include_str!("../../assets/report.css");
const TABLE_SCRIPT: &str = include_str!("../../assets/tables.js");
const CHART_STYLE: &str = include_str!("../../assets/uPlot.min.css");

/// A disc with a line through it: the mark on a ship's hull.
pub(super) const MARK: &str = "<svg viewBox=\"0 0 48 48\" fill=\"none\" stroke=\"currentColor\" \
    stroke-width=\"4\" aria-hidden=\"true\"><circle cx=\"24\" cy=\"24\" r=\"15\"/>\
    <path d=\"M2 24h44\"/></svg>";

/// The frame of every page.
pub(super) fn shell(say: Say, title: &str, body: &str, scripts: &str) -> String {
    let body = with_contents(say, body);
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{CHART_STYLE}\n{STYLE}</style>\n</head>\n<body>\n{body}\
         {scripts}<script>{TABLE_SCRIPT}</script>\n</body>\n</html>\n",
        lang = if say.0 == Lang::Zh {
            "zh-CN"
        } else {
            say.0.code()
        },
        title = escape(title),
    )
}

/// A page of blocks, without charts: a section for each heading.
pub(crate) fn simple_page(say: Say, title: &str, blocks: &[ReportBlock]) -> String {
    let mut body = format!(
        "<header class=\"top\">{MARK}<div><h1>{}</h1></div></header>\n<main>\n",
        escape(title)
    );
    let (mut heading, mut content) = (None, String::new());
    for block in blocks {
        if let ReportBlock::Heading(text) = block {
            body.push_str(&finished(heading.replace(text), &mut content));
        } else if let (ReportBlock::Notice(..), None, true) = (block, heading, content.is_empty()) {
            // What is said before anything else stands by itself.
            body.push_str(&block_html(block));
        } else {
            content.push_str(&block_html(block));
        }
    }
    body.push_str(&finished(heading, &mut content));
    body.push_str("</main>\n");
    shell(say, title, &body, "")
}

/// The section that is over; its content begins anew.
fn finished(heading: Option<&String>, content: &mut String) -> String {
    let content = std::mem::take(content);
    match heading {
        Some(title) => section(title, &content),
        None if content.is_empty() => String::new(),
        None => format!("<section class=\"long\">{content}</section>\n"),
    }
}

fn block_html(block: &ReportBlock) -> String {
    match block {
        ReportBlock::Heading(text) => format!("<h3>{}</h3>\n", escape(text)),
        ReportBlock::Notice(level, text) => notice(*level, text),
        ReportBlock::Text(text) => paragraphs(std::slice::from_ref(text)),
        ReportBlock::Table(grid) => table(grid, "wide sentences"),
        ReportBlock::Facts(facts) => definitions(facts),
        ReportBlock::Picture(svg) => svg.clone(),
        ReportBlock::Verbatim(text) => format!("<pre>{}</pre>\n", escape(text)),
    }
}
