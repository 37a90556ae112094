//! A paper as a workbook: its sections without tables on the first sheet, each other one on its own.

use rust_xlsxwriter::{Format, Workbook, XlsxError};

use crate::ReportError;
use crate::acceptance::{Sheet, boxed, head, notice_format, plain};
use crate::document::{ReportBlock, ReportGrid, Say};

/// Widths of the first sheet's columns, in characters.
const SUMMARY: [u16; 3] = [34, 60, 40];
/// The least and the most characters of a column.
const NARROW: usize = 9;
const WIDE: usize = 60;
/// Characters of a sheet's name, without what tells two of the same name apart.
const NAME: usize = 26;

/// The bytes of the workbook.
pub(super) fn workbook(
    say: Say,
    title: &str,
    blocks: &[ReportBlock],
) -> Result<Vec<u8>, ReportError> {
    make(say, title, blocks).map_err(|error| ReportError::Write(std::io::Error::other(error)))
}

/// The blocks below one heading, which the first ones may lack.
type Section<'a> = (Option<&'a str>, Vec<&'a ReportBlock>);

fn sections(blocks: &[ReportBlock]) -> Vec<Section<'_>> {
    let mut all: Vec<Section<'_>> = vec![(None, Vec::new())];
    for block in blocks {
        match (block, all.last_mut()) {
            (ReportBlock::Heading(title), _) => all.push((Some(title), Vec::new())),
            (block, Some((_, own))) => own.push(block),
            (_, None) => {}
        }
    }
    all
}

fn has_table(section: &Section<'_>) -> bool {
    let mut blocks = section.1.iter();
    blocks.any(|block| matches!(block, ReportBlock::Table(_)))
}

fn make(say: Say, title: &str, blocks: &[ReportBlock]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let sections = sections(blocks);
    let name = say.text("paper-summary");
    let mut sheet = Sheet::new(book.add_worksheet(), &name, &SUMMARY)?;
    let large = Format::new().set_bold().set_font_size(16);
    sheet.across(title, &large, 24.0)?;
    sheet.skip();
    for section in sections.iter().filter(|section| !has_table(section)) {
        in_summary(&mut sheet, section)?;
    }
    for (number, section) in sections.iter().filter(|it| has_table(it)).enumerate() {
        // Two sheets of one name are none.
        let title = section.0.unwrap_or_default();
        let short: String = title.chars().take(NAME).collect();
        let name = format!("{} {short}", number + 1);
        let widths = widths(&section.1);
        let mut sheet = Sheet::new(book.add_worksheet(), name.trim(), &widths)?;
        of_its_own(&mut sheet, &section.1)?;
    }
    book.save_to_buffer()
}

fn in_summary(sheet: &mut Sheet<'_>, (title, blocks): &Section<'_>) -> Result<(), XlsxError> {
    if let Some(title) = title {
        sheet.skip();
        sheet.sentence(title, &head())?;
    }
    blocks.iter().try_for_each(|block| simple(sheet, block))
}

/// A block that is no table.
fn simple(sheet: &mut Sheet<'_>, block: &ReportBlock) -> Result<(), XlsxError> {
    match block {
        ReportBlock::Notice(level, text) => {
            let format = notice_format(*level);
            text.lines()
                .try_for_each(|line| sheet.sentence(line, &format))
        }
        ReportBlock::Text(text) | ReportBlock::Heading(text) => sheet.sentence(text, &plain()),
        ReportBlock::Verbatim(text) => {
            let format = plain().set_font_name("Consolas");
            text.lines()
                .try_for_each(|line| sheet.sentence(line, &format))
        }
        ReportBlock::Facts(facts) => facts
            .iter()
            .try_for_each(|(name, value)| sheet.fact(name, value, &plain())),
        ReportBlock::Picture(_) | ReportBlock::Table(_) => Ok(()),
    }
}

/// The table first, so that its head stays in sight; what is said of it stands below.
fn of_its_own(sheet: &mut Sheet<'_>, blocks: &[&ReportBlock]) -> Result<(), XlsxError> {
    for block in blocks {
        if let ReportBlock::Table(grid) = block {
            if sheet.line == 0 {
                sheet.freeze_head()?;
            } else {
                sheet.skip();
            }
            table(sheet, grid)?;
        }
    }
    sheet.skip();
    blocks.iter().try_for_each(|block| simple(sheet, block))
}

fn table(sheet: &mut Sheet<'_>, grid: &ReportGrid) -> Result<(), XlsxError> {
    let heads: Vec<String> = grid.heads.iter().map(|(name, _)| name.clone()).collect();
    sheet.row(&heads, &boxed(head()), 0.0)?;
    for (number, row) in grid.rows.iter().enumerate() {
        let own = || match grid.strong.contains(&number) {
            true => boxed(plain()).set_bold(),
            false => boxed(plain()),
        };
        sheet.row(row, &own(), 0.0)?;
        let cells = row.iter().zip(&grid.heads).zip(0_u16..);
        for ((text, (_, is_number)), column) in cells {
            if let Some((value, pattern)) = figure(text).filter(|_| *is_number) {
                sheet.number(column, Some(value), &own().set_num_format(pattern))?;
            }
        }
    }
    Ok(())
}

/// How numbers are shown, by their digits behind the point.
const PATTERNS: [&str; 5] = ["#,##0", "#,##0.0", "#,##0.00", "#,##0.000", "#,##0.0000"];

/// What a cell's text is as a number, so that others can reckon with it, and how it is shown.
fn figure(text: &str) -> Option<(f64, &'static str)> {
    let plain = text
        .replace([',', '\u{202f}', '\u{a0}'], "")
        .replace('−', "-");
    if let Some(percent) = plain.trim_end().strip_suffix('%') {
        let value: f64 = percent.trim().parse().ok()?;
        let pattern = match percent.trim_start().starts_with('+') {
            true => "+0.0%;-0.0%;0.0%",
            false => "0.0%",
        };
        return Some((value / 100.0, pattern));
    }
    let value: f64 = plain.trim().parse().ok()?;
    // With as many digits as the text has: `#,##0.###` would leave a point behind a whole number.
    let digits = plain.trim().split_once('.').map_or(0, |(_, it)| it.len());
    let pattern = PATTERNS.get(digits).copied().unwrap_or("General");
    value.is_finite().then_some((value, pattern))
}

/// As wide as the longest line of a column, within bounds.
fn widths(blocks: &[&ReportBlock]) -> Vec<u16> {
    let mut widths: Vec<usize> = Vec::new();
    for block in blocks {
        let ReportBlock::Table(grid) = block else {
            continue;
        };
        let heads = grid.heads.iter().map(|(name, _)| name);
        let rows = grid.rows.iter().map(|row| row.iter().collect::<Vec<_>>());
        for row in std::iter::once(heads.collect()).chain(rows) {
            widths.resize(widths.len().max(row.len()), NARROW);
            for (text, width) in row.into_iter().zip(&mut widths) {
                let longest = text.lines().map(plimsoll_text::display_width).max();
                *width = (*width).max(longest.unwrap_or(0) + 2);
            }
        }
    }
    // A sentence goes over several columns.
    widths.resize(widths.len().max(2), NARROW);
    let bounded = widths.into_iter().map(|width| width.min(WIDE));
    bounded
        .map(|width| u16::try_from(width).unwrap_or(u16::MAX))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_are_numbers() {
        assert_eq!(figure("1,234.5"), Some((1234.5, "#,##0.0")));
        assert_eq!(figure("260"), Some((260.0, "#,##0")));
        assert_eq!(figure("0.000012"), Some((0.000_012, "General")));
        assert_eq!(figure("12 %").map(|it| it.0), Some(0.12));
        assert_eq!(figure("+12.5 %"), Some((0.125, "+0.0%;-0.0%;0.0%")));
        for text in ["", "–", "12 s", "NaN", "=1+1", "3 %x"] {
            assert_eq!(figure(text), None, "{text}");
        }
    }
}
