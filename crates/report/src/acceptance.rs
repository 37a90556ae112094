//! The report that people hand in: one or several runs, their loads as rows of one table, what
//! was asked, what it ran on, what limited it, and the verdict. As HTML, Markdown or XLSX.

mod asked;
mod chart;
mod environment;
mod judged;
mod page;
mod report;
mod rows;
mod table;
mod words;
mod xlsx;

use std::io::Write;

use plimsoll_store::Run;
use plimsoll_text::Message;

use crate::document::Say;
use crate::html::simple_page;
use crate::markdown::{escape, to_markdown};
use crate::{ReportError, ReportOptions};
use report::AcceptanceReport;

pub use asked::Acceptance;
pub(crate) use xlsx::{Sheet, boxed, head, notice_format, plain};

/// The forms there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptanceForm {
    /// A page.
    Html,
    /// Markdown.
    Markdown,
    /// A workbook: summary, table, findings.
    Xlsx,
}

impl AcceptanceForm {
    /// The form of a name or of a file name's extension.
    ///
    /// # Errors
    /// A message that lists the forms there are.
    pub fn parse(name: &str) -> Result<Self, Message> {
        match name {
            "html" => Ok(Self::Html),
            "markdown" | "md" => Ok(Self::Markdown),
            "xlsx" => Ok(Self::Xlsx),
            other => Err(Message::new("report-format-unknown")
                .with("name", other)
                .with("known", "html, markdown, xlsx")),
        }
    }

    /// The usual end of a file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Xlsx => "xlsx",
        }
    }
}

/// Writes the report of these runs.
///
/// # Errors
/// If a run cannot be read or the output not written.
pub fn acceptance(
    runs: &[Run],
    asked: &Acceptance,
    form: AcceptanceForm,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let report = AcceptanceReport::read(runs, asked, Say(options.lang))?;
    match form {
        AcceptanceForm::Html => {
            let page = simple_page(report.say, &report.title, &page::blocks(&report));
            out.write_all(page.as_bytes())?;
        }
        AcceptanceForm::Markdown => {
            let text = format!(
                "# {}\n\n{}",
                escape(&report.title),
                to_markdown(&page::blocks(&report))
            );
            out.write_all(text.as_bytes())?;
        }
        AcceptanceForm::Xlsx => out.write_all(&xlsx::workbook(&report)?)?,
    }
    Ok(())
}
