//! Reports of runs, for people and for programs.
//!
//! Each format is an [`Exporter`] in a file of its own and a line in [`exporters`]. All of
//! them read a finished (or cut short) run from the store and nothing else, so that every
//! report can be made again. The raw sample log ([`jtl`]) is the exception: it is written
//! while the run goes on.
//!
//! This crate must not know how load is made or where runs lie.

mod acceptance;
mod aggregate;
pub mod compare;
mod csv_table;
mod curve;
mod curve_json;
mod data;
mod diagnosis;
mod document;
mod errors;
mod facts;
mod fleet;
mod hdr;
mod hops;
mod html;
mod json;
pub mod jtl;
mod junit;
mod markdown;
mod number;
mod sections;
mod series;
mod target;
mod terminal;
mod words;

use std::io::{self, Write};

use plimsoll_store::{Run, StoreError};
use plimsoll_text::{Lang, Message};

pub use acceptance::{Acceptance, AcceptanceForm, acceptance};
pub use csv_table::Csv;
pub use curve::mix_line;
pub use curve_json::CurveJson;
pub use diagnosis::{DiagnosisJson, DiagnosisText, text as diagnosis_text};
pub use errors::Errors;
pub use facts::event_text;
pub use hdr::Hdr;
pub use hops::text as hops_text;
pub use html::Html;
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use number::{duration, percent, short};
pub use sections::verdict_id;
pub use target::{SeriesCsv, TargetText};
pub use terminal::{Screen, Terminal, named, printable, summary as terminal_summary};
pub use words::{entity, load_text};

/// What a report may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The language of texts for people.
    pub lang: Lang,
}

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error("the report could not be written: {0}")]
    Write(#[from] io::Error),
}

impl ReportError {
    /// What to tell a person; `path` is where the report was to go.
    #[must_use]
    pub fn message(&self, path: &str) -> Message {
        match self {
            Self::Store(error) => error.message(),
            Self::Write(error) => Message::new("report-file-failed")
                .with("path", path)
                .with("detail", error.to_string()),
        }
    }
}

/// A format of reports.
pub trait Exporter {
    /// The name of the format, as `--format` takes it.
    fn name(&self) -> &'static str;

    /// The usual end of a file's name, without the dot.
    fn extension(&self) -> &'static str;

    /// Writes the report of a run.
    ///
    /// # Errors
    /// If the run cannot be read or the output not written.
    fn export(&self, run: &Run, options: &Options, out: &mut dyn Write) -> Result<(), ReportError>;
}

/// All formats.
#[must_use]
pub fn exporters() -> &'static [&'static dyn Exporter] {
    &[
        &Html,
        &Markdown,
        &Terminal,
        &Errors,
        &Json,
        &CurveJson,
        &Csv,
        &Junit,
        &Hdr,
        &TargetText,
        &SeriesCsv,
        &DiagnosisText,
        &DiagnosisJson,
    ]
}

/// The format of that name, or of a file name's extension.
///
/// # Errors
/// A message that lists the formats there are.
pub fn exporter(name: &str) -> Result<&'static dyn Exporter, Message> {
    let all = || exporters().iter().copied();
    let found = all()
        .find(|format| format.name() == name)
        .or_else(|| all().find(|format| format.extension() == name));
    found.ok_or_else(|| {
        let known: Vec<&str> = all().map(Exporter::name).collect();
        Message::new("report-format-unknown")
            .with("name", name)
            .with("known", known.join(", "))
    })
}
