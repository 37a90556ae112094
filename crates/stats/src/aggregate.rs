//! Label summaries over a window of the run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::histogram::DecodeError;
use crate::summary::{LabelSummary, Times};
use crate::{LabelId, LabelInterval, LabelKind};

/// Name of the summary over all requests.
pub const TOTAL: &str = "total";

/// What a label is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelInfo {
    /// Its index in the run.
    pub id: LabelId,
    /// Its name.
    pub name: String,
    /// Request, transaction or part of a request.
    pub kind: LabelKind,
    /// The label it is part of.
    pub parent: Option<LabelId>,
}

/// A part of the run: the seconds from `from_s` to before `to_s`.
///
/// Intervals are whole seconds. A second belongs to the window if it begins in
/// it; a start within a second therefore begins with the next one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    from_s: u64,
    to_s: f64,
}

impl Window {
    /// The window from `from_s` (rounded up to a whole second; below 0 is 0) to `to_s`, seconds since the
    /// run's start. One that ends before it begins holds nothing.
    ///
    /// ```
    /// use plimsoll_stats::Window;
    ///
    /// let window = Window::new(2.5, 10.0);
    /// assert_eq!((window.from_s(), window.seconds()), (3, 7.0));
    /// assert!(window.contains(9) && !window.contains(10));
    /// ```
    pub fn new(from_s: f64, to_s: f64) -> Self {
        Self {
            from_s: from_s.max(0.0).ceil() as u64,
            to_s,
        }
    }

    /// First second.
    pub fn from_s(&self) -> u64 {
        self.from_s
    }

    /// End, in seconds since the run's start.
    pub fn to_s(&self) -> f64 {
        self.to_s
    }

    /// Its length; 0 if it ends before it begins.
    pub fn seconds(&self) -> f64 {
        (self.to_s - self.from_s as f64).max(0.0)
    }

    /// Whether the interval that begins at `second` belongs to it.
    pub fn contains(&self, second: u64) -> bool {
        second >= self.from_s && (second as f64) < self.to_s
    }
}

/// Sums of labels over a window.
#[derive(Clone, Debug)]
pub struct Aggregate {
    window: Window,
    labels: BTreeMap<LabelId, (LabelInfo, LabelInterval)>,
    /// What ended after the window, if that is taken in.
    tail: Option<BTreeMap<LabelId, AfterLoad>>,
}

/// Samples that began in the load and ended after it: in all figures but the throughput.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AfterLoad {
    /// All of them.
    pub(crate) samples: u64,
    /// Those that succeeded.
    pub(crate) ok: u64,
}

impl std::iter::Sum for AfterLoad {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            samples: sum.samples + one.samples,
            ok: sum.ok + one.ok,
        })
    }
}

impl Aggregate {
    /// An empty aggregate over that window.
    pub fn new(window: Window) -> Self {
        Self {
            window,
            labels: BTreeMap::new(),
            tail: None,
        }
    }

    /// As [`new`](Self::new), with the tail: requests that began in the load and ended after
    /// the window count in everything but the throughput, which would otherwise be too high.
    pub fn with_tail(window: Window) -> Self {
        Self {
            tail: Some(BTreeMap::new()),
            ..Self::new(window)
        }
    }

    /// The window it was made for.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Makes a label known, so that it appears even if it did nothing. The
    /// first description of a label stays.
    pub fn add_label(&mut self, info: &LabelInfo) {
        self.entry(info);
    }

    /// Adds what a label did in the interval that began at `second`; intervals
    /// outside the window are left out.
    pub fn add(&mut self, second: u64, info: &LabelInfo, interval: &LabelInterval) {
        if self.window.contains(second) {
            self.entry(info).merge(interval);
        } else if second >= self.window.from_s() && self.tail.is_some() {
            self.add_tail(info, interval);
        }
    }

    /// Adds what a label did after the load's end; see [`with_tail`](Self::with_tail).
    pub fn add_tail(&mut self, info: &LabelInfo, interval: &LabelInterval) {
        let tail = self.tail.get_or_insert_default();
        let more = AfterLoad {
            samples: interval.samples(),
            ok: interval.ok.count(),
        };
        let known = tail.entry(info.id).or_default();
        *known = [*known, more].into_iter().sum();
        self.entry(info).merge(interval);
    }

    /// Says when the load ended, once it is known.
    pub fn set_end(&mut self, to_s: f64) {
        self.window.to_s = to_s;
    }

    /// Like [`add`](Self::add), straight from the encoding.
    ///
    /// # Errors
    /// If the bytes are no valid interval; nothing is added then.
    pub fn add_encoded(
        &mut self,
        second: u64,
        info: &LabelInfo,
        bytes: &[u8],
    ) -> Result<(), DecodeError> {
        if self.window.contains(second) {
            self.entry(info).merge_encoded(bytes)?;
        }
        Ok(())
    }

    fn entry(&mut self, info: &LabelInfo) -> &mut LabelInterval {
        let new = || (info.clone(), LabelInterval::default());
        &mut self.labels.entry(info.id).or_insert_with(new).1
    }

    /// All labels, in the order of their ids.
    pub fn labels(&self) -> impl Iterator<Item = (&LabelInfo, &LabelInterval)> + '_ {
        self.labels.values().map(|(info, sum)| (info, sum))
    }

    /// What one label did in the window.
    pub fn label(&self, id: LabelId) -> Option<&LabelInterval> {
        self.labels.get(&id).map(|(_, sum)| sum)
    }

    /// What the labels of that name did together, `None` if there is none. If
    /// labels of several kinds bear the name: the requests, else the
    /// transactions, else the parts of requests.
    pub fn by_name(&self, name: &str) -> Option<LabelInterval> {
        let ids = self.named(Some(name))?;
        let of_name = self.labels().filter(|(info, _)| ids.contains(&info.id));
        Some(sum(of_name))
    }

    /// The labels of that name and of one kind, or all requests.
    fn named(&self, name: Option<&str>) -> Option<Vec<LabelId>> {
        let infos = || self.labels().map(|(info, _)| info);
        let is_named = |info: &&LabelInfo| name.is_none_or(|name| info.name == name);
        let kind = match name {
            Some(_) => infos().filter(is_named).map(|info| info.kind).min()?,
            None => LabelKind::Request,
        };
        let of_kind = infos().filter(is_named).filter(|info| info.kind == kind);
        Some(of_kind.map(|info| info.id).collect())
    }

    /// All users' requests together; transactions and parts of requests do not
    /// count.
    pub fn total(&self) -> LabelInterval {
        sum(self
            .labels()
            .filter(|(info, _)| info.kind == LabelKind::Request))
    }

    /// The summary of the total.
    pub fn total_summary(&self) -> LabelSummary {
        let tail = self.tail_by_name(None);
        self.summarise(TOTAL, LabelKind::Request, None, &self.total(), tail)
    }

    /// What the labels of [`by_name`](Self::by_name), or all requests, have in the tail.
    pub(crate) fn tail_by_name(&self, name: Option<&str>) -> AfterLoad {
        let ids = self.named(name).unwrap_or_default();
        ids.into_iter().map(|id| self.tail_of(id)).sum()
    }

    /// What a label has in the tail.
    fn tail_of(&self, id: LabelId) -> AfterLoad {
        let tail = self.tail.as_ref().and_then(|tail| tail.get(&id));
        tail.copied().unwrap_or_default()
    }

    /// The summaries of all labels, in the order of their ids.
    pub fn label_summaries(&self) -> Vec<LabelSummary> {
        self.labels()
            .map(|(info, sum)| {
                let parent = info.parent.and_then(|id| self.labels.get(&id));
                let parent = parent.map(|(info, _)| info.name.clone());
                let tail = self.tail_of(info.id);
                self.summarise(&info.name, info.kind, parent, sum, tail)
            })
            .collect()
    }

    /// Number of events divided by the window's length.
    pub fn per_second(&self, n: u64) -> f64 {
        let seconds = self.window.seconds();
        if seconds > 0.0 {
            n as f64 / seconds
        } else {
            0.0
        }
    }

    fn summarise(
        &self,
        label: &str,
        kind: LabelKind,
        parent: Option<String>,
        sum: &LabelInterval,
        tail: AfterLoad,
    ) -> LabelSummary {
        let mut status_codes = BTreeMap::new();
        for (code, n) in sum.status_codes.iter() {
            *status_codes.entry(code.to_string()).or_default() += n;
        }
        LabelSummary {
            label: label.to_owned(),
            kind,
            parent,
            samples: sum.samples(),
            errors: sum.errors(),
            error_rate: error_rate(sum),
            dropped_iterations: sum.dropped_iterations,
            cut_off: sum.cut_off,
            resent: sum.resent,
            throughput_per_s: self.per_second(sum.samples().saturating_sub(tail.samples)),
            ended_after_load: tail.samples,
            received_bytes: sum.received_bytes,
            sent_bytes: sum.sent_bytes,
            response_time_ms: Times::from(&sum.all_response()),
            service_time_ms: Times::from(&sum.all_service()),
            ok_response_time_ms: Times::from(sum.ok_response()),
            phases: (&sum.phases).into(),
            errors_by_kind: sum.errors_by_kind.iter().collect(),
            status_codes,
        }
    }
}

fn sum<'a>(labels: impl Iterator<Item = (&'a LabelInfo, &'a LabelInterval)>) -> LabelInterval {
    let mut total = LabelInterval::default();
    for (_, interval) in labels {
        total.merge_measured(interval);
    }
    total
}

/// Failed samples in all samples, 0 to 1; 0 without samples.
pub(crate) fn error_rate(sum: &LabelInterval) -> f64 {
    match sum.samples() {
        0 => 0.0,
        samples => sum.errors() as f64 / samples as f64,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
