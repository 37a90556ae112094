//! The target's series as CSV, point by point, and its figures as text. The CSV is never
//! localised.

use std::io::Write;

use plimsoll_store::Run;

use super::ReportTarget;
use crate::csv_table::inert;
use crate::data::RunData;
use crate::document::ReportBlock;
use crate::screen::to_text;
use crate::{ReportError, ReportOptions};

const HEADS: [&str; 8] = [
    "at_s",
    "kind",
    "name",
    "host",
    "series",
    "attributes",
    "unit",
    "value",
];

/// Every point of every series.
pub(crate) fn export_series(
    run: &Run,
    _: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(HEADS).map_err(std::io::Error::from)?;
    for (id, key) in run.series()? {
        let attributes = key
            .attributes
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let attributes = attributes.collect::<Vec<_>>().join(";");
        for column in run.target(&[id])? {
            for (at_ms, value) in column.at_ms.iter().zip(&column.values) {
                let entity = &key.entity;
                #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
                let at_s = *at_ms as f64 / 1e3;
                csv.write_record([
                    &at_s.to_string(),
                    entity.kind.name(),
                    &inert(&entity.name),
                    &inert(&entity.host),
                    &inert(&key.name),
                    &inert(&attributes),
                    &inert(&key.unit),
                    &value.to_string(),
                ])
                .map_err(std::io::Error::from)?;
            }
        }
    }
    csv.flush()?;
    Ok(())
}

/// Figures, captures and facts of the target as plain text.
pub(crate) fn export_text(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let say = RunData::read(run, options.lang)?.say;
    let mut blocks = ReportTarget::by_second(run, say)?.blocks(say);
    if blocks.is_empty() {
        blocks.push(ReportBlock::Text(say.text("report-target-none")));
    }
    out.write_all(to_text(&blocks).as_bytes())?;
    Ok(())
}
