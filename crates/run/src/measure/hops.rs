//! The hops of a chain, loaded in turn: every hop once a round, back and forth.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_plan::Problem;
use plimsoll_plan::model::{ChainHop, Load, Plan, UserLoad, UserStage};
use plimsoll_stats::hops::{HopRound, HopRounds};
use plimsoll_stats::{Histogram, HopTimes, LabelKind};
use plimsoll_store::Run;
use plimsoll_text::Message;
use serde::Serialize;

use super::scratch::Scratch;
use super::series::{MeasureError, RunSeries, UNREACHABLE, now};
use crate::{LoadSettings, PlanSource, ReadyPlan, RunSetting, ready};

/// A chain and how its hops are loaded.
pub struct Chain<'a> {
    /// What is loaded.
    pub source: &'a PlanSource,
    /// The outermost first.
    pub hops: &'a [ChainHop],
    /// Users of each scenario.
    pub users: u32,
    /// Rounds that count; one before them warms up.
    pub rounds: u32,
    /// Seconds that a hop is loaded in a round.
    pub round_seconds: u32,
    /// Threads and seed of the load.
    pub load: LoadSettings,
}

/// The times as JSON says them (`schema/hops.schema.json`).
#[derive(Debug, Serialize)]
pub struct HopsDocument<'a> {
    #[serde(flatten)]
    times: &'a HopTimes,
    slowest: Option<SlowestJson<'a>>,
    /// The run that they are kept in.
    pub kept_in: Option<String>,
}

#[derive(Debug, Serialize)]
struct SlowestJson<'a> {
    name: &'a str,
    own_ms: f64,
    share: f64,
    clear: bool,
}

impl<'a> HopsDocument<'a> {
    /// Of the times of a chain.
    #[must_use]
    pub fn of(times: &'a HopTimes, kept_in: Option<String>) -> Self {
        let slowest = times.slowest().map(|slowest| SlowestJson {
            name: &slowest.hop.name,
            own_ms: slowest.own_ms,
            share: slowest.share,
            clear: slowest.clear,
        });
        Self {
            times,
            slowest,
            kept_in,
        }
    }
}

impl Chain<'_> {
    /// Loads every hop alone, round by round; the runs are not kept.
    ///
    /// # Errors
    /// A plan or an address that cannot be used, a hop that cannot be reached, an interruption.
    pub fn measure(&self, series: &RunSeries<'_>) -> Result<HopTimes, MeasureError> {
        let ready = self.hops.iter().map(|hop| self.ready(hop).map(Arc::new));
        let ready = ready.collect::<Result<Vec<Arc<ReadyPlan>>, MeasureError>>()?;
        let runs = Scratch::new("hops")?;
        let rounds = |hop: &ChainHop| HopRounds {
            name: hop.name.clone(),
            address: hop.shown(),
            rounds: Vec::new(),
        };
        let mut measured: Vec<HopRounds> = self.hops.iter().map(rounds).collect();
        for number in 0..=self.rounds {
            // Back and forth: what drifts evenly does not favour one end of the chain.
            let mut order: Vec<usize> = (0..self.hops.len()).collect();
            if number % 2 == 1 {
                order.reverse();
            }
            for place in order {
                (series.tell)(&self.comes_next(number, &self.hops[place]));
                let round = Self::round(
                    series,
                    &self.hops[place],
                    &ready[place],
                    &self.load,
                    runs.path(),
                )?;
                if number > 0 {
                    measured[place].rounds.push(round);
                }
            }
        }
        let round_s = f64::from(self.round_seconds);
        Ok(HopTimes::of(&measured, self.users, round_s, now()))
    }

    /// The plan, with its requests sent to a hop; or the one request of its address.
    fn ready(&self, hop: &ChainHop) -> Result<ReadyPlan, MeasureError> {
        let change = |plan: &mut Plan| -> Result<(), Vec<Problem>> {
            self.alone(plan);
            Ok(())
        };
        let own = hop.has_own_request().then(|| self.own_request(hop));
        let source = own.as_ref().unwrap_or(self.source);
        let mut ready = ready::load_changed(source, &self.load, &change)?;
        if own.is_none() {
            let mut program = (*ready.program).clone();
            if program.send_to(&hop.origin()) == 0 {
                let message = Message::new("hops-needs-path").with("name", hop.name.as_str());
                return Err(message.into());
            }
            ready.program = Arc::new(program);
            ready.target = hop.origin();
        }
        Ok(ready)
    }

    /// What `plimsoll run` would be told of that address; method, headers and body are those of
    /// a chain that was told by its URL.
    fn own_request(&self, hop: &ChainHop) -> PlanSource {
        let address = hop.address.clone();
        match self.source.is_url() {
            true => PlanSource {
                plan: address,
                ..self.source.clone()
            },
            // What the plan may do here its hops may, and no more.
            false => PlanSource {
                unpacked: self.source.unpacked.clone(),
                ..PlanSource::new(address)
            },
        }
    }

    /// The same few users for every hop, and nothing that judges or watches.
    fn alone(&self, plan: &mut Plan) {
        for scenario in &mut plan.scenarios {
            scenario.load = Load::Users(UserLoad {
                stages: vec![UserStage {
                    users: self.users,
                    ramp: Duration::ZERO,
                    hold: Duration::from_secs(u64::from(self.round_seconds)),
                }],
                iterations_per_user: None,
                iterations_total: None,
                ends_with_stages: true,
                new_users: false,
            });
            scenario.start_delay = Duration::ZERO;
            scenario.end_after = None;
        }
        plan.warm_up = Duration::ZERO;
        plan.goals.clear();
        plan.guards.clear();
        plan.watch.clear();
    }

    fn round(
        series: &RunSeries<'_>,
        hop: &ChainHop,
        ready: &Arc<ReadyPlan>,
        load: &LoadSettings,
        root: &Path,
    ) -> Result<HopRound, MeasureError> {
        let made = series.make_as(RunSetting::ended_by(root, series.interrupt), ready, load)?;
        if series.interrupt.is_hit() {
            let message = Message::new("hops-interrupted");
            return Err(MeasureError::Interrupted(message));
        }
        if made.summary.exit_code == UNREACHABLE {
            let message = Message::new("hops-unreachable")
                .with("name", hop.name.as_str())
                .with("address", hop.shown());
            return Err(MeasureError::Unreachable(message));
        }
        Ok(round_of(&made.run)?)
    }

    fn comes_next(&self, number: u32, hop: &ChainHop) -> Message {
        let id = match number {
            0 => "hops-warming",
            _ => "hops-measuring",
        };
        Message::new(id)
            .with("name", hop.name.as_str())
            .with("number", number)
            .with("count", self.rounds)
    }
}

/// What a run says of its requests.
fn round_of(run: &Run) -> Result<HopRound, Message> {
    let sum = run.aggregate_with_tail(0.0, f64::INFINITY);
    let sum = sum.map_err(|error| error.message())?;
    let mut by_label: BTreeMap<String, Histogram> = BTreeMap::new();
    let mut round = HopRound::default();
    for (label, interval) in sum.labels() {
        if label.kind != LabelKind::Request {
            continue;
        }
        round.errors += interval.errors();
        if !interval.ok_service().is_empty() {
            let times = by_label.entry(label.name.clone()).or_default();
            times.merge(interval.ok_service());
        }
    }
    for (label, times) in by_label {
        round.times.merge(&times);
        let mean_ms = times.mean_ns() / 1e6;
        round.labels.insert(label, (times.count(), mean_ms));
    }
    Ok(round)
}
