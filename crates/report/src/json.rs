//! The summary in JSON (`schema/summary.schema.json`). Never localised.

use std::io::Write;

use plimsoll_store::Run;

use crate::data::summary_of;
use crate::{Exporter, Options, ReportError};

/// The summary in JSON.
#[derive(Debug, Clone, Copy)]
pub struct Json;

impl Exporter for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn export(&self, run: &Run, _: &Options, out: &mut dyn Write) -> Result<(), ReportError> {
        let (summary, _) = summary_of(run)?;
        serde_json::to_writer_pretty(&mut *out, &summary).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(())
    }
}
