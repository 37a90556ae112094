//! What is shown and written of a run that has ended.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use plimsoll_report::{Exporter as _, Terminal, exporter};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

/// Prints a run's aggregate report.
///
/// # Errors
/// When the run cannot be read.
pub fn show(run: &Run, lang: Lang) -> Result<(), Message> {
    let mut out = Vec::new();
    let options = plimsoll_report::Options { lang };
    Terminal
        .export(run, &options, &mut out)
        .map_err(|error| error.message("-"))?;
    crate::say::out_bytes(&out);
    Ok(())
}

/// Writes a report; the form is given, or follows from the file's name.
///
/// # Errors
/// An unknown form, or a disk that fails.
pub fn write_report(run: &Run, path: &Path, form: Option<&str>, lang: Lang) -> Result<(), Message> {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("html");
    let exporter = exporter(form.unwrap_or(extension))?;
    let file = std::fs::File::create(path).map_err(|error| file_failed(path, &error))?;
    let mut out = std::io::BufWriter::new(file);
    let options = plimsoll_report::Options { lang };
    let shown = path.display().to_string();
    exporter
        .export(run, &options, &mut out)
        .map_err(|error| error.message(&shown))?;
    out.flush().map_err(|error| file_failed(path, &error))
}

/// A file that cannot be written.
pub fn file_failed(path: &Path, error: &dyn std::fmt::Display) -> Message {
    Message::new("run-file-failed")
        .with("path", path.display().to_string())
        .with("reason", error.to_string())
}

/// The path of the first run as given, of later ones with their number: `out-2.json`.
pub(super) fn numbered(path: &Path, number: u32) -> PathBuf {
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
