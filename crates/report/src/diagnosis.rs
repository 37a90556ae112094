//! What limited a run: the diagnosis in words, and as JSON.

use std::io::Write;

use plimsoll_diagnose::account::{Account, SlowestRequests};
use plimsoll_diagnose::{Advice, Diagnosis, Evidence, Exhibit, Finding, Layer, diagnose, json};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

use crate::data::RunData;
use crate::document::{NoticeLevel, ReportBlock, ReportGrid, Say};
use crate::errors::{as_argument, command};
use crate::json::write_json;
use crate::number::figure;
use crate::screen::to_text;
use crate::{ReportError, ReportOptions};

/// The diagnosis as text.
pub(crate) fn export_text(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let diagnosis = diagnose(&Evidence::of_run(run)?);
    out.write_all(text(&diagnosis, options.lang).as_bytes())?;
    Ok(())
}

/// A diagnosis as text for a terminal.
#[must_use]
pub fn text(diagnosis: &Diagnosis, lang: Lang) -> String {
    to_text(&blocks(diagnosis, Say(lang)))
}

/// The diagnosis as JSON (`schema/diagnosis.schema.json`).
pub(crate) fn export_json(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let diagnosis = diagnose(&Evidence::of_run(run)?);
    let document = json::document(&run.id(), &diagnosis, options.lang);
    write_json(&document, out)
}

/// How the outcome reads at a glance.
pub(crate) fn level(diagnosis: &Diagnosis) -> NoticeLevel {
    use plimsoll_diagnose::DiagnosisOutcome;
    match diagnosis.outcome {
        DiagnosisOutcome::Found => NoticeLevel::Warn,
        DiagnosisOutcome::Healthy if diagnosis.is_pause() => NoticeLevel::Plain,
        DiagnosisOutcome::Healthy => NoticeLevel::Good,
        DiagnosisOutcome::Nothing | DiagnosisOutcome::Insufficient => NoticeLevel::Plain,
    }
}

/// What stands in the summary of a run whose target was watched: the outcome, what it explains, the
/// first thing to change, and the command that shows the rest.
pub(crate) fn finding(data: &RunData<'_>) -> Vec<ReportBlock> {
    let say = data.say;
    let evidence = data.run.is_watched().then(|| Evidence::of_run(data.run));
    // Where the evidence cannot be read, the figures can.
    let Some(Ok(evidence)) = evidence else {
        return Vec::new();
    };
    let diagnosis = diagnose(&evidence);
    let mut blocks = vec![
        ReportBlock::Heading(say.text("diagnosis-title")),
        ReportBlock::Notice(level(&diagnosis), say.message(&json::summary(&diagnosis))),
    ];
    if let Some(first) = diagnosis.findings.iter().find(|finding| limits(finding)) {
        let explains = explains(first, say);
        blocks.push(ReportBlock::Facts(vec![(
            say.text("diagnosis-explains"),
            explains,
        )]));
        let advice = first.advice.first();
        blocks.extend(
            advice.map(|advice| ReportBlock::Text(format!("→ {}", advice_text(advice, say)))),
        );
    }
    blocks.push(ReportBlock::Text(say.text("diagnosis-next")));
    let run = as_argument(data.run);
    blocks.push(command(&format!("plimsoll diagnose {run}")));
    blocks
}

/// Everything that is said, in the order of rank.
pub(crate) fn blocks(diagnosis: &Diagnosis, say: Say) -> Vec<ReportBlock> {
    let mut blocks = vec![ReportBlock::Notice(
        level(diagnosis),
        say.message(&json::summary(diagnosis)),
    )];
    if let Some(account) = &diagnosis.account {
        blocks.extend(account_blocks(account, say));
    }
    for (finding, rank) in diagnosis.findings.iter().zip(1..) {
        blocks.push(ReportBlock::Heading(format!(
            "{rank}. {}",
            say.message(&finding.text(""))
        )));
        blocks.push(ReportBlock::Text(say.message(&finding.text("-means"))));
        blocks.push(ReportBlock::Facts(vec![
            (say.text("diagnosis-explains"), explains(finding, say)),
            (
                say.text("diagnosis-layer"),
                say.text(&format!("diagnosis-layer-{}", finding.layer.name())),
            ),
        ]));
        for exhibit in &finding.evidence {
            blocks.push(ReportBlock::Text(format!(
                "• {}",
                exhibit_text(exhibit, say)
            )));
            if !exhibit.lines.is_empty() {
                blocks.push(ReportBlock::Verbatim(exhibit.lines.join("\n")));
            }
        }
        for advice in &finding.advice {
            blocks.push(ReportBlock::Text(format!("→ {}", advice_text(advice, say))));
        }
        let experiment =
            Message::new("diagnosis-experiment").with("text", finding.text("-experiment"));
        blocks.push(ReportBlock::Text(format!("⚗ {}", say.message(&experiment))));
    }
    if !diagnosis.demands.is_empty() {
        blocks.push(ReportBlock::Heading(say.text("diagnosis-demands")));
    }
    for demand in &diagnosis.demands {
        blocks.push(ReportBlock::Text(format!(
            "• {}",
            say.message(&demand.message())
        )));
    }
    for missing in &diagnosis.missing {
        blocks.push(ReportBlock::Notice(
            NoticeLevel::Plain,
            say.message(missing),
        ));
    }
    blocks
}

/// The account: its parts, then what is full and what else is to be said.
fn account_blocks(account: &Account, say: Say) -> Vec<ReportBlock> {
    let mut blocks = vec![
        ReportBlock::Heading(say.text("account-title")),
        ReportBlock::Text(say.message(&account.message())),
        ReportBlock::Table(account_table(account, say)),
    ];
    let notes = account.notes().into_iter();
    blocks.extend(notes.map(|said| ReportBlock::Text(format!("• {}", say.message(&said)))));
    if let Some(slowest) = &account.slowest {
        blocks.push(ReportBlock::Heading(say.text("account-slowest-title")));
        blocks.push(ReportBlock::Text(say.message(&slowest.message())));
        blocks.push(ReportBlock::Table(slowest_table(slowest, say)));
    }
    blocks
}

/// The parts of the slowest requests' time, with those of all beside them.
pub(crate) fn slowest_table(slowest: &SlowestRequests, say: Say) -> ReportGrid {
    let heads = [
        ("account-head-part", false),
        ("account-head-slowest", true),
        ("account-head-share", true),
        ("account-head-all", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for part in &slowest.parts {
        let share = part.ms / slowest.mean_ms.max(1e-9) * 100.0;
        grid.row(vec![
            say.message(&part.name()),
            figure(part.ms),
            format!("{share:.1} %"),
            part.all_ms.map_or_else(|| "–".to_owned(), figure),
        ]);
    }
    grid
}

/// The parts of the account, what was read from what.
pub(crate) fn account_table(account: &Account, say: Say) -> ReportGrid {
    let heads = [
        ("account-head-part", false),
        ("account-head-ms", true),
        ("account-head-share", true),
        ("account-head-basis", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
    for part in &account.parts {
        let share = part.ms / account.response_ms.max(1e-9) * 100.0;
        grid.row(vec![
            say.message(&part.name()),
            figure(part.ms),
            format!("{share:.1} %"),
            say.message(&part.basis()),
        ]);
    }
    grid
}

/// "about 63 % of the response time; confidence 95 %".
pub(crate) fn explains(finding: &Finding, say: Say) -> String {
    let of = say.text(&format!(
        "diagnosis-of-{}",
        finding.explains.of.name().replace('_', "-")
    ));
    say.message(
        &Message::new("diagnosis-share")
            .with("percent", (finding.explains.share * 100.0).round())
            .with("of", of)
            .with("confidence", (finding.confidence * 100.0).round()),
    )
}

/// A piece of evidence with where it was read.
pub(crate) fn exhibit_text(exhibit: &Exhibit, say: Say) -> String {
    let mut text = say.message(&exhibit.text);
    if let Some(series) = &exhibit.series {
        text.push_str(&format!(" [{series}]"));
    }
    if let Some(capture) = exhibit.capture {
        let number = Message::new("diagnosis-capture").with("number", capture);
        text.push_str(&format!(" [{}]", say.message(&number)));
    }
    text
}

/// What to change: the setting with both values, then why.
pub(crate) fn advice_text(advice: &Advice, say: Say) -> String {
    let why = say.message(&advice.why);
    let (Some(setting), Some(proposed)) = (&advice.setting, &advice.proposed) else {
        return why;
    };
    let unknown = || say.text("diagnosis-unknown");
    let current = advice.current.clone().unwrap_or_else(unknown);
    format!("{setting}: {current} → {proposed}. {why}")
}

/// Whether a finding limits, rather than being a side remark.
pub(crate) fn limits(finding: &Finding) -> bool {
    finding.layer != Layer::Hint
}
