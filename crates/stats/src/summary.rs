//! The summary of a run, as JSON consumers see it.
//!
//! Field names are relied on by others (`schema/summary.schema.json`): add,
//! never rename. Times are milliseconds with a resolution of 1 µs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::generator::{GeneratorSecond, GeneratorVerdict, Reason, ReasonKind, Touched};
use crate::histogram::Histogram;
use crate::{ErrorKind, LabelKind, PhaseSum};

/// Version of the summary's schema; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// Nanoseconds as milliseconds, rounded to 1 µs.
pub fn ms(ns: f64) -> f64 {
    (ns / 1_000.0).round() / 1_000.0
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All goals met.
    Passed,
    /// There were no goals to judge it by.
    NotJudged,
    /// A goal was missed.
    Failed,
    /// No request succeeded, or none was made: it has failed, whatever its goals say.
    NoSuccess,
    /// The generator was the bottleneck: the numbers say little about the target.
    Limited,
    /// A guard ended the run.
    Aborted,
    /// The user ended the run.
    Interrupted,
    /// The run could not be made.
    Error,
}

impl Verdict {
    /// Its name in JSON and in the ids of texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotJudged => "not_judged",
            Self::Failed => "failed",
            Self::NoSuccess => "no_success",
            Self::Limited => "limited",
            Self::Aborted => "aborted",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
        }
    }
}

/// Exit codes of runs from the one that says most to the one that says least.
const PRECEDENCE: [u8; 8] = [2, 3, 130, 5, 4, NO_SUCCESS, 1, NOT_KEPT];

/// No request succeeded, or none was made.
pub const NO_SUCCESS: u8 = 6;
/// All is well but that what came out could not be stored or written.
pub const NOT_KEPT: u8 = 7;

/// Of several exit codes the one that says most.
pub fn worst_exit_code(codes: impl IntoIterator<Item = u8>) -> u8 {
    let place = |code: &u8| PRECEDENCE.iter().position(|each| each == code);
    codes
        .into_iter()
        .min_by_key(|code| place(code).unwrap_or(PRECEDENCE.len()))
        .unwrap_or(0)
}

/// What happened in a run, from which verdict and exit code follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The plan or the arguments are wrong.
    pub bad_plan: bool,
    /// The target could not be reached at all.
    pub unreachable: bool,
    /// The user interrupted it.
    pub interrupted: bool,
    /// A guard ended it.
    pub aborted: bool,
    /// The generator was limited.
    pub limited: bool,
    /// No request succeeded, or none was made.
    pub no_success: bool,
    /// A goal was missed.
    pub goals_missed: bool,
    /// There were goals.
    pub judged: bool,
}

impl Outcome {
    /// Verdict and exit code; of several, precedence is 2, 3, 130, 5, 4, 6, 1.
    pub const fn verdict(self) -> (Verdict, u8) {
        if self.bad_plan {
            (Verdict::Error, 2)
        } else if self.unreachable {
            (Verdict::Error, 3)
        } else if self.interrupted {
            (Verdict::Interrupted, 130)
        } else if self.aborted {
            (Verdict::Aborted, 5)
        } else if self.limited {
            (Verdict::Limited, 4)
        } else if self.no_success {
            (Verdict::NoSuccess, NO_SUCCESS)
        } else if self.goals_missed {
            (Verdict::Failed, 1)
        } else if self.judged {
            (Verdict::Passed, 0)
        } else {
            (Verdict::NotJudged, 0)
        }
    }

    /// The same with what requests and goals say.
    #[must_use]
    pub fn with_results(self, total: &LabelSummary, goals: &[crate::goal::GoalResult]) -> Self {
        Self {
            no_success: !total.any_success(),
            goals_missed: goals.iter().any(|goal| !goal.met),
            judged: !goals.is_empty(),
            ..self
        }
    }
}

/// The summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name of the run.
    pub run: String,
    /// Name of the plan.
    pub plan: String,
    /// Start of the run, RFC 3339.
    pub started_at: String,
    /// Length of the measured window.
    pub duration_s: f64,
    /// Left out at the start.
    pub warm_up_s: f64,
    /// How it ended.
    pub verdict: Verdict,
    /// The process's exit code.
    pub exit_code: u8,
    /// How the load generator did.
    pub generator: GeneratorSummary,
    /// All users' requests together.
    pub total: LabelSummary,
    /// Every label by itself.
    pub labels: Vec<LabelSummary>,
    /// Errors of the total by kind.
    pub errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Codes of the total.
    pub status_codes: BTreeMap<String, u64>,
    /// What failed, by label, kind, code and message; absent from runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<crate::failures::FailureGroup>,
    /// The goals' results.
    pub goals: Vec<crate::goal::GoalResult>,
    /// The plan's scenarios, if it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<ScenarioSummary>,
    /// The load hosts, when there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetSummary>,
}

/// How several load hosts made one load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetSummary {
    /// How many shares the load was divided into.
    pub shares: u32,
    /// Each worker ran the whole plan.
    pub each: bool,
    /// The workers.
    pub workers: Vec<FleetWorker>,
    /// Load that was planned and not made.
    pub missing: Vec<MissingLoad>,
    /// Samples that may be lost.
    pub lost: Vec<LostSamples>,
    /// Arrivals that were withheld without a lease or after a pause.
    pub withheld: u64,
}

/// One of several load hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetWorker {
    /// Its name.
    pub name: String,
    /// Its host.
    pub host: String,
    /// Shares it worked on, from 1.
    pub shares: Vec<u32>,
    /// Its time of day less the controller's.
    pub clock_offset_ms: f64,
    /// Its clock was always known to within this.
    pub clock_error_ms: f64,
    /// Each measurement of its clock, in the order of time; of a run of many hours some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<ClockMeasured>,
    /// Whether its generator was the bottleneck.
    pub limited: bool,
    /// Why it was.
    pub reasons: Vec<ReasonKind>,
    /// Highest share of its allowed CPU that a load thread used in a second, 0 to 1.
    pub peak_cpu_share: f64,
}

/// One measurement of a load host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockMeasured {
    /// When, seconds since the run's start; before it: negative.
    pub at_s: f64,
    /// The host's time of day less the controller's.
    pub offset_ms: f64,
    /// It was known to within this.
    pub error_ms: f64,
}

/// A share of the load that nobody made for a while.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MissingLoad {
    /// The worker that should have made it.
    pub worker: String,
    /// Which share, from 1.
    pub share: u32,
    /// Of how many equal ones.
    pub of_shares: u32,
    /// Since when, seconds since the run's start.
    pub from_s: f64,
    /// Until when.
    pub to_s: f64,
}

/// Samples that a worker may have taken with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LostSamples {
    /// The worker.
    pub worker: String,
    /// Since when, seconds since the run's start.
    pub from_s: f64,
    /// Until when.
    pub to_s: f64,
    /// How many there can be at most.
    pub at_most: u64,
}

/// What a scenario of the plan was meant to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioSummary {
    /// Its name.
    pub name: String,
    /// Its load in words, e.g. "closed, 200 users for 10 min".
    pub load: String,
}

/// What one label did, or all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelSummary {
    /// Name of the label; `total` for all requests together.
    pub label: String,
    /// Request, transaction or part of a request.
    pub kind: LabelKind,
    /// The label it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Number of samples, failed ones included.
    pub samples: u64,
    /// Number of failed samples.
    pub errors: u64,
    /// Failed samples in all samples, 0 to 1; 0 without samples.
    #[serde(alias = "error_share")]
    pub error_rate: f64,
    /// Arrivals that could not begin, since all users allowed were busy.
    #[serde(alias = "not_started")]
    pub dropped_iterations: u64,
    /// Requests cut off by the end; not in samples.
    pub cut_off: u64,
    /// Requests that were sent again on a new connection; each is one sample.
    #[serde(default)]
    pub resent: u64,
    /// Samples that ended in the window, divided by its length.
    pub throughput_per_s: f64,
    /// Samples that began in the load and ended after it; in all figures but the throughput.
    #[serde(default)]
    pub ended_after_load: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// From the intended start, all samples.
    pub response_time_ms: Times,
    /// From the actual start, all samples.
    pub service_time_ms: Times,
    /// From the intended start, successes only.
    pub ok_response_time_ms: Times,
    /// The parts of the service time.
    pub phases: Phases,
    /// Failed samples by kind.
    pub errors_by_kind: BTreeMap<ErrorKind, u64>,
    /// Samples by response code; empty text = no response.
    pub status_codes: BTreeMap<String, u64>,
}

impl LabelSummary {
    /// Whether any of its samples succeeded.
    pub const fn any_success(&self) -> bool {
        self.samples > self.errors
    }
}

/// A distribution of times in ms; all 0 if there are no samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p99_9: f64,
    /// Largest.
    pub max: f64,
}

impl From<&Histogram> for Times {
    fn from(histogram: &Histogram) -> Self {
        let at = |q| ms(histogram.percentile_ns(q) as f64);
        Self {
            mean: ms(histogram.mean_ns()),
            min: ms(histogram.min_ns() as f64),
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p99_9: at(0.999),
            max: ms(histogram.max_ns() as f64),
        }
    }
}

/// The phases of a label's samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Resolving the host name.
    pub dns: PhaseTimes,
    /// Making the TCP connection.
    pub connect: PhaseTimes,
    /// The TLS handshake.
    pub tls: PhaseTimes,
    /// To the first byte of the response.
    pub first_byte: PhaseTimes,
    /// The rest of the response.
    pub receive: PhaseTimes,
}

impl From<&[PhaseSum; 5]> for Phases {
    fn from([dns, connect, tls, first_byte, receive]: &[PhaseSum; 5]) -> Self {
        Self {
            dns: dns.into(),
            connect: connect.into(),
            tls: tls.into(),
            first_byte: first_byte.into(),
            receive: receive.into(),
        }
    }
}

/// How long a phase took, over the samples that had it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// How many samples had it.
    pub count: u64,
    /// Mean over those.
    pub mean_ms: f64,
    /// Longest.
    pub max_ms: f64,
}

impl From<&PhaseSum> for PhaseTimes {
    fn from(sum: &PhaseSum) -> Self {
        Self {
            count: sum.count,
            mean_ms: ms(sum.mean_ns()),
            max_ms: ms(sum.max_ns as f64),
        }
    }
}

/// How the load generator did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorSummary {
    /// Whether the generator was the bottleneck.
    pub limited: bool,
    /// Why, by name.
    pub reasons: Vec<ReasonKind>,
    /// Why, with the evidence.
    #[serde(default)]
    pub reason_details: Vec<Reason>,
    /// Seen, but not enough to be the limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Reason>,
    /// The figures of the total's response times that are the generator's to a notable part,
    /// with and without it. The figures of `total` and `labels` are as measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// The total's response times without the generator's own time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_response_time_ms: Option<Times>,
    /// How long the process stood still altogether: neither ran nor waited for a CPU.
    #[serde(default)]
    pub stopped_ms: f64,
    /// Arrivals of open loads that were given to users.
    #[serde(default)]
    pub arrivals: u64,
    /// Of these, those that left together with the one before since both were late.
    #[serde(default)]
    pub arrivals_coalesced: u64,
    /// From when requests could have been sent to when they were.
    pub send_lateness_ms: Times,
    /// From the kernel's receipt of a response to the engine's notice; absent
    /// where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_lag_ms: Option<Times>,
    /// Highest share of its allowed CPU that a load thread used in a second,
    /// 0 to 1.
    pub peak_cpu_share: f64,
}

impl GeneratorSummary {
    /// What is said of a run's generator by its seconds and how they were judged.
    pub fn new(judged: GeneratorVerdict, seconds: &[GeneratorSecond]) -> Self {
        let threads = seconds.iter().flat_map(|second| &second.threads);
        let sum = |of: fn(&GeneratorSecond) -> u64| -> u64 { seconds.iter().map(of).sum() };
        Self {
            limited: judged.limited,
            reasons: judged.reasons.iter().map(|reason| reason.kind).collect(),
            reason_details: judged.reasons,
            warnings: judged.warnings,
            touched: judged.touched,
            corrected_response_time_ms: judged.corrected,
            stopped_ms: ms(sum(|second| second.stopped_ns) as f64),
            arrivals: sum(|second| second.arrivals),
            arrivals_coalesced: sum(|second| second.coalesced),
            peak_cpu_share: threads.map(|thread| thread.cpu_share).fold(0.0, f64::max),
            ..Self::default()
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
