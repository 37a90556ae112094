//! The report as a workbook.

use rust_xlsxwriter::{
    Chart, ChartType, Color, Format, FormatAlign, Workbook, Worksheet, XlsxError,
};

use super::{GOALS_AT, Report, Row, words};
use crate::ReportError;
use crate::diagnosis::{advice_text, exhibit_text, explains};

/// The bytes of the workbook: summary, results, findings.
pub(super) fn workbook(report: &Report) -> Result<Vec<u8>, ReportError> {
    make(report).map_err(|error| ReportError::Write(std::io::Error::other(error)))
}

fn make(report: &Report) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    summary(book.add_worksheet(), report)?;
    results(book.add_worksheet(), report)?;
    findings(book.add_worksheet(), report)?;
    book.save_to_buffer()
}

fn head() -> Format {
    Format::new()
        .set_bold()
        .set_background_color(Color::RGB(0x00DD_E6F0))
}

fn wrapped() -> Format {
    Format::new().set_text_wrap().set_align(FormatAlign::Top)
}

fn summary(sheet: &mut Worksheet, report: &Report) -> Result<(), XlsxError> {
    let say = report.say;
    sheet.set_name(sheet_name(&say.text("acceptance-about")))?;
    sheet.set_column_width(0, 34)?.set_column_width(1, 90)?;
    let title = Format::new().set_bold().set_font_size(16);
    sheet.write_with_format(0, 0, &report.title, &title)?;
    let mut line = 2;
    for sentence in words::conclusion(report).lines() {
        sheet.write(line, 0, sentence)?;
        line += 1;
    }
    line += 1;
    sheet.write_with_format(line, 0, say.text("acceptance-requirements"), &head())?;
    line += 1;
    for goal in &report.requirements {
        sheet.write(line, 0, goal.to_string())?;
        line += 1;
    }
    line += 1;
    for (name, value) in &report.facts {
        sheet.write_with_format(line, 0, name, &wrapped())?;
        sheet.write_with_format(line, 1, value, &wrapped())?;
        line += 1;
    }
    line += 1;
    sheet.write_with_format(line, 0, say.text("acceptance-sign"), &head())?;
    sheet.write(line + 1, 0, say.text("acceptance-sign-note"))?;
    line += 2;
    let sign = words::signatures(report);
    let heads = sign.heads.into_iter().map(|(head, _)| head).collect();
    for cells in std::iter::once(heads).chain(sign.rows) {
        for (cell, column) in cells.iter().zip(0..) {
            sheet.write(line, column, cell)?;
        }
        line += 1;
    }
    Ok(())
}

fn results(sheet: &mut Worksheet, report: &Report) -> Result<(), XlsxError> {
    let say = report.say;
    sheet.set_name(sheet_name(&say.text("acceptance-results")))?;
    for ((name, _), column) in report.grid().heads.iter().zip(0..) {
        sheet.write_with_format(0, column, name, &head())?;
        sheet.set_column_width(column, 16)?;
    }
    for ((number, row), line) in report.rows.iter().enumerate().zip(1..) {
        write_row(
            sheet,
            line,
            report,
            row,
            report.best == Some(number) && row.meets,
        )?;
    }
    sheet.set_freeze_panes(1, 0)?;
    charts(sheet, report)
}

/// Throughput and each goal's figure against the load, drawn from the cells of the table.
fn charts(sheet: &mut Worksheet, report: &Report) -> Result<(), XlsxError> {
    let (Ok(last), name) = (u32::try_from(report.rows.len()), sheet.name()) else {
        return Ok(());
    };
    if last == 0 {
        return Ok(());
    }
    let heads = report.grid().heads;
    let goals = (GOALS_AT..).take(report.requirements.len());
    for (place, column) in [THROUGHPUT_AT].into_iter().chain(goals).enumerate() {
        let title = heads.get(column).map_or("", |(title, _)| title);
        let (at, place) = (column as u16, place as u32);
        let mut chart = Chart::new(ChartType::ScatterStraightWithMarkers);
        chart
            .add_series()
            .set_name(title)
            .set_categories((name.as_str(), 1, LOAD_AT, last, LOAD_AT))
            .set_values((name.as_str(), 1, at, last, at));
        chart.title().set_name(title);
        chart
            .x_axis()
            .set_name(&report.say.text("acceptance-column-load"));
        chart.y_axis().set_name(title);
        chart.legend().set_hidden();
        sheet.insert_chart(last + 2 + place / 2 * 16, place as u16 % 2 * 5, &chart)?;
    }
    Ok(())
}

/// Columns that charts are drawn from.
const LOAD_AT: u16 = 2;
const THROUGHPUT_AT: usize = 5;

/// Numbers stay numbers, so that others can reckon with them.
fn write_row(
    sheet: &mut Worksheet,
    line: u32,
    report: &Report,
    row: &Row,
    best: bool,
) -> Result<(), XlsxError> {
    let plain = || {
        let format = Format::new();
        if best {
            format
                .set_bold()
                .set_background_color(Color::RGB(0x00E2_F2E4))
        } else {
            format
        }
    };
    let number = |pattern: &str| plain().set_num_format(pattern);
    sheet.write_with_format(line, 0, &row.scenario, &plain())?;
    sheet.write_with_format(line, 1, &row.name, &plain())?;
    sheet.write_with_format(line, 2, row.load, &number("0.##"))?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "a workbook's numbers are doubles"
    )]
    sheet.write_with_format(line, 3, row.samples as f64, &number("#,##0"))?;
    sheet.write_with_format(line, 4, row.error_share, &number("0.00%"))?;
    sheet.write_with_format(line, 5, row.throughput_per_s, &number("#,##0.0"))?;
    sheet.write_with_format(line, 6, row.mean_ms, &number("#,##0.0"))?;
    sheet.write_with_format(line, 7, row.p90_ms, &number("#,##0.0"))?;
    let mut next = GOALS_AT as u16;
    for goal in &row.goals {
        let color = if goal.met { 0x001A_7F4B } else { 0x00B3_261E };
        let format = number("#,##0.0##").set_font_color(Color::RGB(color));
        match goal.observed {
            Some(value) => sheet.write_with_format(line, next, value, &format)?,
            None => sheet.write_with_format(line, next, "–", &plain())?,
        };
        next += 1;
    }
    for (column, value) in [(next, row.server_cpu), (next + 1, row.server_memory)] {
        match value {
            Some(value) => sheet.write_with_format(line, column, value, &number("0%"))?,
            None => sheet.write_with_format(line, column, "–", &plain())?,
        };
    }
    let mark = report.cells(row, best).pop().unwrap_or_default();
    sheet.write_with_format(line, next + 2, mark, &plain())?;
    Ok(())
}

fn findings(sheet: &mut Worksheet, report: &Report) -> Result<(), XlsxError> {
    let say = report.say;
    sheet.set_name(sheet_name(&say.text("diagnosis-title")))?;
    sheet.set_column_width(0, 6)?.set_column_width(1, 60)?;
    sheet.set_column_width(2, 80)?.set_column_width(3, 60)?;
    let heads = [
        "acceptance-column-rank",
        "acceptance-column-finding",
        "acceptance-column-evidence",
        "acceptance-column-advice",
    ];
    for (id, column) in heads.iter().zip(0..) {
        sheet.write_with_format(0, column, say.text(id), &head())?;
    }
    let Some(diagnosis) = &report.diagnosis else {
        return Ok(());
    };
    for (finding, line) in diagnosis.findings.iter().zip(1_u32..) {
        let title = say.message(&finding.text(""));
        let about = format!("{title}\n{}", explains(finding, say));
        let evidence: Vec<String> = finding
            .evidence
            .iter()
            .map(|e| exhibit_text(e, say))
            .collect();
        let advice: Vec<String> = finding.advice.iter().map(|a| advice_text(a, say)).collect();
        sheet.write_with_format(line, 0, f64::from(line), &wrapped())?;
        sheet.write_with_format(line, 1, about, &wrapped())?;
        sheet.write_with_format(line, 2, evidence.join("\n"), &wrapped())?;
        sheet.write_with_format(line, 3, advice.join("\n"), &wrapped())?;
    }
    Ok(())
}

/// At most 31 characters, without those that a sheet's name may not have.
fn sheet_name(text: &str) -> String {
    let allowed = text.chars().filter(|c| !"[]:*?/\\".contains(*c));
    allowed.take(31).collect()
}
