//! What this load generator can do at most, on a page that costs nothing.

mod document;
mod page;
mod settings;

use plimsoll_load::monitor::Allowance;
use plimsoll_stats::Ceiling;
use plimsoll_stats::ceiling::{CeilingStep, Climb};
use plimsoll_text::Message;

pub use self::document::{CalibrationDocument, SCHEMA_VERSION};
use self::page::Page;
pub use self::settings::CalibrationSettings;
use super::scratch::Scratch;
use super::series::{MeasureError, RunSeries, now};
use crate::calibration::machine;
use crate::environment::environment;

/// A calibration that was made.
pub struct Calibrated {
    /// The result.
    pub ceiling: Ceiling,
    /// The numbers of users in their order.
    pub steps: Vec<CeilingStep>,
}

/// Loads a page with more and more users until more bring no more; the runs are not kept.
///
/// # Errors
/// A page that is none, cannot be reached or fails; an interruption.
pub fn calibrate(
    settings: &CalibrationSettings,
    series: &RunSeries<'_>,
) -> Result<Calibrated, MeasureError> {
    let allowance = Allowance::read();
    let page = Page::new(settings, &allowance)?;
    let runs = Scratch::new("calibrate")?;
    let mut climb = Climb::to(settings.users);
    let mut steps: Vec<CeilingStep> = Vec::new();
    while let Some(users) = climb.next_users() {
        (series.tell)(&Message::new("calibrate-measuring").with("users", users));
        let step = page.measure(users, runs.path(), series)?;
        if series.interrupt.is_hit() {
            let message = Message::new("calibrate-interrupted");
            return Err(MeasureError::Interrupted(message));
        }
        climb.report(step.throughput_per_s);
        steps.push(step);
    }
    let machine = machine(&environment(&allowance), env!("CARGO_PKG_VERSION"));
    let found = Ceiling::of_steps(&steps, machine, page.threads);
    let found = found.ok_or_else(|| Message::new("calibrate-nothing-measured"))?;
    let ceiling = Ceiling {
        measured_at: now(),
        page: settings.url.clone(),
        keep_alive: settings.keep_alive,
        ..found
    };
    Ok(Calibrated { ceiling, steps })
}
