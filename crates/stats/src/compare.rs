//! Whether two sides of runs differ.
//!
//! **The run is the unit of replication**: the seconds and samples within a run
//! depend on each other (one JIT, one cache, one noisy neighbour), so only
//! means of whole runs are compared. Two designs: *unpaired* by Welch's t
//! interval, with Satterthwaite's degrees of freedom (B. L. Welch, "The
//! generalization of 'Student's' problem when several different population
//! variances are involved", Biometrika 34, 1947); *paired*, for runs that were
//! interleaved, by Student's t interval of the pairs' differences, which takes
//! out drift that both runs of a pair share. For why runs and not samples, see
//! T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM
//! 2013.
//!
//! **Several metrics** are looked at, so the p-values are adjusted by S. Holm's
//! step-down method ("A simple sequentially rejective multiple test procedure",
//! Scandinavian Journal of Statistics 6, 1979). Holm needs no independence.
//! The chance that a comparison of equal sides says anything is at most 3 % in
//! all: 2 % for the headline (all metrics of the total), 1 % for the details
//! (all metrics of all labels). That is stricter than the customary 5 %, so
//! that three or more alarms in twenty comparisons of equal sides are a rarity
//! (2 %, where 5 % would make it 8 %). A label that is the whole total repeats the
//! total's verdicts and is no test of its own. The intervals shown are plain
//! 95 % intervals of one metric each; verdicts come from the adjusted p-values.
//!
//! **No spread at all** (equal counts in every run, say) leaves the t
//! statistic undefined. The p-value is then that of the exact permutation test
//! for the most extreme arrangement: 2/C(m+n, m) unpaired, 2/2^n paired.

mod figures;
mod holm;

use serde::{Deserialize, Serialize};

use crate::t_test::{self, TTest};
pub use figures::{LabelFigures, LabelKey, Metric, RunFigures};

/// Allowed chance of a false alarm among the total's metrics.
pub const HEADLINE_ALPHA: f64 = 0.02;
/// Allowed chance of a false alarm among the labels' metrics.
pub const DETAIL_ALPHA: f64 = 0.01;
/// Confidence of the intervals.
pub const CONFIDENCE: f64 = 0.95;

/// How the runs of both sides belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// They do not.
    Unpaired,
    /// The n-th run of each side was made next to the other's.
    Paired,
}

/// What can be said about B against A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// No difference shown (which is not "they are equal").
    NoDifferenceShown,
    /// B is higher than A.
    Higher,
    /// B is lower than A.
    Lower,
    /// Not shown: with one run a side nothing can be; repeat.
    RepeatNeeded,
}

/// One metric on both sides. Times are in ms, throughput in samples per second,
/// the error rate from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricComparison {
    /// Which.
    pub metric: Metric,
    /// Mean of the runs of A.
    pub a_mean: f64,
    /// Mean of the runs of B.
    pub b_mean: f64,
    /// B minus A.
    pub diff: f64,
    /// `diff` as a share of A; null if A is 0.
    pub relative_diff: Option<f64>,
    /// Lower end of the difference's 95 % interval; null without spread or with
    /// one run a side.
    pub ci_low: Option<f64>,
    /// Upper end of it.
    pub ci_high: Option<f64>,
    /// Two-sided p-value of this metric alone; null with one run a side.
    pub p_value: Option<f64>,
    /// The same after Holm's adjustment within its family.
    pub p_adjusted: Option<f64>,
    /// What can be said.
    pub verdict: ComparisonVerdict,
}

/// All metrics of one label on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelComparison {
    /// Which label.
    #[serde(flatten)]
    pub key: LabelKey,
    /// Its metrics, in the order of [`Metric::ALL`].
    pub metrics: Vec<MetricComparison>,
}

/// B set against A.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    /// How the runs belong together.
    pub design: Design,
    /// Number of runs of A.
    pub runs_a: usize,
    /// Number of runs of B.
    pub runs_b: usize,
    /// The metrics of all requests together: the headline.
    pub total: Vec<MetricComparison>,
    /// The labels that every run has, sorted.
    pub labels: Vec<LabelComparison>,
    /// Labels that some run has not, sorted; they are not compared.
    pub unmatched: Vec<LabelKey>,
}

impl RunComparison {
    /// Whether any metric, of the total or a label, differs.
    pub fn shows_difference(&self) -> bool {
        let details = self.labels.iter().flat_map(|label| &label.metrics);
        self.total.iter().chain(details).any(|m| {
            matches!(
                m.verdict,
                ComparisonVerdict::Higher | ComparisonVerdict::Lower
            )
        })
    }
}

impl RunComparison {
    /// The metrics of the total in which B is shown to be worse for its users than A, by more than
    /// this share of A (0: by anything).
    #[must_use]
    pub fn worse(&self, beyond: f64) -> Vec<&MetricComparison> {
        let is_worse = |one: &&MetricComparison| {
            let bad = match one.metric {
                Metric::Throughput => ComparisonVerdict::Lower,
                _ => ComparisonVerdict::Higher,
            };
            // From nothing to something is more than any share.
            one.verdict == bad && one.relative_diff.is_none_or(|diff| diff.abs() > beyond)
        };
        self.total.iter().filter(is_worse).collect()
    }

    /// Whether there are too few runs to show any difference.
    #[must_use]
    pub fn needs_repeats(&self) -> bool {
        let mut verdicts = self.total.iter().map(|one| one.verdict);
        verdicts.any(|verdict| verdict == ComparisonVerdict::RepeatNeeded)
    }
}

/// Why runs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// A side has no run.
    #[error("both sides need at least one run, there are {a} and {b}")]
    NoRuns {
        /// Runs of A.
        a: usize,
        /// Runs of B.
        b: usize,
    },
    /// Paired runs must be as many on both sides.
    #[error("paired runs must be as many on both sides, there are {a} and {b}")]
    Unequal {
        /// Runs of A.
        a: usize,
        /// Runs of B.
        b: usize,
    },
}

/// Sets the runs of B against those of A.
///
/// # Errors
/// If a side has no run, or paired sides differ in number.
pub fn compare(
    a: &[RunFigures],
    b: &[RunFigures],
    design: Design,
) -> Result<RunComparison, CompareError> {
    let (runs_a, runs_b) = (a.len(), b.len());
    if runs_a == 0 || runs_b == 0 {
        return Err(CompareError::NoRuns {
            a: runs_a,
            b: runs_b,
        });
    }
    if design == Design::Paired && runs_a != runs_b {
        return Err(CompareError::Unequal {
            a: runs_a,
            b: runs_b,
        });
    }
    let totals = |runs: &[RunFigures]| runs.iter().map(|run| run.total).collect::<Vec<_>>();
    let (total_a, total_b) = (totals(a), totals(b));
    let mut total = compare_figures(&total_a, &total_b, design);
    judge(&mut total.iter_mut().collect::<Vec<_>>(), HEADLINE_ALPHA);

    let (matched, unmatched) = figures::match_labels(a, b);
    let mut labels = Vec::with_capacity(matched.len());
    let mut own_tests = Vec::new();
    for (key, of_a, of_b) in matched {
        let whole = of_a == total_a && of_b == total_b;
        let metrics = if whole {
            total.clone()
        } else {
            own_tests.push(labels.len());
            compare_figures(&of_a, &of_b, design)
        };
        labels.push(LabelComparison { key, metrics });
    }
    let mut details: Vec<&mut MetricComparison> = labels
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| own_tests.binary_search(at).is_ok())
        .flat_map(|(_, label)| &mut label.metrics)
        .collect();
    judge(&mut details, DETAIL_ALPHA);
    Ok(RunComparison {
        design,
        runs_a,
        runs_b,
        total,
        labels,
        unmatched,
    })
}

/// All metrics of one label, without a verdict yet.
fn compare_figures(
    a: &[LabelFigures],
    b: &[LabelFigures],
    design: Design,
) -> Vec<MetricComparison> {
    let column = |runs: &[LabelFigures], metric| -> Vec<f64> {
        runs.iter().map(|figures| figures.get(metric)).collect()
    };
    Metric::ALL
        .iter()
        .map(|&metric| compare_values(metric, &column(a, metric), &column(b, metric), design))
        .collect()
}

fn compare_values(metric: Metric, a: &[f64], b: &[f64], design: Design) -> MetricComparison {
    let (a_mean, b_mean) = (t_test::mean(a), t_test::mean(b));
    let diff = b_mean - a_mean;
    let test = match design {
        Design::Unpaired => TTest::unpaired(a, b),
        Design::Paired => TTest::paired(a, b),
    };
    let interval = test.as_ref().and_then(|test| test.interval(CONFIDENCE));
    MetricComparison {
        metric,
        a_mean,
        b_mean,
        diff,
        relative_diff: (a_mean != 0.0).then(|| diff / a_mean),
        ci_low: interval.map(|(low, _)| low),
        ci_high: interval.map(|(_, high)| high),
        p_value: test.map(|test| test.p_value()),
        p_adjusted: None,
        verdict: ComparisonVerdict::RepeatNeeded,
    }
}

/// Adjusts the p-values of one family and gives the verdicts.
fn judge(family: &mut [&mut MetricComparison], alpha: f64) {
    let mut tested: Vec<&mut &mut MetricComparison> = family
        .iter_mut()
        .filter(|metric| metric.p_value.is_some())
        .collect();
    let p_values: Vec<f64> = tested.iter().filter_map(|metric| metric.p_value).collect();
    for (metric, adjusted) in tested.iter_mut().zip(holm::adjust(&p_values)) {
        metric.p_adjusted = Some(adjusted);
        metric.verdict = if adjusted > alpha {
            ComparisonVerdict::NoDifferenceShown
        } else if metric.diff > 0.0 {
            ComparisonVerdict::Higher
        } else {
            ComparisonVerdict::Lower
        };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
