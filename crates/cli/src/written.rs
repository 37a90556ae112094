//! What is shown and written of a run that has ended.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use plimsoll_report::{Exporter, exporter, terminal_summary};
use plimsoll_run::reasons::file_failed;
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message};

use crate::args::RunArgs;
use crate::outputs::all_writable;

/// Files of more runs than that have names like those before them.
const REPEATS_LOOKED_AT: u32 = 20;

/// Prints a run's aggregate report.
///
/// # Errors
/// When the run cannot be read.
pub fn show(run: &Run, lang: Lang) -> Result<(), Message> {
    let text = terminal_summary(run, lang, crate::say::screen());
    crate::say::out(&text.map_err(|error| error.message("-"))?);
    Ok(())
}

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
fn exporter_of(path: &Path, form: Option<&str>) -> Result<&'static Exporter, Message> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    exporter(form.or(extension).unwrap_or("html"))
}

/// That all files of the runs can be written is seen before the first load.
///
/// # Errors
/// A form that there is not, or a file that cannot be written.
pub fn before_load(args: &RunArgs) -> Result<(), Message> {
    for path in &args.report {
        exporter_of(path, None)?;
    }
    let files = args.report.iter().chain(&args.summary_json);
    // The sample log is kept as it is until the run begins.
    let files: Vec<&PathBuf> = files.chain(&args.jtl).collect();
    for number in 1..=args.repeat.clamp(1, REPEATS_LOOKED_AT) {
        let numbered = files.iter().map(|path| numbered(path, number));
        let paths: Vec<PathBuf> = numbered.collect();
        all_writable(paths.iter().map(PathBuf::as_path))?;
    }
    Ok(())
}

/// The path of the first run as given, of later ones with their number: `out-2.json`.
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
