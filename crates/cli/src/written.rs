//! What is shown of a run that has ended, and whether its files can be written.

use std::path::PathBuf;

use plimsoll_report::terminal_summary;
use plimsoll_run::report_files::{exporter_of, numbered};
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
