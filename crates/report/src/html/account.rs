//! The account of the response time on the page.

use plimsoll_diagnose::account::{Account, PartKind, SlowestRequests};

use super::elements::{note, table};
use super::escape::escape;
use crate::diagnosis::{account_table, slowest_table};
use crate::document::Say;
use crate::number::figure;

/// Where the response time goes: one bar of its parts, the table behind it.
pub(super) fn account_html(account: &Account, say: Say) -> String {
    let bar = account.parts.iter().map(|part| {
        let name = escape(&say.message(&part.name()));
        let width = part.ms / account.response_ms.max(1e-9) * 100.0;
        format!(
            "<i class=\"{}\" style=\"width:{width:.2}%\" title=\"{name} {} ms\"></i>",
            colour(part.kind),
            figure(part.ms)
        )
    });
    let mut html = format!(
        "<h3>{}</h3>\n<p>{}</p>\n<div class=\"account\">{}</div>\n",
        escape(&say.text("account-title")),
        escape(&say.message(&account.message())),
        bar.collect::<String>()
    );
    let mut parts = table(&account_table(account, say), "stack");
    for part in &account.parts {
        let name = escape(&say.message(&part.name()));
        let mark = format!("<i class=\"swatch {}\"></i>{name}", colour(part.kind));
        parts = parts.replacen(&format!(">{name}<"), &format!(">{mark}<"), 1);
    }
    html.push_str(&parts);
    for said in account.notes() {
        html.push_str(&note(&say.message(&said)));
    }
    if let Some(slowest) = &account.slowest {
        html.push_str(&slowest_html(slowest, say));
    }
    html
}

/// Where the slowest requests spend it, beside all.
fn slowest_html(slowest: &SlowestRequests, say: Say) -> String {
    format!(
        "<h4>{}</h4>\n<p>{}</p>\n{}",
        escape(&say.text("account-slowest-title")),
        escape(&say.message(&slowest.message())),
        table(&slowest_table(slowest, say), "stack")
    )
}

/// The class of a part's colour: work, waiting, others, outside, unknown.
fn colour(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Running => "f1",
        PartKind::CpuWait | PartKind::Disk | PartKind::GarbageCollection => "f4",
        PartKind::WaitingInside | PartKind::AcceptQueue => "f2",
        PartKind::WaitingFor => "f3",
        PartKind::Generator | PartKind::Network => "f0",
        PartKind::Unaccounted => "unknown",
    }
}
