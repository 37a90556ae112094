//! Several runs as one undertaking: what is asked for over HTTP, and making it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_load::engine::Second;
use plimsoll_plan::model::{ChainHop, Span, wrong_chain};
use plimsoll_plan::units::{parse_duration, parse_rate};
use plimsoll_run::measure::capacity::{self, CapacityDocument, CapacityLoad, CapacitySettings};
use plimsoll_run::measure::hops::{Chain, HopsDocument};
use plimsoll_run::measure::interleave::interleave;
use plimsoll_run::measure::{MeasureError, RunSeries};
use plimsoll_run::{Listener, ReadyPlan};
use plimsoll_stats::compare::{Design, RunFigures, compare};
use plimsoll_stats::curve::LoadModel;
use plimsoll_stats::{LabelInfo, Summary};
use plimsoll_store::list;
use plimsoll_text::{Lang, Message};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::journal::DeskJournal;
use super::measurements::{MeasurementEntry, MeasurementKind};
use super::order::{OrderPlanned, RunOrder};
use crate::problem::ApiError;
use crate::shared::RunBounds;

/// Several runs that are asked for together. What is absent is as on the command line.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeasurementOrder {
    /// What is measured.
    pub kind: MeasurementKind,
    /// What is loaded, as `POST /runs` has it; of `interleave` side A.
    pub order: RunOrder,
    /// Side B of `interleave`.
    #[serde(default)]
    pub b: Option<RunOrder>,
    /// `repeat`: so often, 1 to 100.
    #[serde(default)]
    pub times: Option<u32>,
    /// `interleave`: pairs, 1 to 100.
    #[serde(default)]
    pub pairs: Option<u32>,
    /// `capacity`: the first load, such as `5` (users) or `50/s`.
    #[serde(default)]
    pub from: Option<String>,
    /// `capacity`: the largest load that may be tried.
    #[serde(default)]
    pub to: Option<String>,
    /// `capacity`: seconds that a load is held, 5 to 86400.
    #[serde(default)]
    pub step_s: Option<u32>,
    /// `capacity`: measurements at most, 1 to 1000.
    #[serde(default)]
    pub max_measurements: Option<u32>,
    /// `capacity`: how near the ends of the result lie, percent.
    #[serde(default)]
    pub precision: Option<f64>,
    /// `capacity`: how often each end is measured.
    #[serde(default)]
    pub repeats: Option<u32>,
    /// `capacity`: time without load between measurements, such as `3s`.
    #[serde(default)]
    pub cool_down: Option<String>,
    /// `capacity`: time at the first load before anything is measured, such as `10s`.
    #[serde(default)]
    pub warm_up: Option<String>,
    /// `hops`: `NAME=URL`, the outermost first; none: those of the plan.
    #[serde(default)]
    pub hops: Vec<String>,
    /// `hops`: users of each scenario.
    #[serde(default)]
    pub users: Option<u32>,
    /// `hops`: rounds that count, 1 to 1000.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// `hops`: seconds of a round, 1 to 3600.
    #[serde(default)]
    pub round_s: Option<u32>,
}

/// What is done with the plans.
enum MeasurementWork {
    Repeat(u32),
    Capacity(CapacitySettings),
    Hops {
        hops: Vec<ChainHop>,
        users: u32,
        rounds: u32,
        round_seconds: u32,
    },
    Interleave {
        b: Box<OrderPlanned>,
        pairs: u32,
    },
}

/// Several runs, ready to begin.
pub(crate) struct MeasurementReady {
    planned: OrderPlanned,
    work: MeasurementWork,
}

fn bad(name: &str, value: impl ToString, example: &str) -> ApiError {
    ApiError::bad(
        Message::new("server-bad-value")
            .with("name", name)
            .with("value", value.to_string())
            .with("example", example),
    )
}

/// A number in a range, or its default.
fn number(
    name: &str,
    value: Option<u32>,
    usual: u32,
    least: u32,
    most: u32,
) -> Result<u32, ApiError> {
    let value = value.unwrap_or(usual);
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(bad(name, value, &format!("{least}…{most}"))),
    }
}

fn time(name: &str, text: Option<&String>, usual: Duration) -> Result<Duration, ApiError> {
    text.map_or(Ok(usual), |text| {
        parse_duration(text).ok_or_else(|| bad(name, text, "3s"))
    })
}

fn load(name: &str, text: Option<&String>) -> Result<Option<CapacityLoad>, ApiError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let users = text.parse::<u32>().ok().filter(|users| *users > 0);
    let users = users.map(|users| CapacityLoad {
        value: f64::from(users),
        model: LoadModel::Users,
    });
    let rate = || {
        let rate = parse_rate(text).filter(|rate| rate.arrivals > 0)?;
        Some(CapacityLoad {
            value: rate.as_per_second(),
            model: LoadModel::Rate,
        })
    };
    let load = users.or_else(rate).ok_or_else(|| bad(name, text, "50/s"))?;
    Ok(Some(load))
}

impl MeasurementOrder {
    /// Reads what is asked for.
    ///
    /// # Errors
    /// All that is wrong with it, and what may not be.
    pub fn ready(
        &self,
        journal: &DeskJournal,
        bounds: &RunBounds,
    ) -> Result<MeasurementReady, ApiError> {
        let planned = self.order.planned(journal, bounds)?;
        let work = match self.kind {
            MeasurementKind::Repeat => {
                MeasurementWork::Repeat(number("times", self.times, 3, 1, 100)?)
            }
            MeasurementKind::Interleave => {
                let b = self
                    .b
                    .as_ref()
                    .ok_or_else(|| bad("b", "", "{\"url\": …}"))?;
                MeasurementWork::Interleave {
                    b: Box::new(b.planned(journal, bounds)?),
                    pairs: number("pairs", self.pairs, 10, 1, 100)?,
                }
            }
            MeasurementKind::Capacity => {
                MeasurementWork::Capacity(self.capacity(&planned, bounds)?)
            }
            MeasurementKind::Hops => self.chain(&planned, bounds)?,
        };
        Ok(MeasurementReady { planned, work })
    }

    fn capacity(
        &self,
        planned: &OrderPlanned,
        bounds: &RunBounds,
    ) -> Result<CapacitySettings, ApiError> {
        let precision = self.precision.unwrap_or(3.0);
        if !(precision > 0.0 && precision <= 100.0) {
            return Err(bad("precision", precision, "3"));
        }
        let to = load("to", self.to.as_ref())?;
        bounds.check_most(to.map(|to| (to.model == LoadModel::Users, to.value)))?;
        let step = number("step_s", self.step_s, 20, 5, 86_400)?;
        bounds.check_length(Duration::from_secs(u64::from(step)))?;
        let settings = CapacitySettings {
            from: load("from", self.from.as_ref())?,
            to,
            step_seconds: step,
            max_measurements: number("max_measurements", self.max_measurements, 12, 1, 1_000)?,
            precision: precision / 100.0,
            repeats: number("repeats", self.repeats, 2, 1, 100)?,
            cool_down: time("cool_down", self.cool_down.as_ref(), Duration::from_secs(3))?,
            warm_up: time("warm_up", self.warm_up.as_ref(), Duration::ZERO)?,
            reach: None,
        };
        capacity::check(&planned.ready, &settings).map_err(ApiError::bad)?;
        Ok(settings)
    }

    fn chain(
        &self,
        planned: &OrderPlanned,
        bounds: &RunBounds,
    ) -> Result<MeasurementWork, ApiError> {
        let given = self.hops.iter().map(|text| {
            let (name, address) = text
                .split_once('=')
                .ok_or_else(|| bad("hops", text, "nginx=http://127.0.0.1/"))?;
            ChainHop::new(name.trim(), address.trim(), Span::default()).map_err(ApiError::bad)
        });
        let mut hops = given.collect::<Result<Vec<_>, _>>()?;
        if hops.is_empty() {
            hops.clone_from(&planned.ready.plan.hops);
        }
        match wrong_chain(&hops) {
            _ if hops.is_empty() => return Err(ApiError::bad(Message::new("hops-none"))),
            Some(message) => return Err(ApiError::bad(message)),
            None => {}
        }
        let users = number("users", self.users, 1, 1, 100_000)?;
        bounds.check_most(Some((true, f64::from(users))))?;
        Ok(MeasurementWork::Hops {
            hops,
            users,
            rounds: number("rounds", self.rounds, 3, 1, 1_000)?,
            round_seconds: number("round_s", self.round_s, 2, 1, 3_600)?,
        })
    }
}

/// Hears that a run of the undertaking has begun: its folder is the last one then.
struct RunBegun {
    entry: Arc<MeasurementEntry>,
    root: PathBuf,
    is_known: bool,
}

impl Listener for RunBegun {
    fn event(&mut self, _: &Message) {}

    fn progress(&mut self, _: &Message) {}

    fn second(&mut self, _: &Second<'_>, _: &[LabelInfo]) {
        if !self.is_known {
            self.is_known = true;
            let runs = list(&self.root).unwrap_or_default();
            if let Some(last) = runs.last() {
                self.entry.add_run(&last.name);
            }
        }
    }

    fn end(&mut self) {}
}

impl MeasurementReady {
    /// What its runs are called.
    pub fn name(&self) -> &str {
        self.planned.ready.run_name()
    }

    /// Makes the runs below a folder; what comes of them stands in the entry.
    pub fn make(self, entry: &Arc<MeasurementEntry>, root: &Path) {
        entry.begin();
        // Hops are loaded by runs that are not kept.
        let are_kept = !matches!(self.work, MeasurementWork::Hops { .. });
        let listen = |_: &ReadyPlan| -> Box<dyn Listener> {
            Box::new(RunBegun {
                entry: Arc::clone(entry),
                root: root.to_owned(),
                is_known: !are_kept,
            })
        };
        let tell = |message: &Message| entry.tell(message);
        let series = RunSeries::new(root, &entry.interrupt, &listen, &tell);
        let result = self.measured(entry, &series);
        entry.end(result.map_err(|error| words(&error)));
    }

    fn measured(
        self,
        entry: &MeasurementEntry,
        series: &RunSeries<'_>,
    ) -> Result<Value, MeasureError> {
        let planned = &self.planned;
        match self.work {
            MeasurementWork::Repeat(times) => repeated(planned, times, entry, series),
            MeasurementWork::Capacity(settings) => {
                let (ready, source, load) = (&planned.ready, &planned.source, &planned.load);
                let found = capacity::search(ready, source, load, &settings, series)?;
                json_of(CapacityDocument::of(found, Lang::En).json())
            }
            MeasurementWork::Hops {
                hops,
                users,
                rounds,
                round_seconds,
            } => {
                let chain = Chain {
                    source: &planned.source,
                    hops: &hops,
                    users,
                    rounds,
                    round_seconds,
                    load: planned.load.clone(),
                };
                let times = chain.measure(series)?;
                json_of(serde_json::to_value(HopsDocument::of(&times, None)))
            }
            MeasurementWork::Interleave { b, pairs } => {
                let made = |run: &str, _: &Summary| entry.add_run(run);
                let names = [planned.ready.run_name(), b.ready.run_name()];
                let plans = [&planned.ready, &b.ready];
                let sides = interleave(names, plans, pairs, &planned.load, series, &made)?;
                let figures =
                    sides.map(|side| side.iter().map(RunFigures::from).collect::<Vec<_>>());
                let compared = compare(&figures[0], &figures[1], Design::Paired);
                let compared = compared.map_err(|error| {
                    MeasureError::Unusable(
                        Message::new("server-refused").with("reason", error.to_string()),
                    )
                })?;
                json_of(serde_json::to_value(compared))
            }
        }
    }
}

fn repeated(
    planned: &OrderPlanned,
    times: u32,
    entry: &MeasurementEntry,
    series: &RunSeries<'_>,
) -> Result<Value, MeasureError> {
    let mut summaries = Vec::new();
    for number in 1..=times {
        let message = Message::new("run-repeat").with("number", number);
        entry.tell(&message.with("count", times));
        let made = series.make(&planned.ready, &planned.load)?;
        entry.add_run(&made.run.id());
        summaries.push(made.summary);
        if series.interrupt.is_hit() {
            break;
        }
    }
    Ok(json!({"runs": summaries}))
}

fn json_of(value: serde_json::Result<Value>) -> Result<Value, MeasureError> {
    value.map_err(|_| MeasureError::Unusable(Message::new("server-internal")))
}

/// Why there is no result.
fn words(error: &MeasureError) -> Message {
    match error {
        MeasureError::Plan(rejected) => {
            Message::new("server-plan-rejected").with("count", rejected.problems.len())
        }
        MeasureError::Unusable(message)
        | MeasureError::Unreachable(message)
        | MeasureError::Failing(message)
        | MeasureError::Interrupted(message) => message.clone(),
    }
}
