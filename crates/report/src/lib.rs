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
mod exporter;
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
mod overview;
mod screen;
mod sections;
mod series;
mod target;
mod terminal;
mod words;

use plimsoll_text::Message;

pub use acceptance::{Acceptance, AcceptanceForm, acceptance};
pub use csv_table::Csv;
pub use curve::mix_line;
pub use curve_json::CurveJson;
pub use diagnosis::{DiagnosisJson, DiagnosisText, text as diagnosis_text};
pub use errors::Errors;
pub use exporter::{Exporter, Options, ReportError};
pub use facts::event_text;
pub use hdr::Hdr;
pub use hops::text as hops_text;
pub use html::Html;
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use number::{duration, percent, short};
pub use screen::{Screen, named, printable};
pub use sections::verdict_id;
pub use target::{SeriesCsv, TargetText};
pub use terminal::{Terminal, summary as terminal_summary};
pub use words::{entity, load_text};

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
