//! A trial's load: warm-up until steady, then the run that counts.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plimsoll_load::engine::Second;
use plimsoll_plan::model::{GoalSpec, Plan};
use plimsoll_plan::study::{ObjectiveMetric, Study};
use plimsoll_plan::{LoadOptions, Problem};
use plimsoll_run::measure::capacity::{self, Capacity, CapacityLoad, CapacitySettings};
use plimsoll_run::measure::{MeasureError, RunSeries};
use plimsoll_run::session::GiveUp;
use plimsoll_run::{
    Interrupt, Listener, LoadSettings, Made, PlanSource, ReadyPlan, RejectedPlan, RunRequest,
    RunSetting, ready,
};
use plimsoll_stats::steady::truncate;
use plimsoll_stats::{
    Goal, GoalMetric, GoalOp, GoalResult, GoalUnit, LabelInfo, LabelInterval, LabelKind,
    LabelSummary, Summary,
};
use plimsoll_store::StepOf;
use plimsoll_text::Message;

use super::prepared::Prepared;
use crate::given_file::plan_is_file;
use crate::trial::STEADY_S;

const MOST_WARM_UP: Duration = Duration::from_secs(60);
const MEASURE: Duration = Duration::from_secs(20);
/// How long a load is held in a search for the capacity, and how many are measured at most.
const CAPACITY_STEP: Duration = Duration::from_secs(5);
const CAPACITY_MEASUREMENTS: u32 = 14;
/// How near the ends of the capacity should lie, as a share of it.
const CAPACITY_PRECISION: f64 = 0.05;
/// Seconds at the beginning of the run that counts which are left out: connections are new in it.
const SETTLE: Duration = Duration::from_secs(1);
/// A look with captures takes so long at least: a steady state is to be seen in it, and packets for some seconds.
const LOOK: Duration = Duration::from_secs(12);

/// What a trial's load is made of.
pub struct Load {
    source: PlanSource,
    warm_up: (Arc<ReadyPlan>, LoadSettings),
    measure: (Arc<ReadyPlan>, LoadSettings),
    /// The same with captures, where they are allowed. They disturb the target: what they are taken in does not count.
    look: Option<(Arc<ReadyPlan>, LoadSettings)>,
    goals: Vec<Goal>,
    planned_s: f64,
    /// How the capacity is searched, where that is the objective.
    searched: Option<(LoadSettings, CapacitySettings)>,
}

/// How the capacity is searched in each trial: shorter than on its own, since it is searched again and again.
fn searched(study: &Study, watch: Watched<'_>) -> Option<(LoadSettings, CapacitySettings)> {
    let mut parts = study.objective.parts.iter();
    if !parts.any(|part| part.metric == ObjectiveMetric::Capacity) {
        return None;
    }
    let step = study.measure.unwrap_or(CAPACITY_STEP).as_secs().max(1);
    let load = LoadSettings {
        load: LoadOptions {
            users: study.users,
            ..LoadOptions::default()
        },
        watch: watch.sources.to_vec(),
        watch_allow_capture: watch.allow_capture,
        ..LoadSettings::default()
    };
    let settings = CapacitySettings {
        from: None,
        to: None,
        step_seconds: u32::try_from(step).unwrap_or(u32::MAX),
        max_measurements: CAPACITY_MEASUREMENTS,
        precision: CAPACITY_PRECISION,
        repeats: 1,
        cool_down: Duration::ZERO,
        warm_up: Duration::ZERO,
        reach: None,
    };
    Some((load, settings))
}

/// What is watched beside what a study's plan names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Watched<'a> {
    /// `SOURCE[=ADDRESS][,KEY=VALUE]…`.
    pub sources: &'a [String],
    /// Captures may disturb the target, whatever is watched.
    pub allow_capture: bool,
}

/// What a source has where captures of it are allowed.
const ALLOWS: &str = "allow=capture";

impl Watched<'_> {
    /// The sources without the leave to take captures.
    fn without_captures(self) -> Vec<String> {
        let parts = |text: &String| {
            let parts = text.split(',').filter(|part| part.trim() != ALLOWS);
            parts.collect::<Vec<_>>().join(",")
        };
        self.sources.iter().map(parts).collect()
    }

    /// Whether captures may be taken of any of them, or of what a plan names.
    fn any_capture(self, plan: &Plan) -> bool {
        let mut own = self.sources.iter().flat_map(|text| text.split(','));
        let mut named = plan.watch.iter();
        let is_named = named.any(|it| it.options.get("allow").is_some_and(|it| it == "capture"));
        let is_watched = !plan.watch.is_empty() || !self.sources.is_empty();
        is_named || own.any(|part| part.trim() == ALLOWS) || self.allow_capture && is_watched
    }
}

/// What a run of a trial is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunFor {
    WarmUp,
    Counts,
    Look,
}

/// How the warm-up went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmedUp {
    /// Seconds that it took.
    pub seconds: u32,
    /// Whether it was steady in the end.
    pub steady: bool,
}

/// Where a study's plan is read from.
#[must_use]
pub fn source(prepared: &Prepared) -> PlanSource {
    let plan = prepared.study.plan.raw.trim();
    let is_url = plan.starts_with("http://") || plan.starts_with("https://");
    let path = match is_url {
        true => plan.to_owned(),
        false => prepared.folder.join(plan).display().to_string(),
    };
    PlanSource {
        unpacked: prepared.unpacked.clone(),
        ..PlanSource::new(path)
    }
}

impl Load {
    /// Reads the study's plan.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn of(prepared: &Prepared, watch: Watched<'_>) -> Result<Self, RejectedPlan> {
        let study = &prepared.study;
        plan_is_file(&prepared.folder.join(study.plan.raw.trim()))?;
        let source = source(prepared);
        let duration = study.measure.unwrap_or(MEASURE);
        let settings = |duration: Duration, warm_up: Duration, watch: Vec<String>| LoadSettings {
            load: LoadOptions {
                users: study.users,
                duration: Some(duration),
                // The target is warm when the run that counts begins: none of it goes by in a ramp-up.
                ramp_up: (!warm_up.is_zero()).then_some(Duration::ZERO),
                ..LoadOptions::default()
            },
            warm_up: Some(warm_up),
            watch,
            ..LoadSettings::default()
        };
        let read = |settings: LoadSettings, is_for: RunFor| {
            let changed = |plan: &mut Plan| {
                for_run(plan, study, is_for);
                Ok(())
            };
            let plan = ready::load_changed(&source, &settings, &changed)?;
            Ok::<_, RejectedPlan>((Arc::new(plan), settings))
        };
        let warm_up = study
            .warm_up
            .unwrap_or(MOST_WARM_UP)
            .max(Duration::from_secs(1));
        let measure = settings(duration + SETTLE, SETTLE, watch.without_captures());
        let (plan, measure) = read(measure, RunFor::Counts)?;
        let searched = searched(study, watch);
        if let Some((_, settings)) = &searched {
            capacity::check(&plan, settings).map_err(|message| RejectedPlan {
                text: String::new(),
                problems: vec![
                    Problem::error(study.plan.at, message)
                        .in_file(&prepared.file.display().to_string()),
                ],
            })?;
        }
        let look = LoadSettings {
            watch_allow_capture: watch.allow_capture,
            ..settings(duration.max(LOOK), SETTLE, watch.sources.to_vec())
        };
        let look = read(look, RunFor::Look)?;
        Ok(Self {
            warm_up: read(
                settings(warm_up, Duration::ZERO, Vec::new()),
                RunFor::WarmUp,
            )?,
            measure: (plan, measure),
            // A search for the capacity looks at what lies beyond it by itself.
            look: (searched.is_none() && watch.any_capture(&look.0.plan)).then_some(look),
            searched,
            goals: study.constraints.iter().map(|it| it.goal.clone()).collect(),
            planned_s: duration.as_secs_f64(),
            source,
        })
    }

    /// Loads the target until it is steady, or for as long as the study says at most.
    ///
    /// # Errors
    /// A run that cannot be made.
    pub fn warm_up(&self, root: &Path, interrupt: &Interrupt) -> Result<WarmedUp, Message> {
        let own = Interrupt::default();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let steady = Arc::new(AtomicBool::new(false));
        let listener = Warming {
            seen: Arc::clone(&seen),
            steady: Arc::clone(&steady),
            own: own.clone(),
            user: interrupt.clone(),
        };
        let (plan, settings) = &self.warm_up;
        let request = RunRequest {
            listener: Box::new(listener),
            ..RunRequest::of(
                Arc::clone(plan),
                self.source.clone(),
                settings.clone(),
                RunSetting::ended_by(root, &own),
            )
        };
        request.begin()?.join()?;
        let seconds = seen.lock().unwrap_or_else(PoisonError::into_inner).len();
        Ok(WarmedUp {
            seconds: u32::try_from(seconds).unwrap_or(u32::MAX),
            steady: steady.load(Ordering::SeqCst),
        })
    }

    /// Makes the run that counts.
    ///
    /// # Errors
    /// A run that cannot be made.
    pub fn measure(
        &self,
        root: &Path,
        interrupt: &Interrupt,
        listener: Box<dyn Listener>,
        reach: Option<Goal>,
    ) -> Result<Made, Message> {
        let (plan, settings) = &self.measure;
        let goals: Vec<Goal> = self.goals.iter().cloned().chain(reach).collect();
        let scenarios = plan.plan.scenarios.iter();
        let users = scenarios.map(|scenario| scenario.load.most_users()).sum();
        let give_up = GiveUp::new(goals, SETTLE.as_secs(), self.planned_s).under_the_load_of(users);
        let setting = RunSetting {
            give_up: Some(give_up),
            step_of: Some(StepOf::Study),
            ..RunSetting::ended_by(root, interrupt)
        };
        let request = RunRequest {
            listener,
            ..RunRequest::of(
                Arc::clone(plan),
                self.source.clone(),
                settings.clone(),
                setting,
            )
        };
        request.begin()?.join()
    }

    /// Makes a run in which captures are taken, and which does not count; none where none may be taken.
    ///
    /// # Errors
    /// A run that cannot be made.
    pub fn look(&self, root: &Path, interrupt: &Interrupt) -> Result<Option<Made>, Message> {
        let Some((plan, settings)) = &self.look else {
            return Ok(None);
        };
        let setting = RunSetting {
            step_of: Some(StepOf::Study),
            ..RunSetting::ended_by(root, interrupt)
        };
        let (plan, settings) = (Arc::clone(plan), settings.clone());
        let request = RunRequest::of(plan, self.source.clone(), settings, setting);
        request.begin()?.join().map(Some)
    }

    /// Whether the objective is the capacity.
    #[must_use]
    pub const fn is_capacity(&self) -> bool {
        self.searched.is_some()
    }

    /// Searches the most load that meets the constraints, from a load on that is near it where one is known. A
    /// target that cannot carry `reach` is given up once that is known.
    ///
    /// # Errors
    /// A search that cannot be made, or was ended.
    pub fn capacity(
        &self,
        series: &RunSeries<'_>,
        near: Option<CapacityLoad>,
        reach: Option<f64>,
    ) -> Result<Capacity, MeasureError> {
        let Some((load, settings)) = &self.searched else {
            return Err(Message::new("capacity-no-load").into());
        };
        let from = near.map(|near| CapacityLoad {
            value: (near.value / 2.0).ceil().max(1.0),
            ..near
        });
        let settings = CapacitySettings {
            from,
            reach,
            ..settings.clone()
        };
        capacity::search(&self.measure.0, &self.source, load, &settings, series)
    }

    /// The plan that is measured.
    #[must_use]
    pub fn plan(&self) -> &ReadyPlan {
        &self.measure.0
    }
}

/// Changes the plan for a run: what the study asks for is what is judged, and nothing ends the run but that.
fn for_run(plan: &mut Plan, study: &Study, is_for: RunFor) {
    plan.goals.clear();
    plan.guards.clear();
    match is_for {
        RunFor::WarmUp => {
            plan.watch.clear();
            plan.outputs.clear();
        }
        RunFor::Look => plan.outputs.clear(),
        RunFor::Counts => {
            let constraint = |goal: &GoalSpec| GoalSpec {
                abort_after: None,
                ..goal.clone()
            };
            plan.goals.extend(study.constraints.iter().map(constraint));
            for source in &mut plan.watch {
                source.options.remove("allow");
            }
        }
    }
}

/// Looks at the seconds of a warm-up and ends it.
struct Warming {
    seen: Arc<Mutex<Vec<(f64, f64)>>>,
    steady: Arc<AtomicBool>,
    own: Interrupt,
    user: Interrupt,
}

impl Listener for Warming {
    fn event(&mut self, _: &Message) {}

    fn progress(&mut self, _: &Message) {}

    fn second(&mut self, second: &Second<'_>, labels: &[LabelInfo]) {
        if second.after_load {
            return;
        }
        let mut total = LabelInterval::default();
        for (id, interval) in second.labels.iter() {
            let info = labels.get(id.index());
            if info.is_some_and(|info| info.kind == LabelKind::Request) {
                total.merge(interval);
            }
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push((total.samples() as f64, total.all_response().mean_ns()));
        if self.user.is_hit() {
            self.own.cut_off();
        }
        if is_steady(&seen) {
            self.steady.store(true, Ordering::SeqCst);
            self.own.stop();
        }
    }

    fn end(&mut self) {}
}

/// Whether throughput and response time have both settled, by the test that a curve's steps are cut by.
fn is_steady(seen: &[(f64, f64)]) -> bool {
    let settled = |values: Vec<f64>| {
        let found = truncate(&values);
        found.steady && values.len() >= found.cut + STEADY_S as usize
    };
    settled(seen.iter().map(|it| it.0).collect()) && settled(seen.iter().map(|it| it.1).collect())
}

/// A part of an objective in a summary, in its unit.
#[must_use]
pub fn value_of(metric: ObjectiveMetric, total: &LabelSummary, memory_bytes: u64) -> f64 {
    let times = &total.ok_response_time_ms;
    match metric {
        // Failures may be quick: they are no work.
        ObjectiveMetric::Throughput | ObjectiveMetric::Capacity => {
            total.throughput_per_s * (1.0 - total.error_rate)
        }
        ObjectiveMetric::Mean => times.mean,
        ObjectiveMetric::Percentile(p) => match p {
            50.0 => times.p50,
            90.0 => times.p90,
            95.0 => times.p95,
            99.9 => times.p99_9,
            _ => times.p99,
        },
        ObjectiveMetric::Memory => memory_bytes as f64 / (1024.0 * 1024.0),
    }
}

/// The goal that a run must still be able to reach, where the objective is one that a goal can say.
#[must_use]
pub fn goal_to_reach(metric: ObjectiveMetric, value: f64) -> Option<Goal> {
    let (metric, op, unit) = match metric {
        ObjectiveMetric::Throughput => (
            GoalMetric::Throughput,
            GoalOp::GreaterOrEqual,
            GoalUnit::PerSecond,
        ),
        ObjectiveMetric::Percentile(p) => (
            GoalMetric::Percentile(p),
            GoalOp::LessOrEqual,
            GoalUnit::Millis,
        ),
        ObjectiveMetric::Mean => (GoalMetric::Mean, GoalOp::LessOrEqual, GoalUnit::Millis),
        ObjectiveMetric::Capacity | ObjectiveMetric::Memory => return None,
    };
    Some(Goal {
        label: None,
        ok_only: metric != GoalMetric::Throughput,
        metric,
        op,
        value,
        unit,
    })
}

/// The constraints that a run broke, with what was observed.
#[must_use]
pub fn broken(summary: &Summary) -> Vec<String> {
    let broken = summary.goals.iter().filter(|goal| !goal.met);
    broken.map(broken_goal).collect()
}

/// A constraint that was broken, with what was observed.
#[must_use]
pub fn broken_goal(goal: &GoalResult) -> String {
    let observed = goal.observed.map(|it| format!("{it:.2}"));
    let value = observed.unwrap_or_else(|| "–".to_owned());
    format!("{}: {value} {}", goal.goal, goal.unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_ends_when_both_have_settled() {
        let second = |at: usize| {
            let rate = 100.0 + (at % 3) as f64;
            // The response time falls for ten seconds.
            (rate, 5.0 + 20.0 * 0.6_f64.powi(at as i32))
        };
        let seen: Vec<(f64, f64)> = (0..40).map(second).collect();
        assert!(!is_steady(&seen[..4]));
        let first = (1..=40).find(|count| is_steady(&seen[..*count]));
        assert!(
            first.is_some_and(|count| (8..=25).contains(&count)),
            "{first:?}"
        );
    }
}
