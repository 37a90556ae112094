//! One measurement of a capacity search: a run like any other, stopped as soon as a goal is
//! out of reach, and judged by its steady seconds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_plan::Problem;
use plimsoll_plan::model::Plan;
use plimsoll_stats::backlog::{self, Backlog};
use plimsoll_stats::curve::{FAILING, LoadModel, MeasuredPoint};
use plimsoll_stats::search::{LoadOutcome, SearchPhase, judge};
use plimsoll_stats::{Aggregate, Goal, Summary};
use plimsoll_store::{Run, StepOf, StoreError};
use plimsoll_text::Message;

use super::super::scale::{LoadStep, Shape};
use super::super::series::{MeasureError, RunSeries};
use super::measurement::Measurement;
use crate::session::GiveUp;
use crate::{LoadSettings, Made, PlanSource, RunSetting, ready};

/// Parts of a measurement whose scatter says how sure it is.
const BATCHES: u32 = 5;
/// A target that responds less than this share of what arrives falls behind.
const KEEPS_UP: f64 = 0.97;
/// The ratio of a measurement that only fell behind.
const BEHIND: f64 = 1.5;
/// The ratio of one that may have fallen behind: it is no proof that the target carries the load …
const UNCLEAR: f64 = 1.01;
/// … and none that it does not.
const UNCLEAR_ERROR: f64 = 0.5;
/// Users that begin in a second, as a ramp-up brings them.
const USERS_PER_S: f64 = 100.0;
/// Ramps of rates, and the shortest of users.
const LEAST_RAMP: Duration = Duration::from_secs(2);
/// Ramps take at most this many times the step.
const MOST_RAMP: f64 = 1.0;
/// The share of a step in which a goal is not given up: transients.
const PATIENCE: f64 = 0.2;

/// Makes the measurements of one search.
pub struct Measurer<'a> {
    pub series: &'a RunSeries<'a>,
    /// Seconds that a load is held.
    pub step_seconds: u32,
    pub source: &'a PlanSource,
    pub load: &'a LoadSettings,
    /// What its runs are called.
    pub run_name: &'a str,
    pub shape: &'a Shape,
    pub goals: &'a [Goal],
}

impl Measurer<'_> {
    /// Loads the target without looking.
    pub fn warm_up(&self, load: f64, time: Duration) -> Result<(), MeasureError> {
        let step = LoadStep {
            load,
            ramp_up: Duration::ZERO,
            lasts: time,
        };
        self.run(&step, None).map(|_| ())
    }

    /// Measures a load. `per_load` is the throughput for each unit of load where the target
    /// kept up. Gives the measurement, what the search is told, and the run's exit code.
    pub fn measure(
        &self,
        load: f64,
        phase: SearchPhase,
        per_load: Option<f64>,
    ) -> Result<(Measurement, LoadOutcome, u8), MeasureError> {
        let step = self.step(load);
        let (from_s, lasts_s) = (step.ramp_up.as_secs_f64(), step.lasts.as_secs_f64());
        let patience_s = (lasts_s * PATIENCE).min(5.0);
        let give_up = GiveUp::new(
            self.goals.to_vec(),
            (from_s + patience_s).ceil() as u64,
            lasts_s - patience_s,
        );
        let Made { summary, run, .. } = self.run(&step, Some(give_up))?;
        let mut measurement = Measurement::of_run(&summary, phase, load);
        let held = run.held_load(load).map_err(|error| error.message())?;
        let measured = held.as_ref().map(|held| &held.measured);
        let mut outcome = self.judged(&run, &summary, measured, &mut measurement)?;
        let fails = measured.is_none_or(|measured| measured.point.error_rate > FAILING);
        if let Some(held) = held {
            outcome.concurrency = Some(held.measured.point.concurrency);
            measurement.set_held(held);
            if self.shape.model == LoadModel::Rate {
                let backlog = backlog(&run, &summary, load)?;
                look_behind(
                    backlog,
                    &summary,
                    &mut measurement,
                    (&mut outcome, per_load),
                );
            }
        }
        // Failures may be quick: a target that mostly fails meets nothing.
        if fails {
            outcome.ratio = outcome.ratio.max(BEHIND);
        }
        (measurement.met, measurement.ratio) = (outcome.ratio <= 1.0, outcome.ratio);
        measurement.ratio_error = outcome.error;
        // What grows without end has no steady state, however even its throughput is.
        if let Some(held) = &mut measurement.held {
            held.measured.point.steady = measurement.steady;
        }
        Ok((measurement, outcome, summary.exit_code))
    }

    fn step(&self, load: f64) -> LoadStep {
        let lasts = Duration::from_secs(u64::from(self.step_seconds));
        let ramp_up = match self.shape.model {
            LoadModel::Rate => LEAST_RAMP,
            LoadModel::Users => {
                let most = lasts.mul_f64(MOST_RAMP).max(LEAST_RAMP);
                let time = Duration::from_secs_f64((load / USERS_PER_S).ceil());
                time.clamp(LEAST_RAMP, most)
            }
        };
        LoadStep {
            load,
            ramp_up,
            lasts,
        }
    }

    fn run(&self, step: &LoadStep, give_up: Option<GiveUp>) -> Result<Made, MeasureError> {
        let change = |plan: &mut Plan| -> Result<(), Vec<Problem>> {
            self.shape.apply(plan, step)?;
            // The search judges the goals itself; a goal that aborts would end it.
            plan.goals
                .iter_mut()
                .for_each(|goal| goal.abort_after = None);
            Ok(())
        };
        let mut ready = ready::load_changed(self.source, self.load, &change)?;
        ready.run_name = Some(self.run_name.to_owned());
        let setting = RunSetting {
            give_up,
            step_of: Some(StepOf::Capacity),
            ..RunSetting::ended_by(self.series.root, self.series.interrupt)
        };
        Ok(self.series.make_as(setting, &Arc::new(ready), self.load)?)
    }

    /// The goals over the steady seconds, or over all there are.
    fn judged(
        &self,
        run: &Run,
        summary: &Summary,
        measured: Option<&MeasuredPoint>,
        into: &mut Measurement,
    ) -> Result<LoadOutcome, Message> {
        let all = (summary.warm_up_s, summary.warm_up_s + summary.duration_s);
        let seconds = measured.and_then(|measured| measured.seconds.first().cloned());
        let (from_s, to_s) = seconds.map_or(all, |seconds| {
            (f64::from(seconds.start), f64::from(seconds.end))
        });
        let read = || -> Result<(Aggregate, Vec<Aggregate>), StoreError> {
            let length = (to_s - from_s) / f64::from(BATCHES);
            let at = |batch: u32| (from_s + length * f64::from(batch)).round();
            let batches = (0..BATCHES)
                .filter(|batch| at(*batch) < at(*batch + 1))
                .map(|batch| run.aggregate(at(batch), at(batch + 1)))
                .collect::<Result<_, _>>()?;
            Ok((run.aggregate(from_s, to_s)?, batches))
        };
        let (whole, batches) = read().map_err(|error| error.message())?;
        let judged = judge(self.goals, &whole, &batches);
        Ok(judged.map_or_else(LoadOutcome::default, |judged| {
            into.worst_goal = judged.worst;
            into.goals = judged.goals;
            judged.outcome
        }))
    }
}

/// What became of the requests in flight from second to second of the load that was held.
fn backlog(run: &Run, summary: &Summary, per_s: f64) -> Result<Backlog, Message> {
    let generator = run.generator().map_err(|error| error.message())?;
    let end_s = summary.warm_up_s + summary.duration_s;
    let seconds = generator.into_iter().map(|own| (own.second, own.in_flight));
    // Of a second that is told twice the later word; from the one before the load is held.
    let held = seconds.filter(|(second, _)| {
        let ends_s = *second as f64 + 1.0;
        ends_s >= summary.warm_up_s && ends_s <= end_s
    });
    let held: BTreeMap<_, _> = held.collect();
    let in_flight: Vec<f64> = held.into_values().map(|count| count as f64).collect();
    Ok(backlog::judge(&in_flight, per_s))
}

/// An open load that the target does not keep up with has no steady state: it is missed,
/// whatever the goals say of its first seconds, and tells the target's capacity. One of which
/// the step is too short to tell is not met.
fn look_behind(
    backlog: Backlog,
    summary: &Summary,
    measurement: &mut Measurement,
    (outcome, per_load): (&mut LoadOutcome, Option<f64>),
) {
    let kept_up = per_load.map(|per_load| measurement.throughput_per_s.value / per_load);
    let slow = kept_up.is_some_and(|kept_up| kept_up < measurement.load * KEEPS_UP);
    let turned_away = summary.total.dropped_iterations > 0;
    let grows = backlog == Backlog::Grows;
    measurement.fell_behind = turned_away || grows || (slow && !measurement.steady);
    if measurement.fell_behind {
        if outcome.ratio < BEHIND {
            // That it fell behind was counted; how the goal scatters says nothing of it.
            (outcome.ratio, outcome.error) = (BEHIND, 0.0);
        }
        measurement.steady &= !grows;
        let below = kept_up.filter(|kept_up| *kept_up < measurement.load);
        outcome.capacity = below.filter(|_| slow || grows);
    } else if slow && outcome.ratio > 1.0 {
        outcome.capacity = kept_up;
    } else if backlog == Backlog::Unclear {
        measurement.steady = false;
        if outcome.ratio < UNCLEAR {
            (outcome.ratio, outcome.error) = (UNCLEAR, UNCLEAR_ERROR);
        }
    }
}
