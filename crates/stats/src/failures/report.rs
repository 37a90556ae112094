//! Failures as the summary of a run has them.

use serde::{Deserialize, Serialize};

use super::{Failed, KeptSample};
use crate::summary::ms;
use crate::{Aggregate, ErrorKind, LabelInfo, LabelKind};

/// Most of all samples' requests and responses in a summary, bytes.
const MAX_SHOWN_BYTES: usize = 2 << 20;

/// Failures of one label, kind, code and message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureGroup {
    /// Name of the label.
    pub label: String,
    /// Request, transaction or part of a request. Only requests are in `total`.
    pub label_kind: LabelKind,
    /// The kind.
    pub kind: ErrorKind,
    /// Response code; empty = no response.
    pub code: String,
    /// Which check failed, or what the system said; empty where kind and code say all.
    pub message: String,
    /// Several messages that were too many to be listed, with any code.
    pub other: bool,
    /// How many.
    pub count: u64,
    /// When the first ended, seconds since the run's start.
    pub first_s: f64,
    /// When the last ended.
    pub last_s: f64,
    /// The earliest, at most five for each group.
    pub samples: Vec<FailureSample>,
}

/// A failed sample with what was sent and what came back, without secrets, cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureSample {
    /// When it ended, seconds since the run's start.
    pub at_s: f64,
    /// Why it failed, with what was found.
    pub detail: String,
    /// First line, headers and body; empty = nothing was sent.
    pub request: String,
    /// Status line, headers and body; empty = nothing came back.
    pub response: String,
}

impl From<&KeptSample> for FailureSample {
    fn from(kept: &KeptSample) -> Self {
        Self {
            at_s: seconds(kept.at_ms),
            detail: kept.detail.clone(),
            request: kept.request.clone(),
            response: kept.response.clone(),
        }
    }
}

fn seconds(at_ms: u64) -> f64 {
    ms(at_ms as f64 * 1_000.0)
}

impl FailureGroup {
    fn new(info: &LabelInfo, failed: &Failed) -> Self {
        Self {
            label: info.name.clone(),
            label_kind: info.kind,
            kind: failed.kind,
            code: failed.code.to_string(),
            message: failed.message.as_deref().unwrap_or_default().to_owned(),
            other: failed.message.is_none(),
            count: failed.count,
            first_s: seconds(failed.first_ms),
            last_s: seconds(failed.last_ms),
            samples: Vec::new(),
        }
    }
}

/// All failures of a window: requests first, the most frequent first. Of samples there are as
/// many as there is room for.
pub fn groups(sum: &Aggregate) -> Vec<FailureGroup> {
    let mut all: Vec<(&LabelInfo, &Failed)> = sum
        .labels()
        .flat_map(|(info, interval)| interval.failures.iter().map(move |failed| (info, failed)))
        .collect();
    all.sort_by_key(|(info, failed)| (info.kind, std::cmp::Reverse(failed.count), info.id));
    let mut groups: Vec<FailureGroup> = all
        .iter()
        .map(|(info, failed)| FailureGroup::new(info, failed))
        .collect();
    let mut bytes = 0;
    // Each group gets its first before any gets its second.
    for nth in 0..super::MAX_SAMPLES {
        for (group, (_, failed)) in groups.iter_mut().zip(&all) {
            let Some(kept) = failed.samples.get(nth) else {
                continue;
            };
            bytes += kept.detail.len() + kept.request.len() + kept.response.len();
            if bytes <= MAX_SHOWN_BYTES {
                group.samples.push(kept.as_ref().into());
            }
        }
    }
    groups
}
