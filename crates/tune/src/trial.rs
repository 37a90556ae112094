//! A trial: what is asked for, and what came of it.

use plimsoll_text::Message;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::space::Configuration;

/// Why a trial is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Reason {
    /// The target as it was found.
    Baseline,
    /// The best so far once more, so that what drifts is seen.
    Incumbent,
    /// A finding advises it.
    Advice {
        /// Which: its id.
        finding: String,
        /// The knob.
        knob: String,
    },
    /// The search looks here.
    Search,
    /// The best against the baseline, in pairs.
    Final,
    /// The best with one knob put back.
    PutBack {
        /// The knob.
        knob: String,
    },
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct TrialAsk {
    /// Its number in the study, from 1.
    pub number: u32,
    /// Why it is made.
    pub reason: Reason,
    /// A value of the objective that it must still be able to reach, or it is ended early.
    pub reach: Option<f64>,
}

/// Why a trial, or what it needs done on the target, here or on another host, was not done.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// That is the trial's result.
    End(TrialEnd),
    /// Nothing more can be done.
    Broken(Message),
}

impl From<Message> for Stopped {
    fn from(message: Message) -> Self {
        Self::Broken(message)
    }
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum TrialEnd {
    /// It was measured.
    Measured(Box<Measured>),
    /// A value did not arrive.
    Void {
        /// What the target has instead.
        instead: Vec<NotArrived>,
    },
    /// The target did not start, died, or could not be loaded with it.
    Failed {
        /// What happened, as a text id: `does_not_start`, `died` …
        what: FailedTrial,
        /// What was said of it.
        detail: String,
    },
    /// Somebody ended the study.
    Interrupted,
}

/// So many seconds behind the start of a warm-up tell whether the target is steady.
pub const STEADY_S: u32 = 5;
/// A warm-up of so many seconds tells that in any case: up to half of it may be the start.
pub const TELLING_WARM_UP_S: u32 = 2 * STEADY_S;

impl Measured {
    /// Whether it was not steady when it was measured, though the warm-up was long enough to tell.
    #[must_use]
    pub fn is_unsteady(&self) -> bool {
        !self.steady && self.warm_up_s >= TELLING_WARM_UP_S
    }
}

impl TrialEnd {
    /// Whether it failed, and so.
    #[must_use]
    pub fn failed_by(&self, how: FailedTrial) -> bool {
        matches!(self, Self::Failed { what, .. } if *what == how)
    }

    /// Whether nobody knows what state the target is in since: it failed, and not only because somebody said no.
    #[must_use]
    pub fn casts_doubt(&self) -> bool {
        matches!(self, Self::Failed { .. }) && !self.failed_by(FailedTrial::NotApproved)
    }
}

/// How a configuration failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedTrial {
    /// The target ended before it was ready.
    DoesNotStart,
    /// It was not ready in time.
    HangsInStart,
    /// It ended under load.
    Died,
    /// No request succeeded.
    NoSuccess,
    /// A command of the study failed.
    CommandFailed,
    /// The user said no to it, or an agent's own file does.
    NotApproved,
}

impl FailedTrial {
    /// The id of the text that says it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::DoesNotStart => "tune-does-not-start",
            Self::HangsInStart => "tune-hangs-in-start",
            Self::Died => "tune-died",
            Self::NoSuccess => "tune-no-success",
            Self::CommandFailed => "tune-command-failed",
            Self::NotApproved => "tune-not-approved",
        }
    }
}

/// A value that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotArrived {
    /// The knob.
    pub knob: String,
    /// What was written.
    pub wanted: String,
    /// What the target has.
    pub has: String,
}

/// A value as the running target showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenValue {
    /// The knob.
    pub knob: String,
    /// What the target has.
    pub has: String,
    /// Where it was seen.
    pub by: String,
}

/// What was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The objective, in its unit.
    pub objective: f64,
    /// Successful samples a second.
    pub throughput_per_s: f64,
    /// Mean response time of successes, ms.
    pub mean_ms: f64,
    /// 99th percentile of it, ms.
    pub p99_ms: f64,
    /// Failed samples in all, 0 to 1.
    pub error_rate: f64,
    /// Requests that were sent again because their connection was closed, as a share of the samples.
    #[serde(default)]
    pub resent: f64,
    /// Mean size of what was received for a sample, bytes.
    #[serde(default)]
    pub bytes_per_sample: f64,
    /// The status that most responses had; empty where none had one.
    #[serde(default)]
    pub status: String,
    /// Samples by label, as a share of the plan's requests; redirects and embedded resources, too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mix: BTreeMap<String, f64>,
    /// Throughput in the second half of the run as a share of the first half's; none: it was too short to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_half: Option<f64>,
    /// Most resident memory of the components, bytes; 0 where it was not seen.
    pub memory_bytes: u64,
    /// Processor time of the components, in CPUs; 0 where it was not seen.
    #[serde(default)]
    pub cpus: f64,
    /// The constraints that it broke, with what was observed.
    pub broken: Vec<String>,
    /// The run.
    pub run: String,
    /// The run with captures in which it was looked at what limits; it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<TrialLook>,
    /// Seconds of warm-up.
    pub warm_up_s: u32,
    /// Whether it was steady then; a short warm-up never tells.
    pub steady: bool,
    /// It was ended early.
    pub cut_short: bool,
    /// The generator was the bottleneck: it tells nothing of the target.
    pub generator_limited: bool,
    /// Values that the running target showed.
    #[serde(default)]
    pub read_back: Vec<SeenValue>,
    /// Knobs whose values nothing could show.
    pub not_confirmed: Vec<String>,
    /// What the findings advise.
    pub advice: Vec<Advised>,
    /// What limits: the first finding, in words.
    pub limits: Option<Limits>,
}

/// A run with captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialLook {
    /// Its name.
    pub run: String,
    /// What it took of this trial, s; 0 where an earlier trial had made it.
    pub seconds: f64,
}

/// What limited a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The finding's id.
    pub finding: String,
    /// What it is about.
    pub object: String,
    /// What it says, in English.
    pub title: String,
    /// The same in Chinese.
    pub title_zh: String,
    /// Whether it is useful work of hardware, so that no setting helps.
    pub healthy: bool,
}

/// A value that a finding advises for a knob of the study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advised {
    /// The knob, by its place.
    pub knob: usize,
    /// The value.
    pub value: String,
    /// The finding's id.
    pub finding: String,
}

/// Makes trials.
pub trait TrialBench {
    /// Brings the target to a configuration, measures it, and says what came of it and how long it took, in
    /// seconds. What failed is left so that the next trial can be made.
    ///
    /// # Errors
    /// What keeps all further trials from being made.
    fn trial(&mut self, of: &Configuration, ask: &TrialAsk) -> Result<(TrialEnd, f64), Message>;
}
