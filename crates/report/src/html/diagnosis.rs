//! The diagnosis on the page: the outcome, then a card for each finding.

use plimsoll_diagnose::{Diagnosis, Finding};
use plimsoll_text::Message;

use super::account::account_html;
use super::elements::{class, note, section};
use super::escape::escape;
use crate::diagnosis::{advice_text, exhibit_text, explains, level, limits};
use crate::document::Say;

/// The section; empty for a run of which there is nothing to say.
pub(super) fn diagnosis_section(diagnosis: &Diagnosis, say: Say) -> String {
    let summary = plimsoll_diagnose::json::summary(diagnosis);
    let mut html = format!(
        "<div class=\"notice {}\"><p>{}</p></div>\n",
        class(level(diagnosis)),
        escape(&say.message(&summary))
    );
    if let Some(account) = &diagnosis.account {
        html.push_str(&account_html(account, say));
    }
    for finding in &diagnosis.findings {
        html.push_str(&card(finding, say));
    }
    if !diagnosis.demands.is_empty() {
        html.push_str(&demands(diagnosis, say));
    }
    for missing in &diagnosis.missing {
        html.push_str(&note(&say.message(missing)));
    }
    section(&say.text("diagnosis-title"), &html)
}

/// What a request needs of each resource.
fn demands(diagnosis: &Diagnosis, say: Say) -> String {
    let items = diagnosis.demands.iter();
    let items =
        items.map(|demand| format!("<li>{}</li>\n", escape(&say.message(&demand.message()))));
    format!(
        "<details class=\"finding\"><summary>{}</summary>\n<ul>\n{}</ul>\n</details>\n",
        escape(&say.text("diagnosis-demands")),
        items.collect::<String>()
    )
}

fn card(finding: &Finding, say: Say) -> String {
    let open = if limits(finding) { " open" } else { "" };
    let mut html = format!(
        "<details class=\"finding\"{open}><summary>{}</summary>\n<p>{}</p>\n<p class=\"note\">{}</p>\n",
        escape(&say.message(&finding.text(""))),
        escape(&say.message(&finding.text("-means"))),
        escape(&explains(finding, say)),
    );
    html.push_str("<ul>\n");
    for exhibit in &finding.evidence {
        html.push_str(&format!("<li>{}", escape(&exhibit_text(exhibit, say))));
        if !exhibit.lines.is_empty() {
            html.push_str(&format!("<pre>{}</pre>", escape(&exhibit.lines.join("\n"))));
        }
        html.push_str("</li>\n");
    }
    html.push_str("</ul>\n");
    for advice in &finding.advice {
        html.push_str(&format!(
            "<p class=\"advice\">→ {}</p>\n",
            escape(&advice_text(advice, say))
        ));
    }
    let experiment = Message::new("diagnosis-experiment").with("text", finding.text("-experiment"));
    html.push_str(&format!("<p>{}</p>\n", escape(&say.message(&experiment))));
    let source = plimsoll_diagnose::source_text(finding.source, say.0);
    if !source.is_empty() {
        let source = Message::new("diagnosis-source").with("source", source);
        html.push_str(&note(&say.message(&source)));
    }
    html.push_str("</details>\n");
    html
}
