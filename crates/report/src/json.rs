//! The summary and the curve in JSON (`schema/summary.schema.json`, `schema/curve.schema.json`).
//! Never localised.

use std::io::Write;

use plimsoll_store::Run;

use crate::data::summary_of;
use crate::{ReportError, ReportOptions};

/// The summary in JSON.
pub(crate) fn export_summary(
    run: &Run,
    _: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let (summary, _) = summary_of(run)?;
    write_json(&summary, out)
}

/// The curve in JSON; `null` for a run with fewer than three loads.
pub(crate) fn export_curve(
    run: &Run,
    _: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    write_json(&run.curve()?, out)
}

/// Writes a document.
pub(crate) fn write_json(
    document: &impl serde::Serialize,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    serde_json::to_writer_pretty(&mut *out, document).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}
