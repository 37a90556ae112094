//! What was asked for and whether it holds.

use plimsoll_stats::curve::LoadModel;
use plimsoll_stats::goal::GoalResult;
use plimsoll_store::Run;

use super::rows::LoadRow;
use crate::ReportError;
use crate::data::summary_of;

/// A load that was measured at this share of the one asked for is that load: the last second of
/// a ramp is a little below its end.
const REACHED: f64 = 0.9;

/// The load asked for, and what the runs say of it.
#[derive(Debug, Default)]
pub(super) struct JudgedLoad {
    /// The heaviest load asked for of each model, and whether it is arrivals.
    pub(super) asked: Vec<(f64, bool)>,
    /// Those that no row measured.
    pub(super) not_reached: Vec<(f64, bool)>,
    /// Goals that a run missed over all its seconds, with the run's name.
    pub(super) missed: Vec<(String, GoalResult)>,
    /// Whether every load asked for was measured and met all goals, and no run missed its own.
    pub(super) holds: bool,
}

impl JudgedLoad {
    /// `own`: whether the goals are those of the plans.
    pub(super) fn new(runs: &[Run], rows: &[LoadRow], own: bool) -> Result<Self, ReportError> {
        let mut judged = Self::default();
        for open in [false, true] {
            let planned = runs
                .iter()
                .filter_map(|run| run.meta().load_profile.as_ref());
            let planned = planned.filter(|profile| (profile.model == LoadModel::Rate) == open);
            let ends = planned.flat_map(|profile| &profile.stretches);
            let ends = ends.map(|stretch| stretch.from.max(stretch.to));
            let seen = rows
                .iter()
                .filter(|row| row.open == open)
                .map(|row| row.load);
            let Some(asked) = ends.chain(seen).reduce(f64::max) else {
                continue;
            };
            judged.asked.push((asked, open));
        }
        judged.holds = true;
        for &(asked, open) in &judged.asked {
            let at = rows.iter().filter(|row| row.open == open);
            let mut at = at.filter(|row| row.load >= asked * REACHED).peekable();
            if at.peek().is_none() {
                judged.not_reached.push((asked, open));
                judged.holds = false;
            }
            judged.holds &= at.all(|row| row.meets);
        }
        for run in runs.iter().filter(|_| own) {
            let (summary, _) = summary_of(run)?;
            let missed = summary.goals.into_iter().filter(|goal| !goal.met);
            judged.missed.extend(missed.map(|goal| (run.id(), goal)));
        }
        judged.holds &= judged.missed.is_empty();
        Ok(judged)
    }
}
