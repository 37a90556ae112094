//! What is kept of the target.

use plimsoll_stats::series::{Entity, Fact, SeriesKey};

/// Points of one moment, Unix nanoseconds.
pub type TargetPoints = (u64, Vec<(SeriesKey, f64)>);

/// A capture to be kept.
#[derive(Debug, Clone)]
pub struct CaptureRecord {
    /// The thing it is of.
    pub entity: Entity,
    /// `thread_dump`, `class_histogram` …
    pub kind: String,
    /// `start`, `knee`, `worst`, `end`, `request`.
    pub moment: String,
    /// Its form, such as `text/plain`.
    pub media_type: String,
    /// How long taking it took.
    pub took_ns: u64,
}

/// A capture of a run, without its bytes.
#[derive(Debug, Clone)]
pub struct StoredCapture {
    /// Its number in the run, for [`Run::capture_bytes`](crate::Run::capture_bytes).
    pub number: i64,
    /// When, in ns since the run's start; negative: before it.
    pub at_ns: i64,
    /// Its length in bytes.
    pub length: u64,
    /// What it is.
    pub record: CaptureRecord,
}

/// A fact and since when it holds, in ns since the run's start.
#[derive(Debug, Clone, PartialEq)]
pub struct FactRecord {
    /// Since when; negative: it was known before the load began.
    pub at_ns: i64,
    /// The fact.
    pub fact: Fact,
}
