//! The report as one HTML page that needs nothing from outside: no network, no font, no
//! script but its own. Tables work without JavaScript, charts need it.
//!
//! Whatever came from the plan or the target is text here, never markup.

mod account;
mod cards;
mod charts;
mod contents;
mod curve;
mod diagnosis;
mod elements;
mod errors;
mod escape;
mod frame;
mod hops;
mod page;
mod phases;
mod plot;

use std::io::Write;

use plimsoll_diagnose::{Evidence, diagnose};
use plimsoll_store::Run;

use crate::data::RunData;
use crate::target::ReportTarget;
use crate::{ReportError, ReportOptions, series};
pub(crate) use curve::framed;
pub(crate) use escape::escape;
pub(crate) use frame::simple_page;
pub(crate) use plot::{Plot, with_room};

/// A self-contained HTML page.
pub(crate) fn export(
    run: &Run,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let data = RunData::read(run, options.lang)?;
    let total_name = data.say.text("report-all-requests");
    let series = series::read(run, &data.summary, &total_name)?;
    let target = ReportTarget::read(run, series.step_s, series.time_s.len(), data.say)?;
    let diagnosis = diagnose(&Evidence::of_run(run)?);
    out.write_all(page::page(&data, &series, &target, &diagnosis).as_bytes())?;
    Ok(())
}
