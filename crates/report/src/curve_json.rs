//! The curve in JSON (`schema/curve.schema.json`). Never localised.

use std::io::Write;

use plimsoll_store::Run;

use crate::{Exporter, Options, ReportError};

/// The curve in JSON; `null` for a run with fewer than three loads.
#[derive(Debug, Clone, Copy)]
pub struct CurveJson;

impl Exporter for CurveJson {
    fn name(&self) -> &'static str {
        "curve"
    }

    fn extension(&self) -> &'static str {
        "curve.json"
    }

    fn export(&self, run: &Run, _: &Options, out: &mut dyn Write) -> Result<(), ReportError> {
        let curve = run.curve()?;
        serde_json::to_writer_pretty(&mut *out, &curve).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(())
    }
}
