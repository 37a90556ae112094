//! The most load that meets the goals.

mod document;
mod measurement;
mod step;

use std::time::{Duration, Instant};

use plimsoll_diagnose::{Diagnosis, Evidence, diagnose};
use plimsoll_stats::curve::{Curve, LoadModel, MixDifference, mix_difference};
use plimsoll_stats::search::{Search, SearchOptions, SearchPhase, SearchResult, is_limit};
use plimsoll_stats::{Goal, GoalResult};
use plimsoll_store::Run;
use plimsoll_text::Message;
use serde::Serialize;

pub use self::document::CapacityDocument;
pub use self::measurement::Measurement;
use self::step::Measurer;
use super::scale::Shape;
use super::series::{MeasureError, RunSeries, UNREACHABLE};
use crate::{LoadSettings, PlanSource, ReadyPlan};

/// Loads that are searched when nobody says otherwise.
const USERS: (f64, f64) = (1.0, 10_000.0);
const RATES: (f64, f64) = (10.0, 100_000.0);

/// A load of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapacityLoad {
    /// Users, or arrivals per second.
    pub value: f64,
    /// Which of them.
    pub model: LoadModel,
}

/// How a search is made.
#[derive(Debug, Clone)]
pub struct CapacitySettings {
    /// The first load.
    pub from: Option<CapacityLoad>,
    /// The largest that may be tried.
    pub to: Option<CapacityLoad>,
    /// Seconds that a load is held for a measurement.
    pub step_seconds: u32,
    /// Measurements at most.
    pub max_measurements: u32,
    /// How near the ends of the result should lie, as a share of it.
    pub precision: f64,
    /// How often each end of the result is measured.
    pub repeats: u32,
    /// Time without load between measurements.
    pub cool_down: Duration,
    /// Time at the first load before anything is measured.
    pub warm_up: Duration,
    /// A target that cannot carry so much is of no interest: its search ends once that is known.
    pub reach: Option<f64>,
}

/// What a search found.
#[derive(Debug, Clone, Serialize)]
pub struct Capacity {
    /// The plan's name.
    pub plan: String,
    /// The address that was loaded.
    pub target: String,
    /// What the load is counted in.
    pub model: LoadModel,
    /// The goals.
    pub goals: Vec<String>,
    /// The result.
    pub result: SearchResult,
    /// Whether the generator was the bottleneck at the lowest load that missed a goal: then the
    /// result is the generator's and not the target's.
    pub generator_limited: bool,
    /// What failed at the lowest load that missed a goal.
    pub beyond: Option<BeyondCapacity>,
    /// The label whose share of the requests differs most between the measured loads; none if the
    /// mix is the same.
    pub mix: Option<MixDifference>,
    /// Throughput and response time against load with the marks, as of a run of several loads; none with fewer than
    /// three loads.
    pub curve: Option<Curve>,
    /// The measurements in their order.
    pub measurements: Vec<Measurement>,
}

/// The run just beyond the limit.
#[derive(Debug, Clone, Serialize)]
pub struct BeyondCapacity {
    /// Its name.
    pub run: String,
    /// Its load.
    pub load: f64,
    /// The goal that was missed most.
    pub goal: GoalResult,
    /// What limited the target there; none if the run was not stored. What is said of it depends on
    /// the language.
    #[serde(skip)]
    pub diagnosis: Option<Diagnosis>,
}

/// Searches the most load that meets the goals of a plan. An interruption ends the search with what
/// it knows.
///
/// # Errors
/// A plan or settings that cannot be searched with, a target that cannot be reached, an
/// interruption before the first measurement.
pub fn search(
    ready: &ReadyPlan,
    source: &PlanSource,
    load: &LoadSettings,
    settings: &CapacitySettings,
    series: &RunSeries<'_>,
) -> Result<Capacity, MeasureError> {
    let goals = goals(ready)?;
    let options = options(settings, ready)?;
    let shape = Shape::of(&ready.plan)?.counted_in(options.model);
    let measurer = Measurer {
        series,
        step_seconds: settings.step_seconds,
        source,
        load,
        run_name: ready.run_name(),
        shape: &shape,
        goals: &goals,
    };
    if !settings.warm_up.is_zero() {
        let seconds = settings.warm_up.as_secs_f64();
        (series.tell)(&Message::new("capacity-warm-up").with("seconds", seconds));
        measurer.warm_up(options.from, settings.warm_up)?;
    }
    let (result, measurements) = measure_all(&measurer, settings, options)?;
    Ok(capacity(
        ready,
        &goals,
        result,
        measurements,
        options.model,
        series,
    ))
}

/// Whether settings can be used with a plan, before anything is loaded.
///
/// # Errors
/// What is wrong with the plan's goals and load, or with the settings.
pub fn check(ready: &ReadyPlan, settings: &CapacitySettings) -> Result<(), Message> {
    goals(ready)?;
    options(settings, ready).map(|_| ())
}

/// The goals of the plan and of the settings.
fn goals(ready: &ReadyPlan) -> Result<Vec<Goal>, Message> {
    let goals: Vec<Goal> = ready
        .plan
        .goals
        .iter()
        .map(|spec| spec.goal.clone())
        .collect();
    if goals.is_empty() {
        return Err(Message::new("capacity-no-goal"));
    }
    match goals.iter().find(|goal| !is_limit(goal)) {
        Some(goal) => Err(Message::new("capacity-bad-goal").with("goal", goal.to_string())),
        None => Ok(goals),
    }
}

fn options(settings: &CapacitySettings, ready: &ReadyPlan) -> Result<SearchOptions, Message> {
    let own = Shape::of(&ready.plan)?.model;
    let said: Vec<CapacityLoad> = [settings.from, settings.to].into_iter().flatten().collect();
    if let [from, to] = said.as_slice()
        && from.model != to.model
    {
        return Err(Message::new("capacity-two-units"));
    }
    let model = said.first().map_or(own, |load| load.model);
    let (from, to) = match model {
        LoadModel::Users => USERS,
        LoadModel::Rate => RATES,
    };
    let to = settings.to.map_or(to, |load| load.value);
    let from = settings.from.map_or(from.min(to), |load| load.value);
    if from > to {
        return Err(Message::new("capacity-from-above-to"));
    }
    Ok(SearchOptions {
        precision: settings.precision,
        most_measurements: settings.max_measurements,
        repeats: settings.repeats,
        reach: settings.reach,
        ..SearchOptions::new(model, from, to)
    })
}

/// Measures until the search has its result, somebody ends it, or nothing can be reached.
fn measure_all(
    measurer: &Measurer<'_>,
    settings: &CapacitySettings,
    options: SearchOptions,
) -> Result<(SearchResult, Vec<Measurement>), MeasureError> {
    let series = measurer.series;
    let mut search = Search::new(options);
    let mut measurements: Vec<Measurement> = Vec::new();
    while let Some((load, phase)) = search.next() {
        if !measurements.is_empty() {
            cool_down(settings.cool_down, series);
        }
        if series.interrupt.is_hit() {
            return so_far(&search, measurements);
        }
        (series.tell)(&comes_next(measurements.len() + 1, load, phase, &options));
        let met = measurements.iter().find(|m| m.met);
        let per_load = met.map(|m| m.throughput_per_s.value / m.load);
        let (measurement, outcome, exit_code) = measurer.measure(load, phase, per_load)?;
        // A measurement that was cut short says nothing.
        if series.interrupt.is_hit() {
            return so_far(&search, measurements);
        }
        // A target that responded before and does not now has failed under the load.
        if exit_code == UNREACHABLE && !measurements.iter().any(|m| m.met) {
            let message = Message::new("capacity-unreachable");
            return Err(MeasureError::Unreachable(message));
        }
        search.report(load, outcome);
        measurements.push(measurement);
    }
    Ok((search.result(), measurements))
}

/// What is known when somebody has ended the search.
fn so_far(
    search: &Search,
    measurements: Vec<Measurement>,
) -> Result<(SearchResult, Vec<Measurement>), MeasureError> {
    if measurements.is_empty() {
        let message = Message::new("capacity-interrupted");
        return Err(MeasureError::Interrupted(message));
    }
    Ok((search.interrupted(), measurements))
}

fn comes_next(number: usize, load: f64, phase: SearchPhase, options: &SearchOptions) -> Message {
    let why = match phase {
        SearchPhase::Bracket => "capacity-phase-bracket",
        SearchPhase::Narrow => "capacity-phase-narrow",
        SearchPhase::Repeat => "capacity-phase-repeat",
    };
    Message::new("capacity-measuring")
        .with("number", number)
        .with("most", options.most_measurements)
        .with("load", load_with_unit(options.model, load))
        .with("phase", Message::new(why))
}

/// A load with its unit.
#[must_use]
fn load_with_unit(model: LoadModel, load: f64) -> Message {
    let id = match model {
        LoadModel::Users => "curve-load-users",
        LoadModel::Rate => "curve-load-rate",
    };
    Message::new(id).with("load", plimsoll_report::short(load))
}

/// Leaves the target alone for a while, unless somebody has no patience.
fn cool_down(time: Duration, series: &RunSeries<'_>) {
    let until = Instant::now() + time;
    while Instant::now() < until && !series.interrupt.is_hit() {
        std::thread::sleep(Duration::from_millis(50).min(time));
    }
}

fn capacity(
    ready: &ReadyPlan,
    goals: &[Goal],
    result: SearchResult,
    measurements: Vec<Measurement>,
    model: LoadModel,
    series: &RunSeries<'_>,
) -> Capacity {
    let missed = measurements.iter().filter(|m| !m.met);
    let lowest = missed.min_by(|a, b| a.load.total_cmp(&b.load));
    let beyond = lowest.and_then(|m| {
        let run = || Run::open(&series.root.join(&m.run)).ok();
        let evidence = || Evidence::of_run(&run()?).ok();
        Some(BeyondCapacity {
            run: m.run.clone(),
            load: m.load,
            goal: m.goals.get(m.worst_goal).cloned()?,
            diagnosis: evidence().map(|evidence| diagnose(&evidence)),
        })
    });
    let held = measurements.iter().filter_map(|m| m.held.as_ref());
    let curve = Curve::of_held(model, held.clone());
    Capacity {
        plan: ready.plan.name.clone(),
        target: ready.target.clone(),
        model,
        goals: goals.iter().map(ToString::to_string).collect(),
        generator_limited: lowest.is_some_and(|m| m.generator_limited),
        result,
        beyond,
        mix: mix_difference(
            held.map(|held| (held.measured.point.load, &held.measured.point.labels)),
        ),
        curve,
        measurements,
    }
}
