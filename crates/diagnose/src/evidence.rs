//! What a diagnosis is made from: the load's side and the target's side of one run, as plain
//! data, so that rules can be tested on what was recorded.

mod read;

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use plimsoll_stats::series::{Column, Entity, Fact, SeriesKey};
use plimsoll_stats::{GeneratorVerdict, LabelSummary};
use serde::{Deserialize, Serialize};

/// Version of the saved form.
const FORMAT: u32 = 1;
/// A saved form that unpacks to more than this is refused.
const MAX_BYTES: u64 = 512 << 20;

/// All that is known of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    format: u32,
    /// The load's side.
    pub load: Load,
    /// The target's series.
    pub series: Vec<Series>,
    /// What was known of the target's things, in the order of time.
    pub facts: Vec<Fact>,
    /// Texts that were captured.
    pub captures: Vec<Captured>,
}

/// The load's side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Load {
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
    pub seconds: Vec<Second>,
    /// All requests of the judged stretch together.
    pub total: Option<LabelSummary>,
    /// The same label by label.
    pub labels: Vec<LabelSummary>,
    /// The stretch, in seconds from the run's start.
    pub window_s: (u32, u32),
    /// How the generator did in it.
    pub generator: GeneratorVerdict,
}

/// One second of the load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Second {
    /// Which, from the run's start.
    pub second: u32,
    /// Requests that ended.
    pub samples: u64,
    /// Of these, failed ones.
    pub errors: u64,
    /// Mean response time, ms; 0 without samples.
    pub response_ms: f64,
    /// Users at work.
    pub users: u64,
    /// Requests without their answer.
    pub in_flight: u64,
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
}

impl Series {
    pub(crate) fn column(&self) -> Column {
        Column {
            at_ms: self.at_ms.clone(),
            values: self.values.clone(),
        }
    }
}

/// A text that was captured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Captured {
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

impl Evidence {
    /// Evidence of a load that was not watched.
    #[must_use]
    pub fn of_load(load: Load) -> Self {
        Self {
            format: FORMAT,
            load,
            series: Vec::new(),
            facts: Vec::new(),
            captures: Vec::new(),
        }
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
            FORMAT => Ok(read),
            newer => Err(EvidenceError::Newer(newer)),
        }
    }
}
