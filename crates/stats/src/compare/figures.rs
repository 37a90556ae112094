//! The figures of one run that are compared.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::LabelKind;
use crate::summary::{LabelSummary, Summary};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Samples per second.
    Throughput,
    /// Mean response time in ms.
    Mean,
    /// Median response time in ms.
    P50,
    /// 90th percentile of the response time in ms.
    P90,
    /// 95th percentile of the response time in ms.
    P95,
    /// 99th percentile of the response time in ms.
    P99,
    /// Failed samples in all samples, 0 to 1.
    #[serde(alias = "error_share")]
    ErrorRate,
}

impl Metric {
    /// All metrics, in the order they are shown.
    pub const ALL: [Self; 7] = [
        Self::Throughput,
        Self::Mean,
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::ErrorRate,
    ];

    /// The name in JSON and text ids.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::ErrorRate => "error_rate",
        }
    }

    /// Whether a higher value is the better one.
    pub const fn higher_is_better(self) -> bool {
        matches!(self, Self::Throughput)
    }
}

/// The metrics of one label in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabelFigures {
    /// Samples per second.
    pub throughput_per_s: f64,
    /// Mean response time.
    pub mean_ms: f64,
    /// Median response time.
    pub p50_ms: f64,
    /// 90th percentile of the response time.
    pub p90_ms: f64,
    /// 95th percentile of the response time.
    pub p95_ms: f64,
    /// 99th percentile of the response time.
    pub p99_ms: f64,
    /// Failed samples in all samples, 0 to 1.
    pub error_rate: f64,
}

impl LabelFigures {
    /// The value of one metric.
    pub const fn get(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Throughput => self.throughput_per_s,
            Metric::Mean => self.mean_ms,
            Metric::P50 => self.p50_ms,
            Metric::P90 => self.p90_ms,
            Metric::P95 => self.p95_ms,
            Metric::P99 => self.p99_ms,
            Metric::ErrorRate => self.error_rate,
        }
    }
}

impl From<&LabelSummary> for LabelFigures {
    fn from(summary: &LabelSummary) -> Self {
        let times = &summary.response_time_ms;
        Self {
            throughput_per_s: summary.throughput_per_s,
            mean_ms: times.mean,
            p50_ms: times.p50,
            p90_ms: times.p90,
            p95_ms: times.p95,
            p99_ms: times.p99,
            error_rate: summary.error_rate,
        }
    }
}

/// Which label, across runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LabelKey {
    /// Its name.
    pub label: String,
    /// Request, transaction or part of a request.
    pub kind: LabelKind,
}

/// The figures of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFigures {
    /// All requests together.
    pub total: LabelFigures,
    /// Every label by itself. Of several with the same name and kind (under
    /// different parents) the first.
    pub labels: BTreeMap<LabelKey, LabelFigures>,
}

impl From<&Summary> for RunFigures {
    fn from(summary: &Summary) -> Self {
        let mut labels = BTreeMap::new();
        for label in &summary.labels {
            let key = LabelKey {
                label: label.label.clone(),
                kind: label.kind,
            };
            labels.entry(key).or_insert_with(|| label.into());
        }
        Self {
            total: (&summary.total).into(),
            labels,
        }
    }
}

/// A label's figures in the runs of A and of B.
type Matched = (LabelKey, Vec<LabelFigures>, Vec<LabelFigures>);

/// The labels that every run has, and those that some run has not.
pub(super) fn match_labels(a: &[RunFigures], b: &[RunFigures]) -> (Vec<Matched>, Vec<LabelKey>) {
    let keys: BTreeSet<&LabelKey> = a
        .iter()
        .chain(b)
        .flat_map(|run| run.labels.keys())
        .collect();
    let mut matched = Vec::new();
    let mut unmatched = Vec::new();
    for key in keys {
        let of = |runs: &[RunFigures]| -> Option<Vec<LabelFigures>> {
            runs.iter()
                .map(|run| run.labels.get(key).copied())
                .collect()
        };
        match (of(a), of(b)) {
            (Some(of_a), Some(of_b)) => matched.push((key.clone(), of_a, of_b)),
            _ => unmatched.push(key.clone()),
        }
    }
    (matched, unmatched)
}
