//! Reports of runs, for people and for programs.
//!
//! Each format is a function in a file of its own and a line in [`exporters`]. All of
//! them read a finished (or cut short) run from the store and nothing else, so that every
//! report can be made again. The raw sample log ([`jtl`]) is the exception: it is written
//! while the run goes on.
//!
//! This crate must not know how load is made or where runs lie.

mod acceptance;
mod aggregate;
mod changed;
pub mod compare;
mod csv_table;
mod curve;
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
pub mod paper;
mod probed;
mod screen;
mod sections;
mod series;
mod sized;
mod target;
mod terminal;
mod words;

use plimsoll_text::Message;

pub use acceptance::{Acceptance, AcceptanceForm, acceptance};
pub use curve::{mix_line, text as curve_text};
pub use diagnosis::text as diagnosis_text;
pub use document::{NoticeLevel, ReportBlock, ReportGrid, Say};
pub use exporter::{Exporter, ReportError, ReportOptions};
pub use facts::event_text;
pub use hops::text as hops_text;
pub use number::{duration, percent, short};
pub use screen::{Screen, named, printable};
pub use sections::{last_seconds_reason, verdict_id, verdict_line};
pub use sized::sized_lines;
pub use target::{DrawnChart, DrawnLine, target_charts};
pub use terminal::summary as terminal_summary;
pub use words::{entity, load_text};

/// A line for each format.
static EXPORTERS: &[Exporter] = &[
    Exporter::new("html", "html", html::export),
    Exporter::new("markdown", "md", markdown::export),
    Exporter::new("text", "txt", terminal::export),
    Exporter::new("errors", "errors.txt", errors::export),
    Exporter::new("json", "json", json::export_summary),
    Exporter::new("curve", "curve.json", json::export_curve),
    Exporter::new("csv", "csv", csv_table::export),
    Exporter::new("junit", "xml", junit::export),
    Exporter::new("hdr", "hgrm", hdr::export),
    Exporter::new("target", "target.txt", target::export_text),
    Exporter::new("series", "series.csv", target::export_series),
    Exporter::new("diagnosis", "diagnosis.txt", diagnosis::export_text),
    Exporter::new("diagnosis-json", "diagnosis.json", diagnosis::export_json),
];

/// All formats.
#[must_use]
pub fn exporters() -> &'static [Exporter] {
    EXPORTERS
}

/// The format of that name, or of a file name's extension.
///
/// # Errors
/// A message that lists the formats there are.
pub fn exporter(name: &str) -> Result<&'static Exporter, Message> {
    let by_name = EXPORTERS.iter().find(|format| format.name() == name);
    let by_extension = || EXPORTERS.iter().find(|format| format.extension() == name);
    by_name.or_else(by_extension).ok_or_else(|| {
        let known: Vec<&str> = EXPORTERS.iter().map(Exporter::name).collect();
        Message::new("report-format-unknown")
            .with("name", name)
            .with("known", known.join(", "))
    })
}
