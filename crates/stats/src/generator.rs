//! Whether the load generator itself was the limit of a run.
//!
//! The rule: the generator was limited if in over 5 % of the measured seconds
//! a load thread used up the CPU allowed to it, or the p99 of the send lateness or
//! the mean lag with which answers were noticed exceeded max(2 ms, 10 % of the
//! median service time), or if local ports, file descriptors or memory ran out in
//! any second. A thread has used up its CPU at 90 % of what it is allowed, and,
//! held back by a quota, at 70 % when it waits for a CPU most of the second.

use serde::{Deserialize, Serialize};

/// A load thread that uses this share of its allowed CPU is saturated.
pub const CPU_LIMIT: f64 = 0.9;
/// The same for a thread that wants more and is held back by a quota, whose grain
/// lets it never quite reach its share.
pub const HELD_BACK_CPU: f64 = 0.7;
/// Such a thread waits for a CPU for this share of a second.
pub const HELD_BACK_WAIT: f64 = 0.5;
/// Share of the measured seconds above which the generator was limited.
pub const SECONDS_LIMIT: f64 = 0.05;
/// Send lateness that is always accepted.
pub const LATENESS_FLOOR_NS: u64 = 2_000_000;
/// A thread that waits for a CPU longer than this share of a second, without
/// using up its own, is starved by somebody else.
pub const RUNQUEUE_WAIT_LIMIT: f64 = 0.1;
/// From this share of its limit on, memory counts as used up.
pub const MEMORY_LIMIT: f64 = 0.95;

/// What the generator saw of itself in one second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GeneratorSecond {
    /// Second since the run's start.
    pub second: u64,
    /// The load threads.
    pub threads: Vec<ThreadSecond>,
    /// p99 of actual minus intended start in this second, over all threads.
    pub send_lateness_p99_ns: u64,
    /// Mean time from the kernel's receipt of an answer to the engine's notice, in
    /// this second; 0 where it was not measured.
    pub receive_lag_mean_ns: u64,
    /// Longest delay of the event loops.
    pub loop_lag_max_ns: u64,
    /// Virtual users at work.
    pub users_active: u64,
    /// Requests without their answer.
    pub in_flight: u64,
    /// Open file descriptors.
    pub fds_used: u64,
    /// Most that may be open; 0 = unknown.
    pub fds_limit: u64,
    /// Requests that failed for want of a file descriptor.
    pub fds_failed: u64,
    /// Local ports in use towards the target.
    pub ports_used: u64,
    /// Size of the local port range; 0 = unknown.
    pub ports_limit: u64,
    /// Requests that failed for want of a local port.
    pub ports_failed: u64,
    /// Resident memory.
    pub rss_bytes: u64,
    /// Most that may be resident; 0 = unknown.
    pub memory_limit_bytes: u64,
    /// Arrivals that came due while nothing might start (the lease of a share was over, or the
    /// process itself had stood still) and were not made up for.
    #[serde(skip_serializing_if = "is_zero")]
    pub withheld: u64,
    /// The process that used most CPU on the generator's cores, when load
    /// threads had to wait for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub competitor: Option<String>,
    /// What each of several workers saw; the fields above are then what they saw together:
    /// counts of all, and of lateness and limits the worst.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerSecond>,
}

/// What the generator of one of several load hosts saw of itself in one second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerSecond {
    /// Name of the worker.
    pub worker: String,
    /// What it saw.
    #[serde(flatten)]
    pub seen: GeneratorSecond,
}

#[expect(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What one load thread used in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadSecond {
    /// CPU used, as a share (0 to 1) of what affinity and quota allow it.
    pub cpu_share: f64,
    /// Time it was runnable but had no CPU, as a share (0 to 1) of the second.
    pub runqueue_wait_share: f64,
}

impl ThreadSecond {
    fn saturated(&self) -> bool {
        let held_back = self.runqueue_wait_share >= HELD_BACK_WAIT;
        self.cpu_share >= CPU_LIMIT || held_back && self.cpu_share >= HELD_BACK_CPU
    }

    fn starved(&self) -> bool {
        !self.saturated() && self.runqueue_wait_share >= RUNQUEUE_WAIT_LIMIT
    }
}

/// What limited the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// A load thread used up its CPU.
    Cpu,
    /// Requests left too late.
    Lateness,
    /// Answers were noticed too late.
    ReceiveLag,
    /// No free local port.
    Ports,
    /// No free file descriptor.
    Fds,
    /// No free memory.
    Memory,
    /// Something else took the CPU from the load threads.
    Starved,
}

impl ReasonKind {
    /// The name in JSON and text ids.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Lateness => "lateness",
            Self::ReceiveLag => "receive_lag",
            Self::Ports => "ports",
            Self::Fds => "fds",
            Self::Memory => "memory",
            Self::Starved => "starved",
        }
    }
}

/// One reason with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Which.
    pub kind: ReasonKind,
    /// In how many measured seconds.
    pub seconds: u64,
    /// Those seconds' share of all measured ones, 0 to 1.
    pub seconds_share: f64,
    /// The worst that was seen: share of the allowed CPU (cpu), of a second
    /// spent waiting for it (starved), of the limit (ports, fds, memory), all
    /// 0 to 1; milliseconds late (lateness, receive_lag).
    pub worst: f64,
    /// The limit `worst` is compared with, in the same unit.
    pub limit: f64,
    /// Who took the CPU (starved), if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub competitor: Option<String>,
}

/// Whether the generator was the limit, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorVerdict {
    /// Whether it was.
    pub limited: bool,
    /// Why it was; empty if it was not.
    pub reasons: Vec<Reason>,
    /// Seen, but not enough to be the limit.
    pub warnings: Vec<Reason>,
}

/// Judges the measured seconds of a run; `median_service_ns` is the median
/// service time of its requests.
pub fn judge(seconds: &[GeneratorSecond], median_service_ns: u64) -> GeneratorVerdict {
    let lateness_limit_ns = LATENESS_FLOOR_NS.max(median_service_ns / 10);
    let mut tally = Tally::new(seconds.len(), lateness_limit_ns);
    for second in seconds {
        tally.add(second);
    }
    tally.verdict()
}

/// Counts of one reason.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    seconds: u64,
    worst: f64,
}

impl Seen {
    fn add(&mut self, hit: bool, value: f64) {
        if hit {
            self.seconds += 1;
            self.worst = self.worst.max(value);
        }
    }
}

struct Tally {
    measured: usize,
    lateness_limit_ns: u64,
    /// Seconds with a saturated thread or late sends.
    overloaded: u64,
    cpu: Seen,
    lateness: Seen,
    receive_lag: Seen,
    ports: Seen,
    fds: Seen,
    memory: Seen,
    starved: Seen,
    /// Competitors with the seconds they were named.
    competitors: std::collections::BTreeMap<String, u64>,
}

impl Tally {
    fn new(measured: usize, lateness_limit_ns: u64) -> Self {
        Self {
            measured,
            lateness_limit_ns,
            overloaded: 0,
            cpu: Seen::default(),
            lateness: Seen::default(),
            receive_lag: Seen::default(),
            ports: Seen::default(),
            fds: Seen::default(),
            memory: Seen::default(),
            starved: Seen::default(),
            competitors: std::collections::BTreeMap::new(),
        }
    }

    fn add(&mut self, second: &GeneratorSecond) {
        let threads = || second.threads.iter();
        let late = second.send_lateness_p99_ns > self.lateness_limit_ns;
        let lagging = second.receive_lag_mean_ns > self.lateness_limit_ns;
        let saturated = threads().any(ThreadSecond::saturated);
        let starved = threads().any(ThreadSecond::starved);
        self.overloaded += u64::from(late || lagging || saturated);
        self.cpu.add(
            saturated,
            threads().map(|t| t.cpu_share).fold(0.0, f64::max),
        );
        self.lateness
            .add(late, second.send_lateness_p99_ns as f64 / 1e6);
        self.receive_lag
            .add(lagging, second.receive_lag_mean_ns as f64 / 1e6);
        let waits = threads()
            .filter(|t| t.starved())
            .map(|t| t.runqueue_wait_share);
        self.starved.add(starved, waits.fold(0.0, f64::max));
        if starved && let Some(name) = &second.competitor {
            *self.competitors.entry(name.clone()).or_default() += 1;
        }
        let ports = share(second.ports_used, second.ports_limit, second.ports_failed);
        self.ports.add(ports >= 1.0, ports);
        let fds = share(second.fds_used, second.fds_limit, second.fds_failed);
        self.fds.add(fds >= 1.0, fds);
        let memory = share(second.rss_bytes, second.memory_limit_bytes, 0);
        self.memory.add(memory >= MEMORY_LIMIT, memory);
    }

    fn verdict(self) -> GeneratorVerdict {
        let over = |seconds: u64| self.share(seconds) > SECONDS_LIMIT;
        let overloaded = over(self.overloaded);
        let lateness_limit_ms = self.lateness_limit_ns as f64 / 1e6;
        // Waiting for a CPU alone is no limit; it explains why sends are late.
        let late = self.lateness.seconds + self.receive_lag.seconds > 0;
        let starved = overloaded && late && over(self.starved.seconds);
        let found = [
            (ReasonKind::Cpu, self.cpu, CPU_LIMIT, overloaded),
            (
                ReasonKind::Lateness,
                self.lateness,
                lateness_limit_ms,
                overloaded,
            ),
            (
                ReasonKind::ReceiveLag,
                self.receive_lag,
                lateness_limit_ms,
                overloaded,
            ),
            (ReasonKind::Ports, self.ports, 1.0, true),
            (ReasonKind::Fds, self.fds, 1.0, true),
            (ReasonKind::Memory, self.memory, MEMORY_LIMIT, true),
            (
                ReasonKind::Starved,
                self.starved,
                RUNQUEUE_WAIT_LIMIT,
                starved,
            ),
        ];
        let mut verdict = GeneratorVerdict::default();
        for (kind, seen, limit, limiting) in found {
            if seen.seconds == 0 {
                continue;
            }
            let reason = Reason {
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

    fn share(&self, seconds: u64) -> f64 {
        seconds as f64 / self.measured.max(1) as f64
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

/// Use as a share of a limit (0 = unknown); a failure means all was used.
fn share(used: u64, limit: u64, failed: u64) -> f64 {
    if failed > 0 {
        1.0
    } else if limit == 0 {
        0.0
    } else {
        used as f64 / limit as f64
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
