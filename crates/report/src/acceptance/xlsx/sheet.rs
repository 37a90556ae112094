//! A worksheet that is written from top to bottom. Texts of others stay texts, rows are as high as
//! their texts need, and all columns fit on one page.

use plimsoll_text::display_width;
use rust_xlsxwriter::{Format, Worksheet, XlsxError};

use crate::csv_table::inert;

/// Characters that a cell may hold.
const MOST_IN_CELL: usize = 32_000;
/// Points of a line of text.
const LINE: f64 = 15.0;
/// Points that a row may be high.
const HIGHEST: f64 = 400.0;

pub(crate) struct Sheet<'a> {
    pub(super) sheet: &'a mut Worksheet,
    widths: Vec<u16>,
    /// The next line.
    pub(crate) line: u32,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(
        sheet: &'a mut Worksheet,
        name: &str,
        widths: &[u16],
    ) -> Result<Self, XlsxError> {
        sheet.set_name(sheet_name(name))?;
        for (width, column) in widths.iter().zip(0..) {
            sheet.set_column_width(column, *width)?;
        }
        sheet.set_landscape();
        sheet.set_print_fit_to_pages(1, 0);
        let widths = widths.to_vec();
        Ok(Self {
            sheet,
            widths,
            line: 0,
        })
    }

    pub(crate) fn skip(&mut self) {
        self.line += 1;
    }

    /// The first row stays in sight, on the screen and on each page.
    pub(crate) fn freeze_head(&mut self) -> Result<(), XlsxError> {
        self.sheet.set_freeze_panes(1, 0)?;
        self.sheet.set_repeat_rows(0, 0)?;
        Ok(())
    }

    /// A row of texts; at least so high.
    pub(crate) fn row(
        &mut self,
        cells: &[String],
        format: &Format,
        least: f64,
    ) -> Result<(), XlsxError> {
        let line = self.line;
        self.line += 1;
        let mut high = least;
        for (text, column) in cells.iter().zip(0..) {
            let width = self.widths.get(usize::from(column)).copied();
            high = high.max(height(text, width.unwrap_or(8)));
            write(self.sheet, (line, column), text, format)?;
        }
        self.sheet.set_row_height(line, high)?;
        Ok(())
    }

    /// A text over all columns.
    pub(crate) fn sentence(&mut self, text: &str, format: &Format) -> Result<(), XlsxError> {
        let high = height(text, self.widths.iter().sum());
        self.across(text, format, high)
    }

    /// The same, so high.
    pub(crate) fn across(
        &mut self,
        text: &str,
        format: &Format,
        high: f64,
    ) -> Result<(), XlsxError> {
        self.merged(0, text, format)?;
        self.sheet.set_row_height(self.line, high)?;
        self.line += 1;
        Ok(())
    }

    /// A name in the first column, its value in the others.
    pub(crate) fn fact(
        &mut self,
        name: &str,
        value: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let (first, others) = self.widths.split_first().unwrap_or((&8, &[]));
        let high = height(name, *first).max(height(value, others.iter().sum()));
        write(self.sheet, (self.line, 0), name, format)?;
        self.merged(1, value, format)?;
        self.sheet.set_row_height(self.line, high)?;
        self.line += 1;
        Ok(())
    }

    fn merged(&mut self, from: u16, text: &str, format: &Format) -> Result<(), XlsxError> {
        let last = self.widths.len().saturating_sub(1) as u16;
        self.sheet
            .merge_range(self.line, from, self.line, last, "", format)?;
        write(self.sheet, (self.line, from), text, format)
    }

    /// A number in the row that was written last; a dash where there is none.
    pub(crate) fn number(
        &mut self,
        column: u16,
        value: Option<f64>,
        format: &Format,
    ) -> Result<(), XlsxError> {
        let line = self.line.saturating_sub(1);
        match value {
            Some(value) => self.sheet.write_with_format(line, column, value, format)?,
            None => self.sheet.write_with_format(line, column, "–", format)?,
        };
        Ok(())
    }

    /// A text in the row that was written last.
    pub(super) fn cell(
        &mut self,
        column: u16,
        text: &str,
        format: &Format,
    ) -> Result<(), XlsxError> {
        write(
            self.sheet,
            (self.line.saturating_sub(1), column),
            text,
            format,
        )
    }
}

/// A text, also where it looks like a formula, and after somebody has edited it.
fn write(
    sheet: &mut Worksheet,
    at: (u32, u16),
    text: &str,
    format: &Format,
) -> Result<(), XlsxError> {
    let (text, looks) = (cut(text, MOST_IN_CELL), inert(text).len() > text.len());
    match looks {
        true => {
            sheet.write_string_with_format(at.0, at.1, text, &format.clone().set_quote_prefix())?
        }
        false => sheet.write_string_with_format(at.0, at.1, text, format)?,
    };
    Ok(())
}

/// At most so many characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The points that a text needs in a column of that many characters.
fn height(text: &str, width: u16) -> f64 {
    let wide = usize::from(width).saturating_sub(1).max(1);
    let lines = text
        .lines()
        .map(|line| display_width(line).div_ceil(wide).max(1));
    let lines: usize = lines.sum();
    #[expect(clippy::cast_precision_loss, reason = "lines of a cell")]
    let points = lines.max(1) as f64 * LINE + 3.0;
    points.min(HIGHEST)
}

/// At most 31 characters, without those that a sheet's name may not have.
fn sheet_name(text: &str) -> String {
    let allowed = text.chars().filter(|c| !"[]:*?/\\".contains(*c));
    allowed.take(31).collect()
}
