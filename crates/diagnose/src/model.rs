//! What a diagnosis says. `schema/diagnosis.schema.json` is its form in JSON.

use plimsoll_knobs::{KnobRange, KnobValue};
use plimsoll_stats::curve::{Demand, DemandAtLoad};
use plimsoll_stats::names::SeriesName;
use plimsoll_text::{Arg, Message};

use crate::account::Account;
use crate::figures::{percent, tenths};

/// Version of the JSON form; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// What came of a diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagnosisOutcome {
    /// Something limits that can be changed: the findings say what.
    Found,
    /// Something limits that is as it should be: hardware does useful work, or the code pauses by itself.
    Healthy,
    /// Looked at, and nothing limits.
    Nothing,
    /// Not enough was watched to say.
    Insufficient,
}

impl DiagnosisOutcome {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Healthy => "healthy",
            Self::Nothing => "nothing",
            Self::Insufficient => "insufficient",
        }
    }
}

/// All that is said of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// What came of it.
    pub outcome: DiagnosisOutcome,
    /// The stretch of the run that was judged, in seconds from its start.
    pub window_s: (f64, f64),
    /// Findings, the first is the one that limits.
    pub findings: Vec<Finding>,
    /// What was not watched and would tell more.
    pub missing: Vec<Message>,
    /// What a request needs of each resource, over the loads of a stepped run; the lowest bound
    /// first.
    pub demands: Vec<ResourceDemand>,
    /// Where the response time went; none without any.
    pub account: Option<Account>,
}

impl Diagnosis {
    /// Whether nothing is exhausted, and what takes the time is a pause of the target's own, or calls that
    /// it makes one after the other.
    #[must_use]
    pub fn is_pause(&self) -> bool {
        let mut limiting = self.findings.iter().filter(|one| one.layer != Layer::Hint);
        let first = limiting.next();
        first.is_some_and(|one| one.healthy && ["own_wait", "calls_in_series"].contains(&one.id))
    }
}

/// The thing that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingObject {
    /// What it is: `thread_pool`, `monitor`, `table`, `generator` …
    pub kind: &'static str,
    /// Its name as the target has it: a pool's, a class's and method's, a statement's table.
    pub name: String,
    /// The host it is on; empty for the generator's own.
    pub host: String,
    /// The process that it is in, where several are watched and its name does not say which; else
    /// empty.
    pub process: String,
}

/// Of what a share is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareOf {
    /// The response time.
    ResponseTime,
    /// The throughput that is lost.
    Throughput,
    /// The failed requests.
    Errors,
    /// The trust in the measurement itself.
    Measurement,
}

impl ShareOf {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResponseTime => "response_time",
            Self::Throughput => "throughput",
            Self::Errors => "errors",
            Self::Measurement => "measurement",
        }
    }
}

/// How much a finding explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explains {
    /// From 0 to 1.
    pub share: f64,
    /// Of what.
    pub of: ShareOf,
}

impl Explains {
    /// So much of that.
    #[must_use]
    pub const fn new(share: f64, of: ShareOf) -> Self {
        Self { share, of }
    }
}

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Exhibit {
    /// What it says, with its numbers.
    pub text: Message,
    /// The series it was read from, if from one.
    pub series: Option<String>,
    /// The capture it was read from, by its number in the run.
    pub capture: Option<i64>,
    /// The lines of the capture that matter.
    pub lines: Vec<String>,
}

impl Exhibit {
    /// A sentence.
    #[must_use]
    pub fn new(text: Message) -> Self {
        Self {
            text,
            series: None,
            capture: None,
            lines: Vec::new(),
        }
    }

    /// Read from that series.
    #[must_use]
    pub fn series(mut self, name: SeriesName) -> Self {
        self.series = Some(name.name.to_owned());
        self
    }

    /// Read from that capture, whose lines matter.
    #[must_use]
    pub fn capture(mut self, number: i64, lines: Vec<String>) -> Self {
        self.capture = Some(number);
        self.lines = lines;
        self
    }

    /// Read from the capture of that number, whose lines matter, if there is one.
    #[must_use]
    pub fn captured(self, found: Option<(i64, Vec<String>)>) -> Self {
        match found {
            Some((number, lines)) => self.capture(number, lines),
            None => self,
        }
    }
}

/// A change that is proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The setting as the server at hand calls it; `None` where code must change.
    pub setting: Option<String>,
    /// Its value now, if it is known.
    pub current: Option<String>,
    /// The value to try.
    pub proposed: Option<String>,
    /// What to do and why.
    pub why: Message,
}

impl Advice {
    /// A change of code or of something that has no setting.
    #[must_use]
    pub fn code(why: Message) -> Self {
        Self {
            setting: None,
            current: None,
            proposed: None,
            why,
        }
    }

    /// The knob that the setting is, and the value to try; `None` where it is no knob.
    #[must_use]
    pub fn knob(&self) -> Option<(&'static str, KnobValue)> {
        let (setting, proposed) = self.setting.as_ref().zip(self.proposed.as_ref())?;
        let (knob, spelling) = plimsoll_knobs::named(setting)?;
        let value = knob.read(proposed, spelling);
        // A word where a number belongs is no value.
        let number = matches!(knob.range, KnobRange::Number { .. });
        let word = matches!(value, KnobValue::Word(_)) && knob.check(&value).is_err();
        let none = proposed.is_empty() || number && word;
        (!none).then_some((knob.id, value))
    }

    /// A setting to change.
    #[must_use]
    pub fn setting(
        name: impl Into<String>,
        current: Option<String>,
        proposed: impl Into<String>,
        why: Message,
    ) -> Self {
        Self {
            setting: Some(name.into()),
            current,
            proposed: Some(proposed.into()),
            why,
        }
    }
}

/// The demand of one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceDemand {
    /// The resource.
    pub of: FindingObject,
    /// The series it was read from.
    pub series: SeriesName,
    /// What was found.
    pub demand: Demand,
    /// Whether its bound is the lowest of all, and what was reached.
    pub predicts: bool,
}

impl ResourceDemand {
    /// What it says, in a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let demand = &self.demand;
        let ms = |at: Option<&DemandAtLoad>| {
            at.map_or(0.0, |at| (at.demand_ms * 1_000.0).round() / 1_000.0)
        };
        let load = |at: Option<&DemandAtLoad>| at.map_or(0.0, |at| tenths(at.load));
        let (first, last) = (demand.loads.first(), demand.loads.last());
        let id = match demand.grows_by() {
            Some(_) => "exhibit-demand-grows",
            None => "exhibit-demand-steps",
        };
        Message::new(id)
            .with("name", self.of.name.as_str())
            .with("kind", self.of.kind)
            .with("first", ms(first))
            .with("last", ms(last))
            .with("from", load(first))
            .with("to", load(last))
            .with("bound", demand.bound_per_s.round())
            .with("largest", demand.largest_per_s.round())
            .with("growth", percent(demand.grows_by().unwrap_or(0.0)))
            .with("predicts", u64::from(self.predicts))
    }

    /// The same as evidence of a finding.
    #[must_use]
    pub fn exhibit(&self) -> Exhibit {
        Exhibit::new(self.message()).series(self.series)
    }
}

/// How deep in the chain of causes a finding lies: what stands higher is looked at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The measurement itself: nothing below can be trusted until it is mended.
    Measurement,
    /// A named cause in the target: a lock, a pool, a query, a hop, a setting.
    Cause,
    /// A resource that is exhausted, where no cause below explains it.
    Resource,
    /// A rule of thumb or a side observation.
    Hint,
}

impl Layer {
    /// A cause if that holds; else something explains it better, or it is too little to limit.
    #[must_use]
    pub const fn cause_if(holds: bool) -> Self {
        match holds {
            true => Self::Cause,
            false => Self::Hint,
        }
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Which: `lock`, `connection_pool` …; texts are `finding-<id>` with hyphens.
    pub id: &'static str,
    /// Its layer.
    pub layer: Layer,
    /// What it is about.
    pub object: FindingObject,
    /// How much it explains.
    pub explains: Explains,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Whether the thing does useful work and is merely exhausted.
    pub healthy: bool,
    /// Whether a cause below must be lifted before this one, however much this one explains.
    pub behind: bool,
    /// What shows it.
    pub evidence: Vec<Exhibit>,
    /// What to change.
    pub advice: Vec<Advice>,
    /// Arguments of the title, the meaning and the experiment.
    pub args: Vec<(&'static str, plimsoll_text::Arg)>,
    /// Where the rule comes from: a paper, a manual, an observation of the field.
    pub source: &'static str,
}

impl Finding {
    /// A finding with nothing but its name and object so far; fully sure.
    #[must_use]
    pub fn new(id: &'static str, layer: Layer, object: FindingObject, explains: Explains) -> Self {
        Self {
            id,
            layer,
            object,
            explains,
            confidence: 1.0,
            healthy: false,
            behind: false,
            evidence: Vec::new(),
            advice: Vec::new(),
            args: Vec::new(),
            source: "",
        }
    }

    /// An argument of its texts.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        let found = self.args.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// The text `finding-<id><part>` with the finding's arguments; `part` is empty for the
    /// title, `-means` or `-experiment`.
    #[must_use]
    pub fn text(&self, part: &str) -> Message {
        let id = format!("finding-{}{part}", self.id.replace('_', "-"));
        let message = Message::new(id)
            .with("object", self.object.name.as_str())
            .with("host", self.object.host.as_str())
            .with("percent", percent(self.explains.share));
        let add = |message: Message, (name, value): &(&'static str, plimsoll_text::Arg)| {
            message.with(name, value.clone())
        };
        let text = self.args.iter().fold(message, add);
        match self.object.process.as_str() {
            process if part.is_empty() && !process.is_empty() => Message::new("finding-in-process")
                .with("title", text)
                .with("process", process),
            _ => text,
        }
    }

    /// Adds an argument of its texts.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<plimsoll_text::Arg>) -> Self {
        self.args.push((name, value.into()));
        self
    }

    /// Adds evidence.
    #[must_use]
    pub fn shows(mut self, exhibit: Exhibit) -> Self {
        self.evidence.push(exhibit);
        self
    }

    /// Adds evidence as far as there is any.
    #[must_use]
    pub fn shows_all(mut self, exhibits: impl IntoIterator<Item = Exhibit>) -> Self {
        self.evidence.extend(exhibits);
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn advises(mut self, advice: Advice) -> Self {
        self.advice.push(advice);
        self
    }

    /// Adds advice as far as there is any.
    #[must_use]
    pub fn advises_all(mut self, advice: impl IntoIterator<Item = Advice>) -> Self {
        self.advice.extend(advice);
        self
    }
}
