//! A run's seconds added up: by the second in a few numbers, all requests by ten seconds, each label by the
//! minute. Merged histograms, never means of percentiles; so a chart of hours reads hundreds of them and not a
//! million.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_stats::{LabelId, LabelInterval, LabelKind};
use plimsoll_store::{Run, RunState, StoreError, StoredPart};

/// Seconds of a block of all requests.
pub(crate) const TEN_S: u32 = 10;
/// Seconds of a block of each label.
pub(crate) const MINUTE_S: u32 = 60;
/// Runs of which sums are kept: those that were looked at last.
const KEPT: usize = 8;
/// Seconds at a run's end that may still come in parts from several load hosts.
const UNSETTLED_S: u32 = 30;

/// What all requests did in a second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SecondCounts {
    /// Requests that ended in the load.
    pub samples: u64,
    /// Requests that ended after it.
    pub after_load: u64,
}

/// A label's encoded sum.
#[derive(Debug, Clone)]
pub(crate) struct PackedPart {
    /// The label.
    pub label: LabelId,
    /// What ended after the load did.
    pub after_load: bool,
    /// As `plimsoll-stats` encodes it.
    pub bytes: Vec<u8>,
}

/// The sums of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rollup {
    /// Seconds before this are in it.
    pub until_s: u32,
    /// By the second.
    pub seconds: Vec<SecondCounts>,
    /// By ten seconds: all requests, in the load and after it.
    pub tens: Vec<[Vec<u8>; 2]>,
    /// By the minute: each label.
    pub minutes: Vec<Vec<PackedPart>>,
}

/// What is being added up.
#[derive(Default)]
struct Adding {
    ten: [LabelInterval; 2],
    minute: BTreeMap<(LabelId, bool), LabelInterval>,
}

impl Rollup {
    /// Adds whole minutes of a run, up to before that second.
    fn extend(&mut self, run: &Run, to_s: u32) -> Result<(), StoreError> {
        let from_s = self.until_s;
        let mut adding = Adding::default();
        let mut at_s = from_s;
        run.for_each_second(from_s, to_s, |part| {
            while at_s < part.second {
                at_s += 1;
                self.close(&mut adding, at_s);
            }
            self.add(&mut adding, part);
        })?;
        while at_s < to_s {
            at_s += 1;
            self.close(&mut adding, at_s);
        }
        self.until_s = to_s;
        Ok(())
    }

    fn add(&mut self, adding: &mut Adding, part: &StoredPart<'_>) {
        let (id, late) = (part.label.id, part.after_load);
        if part.label.kind == LabelKind::Request {
            adding.ten[usize::from(late)].merge(part.interval);
            let second = part.second as usize;
            if self.seconds.len() <= second {
                self.seconds.resize(second + 1, SecondCounts::default());
            }
            let counts = &mut self.seconds[second];
            match late {
                true => counts.after_load += part.interval.samples(),
                false => counts.samples += part.interval.samples(),
            }
        }
        adding
            .minute
            .entry((id, late))
            .or_default()
            .merge(part.interval);
    }

    /// A second begins: what ends there is packed.
    fn close(&mut self, adding: &mut Adding, at_s: u32) {
        if at_s.is_multiple_of(TEN_S) {
            self.tens
                .push(std::mem::take(&mut adding.ten).map(|sum| packed(&sum)));
        }
        if at_s.is_multiple_of(MINUTE_S) {
            let parts = std::mem::take(&mut adding.minute).into_iter();
            let part = |((label, after_load), sum): ((LabelId, bool), LabelInterval)| PackedPart {
                label,
                after_load,
                bytes: packed(&sum),
            };
            self.minutes.push(parts.map(part).collect());
        }
    }

    /// Requests a second over time, so many numbers at most.
    pub fn sparkline(&self, most: usize) -> Vec<f64> {
        let last = self.seconds.iter().rposition(|counts| counts.samples > 0);
        let seconds = &self.seconds[..last.map_or(0, |last| last + 1)];
        let step = seconds.len().div_ceil(most).max(1);
        let mean = |part: &[SecondCounts]| {
            let samples: u64 = part.iter().map(|counts| counts.samples).sum();
            (samples as f64 / part.len() as f64 * 10.0).round() / 10.0
        };
        seconds.chunks(step).map(mean).collect()
    }
}

fn packed(sum: &LabelInterval) -> Vec<u8> {
    let mut bytes = Vec::new();
    if !sum.is_empty() {
        sum.encode(&mut bytes);
    }
    bytes
}

/// The sums of the runs that were looked at last.
#[derive(Default)]
pub(crate) struct Rollups(Mutex<Vec<(String, bool, Arc<Rollup>)>>);

impl Rollups {
    /// A run's sums: all of one that is over; of one that goes on what is settled.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn of(&self, run: &Run, state: RunState) -> Result<Arc<Rollup>, StoreError> {
        let id = run.id();
        let (_, seconds) = run.span_s()?;
        let is_over = state != RunState::Running;
        let to_s = match is_over {
            true => seconds.next_multiple_of(MINUTE_S),
            false => seconds.saturating_sub(UNSETTLED_S) / MINUTE_S * MINUTE_S,
        };
        let known = self.take(&id);
        let mut rollup = match known {
            // What was added up while it went on may lack what came late.
            Some((was_over, known)) if was_over == is_over => known,
            _ => Arc::default(),
        };
        if rollup.until_s < to_s {
            let fresh = Arc::make_mut(&mut rollup);
            fresh.extend(run, to_s)?;
        }
        self.keep(id, is_over, &rollup);
        Ok(rollup)
    }

    fn take(&self, id: &str) -> Option<(bool, Arc<Rollup>)> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, ..)| known == id)?;
        let (_, is_over, rollup) = kept.remove(at);
        Some((is_over, rollup))
    }

    fn keep(&self, id: String, is_over: bool, rollup: &Arc<Rollup>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, ..)| *known != id);
        kept.push((id, is_over, Arc::clone(rollup)));
        if kept.len() > KEPT {
            kept.remove(0);
        }
    }
}
