//! Files that a run's report is written to.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use plimsoll_report::{Exporter, exporter};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

use crate::reasons::file_failed;

/// Writes a report; the form is given, or follows from the file's name.
///
/// # Errors
/// An unknown form, or a disk that fails.
pub fn write_report(run: &Run, path: &Path, form: Option<&str>, lang: Lang) -> Result<(), Message> {
    let exporter = exporter_of(path, form)?;
    let file = std::fs::File::create(path).map_err(|error| file_failed(path, &error))?;
    let mut out = std::io::BufWriter::new(file);
    let options = plimsoll_report::ReportOptions { lang };
    let shown = path.display().to_string();
    exporter
        .export(run, &options, &mut out)
        .map_err(|error| error.message(&shown))?;
    out.flush().map_err(|error| file_failed(path, &error))
}

/// The form that is given, or that follows from a file's name.
///
/// # Errors
/// An unknown form.
pub fn exporter_of(path: &Path, form: Option<&str>) -> Result<&'static Exporter, Message> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    exporter(form.or(extension).unwrap_or("html"))
}

/// The path of the first run as given, of later ones with their number: `out-2.json`.
#[must_use]
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    if number <= 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}
