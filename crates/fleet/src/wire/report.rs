//! What a worker reports of one second of one assignment, and of its end, as bytes.
//!
//! ```text
//! byte    0xF1: high nibble "a report", low nibble the version
//! byte    1 a second, 2 the end
//! a second:
//! varint  second since the run's start
//! byte    1 when the load had ended before it began
//! varint  arrivals that were withheld
//! varint  number of labels that are new, for each: id, kind, parent + 1 or 0, name
//! varint  number of intervals, for each: label id, block as `plimsoll-stats` encodes it
//! block   send lateness, block receive lag (both histograms)
//! block   what the generator saw of itself, JSON
//! block   what happened, JSON; empty: nothing
//! varint  number of times without a lease, for each: from, to (ns of the run's clock)
//! the end:
//! block   JSON
//! ```
//!
//! Intervals stay encoded: whoever merges adds them without unfolding each.

use plimsoll_stats::{
    Detail, GeneratorSecond, Histogram, IntervalSet, LabelId, LabelInfo, LabelInterval, LabelKind,
};
use serde::{Deserialize, Serialize};

use super::bytes::{ByteReader, put_block, put_varint};
use super::{MAX_REPORT_BYTES, Said, WireError, check_length};

const HEAD: u8 = 0xF1;
const SECOND: u8 = 1;
const END: u8 = 2;

/// What the intervals of a report may take before failures are told with less detail.
const INTERVALS_BYTES: usize = MAX_REPORT_BYTES / 2;

/// The highest id of a label, far beyond what an engine gives.
const MAX_LABEL: u32 = 1 << 20;

const KINDS: [LabelKind; 3] = [
    LabelKind::Request,
    LabelKind::Transaction,
    LabelKind::SubRequest,
];

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// Of a second.
    Second(Box<ReportSecond>),
    /// Of the end.
    End(ReportEnd),
}

/// What one assignment did in one second.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportSecond {
    /// Second since the run's start.
    pub second: u64,
    /// The load had ended before it began.
    pub after_load: bool,
    /// Arrivals that were due and withheld.
    pub withheld: u64,
    /// Labels that no earlier report of the assignment told of.
    pub labels: Vec<LabelInfo>,
    /// What the labels did.
    pub intervals: Vec<ReportInterval>,
    /// Send lateness, encoded.
    pub lateness: Vec<u8>,
    /// From the kernel's receipt of a response to its notice, encoded.
    pub receive_lag: Vec<u8>,
    /// What the generator saw of itself.
    pub generator: GeneratorSecond,
    /// What happened since the report before.
    pub events: Vec<ReportEvent>,
    /// Times without a lease that have ended since: from and to, on the run's clock.
    pub gaps: Vec<(u64, u64)>,
}

/// What a label did, still encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportInterval {
    /// The label, by the assignment's own id.
    pub label: LabelId,
    /// Its samples.
    pub samples: u64,
    /// The interval, as `plimsoll-stats` encodes it.
    pub bytes: Vec<u8>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportEvent {
    /// When, on the run's clock.
    pub at_ns: u64,
    /// What.
    pub said: Said,
    /// It spoils the result or the plan's intent.
    #[serde(default)]
    pub is_error: bool,
}

/// How an assignment ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportEnd {
    /// End of the load on the run's clock.
    pub load_end_ns: u64,
    /// End of the last sample.
    pub end_ns: u64,
    /// It was stopped before its own end.
    pub stopped: bool,
    /// Requests whose samples the plan discards.
    pub discarded: u64,
    /// Load threads.
    pub threads: usize,
    /// Load threads that were lost.
    pub lost_threads: u32,
    /// It was given back before its end.
    pub released: bool,
    /// It could not be worked on.
    pub failed: Option<Said>,
    /// What happened since the last second.
    pub events: Vec<ReportEvent>,
}

impl ReportSecond {
    /// Takes over what the labels did and the two histograms.
    pub fn measured(&mut self, labels: &IntervalSet, lateness: &Histogram, lag: &Histogram) {
        self.intervals = encoded(labels, INTERVALS_BYTES);
        lateness.encode(&mut self.lateness);
        lag.encode(&mut self.receive_lag);
    }
}

/// The labels as bytes. Where room is short, of failures some have no samples, or only kinds;
/// counts are always whole.
fn encoded(labels: &IntervalSet, room: usize) -> Vec<ReportInterval> {
    let at = |detail: Detail| -> Vec<ReportInterval> {
        let all = labels.iter();
        all.map(|(label, interval)| report_of(label, interval, detail))
            .collect()
    };
    let length = |all: &[ReportInterval]| -> usize { all.iter().map(|one| one.bytes.len()).sum() };
    let all = at(Detail::All);
    if length(&all) <= room {
        return all;
    }
    let mut less = at(Detail::Groups);
    if length(&less) > room {
        less = at(Detail::Kinds);
    }
    let mut used = length(&less);
    for (less, all) in less.iter_mut().zip(all) {
        let with_samples = used - less.bytes.len() + all.bytes.len();
        if with_samples <= room {
            used = with_samples;
            *less = all;
        }
    }
    less
}

fn report_of(label: LabelId, interval: &LabelInterval, detail: Detail) -> ReportInterval {
    let mut bytes = Vec::new();
    interval.encode_with(detail, &mut bytes);
    ReportInterval {
        label,
        samples: interval.samples(),
        bytes,
    }
}

impl Report {
    /// The report as bytes.
    ///
    /// # Errors
    /// One that is too long to be sent.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        let mut out = vec![HEAD];
        match self {
            Self::Second(second) => {
                out.push(SECOND);
                put_second(&mut out, second)?;
            }
            Self::End(end) => {
                out.push(END);
                put_block(&mut out, &json(end)?);
            }
        }
        check_length(&out, MAX_REPORT_BYTES)?;
        Ok(out)
    }

    /// The report in these bytes. Every interval and histogram in it is checked, so that adding
    /// them later cannot fail half way.
    ///
    /// # Errors
    /// What is too long, of another version or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        check_length(bytes, MAX_REPORT_BYTES)?;
        let mut reader = ByteReader::new(bytes);
        let head = reader.byte()?;
        if head >> 4 != HEAD >> 4 {
            return Err(WireError::damaged("it is not a report"));
        }
        if head != HEAD {
            return Err(WireError::Version {
                found: u32::from(head & 0x0f),
            });
        }
        let report = match reader.byte()? {
            SECOND => Self::Second(Box::new(second(&mut reader)?)),
            END => Self::End(from_json(reader.block()?)?),
            kind => return Err(WireError::damaged(format!("a report of kind {kind}"))),
        };
        reader.end()?;
        Ok(report)
    }
}

fn put_second(out: &mut Vec<u8>, second: &ReportSecond) -> Result<(), WireError> {
    put_varint(out, second.second);
    out.push(u8::from(second.after_load));
    put_varint(out, second.withheld);
    put_varint(out, second.labels.len() as u64);
    for label in &second.labels {
        put_varint(out, u64::from(label.id.0));
        let kind = KINDS.iter().position(|kind| *kind == label.kind);
        out.push(u8::try_from(kind.unwrap_or(0)).unwrap_or(0));
        put_varint(out, label.parent.map_or(0, |id| u64::from(id.0) + 1));
        put_block(out, label.name.as_bytes());
    }
    put_varint(out, second.intervals.len() as u64);
    for interval in &second.intervals {
        put_varint(out, u64::from(interval.label.0));
        put_block(out, &interval.bytes);
    }
    put_block(out, &second.lateness);
    put_block(out, &second.receive_lag);
    put_block(out, &json(&second.generator)?);
    match second.events.is_empty() {
        true => put_block(out, &[]),
        false => put_block(out, &json(&second.events)?),
    }
    put_varint(out, second.gaps.len() as u64);
    for (from_ns, to_ns) in &second.gaps {
        put_varint(out, *from_ns);
        put_varint(out, *to_ns);
    }
    Ok(())
}

fn second(reader: &mut ByteReader<'_>) -> Result<ReportSecond, WireError> {
    let mut second = ReportSecond {
        second: reader.varint()?,
        after_load: reader.byte()? != 0,
        withheld: reader.varint()?,
        ..ReportSecond::default()
    };
    if second.second > u64::from(u32::MAX) {
        return Err(WireError::damaged("a second beyond any run"));
    }
    for _ in 0..reader.varint()? {
        second.labels.push(label(reader)?);
    }
    // Damage is found before anything is added anywhere; the interval is only a place to try.
    let mut tried = LabelInterval::default();
    for _ in 0..reader.varint()? {
        let (label, bytes) = (label_id(reader)?, reader.block()?);
        tried.clear();
        tried.merge_encoded(bytes).map_err(WireError::damaged)?;
        second.intervals.push(ReportInterval {
            label,
            samples: tried.samples(),
            bytes: bytes.to_vec(),
        });
    }
    second.lateness = histogram(reader)?;
    second.receive_lag = histogram(reader)?;
    second.generator = from_json(reader.block()?)?;
    let events = reader.block()?;
    if !events.is_empty() {
        second.events = from_json(events)?;
    }
    for _ in 0..reader.varint()? {
        second.gaps.push((reader.varint()?, reader.varint()?));
    }
    Ok(second)
}

fn label_id(reader: &mut ByteReader<'_>) -> Result<LabelId, WireError> {
    match reader.u32()? {
        id if id < MAX_LABEL => Ok(LabelId(id)),
        id => Err(WireError::damaged(format!("label number {id}"))),
    }
}

fn label(reader: &mut ByteReader<'_>) -> Result<LabelInfo, WireError> {
    let id = label_id(reader)?;
    let kind = KINDS.get(usize::from(reader.byte()?));
    let kind = *kind.ok_or_else(|| WireError::damaged("a label of unknown kind"))?;
    let parent = reader.u32()?.checked_sub(1).map(LabelId);
    Ok(LabelInfo {
        id,
        kind,
        parent,
        name: reader.text()?,
    })
}

fn histogram(reader: &mut ByteReader<'_>) -> Result<Vec<u8>, WireError> {
    let bytes = reader.block()?;
    let mut tried = Histogram::new();
    tried.merge_encoded(bytes).map_err(WireError::damaged)?;
    Ok(bytes.to_vec())
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, WireError> {
    serde_json::to_vec(value).map_err(WireError::damaged)
}

fn from_json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, WireError> {
    serde_json::from_slice(bytes).map_err(WireError::damaged)
}
