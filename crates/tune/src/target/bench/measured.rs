//! The run that counts, or the search for the capacity, and what the engine hears of it.

use std::collections::BTreeMap;
use std::time::Instant;

use plimsoll_plan::study::ObjectiveMetric;
use plimsoll_run::Made;
use plimsoll_run::measure::capacity::{Capacity, CapacityLoad};
use plimsoll_run::measure::{MeasureError, RunSeries};
use plimsoll_stats::search::SearchEnd;
use plimsoll_stats::{Goal, LabelKind, LabelSummary, Verdict};
use plimsoll_store::Run;
use plimsoll_text::{Lang, Message, render};

use super::TargetBench;
use super::looks::Look;
use crate::space::Configuration;
use crate::target::advice;
use crate::target::measure::{broken, broken_goal, goal_to_reach, value_of};
use crate::target::usage::{TargetUse, with_use};
use crate::trial::{FailedTrial, Measured, Reason, Stopped, TrialAsk, TrialEnd};

fn stopped_by(error: MeasureError) -> Stopped {
    match error {
        MeasureError::Interrupted(_) => Stopped::End(TrialEnd::Interrupted),
        MeasureError::Unreachable(message) | MeasureError::Failing(message) => {
            Stopped::End(TrialEnd::Failed {
                what: FailedTrial::NoSuccess,
                detail: plimsoll_secrets::text(&render(Lang::En, &message)).into_owned(),
            })
        }
        MeasureError::Unusable(message) => Stopped::Broken(message),
        // It was read when the study began: its files have changed since.
        MeasureError::Plan(rejected) => {
            let first = rejected.problems.into_iter().next();
            let message = first.map_or_else(|| Message::new("capacity-no-load"), |it| it.message);
            Stopped::Broken(message)
        }
    }
}

/// The status that most responses had.
fn most_common(statuses: &BTreeMap<String, u64>) -> String {
    let most = statuses.iter().max_by_key(|(_, count)| **count);
    most.map_or_else(String::new, |(status, _)| status.clone())
}

/// Of so many labels the shares are kept.
const MOST_LABELS: usize = 50;
/// Halves of a run are compared where each has so many seconds.
const LEAST_HALF_S: u32 = 2;

/// Samples by label, as a share of the plan's requests.
fn mix(labels: &[LabelSummary]) -> BTreeMap<String, f64> {
    let requests = labels.iter().filter(|it| it.kind == LabelKind::Request);
    let all: u64 = requests.map(|it| it.samples).sum();
    let counted = labels.iter().filter(|it| it.kind != LabelKind::Transaction);
    let shares = counted.map(|it| {
        let share = it.samples as f64 / all.max(1) as f64;
        (it.label.clone(), share)
    });
    match labels.len() <= MOST_LABELS {
        true => shares.collect(),
        false => BTreeMap::new(),
    }
}

/// What became of the throughput while the run that counts went on.
fn second_half(run: &Run) -> Option<f64> {
    let (from_s, to_s) = run.load_span_s().ok()?;
    // Connections are new in the first second.
    let from_s = from_s + 1;
    let half_s = to_s.checked_sub(from_s)? / 2;
    if half_s < LEAST_HALF_S {
        return None;
    }
    let rate = |from_s: u32| {
        let part = run.aggregate(f64::from(from_s), f64::from(from_s + half_s));
        part.map(|it| it.total_summary().throughput_per_s)
    };
    let (first, second) = (rate(from_s).ok()?, rate(to_s - half_s).ok()?);
    (first > 0.0).then(|| second / first)
}

impl TargetBench<'_> {
    /// Measures what counts of a trial.
    pub(super) fn measure(&mut self, ask: &TrialAsk) -> Result<Measured, Stopped> {
        // What the one part of the objective must reach, in its own unit.
        let reach = match self.prepared.study.objective.parts.as_slice() {
            [part] if part.weight > 0.0 => {
                ask.reach.map(|value| (part.metric, value / part.weight))
            }
            _ => None,
        };
        match self.load.is_capacity() {
            true => self.measure_capacity(reach.map(|(_, load)| load)),
            false => self.measure_run(reach.and_then(|(part, value)| goal_to_reach(part, value))),
        }
    }

    /// Looks at a configuration with captures, where that is allowed, matters, and was not done; gives the seconds that
    /// it took.
    pub(super) fn look(&mut self, of: &Configuration, reason: &Reason) -> Result<f64, Stopped> {
        if !self.looks.lacks(of, reason) {
            return Ok(0.0);
        }
        let begun = Instant::now();
        let interrupt = self.settings.interrupt.clone();
        let Some(made) = self.load.look(&self.settings.runs, &interrupt)? else {
            return Ok(0.0);
        };
        if interrupt.is_hit() {
            return Err(Stopped::End(TrialEnd::Interrupted));
        }
        self.still_there()?;
        let prepared = self.prepared;
        let (limits, advice) = advice::of_run(&made.run, &prepared.space, &prepared.knobs);
        let look = Look {
            run: made.run.id(),
            limits,
            advice,
        };
        self.looks.add(of, look);
        Ok(begun.elapsed().as_secs_f64())
    }

    /// From now on it is counted what the components use; gives the marks of those that run here.
    fn uses_begin(&self) -> Vec<String> {
        self.prepared.agents.iter().for_each(|it| it.use_begins());
        self.hands.marks()
    }

    /// What was used here since then, with what was used on other hosts.
    fn with_agents(&self, here: TargetUse, since: Instant) -> TargetUse {
        let there = self.prepared.agents.iter().map(|agent| agent.used());
        let seconds = since.elapsed().as_secs_f64().max(1e-3);
        there.fold(here, |all, (memory_bytes, cpu_s)| TargetUse {
            memory_bytes: all.memory_bytes + memory_bytes,
            cpus: all.cpus + cpu_s / seconds,
        })
    }

    fn measure_capacity(&mut self, reach: Option<f64>) -> Result<Measured, Stopped> {
        let marks = self.uses_begin();
        let interrupt = self.settings.interrupt.clone();
        let series = RunSeries::new(
            &self.settings.runs,
            &interrupt,
            self.settings.listen,
            self.settings.tell,
        );
        let begun = Instant::now();
        let (found, used) = with_use(&marks, || self.load.capacity(&series, self.near, reach));
        let used = self.with_agents(used, begun);
        let found = found.map_err(stopped_by)?;
        if interrupt.is_hit() {
            return Err(Stopped::End(TrialEnd::Interrupted));
        }
        self.still_there()?;
        let load = found.result.load.map(|value| CapacityLoad {
            value,
            model: found.model,
        });
        if found.result.end != SearchEnd::OutOfReach {
            self.near = load.or(self.near);
        }
        self.of_capacity(&found, used)
    }

    fn measure_run(&mut self, reach: Option<Goal>) -> Result<Measured, Stopped> {
        let marks = self.uses_begin();
        let begun = Instant::now();
        let interrupt = self.settings.interrupt.clone();
        let listener = (self.settings.listen)(self.load.plan());
        let (made, used) = with_use(&marks, || {
            self.load
                .measure(&self.settings.runs, &interrupt, listener, reach)
        });
        let used = self.with_agents(used, begun);
        let made = made?;
        if interrupt.is_hit() {
            return Err(Stopped::End(TrialEnd::Interrupted));
        }
        self.still_there()?;
        self.of_run(&made, used)
    }

    fn of_run(&self, made: &Made, used: TargetUse) -> Result<Measured, Stopped> {
        let summary = &made.summary;
        if !summary.total.any_success() {
            return Err(Stopped::End(TrialEnd::Failed {
                what: FailedTrial::NoSuccess,
                detail: summary.run.clone(),
            }));
        }
        let (limits, advice) =
            advice::of_run(&made.run, &self.prepared.space, &self.prepared.knobs);
        Ok(Measured {
            broken: broken(summary),
            run: made.run.id(),
            cut_short: summary.verdict == Verdict::Aborted,
            generator_limited: summary.generator.limited,
            mix: mix(&summary.labels),
            second_half: second_half(&made.run),
            advice,
            limits,
            ..self.figures(&summary.total, used, None)
        })
    }

    /// The figures are those of the most load that met the constraints; what is advised is about the least that
    /// did not.
    fn of_capacity(&self, found: &Capacity, used: TargetUse) -> Result<Measured, Stopped> {
        let met = found.measurements.iter().filter(|it| it.met);
        let best = met.max_by(|a, b| a.load.total_cmp(&b.load));
        let shown = best.or_else(|| found.measurements.last());
        let name = shown.map_or("", |it| it.run.as_str());
        let total = Run::open(&self.settings.runs.join(name)).and_then(|run| {
            let (from_s, to_s) = run.load_span_s()?;
            Ok(run
                .aggregate_with_tail(f64::from(from_s), f64::from(to_s))?
                .total_summary())
        });
        let total = total.map_err(|error| Stopped::Broken(error.message()))?;
        let beyond = found.beyond.as_ref();
        let diagnosis = beyond.and_then(|beyond| beyond.diagnosis.as_ref());
        let (limits, advice) = diagnosis.map_or_else(Default::default, |diagnosis| {
            advice::of_diagnosis(diagnosis, &self.prepared.space, &self.prepared.knobs)
        });
        let missed = beyond.filter(|_| best.is_none());
        let mut measured = Measured {
            run: name.to_owned(),
            cut_short: found.result.end == SearchEnd::OutOfReach,
            generator_limited: found.generator_limited,
            advice,
            limits,
            ..self.figures(&total, used, Some(found.result.load.unwrap_or(0.0)))
        };
        measured
            .broken
            .extend(missed.map(|beyond| broken_goal(&beyond.goal)));
        Ok(measured)
    }

    /// What is told of every trial: the objective, figures, and limits of the target that were passed.
    fn figures(&self, total: &LabelSummary, used: TargetUse, capacity: Option<f64>) -> Measured {
        let parts = &self.prepared.study.objective.parts;
        let maximise = parts.first().is_none_or(|part| part.maximise);
        let objective = parts.iter().map(|part| {
            let sign = if part.maximise == maximise { 1.0 } else { -1.0 };
            let value = match (part.metric, capacity) {
                (ObjectiveMetric::Capacity, Some(load)) => load,
                (metric, _) => value_of(metric, total, used.memory_bytes),
            };
            sign * part.weight * value
        });
        Measured {
            objective: objective.sum(),
            throughput_per_s: total.throughput_per_s * (1.0 - total.error_rate),
            mean_ms: total.ok_response_time_ms.mean,
            p99_ms: total.ok_response_time_ms.p99,
            error_rate: total.error_rate,
            resent: total.resent as f64 / total.samples.max(1) as f64,
            bytes_per_sample: total.received_bytes as f64 / total.samples.max(1) as f64,
            status: most_common(&total.status_codes),
            memory_bytes: used.memory_bytes,
            cpus: used.cpus,
            broken: self.passed(used),
            ..Measured::default()
        }
    }

    /// Limits of the study for what the target uses.
    fn passed(&self, used: TargetUse) -> Vec<String> {
        let study = &self.prepared.study;
        let memory = study.most_memory.filter(|most| used.memory_bytes > *most);
        let memory = memory.map(|most| format!("memory <= {most}: {}", used.memory_bytes));
        let most = study.most_cpu.as_ref();
        let most = most.and_then(|text| text.raw.trim().parse::<f64>().ok());
        let cpu = most.filter(|most| used.cpus > *most);
        let cpu = cpu.map(|most| format!("cpu <= {most}: {:.2}", used.cpus));
        memory.into_iter().chain(cpu).collect()
    }
}
