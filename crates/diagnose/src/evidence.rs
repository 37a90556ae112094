//! What a diagnosis is made from: the load's side and the target's side of one run, as plain
//! data, so that rules can be tested on what was recorded.

mod read;
mod unseen;

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use plimsoll_stats::series::{Column, Entity, Fact, SeriesKey};
use plimsoll_stats::summary::ProbeSummary;
use plimsoll_stats::{Ceiling, GeneratorVerdict, HopTimes, LabelSummary, ceiling};
use serde::{Deserialize, Serialize};

pub use unseen::{Refusal, UnseenSource};

/// Version of the saved form.
const FORMAT: u32 = 1;
/// A saved form that unpacks to more than this is refused.
const MAX_BYTES: u64 = 512 << 20;

/// No run lasts longer, and nothing of its target is kept from longer before: sixty days.
const LONGEST_S: u32 = 60 * 86_400;
/// No run has more requests or users in a second.
const MOST_IN_A_SECOND: u64 = 1 << 40;
/// Connections are kept open where fewer are opened for a request.
const KEPT_ALIVE: f64 = 0.5;

/// All that is known of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    format: u32,
    /// The load's side.
    pub load: LoadEvidence,
    /// The target's series.
    pub series: Vec<Series>,
    /// What was known of the target's things, in the order of time.
    pub facts: Vec<Fact>,
    /// Texts that were captured.
    pub captures: Vec<CapturedText>,
    /// Sources that refused the watcher, or did not respond to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenSource>,
}

/// The load's side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadEvidence {
    /// The address that was loaded.
    pub target: String,
    /// The host that made the load.
    pub host: String,
    /// CPUs that it could use.
    pub cpus: f64,
    /// Whether the target was watched.
    pub watched: bool,
    /// Whole seconds at the start that results leave out.
    pub warm_up_s: u32,
    /// Each second.
    pub seconds: Vec<SecondOfLoad>,
    /// All requests of the judged stretch together.
    pub total: Option<LabelSummary>,
    /// The same label by label.
    pub labels: Vec<LabelSummary>,
    /// The stretch, in seconds from the run's start.
    pub window_s: (u32, u32),
    /// The loads of a run with several, in the order of load.
    pub steps: Vec<EvidenceStep>,
    /// How the generator did in it.
    pub generator: GeneratorVerdict,
    /// Load threads; 0: not known.
    pub threads: u32,
    /// Whether several hosts made the load.
    pub several_hosts: bool,
    /// What the generator can do at most with requests most like these, where it was calibrated.
    pub ceiling: Option<Ceiling>,
    /// The hops of the chain, each loaded alone, where that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<HopTimes>,
    /// Requests to other addresses than the target's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<LoadElsewhere>,
    /// What became of the load when it was raised at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeSummary>,
}

/// The requests of the judged stretch that went to another address than the target's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadElsewhere {
    /// Scheme, host and port.
    pub origin: String,
    /// How many.
    pub requests: u64,
    /// Their mean response time, ms.
    pub mean_ms: f64,
}

/// One of several loads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvidenceStep {
    /// Users, or arrivals a second.
    pub load: f64,
    /// First second that counts, from the run's start.
    pub from_s: u32,
    /// The one after the last.
    pub to_s: u32,
}

/// One second of the load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SecondOfLoad {
    /// Which, from the run's start.
    pub second: u32,
    /// Requests that ended.
    pub samples: u64,
    /// Of these, failed ones.
    pub errors: u64,
    /// Mean response time, ms; 0 without samples.
    pub response_ms: f64,
    /// Fastest response, ms; 0 where it is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub fastest_ms: f64,
    /// Users at work.
    pub users: u64,
    /// Requests without their response.
    pub in_flight: u64,
}

impl SecondOfLoad {
    /// Requests that ended well.
    #[expect(clippy::cast_precision_loss, reason = "counts of a second")]
    pub(crate) fn served(&self) -> f64 {
        self.samples.saturating_sub(self.errors) as f64
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A series with its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What it is of.
    pub key: SeriesKey,
    /// Times of its points, ms from the run's start.
    pub at_ms: Vec<i64>,
    /// Their values.
    pub values: Vec<f64>,
    /// Points before which nobody looked for a while ([`Column::breaks`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<usize>,
}

impl Series {
    pub(crate) fn column(&self) -> Column {
        Column {
            at_ms: self.at_ms.clone(),
            values: self.values.clone(),
            breaks: self.breaks.clone(),
        }
    }
}

/// A text that was captured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapturedText {
    /// Its number in the run.
    pub number: i64,
    /// `thread_dump`, `class_histogram` …
    pub kind: String,
    /// `start`, `knee`, `steady`, `worst`, `end`, `request`.
    pub moment: String,
    /// When, ms from the run's start.
    pub at_ms: i64,
    /// The thing it is of.
    pub entity: Entity,
    /// The text.
    pub text: String,
}

/// Why saved evidence cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// Not to be unpacked or not JSON of evidence.
    #[error("{0}")]
    Damaged(String),
    /// A newer form.
    #[error("evidence of form {0}, this version reads {FORMAT}")]
    Newer(u32),
}

impl LoadEvidence {
    /// Takes the ceiling that these requests are to be compared with, of those that are known of
    /// the machine that made the load; none of a load of several hosts, which no one of them
    /// tells anything of.
    pub fn choose_ceiling(&mut self, known: &[Ceiling]) {
        if self.several_hosts {
            return;
        }
        let opens = self.total.as_ref().map_or(0.0, opens_per_request);
        let chosen = ceiling::choose(known, &self.target, opens < KEPT_ALIVE);
        self.ceiling = chosen.cloned();
    }
}

/// Connections that were opened for a request, on average.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn opens_per_request(total: &LabelSummary) -> f64 {
    total.phases.connect.count as f64 / total.samples.max(1) as f64
}

impl Evidence {
    /// Evidence of a load that was not watched.
    #[must_use]
    pub fn of_load(load: LoadEvidence) -> Self {
        Self {
            format: FORMAT,
            load,
            series: Vec::new(),
            facts: Vec::new(),
            captures: Vec::new(),
            unseen: Vec::new(),
        }
    }

    /// Whether its times and counts are such as a run may have, so that sums of them stay numbers.
    fn is_possible(&self) -> bool {
        let load = &self.load;
        let (from_s, to_s) = load.window_s;
        let steps = load.steps.iter().flat_map(|step| [step.from_s, step.to_s]);
        let mut times_s = steps
            .chain(load.seconds.iter().map(|second| second.second))
            .chain([from_s, to_s, load.warm_up_s]);
        let looks = self.series.iter().flat_map(|series| &series.at_ms);
        let mut times_ms = looks.chain(self.captures.iter().map(|capture| &capture.at_ms));
        let mut counts = load
            .seconds
            .iter()
            .flat_map(|second| [second.samples, second.errors, second.users]);
        times_s.all(|second| second <= LONGEST_S)
            && times_ms.all(|at_ms| at_ms.unsigned_abs() <= u64::from(LONGEST_S) * 1_000)
            && counts.all(|count| count <= MOST_IN_A_SECOND)
    }

    /// Writes it, packed.
    ///
    /// # Errors
    /// The writer's.
    pub fn save(&self, to: impl Write) -> std::io::Result<()> {
        let mut packer = GzEncoder::new(to, Compression::best());
        serde_json::to_writer(&mut packer, self)?;
        packer.finish().map(|_| ())
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// Anything else, and what a newer version wrote.
    pub fn load(from: impl Read) -> Result<Self, EvidenceError> {
        let damaged = |e: &dyn std::fmt::Display| EvidenceError::Damaged(e.to_string());
        let mut plain = Vec::new();
        let mut unpacker = GzDecoder::new(from).take(MAX_BYTES);
        unpacker.read_to_end(&mut plain).map_err(|e| damaged(&e))?;
        let read: Self = serde_json::from_slice(&plain).map_err(|e| damaged(&e))?;
        match read.format {
            FORMAT if read.is_possible() => Ok(read),
            FORMAT => Err(damaged(&"times or counts that no run has")),
            newer => Err(EvidenceError::Newer(newer)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn reread(evidence: &Evidence) -> Result<Evidence, EvidenceError> {
        let mut packed = Vec::new();
        evidence.save(&mut packed).unwrap();
        Evidence::load(packed.as_slice())
    }

    #[test]
    fn evidence_of_no_run_is_refused() {
        let second = SecondOfLoad {
            second: 3,
            samples: 10,
            ..SecondOfLoad::default()
        };
        let good = Evidence::of_load(LoadEvidence {
            seconds: vec![second],
            window_s: (0, 4),
            ..LoadEvidence::default()
        });
        assert_eq!(reread(&good).unwrap(), good);
        let change = |change: fn(&mut LoadEvidence)| {
            let mut evidence = good.clone();
            change(&mut evidence.load);
            reread(&evidence).map(|_| ()).unwrap_err().to_string()
        };
        let wrong = [
            change(|load| load.window_s.1 = u32::MAX),
            change(|load| load.warm_up_s = u32::MAX),
            change(|load| load.seconds[0].second = u32::MAX),
            change(|load| load.seconds[0].samples = u64::MAX),
            change(|load| {
                load.steps = vec![EvidenceStep {
                    load: 1.0,
                    from_s: 0,
                    to_s: u32::MAX,
                }]
            }),
        ];
        for text in wrong {
            assert!(text.contains("no run has"), "{text}");
        }
    }
}
