//! The rule: what of the result is the generator's, and why.

use std::collections::BTreeMap;

use super::{
    CLOCK_FLOOR_NS, CPU_LIMIT, GeneratorReason, GeneratorSecond, GeneratorVerdict, MEMORY_LIMIT,
    MOST_SECONDS, OwnTime, RUNQUEUE_WAIT_LIMIT, ReasonKind, TOUCHED_SHARE, ThreadSecond, Touched,
};
use crate::{Histogram, LabelInterval, Times};

/// The figures of a report that are compared with their corrected ones; the mean comes first.
const PERCENTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)];

/// A percentile of few samples lies within so many standard deviations of its rank (95 %). A
/// figure that stays in there does not move: it was not known any closer.
const CONFIDENT: f64 = 1.96;
/// Unless the generator's part is more than this of it: then it is the generator's.
const MOST_OF_IT: f64 = 0.5;

/// Judges the measured seconds of a run; `result` is what all its requests did in them.
pub fn judge(seconds: &[GeneratorSecond], result: &LabelInterval) -> GeneratorVerdict {
    let mut own = OwnTime::default();
    seconds
        .iter()
        .for_each(|second| own.merge_kept(&second.own));
    judge_with(seconds, own, result)
}

/// The same where what the generator added to these seconds' response times is added up already.
pub fn judge_with(
    seconds: &[GeneratorSecond],
    own: OwnTime,
    result: &LabelInterval,
) -> GeneratorVerdict {
    let measured = result.all_response();
    let corrected = own.taken_from(&measured);
    // Requests that fail at once are a busy loop. That it uses up the CPU is their doing.
    let is_busy_loop = share(failed_before_sending(result), result.samples()) > 0.5;
    let touched = match is_busy_loop {
        true => Vec::new(),
        false => touched(&measured, &corrected),
    };
    let limit_ns = limit_ns(measured.mean_ns());
    let mut tally = Tally::new(seconds.len(), limit_ns, own);
    seconds.iter().for_each(|second| tally.add(second));
    tally.has_result = result.samples() > 0;
    let mut verdict = tally.verdict(!touched.is_empty(), is_busy_loop);
    verdict.corrected = (!measured.is_empty()).then(|| Times::from(&corrected));
    verdict.touched = touched;
    verdict
}

fn failed_before_sending(result: &LabelInterval) -> u64 {
    let kinds = result.errors_by_kind.iter();
    let before = kinds.filter(|(kind, _)| kind.is_before_sending());
    before.map(|(_, count)| count).sum()
}

/// How far a figure may be off and still be called the target's.
fn limit_ns(measured_ns: f64) -> f64 {
    (measured_ns * TOUCHED_SHARE).max(CLOCK_FLOOR_NS as f64)
}

/// The figures that are further off than that, and surely so.
fn touched(measured: &Histogram, corrected: &Histogram) -> Vec<Touched> {
    let (mean, without) = (measured.mean_ns(), corrected.mean_ns());
    let mean = ("mean", mean, mean, without);
    let count = measured.count() as f64;
    // The largest of all samples is one sample: no percentile that is no more than that counts.
    let is_one = |q: f64| count * (1.0 - q) < 1.0;
    let percentiles = PERCENTILES.iter().filter(|(_, q)| !is_one(*q));
    let percentiles = percentiles.map(|(name, q)| {
        let least = measured.percentile_ns(q - CONFIDENT * (q * (1.0 - q) / count).sqrt());
        let (measured, corrected) = (measured.percentile_ns(*q), corrected.percentile_ns(*q));
        (*name, measured as f64, least as f64, corrected as f64)
    });
    std::iter::once(mean)
        .chain(percentiles)
        .filter(|(_, measured, least, corrected)| {
            let is_sure = corrected < least || *corrected < measured * (1.0 - MOST_OF_IT);
            measured - corrected > limit_ns(*measured) && is_sure
        })
        .map(|(figure, measured, _, corrected)| Touched {
            figure: figure.to_owned(),
            measured_ms: crate::summary::ms(measured),
            corrected_ms: crate::summary::ms(corrected),
        })
        .collect()
}

/// Counts of one reason.
#[derive(Clone, Copy, Debug, Default)]
struct ReasonCounts {
    seconds: u64,
    worst: f64,
}

impl ReasonCounts {
    fn add(&mut self, hit: bool, value: f64) {
        if hit {
            self.seconds += 1;
            self.worst = self.worst.max(value);
        }
    }
}

struct Tally {
    measured: usize,
    /// Whether any request was measured.
    has_result: bool,
    limit_ns: f64,
    own: OwnTime,
    cpu: ReasonCounts,
    lateness: ReasonCounts,
    receive_lag: ReasonCounts,
    stopped: ReasonCounts,
    ports: ReasonCounts,
    fds: ReasonCounts,
    memory: ReasonCounts,
    starved: ReasonCounts,
    /// Competitors with the seconds they were named.
    competitors: BTreeMap<String, u64>,
}

impl Tally {
    fn new(measured: usize, limit_ns: f64, own: OwnTime) -> Self {
        Self {
            measured,
            has_result: true,
            limit_ns,
            own,
            cpu: ReasonCounts::default(),
            lateness: ReasonCounts::default(),
            receive_lag: ReasonCounts::default(),
            stopped: ReasonCounts::default(),
            ports: ReasonCounts::default(),
            fds: ReasonCounts::default(),
            memory: ReasonCounts::default(),
            starved: ReasonCounts::default(),
            competitors: BTreeMap::new(),
        }
    }

    fn add(&mut self, second: &GeneratorSecond) {
        let threads = || second.threads.iter();
        let saturated = threads().any(ThreadSecond::saturated);
        let starved = threads().any(ThreadSecond::starved);
        let cpu = threads().map(|t| t.cpu_share).fold(0.0, f64::max);
        self.cpu.add(saturated, cpu);
        let times = [
            (&mut self.lateness, second.send_lateness_p99_ns),
            (&mut self.receive_lag, second.receive_lag_mean_ns),
            (&mut self.stopped, second.stopped_ns),
        ];
        for (seen, ns) in times {
            seen.add(ns as f64 > self.limit_ns, ns as f64 / 1e6);
        }
        let waits = threads()
            .filter(|t| t.starved())
            .map(|t| t.runqueue_wait_share);
        self.starved.add(starved, waits.fold(0.0, f64::max));
        if starved && let Some(name) = &second.competitor {
            *self.competitors.entry(name.clone()).or_default() += 1;
        }
        let ports = use_of(second.ports_used, second.ports_limit, second.ports_failed);
        self.ports.add(ports >= 1.0, ports);
        let fds = use_of(second.fds_used, second.fds_limit, second.fds_failed);
        self.fds.add(fds >= 1.0, fds);
        let memory = use_of(second.rss_bytes, second.memory_limit_bytes, 0);
        self.memory.add(memory >= MEMORY_LIMIT, memory);
    }

    fn verdict(mut self, touched: bool, is_busy_loop: bool) -> GeneratorVerdict {
        if touched {
            self.name_the_larger_part();
        }
        let limit_ms = self.limit_ns / 1e6;
        // A generator without CPU in most seconds sets the throughput, whatever the times are.
        let out_of_cpu = self.share(self.cpu.seconds) > MOST_SECONDS;
        // Where no request was measured there are no times to touch.
        let held_up = |seen: ReasonCounts| {
            touched || !self.has_result && self.share(seen.seconds) > MOST_SECONDS
        };
        let late = touched && self.matters(self.own.late_ns);
        let lagging = touched && self.matters(self.own.lag_ns);
        let found = [
            (ReasonKind::Cpu, self.cpu, CPU_LIMIT, touched || out_of_cpu),
            (ReasonKind::Lateness, self.lateness, limit_ms, late),
            (ReasonKind::ReceiveLag, self.receive_lag, limit_ms, lagging),
            (
                ReasonKind::Stopped,
                self.stopped,
                limit_ms,
                held_up(self.stopped),
            ),
            (ReasonKind::Ports, self.ports, 1.0, true),
            (ReasonKind::Fds, self.fds, 1.0, true),
            (ReasonKind::Memory, self.memory, MEMORY_LIMIT, true),
            (
                ReasonKind::Starved,
                self.starved,
                RUNQUEUE_WAIT_LIMIT,
                held_up(self.starved),
            ),
        ];
        let mut verdict = GeneratorVerdict::default();
        for (kind, seen, limit, limiting) in found {
            if seen.seconds == 0 || is_busy_loop && !kind.is_exhaustion() {
                continue;
            }
            let reason = GeneratorReason {
                kind,
                seconds: seen.seconds,
                seconds_share: self.share(seen.seconds),
                worst: seen.worst,
                limit,
                competitor: self.competitor(kind),
            };
            if limiting {
                verdict.reasons.push(reason);
            } else {
                verdict.warnings.push(reason);
            }
        }
        verdict.limited = !verdict.reasons.is_empty();
        verdict
    }

    /// Whether a part of the generator's own time is a notable one.
    fn matters(&self, part_ns: u64) -> bool {
        part_ns as f64 >= self.own.total_ns() as f64 * TOUCHED_SHARE
    }

    /// What moves a figure is a reason, also when no second stands out.
    fn name_the_larger_part(&mut self) {
        let late = self.own.late_ns >= self.own.lag_ns;
        let seen = match late {
            true => &mut self.lateness,
            false => &mut self.receive_lag,
        };
        if seen.seconds == 0 {
            *seen = ReasonCounts {
                seconds: self.measured as u64,
                worst: self.limit_ns / 1e6,
            };
        }
    }

    fn share(&self, seconds: u64) -> f64 {
        share(seconds, self.measured as u64)
    }

    /// Whoever was named most often.
    fn competitor(&self, kind: ReasonKind) -> Option<String> {
        if kind != ReasonKind::Starved {
            return None;
        }
        let most = self.competitors.iter().max_by_key(|(_, n)| **n);
        most.map(|(name, _)| name.clone())
    }
}

fn share(part: u64, of: u64) -> f64 {
    part as f64 / of.max(1) as f64
}

/// Use as a share of a limit (0 = unknown); a failure means all was used.
fn use_of(used: u64, limit: u64, failed: u64) -> f64 {
    if failed > 0 {
        1.0
    } else if limit == 0 {
        0.0
    } else {
        used as f64 / limit as f64
    }
}
