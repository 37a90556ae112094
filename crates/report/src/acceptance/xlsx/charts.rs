//! Throughput and each goal's figure against the load, drawn from the cells of the table. A goal's
//! limit is a column of its own to the right of the table, since a chart draws cells only.

use rust_xlsxwriter::{Chart, ChartLine, ChartLineDashType, ChartType, Color, Format, XlsxError};

use super::sheet::{Sheet, cut};
use super::style::BAD;
use crate::acceptance::report::AcceptanceReport;
use crate::acceptance::table::{GOALS_AT, LOAD_AT, THROUGHPUT_AT};
use crate::acceptance::words;
use crate::csv_table::inert;

/// Characters of a chart's title.
const TITLE: usize = 100;
/// Rows and columns that a chart takes.
const HIGH: u32 = 16;
const WIDE: u16 = 4;

pub(super) fn add(
    sheet: &mut Sheet<'_>,
    report: &AcceptanceReport,
    heads: &[String],
) -> Result<(), XlsxError> {
    let Some(last) = sheet.line.checked_sub(1).filter(|last| *last > 0) else {
        return Ok(());
    };
    let goals = (GOALS_AT as u16..).zip(&report.requirements);
    let free = heads.len() as u16 + 1;
    let mut drawn = vec![(THROUGHPUT_AT as u16, None)];
    for ((column, goal), limit_at) in goals.zip(free..) {
        limits(
            sheet,
            limit_at,
            (last, goal.value),
            &heads[usize::from(column)],
        )?;
        drawn.push((column, Some(limit_at)));
    }
    let mut bottom = last;
    for ((column, limit), place) in drawn.into_iter().zip(0_u32..) {
        let title = heads.get(usize::from(column)).map_or("", String::as_str);
        let chart = chart(report, &sheet.sheet.name(), last, title, (column, limit));
        let (down, right) = (last + 2 + place / 2 * HIGH, (place % 2) as u16 * WIDE);
        sheet.sheet.insert_chart(down, right, &chart)?;
        bottom = down + HIGH;
    }
    // The limits are for the charts; nobody reads them on paper.
    let right = heads.len().saturating_sub(1) as u16;
    sheet.sheet.set_print_area(0, 0, bottom, right)?;
    Ok(())
}

fn limits(
    sheet: &mut Sheet<'_>,
    column: u16,
    (last, limit): (u32, f64),
    goal: &str,
) -> Result<(), XlsxError> {
    let grey = Format::new()
        .set_font_color(Color::RGB(0x0088_8888))
        .set_text_wrap();
    let after = std::mem::replace(&mut sheet.line, 1);
    sheet.cell(column, goal, &grey)?;
    for line in 1..=last {
        sheet.line = line + 1;
        sheet.number(column, Some(limit), &grey)?;
    }
    sheet.line = after;
    Ok(())
}

fn chart(
    report: &AcceptanceReport,
    sheet: &str,
    last: u32,
    title: &str,
    (column, limit): (u16, Option<u16>),
) -> Chart {
    // A title that begins like a formula would be taken for one.
    let title = cut(&inert(title), TITLE);
    let mut chart = Chart::new(ChartType::ScatterStraightWithMarkers);
    let load_at = LOAD_AT as u16;
    let loads = (sheet, 1, load_at, last, load_at);
    chart
        .add_series()
        .set_name(title.as_str())
        .set_categories(loads)
        .set_values((sheet, 1, column, last, column));
    if let Some(limit) = limit {
        let mut dashes = ChartLine::new();
        dashes
            .set_color(BAD)
            .set_width(1.25)
            .set_dash_type(ChartLineDashType::Dash);
        let mut no_marks = rust_xlsxwriter::ChartMarker::new();
        no_marks.set_none();
        chart
            .add_series()
            .set_categories(loads)
            .set_values((sheet, 1, limit, last, limit))
            .set_format(&mut dashes)
            .set_marker(&no_marks);
    }
    chart.title().set_name(title.as_str());
    chart
        .x_axis()
        .set_name(words::load_head(report).as_str())
        .set_min(0);
    chart.y_axis().set_min(0);
    chart.legend().set_hidden();
    chart
}
