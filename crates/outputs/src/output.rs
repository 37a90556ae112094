//! What an output hears.

use std::collections::HashSet;

use plimsoll_stats::series::SeriesKey;
use plimsoll_stats::{LabelInfo, LabelInterval, Summary, Verdict};
use plimsoll_text::Message;

/// Hears a run while it goes on. It may wait: it has a thread of its own.
pub trait Output: Send {
    /// The load begins.
    ///
    /// # Errors
    /// See [`OutputError`]; so for the others.
    fn begin(&mut self, run: &RunBegin) -> Result<(), OutputError>;

    /// What the load did in a second, or in several that were merged.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError>;

    /// Something happened.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn event(&mut self, event: &RunEvent) -> Result<(), OutputError>;

    /// What was seen of the target at a moment.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError>;

    /// The run is over.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn end(&mut self, end: &RunEnd) -> Result<(), OutputError>;
}

/// Why something was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputError {
    /// It may be taken later: the receiver is away or busy.
    Later(String),
    /// It never will be.
    Refused(String),
}

/// A run whose load begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunBegin {
    /// Its name.
    pub run: String,
    /// The plan's name.
    pub plan: String,
    /// The address that is loaded, as far as the plan names one.
    pub target: String,
    /// When its clock reads 0, ns since the Unix epoch.
    pub zero_unix_ns: u64,
}

impl RunBegin {
    /// A moment of the run as ns since the Unix epoch.
    #[must_use]
    pub const fn unix_ns(&self, at_ns: u64) -> u64 {
        self.zero_unix_ns.saturating_add(at_ns)
    }
}

/// A part of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunPart {
    /// Kept out of the result.
    WarmUp,
    /// In the result.
    #[default]
    Measured,
    /// What began in the load and ended after it; in the result.
    Tail,
    /// Of a load that is raised at its end to see what room there is; kept out of the result.
    Probe,
}

impl RunPart {
    /// Its name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WarmUp => "warm_up",
            Self::Measured => "measured",
            Self::Tail => "tail",
            Self::Probe => "probe",
        }
    }
}

/// What a label did.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPart {
    /// The label.
    pub label: LabelInfo,
    /// What it did.
    pub did: LabelInterval,
}

/// What the load did in whole seconds of the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadInterval {
    /// The first second.
    pub from_s: u64,
    /// The second behind the last.
    pub to_s: u64,
    /// The part of the run.
    pub part: RunPart,
    /// The labels that did something, by their place in the run.
    pub labels: Vec<LabelPart>,
    /// Virtual users at work in the last second.
    pub users_active: u64,
    /// Requests without their response in the last second.
    pub in_flight: u64,
}

impl LoadInterval {
    /// Takes in a later interval of the same part. Nothing of the counts and times is lost.
    pub fn merge(&mut self, later: Self) {
        self.from_s = self.from_s.min(later.from_s);
        self.to_s = self.to_s.max(later.to_s);
        (self.users_active, self.in_flight) = (later.users_active, later.in_flight);
        for part in later.labels {
            match self
                .labels
                .binary_search_by_key(&part.label.id, |it| it.label.id)
            {
                Ok(at) => self.labels[at].did.merge(&part.did),
                Err(at) => self.labels.insert(at, part),
            }
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunEnd {
    /// The end of the load, seconds since the run's start.
    pub end_s: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The exit code that goes with it.
    pub exit_code: u8,
    /// Samples of the result.
    pub samples: u64,
    /// Those of them that failed.
    pub errors: u64,
}

impl From<&Summary> for RunEnd {
    fn from(summary: &Summary) -> Self {
        Self {
            end_s: summary.warm_up_s + summary.duration_s,
            verdict: summary.verdict,
            exit_code: summary.exit_code,
            samples: summary.total.samples,
            errors: summary.total.errors,
        }
    }
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// When, ns since the run's start.
    pub at_ns: u64,
    /// What.
    pub message: Message,
}

/// What was seen of the target at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetMoment {
    /// When, ns since the Unix epoch.
    pub at_unix_ns: u64,
    /// The values, each series once.
    pub points: Vec<(SeriesKey, f64)>,
}

impl TargetMoment {
    /// Takes in a later moment: the later value of a series takes the place of the earlier, at the later time.
    pub fn merge(&mut self, later: Self) {
        let seen: HashSet<SeriesKey> = later.points.iter().map(|(key, _)| key.clone()).collect();
        self.points.retain(|(key, _)| !seen.contains(key));
        self.points.extend(later.points);
        self.at_unix_ns = self.at_unix_ns.max(later.at_unix_ns);
    }
}
