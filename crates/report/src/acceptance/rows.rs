//! The rows of the table: each load of each run.

use std::collections::BTreeMap;

use plimsoll_diagnose::{Evidence, Scene, cpu};
use plimsoll_stats::curve::{LabelCounts, MixDifference, mix_difference};
use plimsoll_stats::goal::{self, GoalResult};
use plimsoll_stats::names;
use plimsoll_stats::series::EntityKind;
use plimsoll_stats::{Aggregate, Goal, LabelKind};
use plimsoll_store::{MeasuredLoad, Run};
use plimsoll_text::Message;

use super::asked::limit_ns;
use crate::ReportError;
use crate::data::summary_of;
use crate::document::Say;
use crate::number::trimmed;

/// One load of one run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LoadRow {
    /// Which run, by its place.
    pub(super) run: usize,
    /// The plan's scenarios.
    pub(super) scenario: String,
    /// The run.
    pub(super) name: String,
    /// Users, or arrivals a second.
    pub(super) load: f64,
    /// Whether the load is arrivals.
    pub(super) open: bool,
    /// Requests that ended.
    pub(super) samples: u64,
    /// Failed ones and those over the limit, 0 to 1.
    pub(super) error_rate: f64,
    /// Requests a second.
    pub(super) throughput_per_s: f64,
    /// Mean response time.
    pub(super) mean_ms: f64,
    /// 90th percentile of it.
    pub(super) p90_ms: f64,
    /// Share of the target's busiest host's CPUs; none if not watched.
    pub(super) server_cpu: Option<f64>,
    /// Share of its memory.
    pub(super) server_memory: Option<f64>,
    /// What each requirement saw at this load, in their order.
    pub(super) goals: Vec<GoalResult>,
    /// How many requests of each label ended.
    pub(super) labels: LabelCounts,
    /// Whether it meets all requirements.
    pub(super) meets: bool,
    /// Whether the generator was the bottleneck.
    pub(super) limited: bool,
}

impl LoadRow {
    /// The load with what it is counted in.
    pub(super) fn load_text(&self, say: Say) -> String {
        load_words(say, self.load, self.open)
    }
}

/// A load with what it is counted in.
pub(super) fn load_words(say: Say, value: f64, open: bool) -> String {
    let id = if open {
        "curve-load-rate"
    } else {
        "curve-load-users"
    };
    say.message(&Message::new(id).with("load", trimmed(value)))
}

/// The loads of a run: its steps, if it has several, else the whole.
pub(super) fn of_run(
    run: &Run,
    number: usize,
    evidence: &Evidence,
    goals: &[Goal],
) -> Result<Vec<LoadRow>, ReportError> {
    let (loads, end_s) = (run.loads_measured()?, run.load_span_s()?.1);
    let mut rows = Vec::with_capacity(loads.len());
    for load in loads {
        let sum = sum_of(run, &load, end_s)?;
        rows.push(row(run, number, evidence, goals, (&load, &sum))?);
    }
    Ok(rows)
}

/// What was measured at a load. What ended after the run's load is in its own result, and of the
/// last one.
fn sum_of(run: &Run, load: &MeasuredLoad, end_s: u32) -> Result<Aggregate, ReportError> {
    let (from_s, to_s) = (f64::from(load.from_s), f64::from(load.to_s));
    Ok(match load.to_s >= end_s {
        true => run.aggregate_with_tail(from_s, to_s)?,
        false => run.aggregate(from_s, to_s)?,
    })
}

fn row(
    run: &Run,
    number: usize,
    evidence: &Evidence,
    goals: &[Goal],
    (load, sum): (&MeasuredLoad, &Aggregate),
) -> Result<LoadRow, ReportError> {
    let total = sum.total_summary();
    let times = sum.total().all_response();
    let slow = limit_ns(goals).map_or(0, |limit| {
        let ok = sum.total();
        ok.ok_response().count_above_ns(limit)
    });
    let (summary, _) = summary_of(run)?;
    let scenarios: Vec<&str> = run
        .meta()
        .scenarios
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    let server = server(evidence, (load.from_s, load.to_s));
    let results: Vec<GoalResult> = goals.iter().map(|g| goal::evaluate(g, sum)).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    let error_rate = (total.errors + slow) as f64 / total.samples.max(1) as f64;
    Ok(LoadRow {
        run: number,
        scenario: scenarios.join(", "),
        name: run.id(),
        load: load.load,
        open: load.open,
        samples: total.samples,
        error_rate,
        throughput_per_s: total.throughput_per_s,
        mean_ms: times.mean_ns() / 1e6,
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a response")]
        p90_ms: times.percentile_ns(0.9) as f64 / 1e6,
        server_cpu: server.0,
        server_memory: server.1,
        labels: requests(sum),
        meets: results.iter().all(|result| result.met) && total.any_success(),
        goals: results,
        limited: summary.generator.limited,
    })
}

fn requests(sum: &Aggregate) -> LabelCounts {
    let mut counts = LabelCounts::new();
    let requests = sum.labels();
    for (info, interval) in requests.filter(|(info, _)| info.kind == LabelKind::Request) {
        *counts.entry(info.name.clone()).or_default() += interval.samples();
    }
    counts
}

/// Where loads of the same scenarios are made of different requests, be they of one run or of
/// several: one difference for each kind of load, the largest.
pub(super) fn mixes(rows: &[LoadRow]) -> Vec<MixDifference> {
    let mut groups: BTreeMap<(&str, bool), Vec<(f64, &LabelCounts)>> = BTreeMap::new();
    for row in rows {
        let group = groups.entry((&row.scenario, row.open)).or_default();
        group.push((row.load, &row.labels));
    }
    groups.into_values().filter_map(mix_difference).collect()
}

/// CPU and memory of the target's host that used most CPU in these seconds.
fn server(evidence: &Evidence, window_s: (u32, u32)) -> (Option<f64>, Option<f64>) {
    let Some(scene) = Scene::over(evidence, window_s) else {
        return (None, None);
    };
    let hosts = scene.things(EntityKind::Host).into_iter();
    let used = hosts.filter_map(|host| {
        let cpu = cpu::host_utilization(&scene, &host.host)?;
        let limit = scene.of(&host, names::host::MEMORY_LIMIT).mean();
        let free = scene.of(&host, names::host::MEMORY_AVAILABLE).mean();
        let memory = limit
            .zip(free)
            .map(|(limit, free)| 1.0 - free / limit.max(1.0));
        Some((cpu, memory))
    });
    match used.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((cpu, memory)) => (Some(cpu), memory),
        None => (None, None),
    }
}

/// The row with the most throughput among those that meet the requirements; if none does, the
/// most of all.
pub(super) fn best(rows: &[LoadRow]) -> Option<usize> {
    let most = |all: &mut dyn Iterator<Item = (usize, &LoadRow)>| {
        all.max_by(|a, b| a.1.throughput_per_s.total_cmp(&b.1.throughput_per_s))
            .map(|(at, _)| at)
    };
    let meeting = most(&mut rows.iter().enumerate().filter(|(_, row)| row.meets));
    meeting.or_else(|| most(&mut rows.iter().enumerate()))
}
