//! Whether the load generator itself was the bottleneck of a run.
//!
//! The rule (`docs/design/generator.md`): beside each second's response times it is kept what
//! they would be without the time that was the generator's own: requests that could have been
//! sent and were not, responses that lay in the kernel and were not noticed. The generator was
//! the limit if the mean or a percentile that is reported (p50 to p99) moves by over
//! [`TOUCHED_SHARE`] and by more than [`CLOCK_FLOOR_NS`] when that time is taken out; or if a
//! load thread had exhausted its CPU in most of the seconds; or if ports, file descriptors or
//! memory ran out in any. All else that was seen is a warning.

mod judge;
mod own;

pub use judge::{judge, judge_with};
pub use own::{KeptOwnTime, OwnTime};

use serde::{Deserialize, Serialize};

/// A load thread that uses this share of its allowed CPU is saturated.
pub const CPU_LIMIT: f64 = 0.9;
/// The same for a thread that wants more and is held back by a quota, whose grain
/// lets it never quite reach its share.
pub const HELD_BACK_CPU: f64 = 0.7;
/// Such a thread waits for a CPU for this share of a second.
pub const HELD_BACK_WAIT: f64 = 0.5;
/// A generator whose CPU is saturated in more of the seconds than this sets the throughput.
pub const MOST_SECONDS: f64 = 0.5;
/// A figure of which the generator's own time is more than this share is not the target's.
/// Figures of equal runs differ by about as much, so that less would be no news.
pub const TOUCHED_SHARE: f64 = 0.1;
/// Less than this no client on a general kernel can tell from the target's time: to wake a
/// thread on an idle CPU takes up to about 50 µs, to fire a timer as long again.
pub const CLOCK_FLOOR_NS: u64 = 100_000;
/// A thread that waits for a CPU longer than this share of a second, without
/// using up its own, is starved by somebody else.
pub const RUNQUEUE_WAIT_LIMIT: f64 = 0.1;
/// From this share of its limit on, memory counts as exhausted.
pub const MEMORY_LIMIT: f64 = 0.95;

/// What the generator saw of itself in one second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GeneratorSecond {
    /// Second since the run's start.
    pub second: u64,
    /// The load threads.
    pub threads: Vec<ThreadSecond>,
    /// p99 of the time from when a request could have been sent to when it was, in this second,
    /// over all threads.
    pub send_lateness_p99_ns: u64,
    /// Mean time from the kernel's receipt of a response to the engine's notice, in
    /// this second; 0 where it was not measured.
    pub receive_lag_mean_ns: u64,
    /// Longest delay of the event loops.
    pub loop_lag_max_ns: u64,
    /// Time by which turns of the event loops came late that came over 1 ms late, all together.
    #[serde(skip_serializing_if = "is_zero")]
    pub loop_late_ns: u64,
    /// The part of it in which a thread neither ran nor waited for a CPU: the process was
    /// stopped, its machine suspended, or the CPU given to another virtual machine.
    #[serde(skip_serializing_if = "is_zero")]
    pub stopped_ns: u64,
    /// Arrivals given to users.
    #[serde(skip_serializing_if = "is_zero")]
    pub arrivals: u64,
    /// Of these, those that left in one turn of an event loop with the one before, late, so that
    /// the gap between them is not the schedule's.
    #[serde(skip_serializing_if = "is_zero")]
    pub coalesced: u64,
    /// What the generator added to response times.
    #[serde(skip_serializing_if = "KeptOwnTime::is_empty")]
    pub own: KeptOwnTime,
    /// Virtual users at work.
    pub users_active: u64,
    /// Requests without their response.
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
    /// A load thread exhausted its CPU.
    Cpu,
    /// Requests left too late.
    Lateness,
    /// Responses were noticed too late.
    ReceiveLag,
    /// No free local port.
    Ports,
    /// No free file descriptor.
    Fds,
    /// No free memory.
    Memory,
    /// Something else took the CPU from the load threads.
    Starved,
    /// The process or its machine stood still.
    Stopped,
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
            Self::Stopped => "stopped",
        }
    }

    /// Whether it is something that was exhausted, so that requests failed.
    pub const fn is_exhaustion(self) -> bool {
        matches!(self, Self::Ports | Self::Fds | Self::Memory)
    }
}

/// One reason with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorReason {
    /// Which.
    pub kind: ReasonKind,
    /// In how many measured seconds.
    pub seconds: u64,
    /// Those seconds' share of all measured ones, 0 to 1.
    pub seconds_share: f64,
    /// The worst that was seen: share of the allowed CPU (cpu), of a second
    /// spent waiting for it (starved), of the limit (ports, fds, memory), all
    /// 0 to 1; milliseconds (lateness, receive_lag, stopped).
    pub worst: f64,
    /// The limit `worst` is compared with, in the same unit.
    pub limit: f64,
    /// Who took the CPU (starved), if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub competitor: Option<String>,
}

/// Whether the generator was the bottleneck, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorVerdict {
    /// Whether it was.
    pub limited: bool,
    /// Why it was; empty if it was not.
    pub reasons: Vec<GeneratorReason>,
    /// Seen, but not enough to be the limit.
    pub warnings: Vec<GeneratorReason>,
    /// The figures of the result that are the generator's to a notable part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// Response times of all requests without the generator's own time; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<crate::Times>,
}

/// A figure of the response times with and without the generator's own time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// `mean`, `p50` …
    pub figure: String,
    /// As it was measured.
    pub measured_ms: f64,
    /// Without the generator's own time.
    pub corrected_ms: f64,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
