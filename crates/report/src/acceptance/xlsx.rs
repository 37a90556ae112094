//! The report as a workbook: summary, results with charts, findings. Fits paper one page wide.

mod charts;
mod sheet;
mod style;

use plimsoll_stats::Verdict;
use rust_xlsxwriter::{Color, Format, FormatAlign, Workbook, XlsxError};

pub(crate) use self::sheet::Sheet;
use self::style::{BAD, GOOD};
pub(crate) use self::style::{boxed, head, notice_format, plain};
use super::report::AcceptanceReport;
use super::rows::LoadRow;
use super::table::{GOALS_AT, LOAD_AT, cells, grid};
use super::words;
use crate::ReportError;
use crate::diagnosis::{advice_text, exhibit_text, explains};

/// The bytes of the workbook.
pub(super) fn workbook(report: &AcceptanceReport) -> Result<Vec<u8>, ReportError> {
    make(report).map_err(|error| ReportError::Write(std::io::Error::other(error)))
}

fn make(report: &AcceptanceReport) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let say = report.say;
    let sheet = book.add_worksheet();
    summary(
        Sheet::new(sheet, &say.text("acceptance-about"), &ABOUT)?,
        report,
    )?;
    let columns = columns(report);
    let sheet = book.add_worksheet();
    results(
        Sheet::new(sheet, &say.text("acceptance-results"), &columns)?,
        report,
    )?;
    let sheet = book.add_worksheet();
    findings(
        Sheet::new(sheet, &say.text("diagnosis-title"), &FINDINGS)?,
        report,
    )?;
    book.save_to_buffer()
}

/// Widths of the columns in characters.
const ABOUT: [u16; 4] = [44, 44, 26, 20];
const FINDINGS: [u16; 4] = [6, 46, 64, 52];

fn columns(report: &AcceptanceReport) -> Vec<u16> {
    // Scenario and run, then figures.
    let all = grid(report).heads.len().saturating_sub(2);
    [22, 26]
        .into_iter()
        .chain(std::iter::repeat_n(13, all))
        .collect()
}

fn summary(mut sheet: Sheet<'_>, report: &AcceptanceReport) -> Result<(), XlsxError> {
    let say = report.say;
    sheet.sheet.set_portrait();
    sheet.across(
        &report.title,
        &Format::new().set_bold().set_font_size(16),
        24.0,
    )?;
    sheet.skip();
    if let Some(warning) = words::warning(report) {
        sheet.sentence(&warning, &plain().set_bold().set_font_color(BAD))?;
    }
    let verdict = match report.verdict() {
        Verdict::Passed => plain().set_bold().set_font_color(GOOD),
        Verdict::NotJudged => plain().set_bold(),
        _ => plain().set_bold().set_font_color(BAD),
    };
    for (number, sentence) in words::conclusion(report).lines().enumerate() {
        let format = if number == 0 { &verdict } else { &plain() };
        sheet.sentence(sentence, format)?;
    }
    sheet.skip();
    sheet.sentence(&say.text("acceptance-requirements"), &head())?;
    for goal in &report.requirements {
        sheet.sentence(&goal.to_string(), &plain())?;
    }
    sheet.skip();
    sheet.sentence(&say.text("acceptance-about"), &head())?;
    for (name, value) in &report.facts {
        sheet.fact(name, value, &plain())?;
    }
    sheet.skip();
    sheet.sentence(&say.text("acceptance-sign"), &head())?;
    sheet.sentence(&say.text("acceptance-sign-note"), &plain())?;
    let sign = words::signatures(report);
    let heads: Vec<String> = sign.heads.into_iter().map(|(head, _)| head).collect();
    sheet.row(&heads, &boxed(head()), 0.0)?;
    for cells in sign.rows {
        sheet.row(&cells, &boxed(plain()), ROOM_TO_SIGN)?;
    }
    Ok(())
}

/// Points.
const ROOM_TO_SIGN: f64 = 32.0;

fn results(mut sheet: Sheet<'_>, report: &AcceptanceReport) -> Result<(), XlsxError> {
    let heads: Vec<String> = grid(report)
        .heads
        .into_iter()
        .map(|(head, _)| head)
        .collect();
    sheet.row(&heads, &boxed(head()), 0.0)?;
    for (number, row) in report.rows.iter().enumerate() {
        write_row(
            &mut sheet,
            report,
            row,
            report.best == Some(number) && row.meets,
        )?;
    }
    sheet.freeze_head()?;
    charts::add(&mut sheet, report, &heads)
}

/// Numbers stay numbers, so that others can reckon with them.
fn write_row(
    sheet: &mut Sheet<'_>,
    report: &AcceptanceReport,
    row: &LoadRow,
    best: bool,
) -> Result<(), XlsxError> {
    let plain = || match best {
        true => boxed(plain())
            .set_bold()
            .set_background_color(Color::RGB(0x00E2_F2E4)),
        false => boxed(plain()),
    };
    let number = |pattern: &str| plain().set_num_format(pattern);
    let none = || Format::set_align(plain(), FormatAlign::Right);
    sheet.row(&[row.scenario.clone(), row.name.clone()], &plain(), 0.0)?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a workbook's numbers are doubles"
    )]
    let figures = [
        (row.load, "0.##"),
        (row.samples as f64, "#,##0"),
        (row.error_rate, "0.00%"),
        (row.throughput_per_s, "#,##0.0"),
        (row.mean_ms, "#,##0.0"),
        (row.p90_ms, "#,##0.0"),
    ];
    for ((value, pattern), column) in figures.into_iter().zip(LOAD_AT as u16..) {
        sheet.number(column, Some(value), &number(pattern))?;
    }
    let mut next = GOALS_AT as u16;
    for goal in &row.goals {
        let color = if goal.met { GOOD } else { BAD };
        let format = match goal.observed {
            Some(_) => number("#,##0.0##").set_font_color(color),
            None => none(),
        };
        sheet.number(next, goal.observed, &format)?;
        next += 1;
    }
    for value in [row.server_cpu, row.server_memory] {
        let format = value.map_or_else(none, |_| number("0%"));
        sheet.number(next, value, &format)?;
        next += 1;
    }
    let mark = cells(report, row, best).pop().unwrap_or_default();
    sheet.cell(next, &mark, &plain())
}

fn findings(mut sheet: Sheet<'_>, report: &AcceptanceReport) -> Result<(), XlsxError> {
    let say = report.say;
    let heads = [
        "acceptance-column-rank",
        "acceptance-column-finding",
        "acceptance-column-evidence",
        "acceptance-column-advice",
    ];
    sheet.row(&heads.map(|id| say.text(id)), &boxed(head()), 0.0)?;
    sheet.freeze_head()?;
    let findings = report.diagnosis.iter().flat_map(|found| &found.findings);
    for (finding, rank) in findings.zip(1..) {
        let title = say.message(&finding.text(""));
        let evidence: Vec<String> = finding
            .evidence
            .iter()
            .map(|e| exhibit_text(e, say))
            .collect();
        let advice: Vec<String> = finding.advice.iter().map(|a| advice_text(a, say)).collect();
        let row = [
            i32::to_string(&rank),
            format!("{title}\n{}", explains(finding, say)),
            evidence.join("\n"),
            advice.join("\n"),
        ];
        sheet.row(&row, &boxed(plain()), 0.0)?;
    }
    Ok(())
}
