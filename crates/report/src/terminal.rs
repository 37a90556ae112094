//! The aggregate report as plain text.

use std::io::Write;

use plimsoll_store::Run;
use plimsoll_text::Lang;

use crate::data::RunData;
use crate::overview::document;
use crate::screen::{Screen, fitted};
use crate::{ReportError, ReportOptions};

/// Plain text, for a terminal or a log.
pub(crate) fn export(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    out.write_all(summary(run, options.lang, Screen::PLAIN)?.as_bytes())?;
    Ok(())
}

/// The aggregate report of a run, and below it what the diagnosis says of it.
///
/// # Errors
/// If the run cannot be read.
pub fn summary(run: &Run, lang: Lang, screen: Screen) -> Result<String, ReportError> {
    let data = RunData::read(run, lang)?;
    let mut blocks = document(&data);
    blocks.extend(crate::diagnosis::finding(&data));
    Ok(fitted(&blocks, screen))
}
