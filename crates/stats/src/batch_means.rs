//! Intervals of the mean of values that depend on each other, by batch means.
//!
//! Neighbouring seconds of a load depend on each other (a long request ends in the next
//! second, a queue outlives one), so the spread of single seconds makes a mean look better
//! known than it is. Means of batches depend on each other less and less as batches grow;
//! they are taken as independent once the correlation of neighbours is small (G. S. Fishman,
//! "Grouping observations in digital simulation", Management Science 24(5), 1978). The
//! interval is Student's t over the batches.

use serde::{Deserialize, Serialize};

use crate::t_test::{mean, mean_interval};

/// Batches at most, and as many there are at first.
const MOST_BATCHES: usize = 20;
/// Batches are not joined below this number.
const FEWEST: usize = 5;
/// Correlation of neighbouring batches that is accepted.
const CORRELATION: f64 = 0.3;
/// Confidence of the intervals.
pub const CONFIDENCE: f64 = 0.95;

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end of the interval; null where too little was seen.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Estimate {
    /// A value whose interval is not known.
    #[must_use]
    pub fn unsure(value: f64) -> Self {
        Self {
            value,
            low: None,
            high: None,
        }
    }

    /// A value and half its interval's width. The ends do not go below zero.
    #[must_use]
    pub fn within(value: f64, half: f64) -> Self {
        Self {
            value,
            low: Some((value - half).max(0.0)),
            high: Some(value + half),
        }
    }

    /// A value with the interval of the mean of independent `parts`.
    #[must_use]
    pub fn of_parts(value: f64, parts: &[f64]) -> Self {
        match mean_interval(parts, CONFIDENCE) {
            Some(half) => Self::within(value, half),
            None => Self::unsure(value),
        }
    }

    /// Half the interval's width as a share of the value; none where either is unknown.
    #[must_use]
    pub fn relative_half(&self) -> Option<f64> {
        let half = (self.high? - self.value).abs();
        (self.value != 0.0).then(|| half / self.value.abs())
    }
}

/// How many consecutive values to join so that the batches' means can be taken as
/// independent: as few as leave at most twenty batches, more while neighbours correlate. At least one,
/// also without values.
///
/// ```
/// use plimsoll_stats::batch_means::{batch_size, batches};
///
/// let (up, down) = (vec![1.0; 50], vec![2.0; 50]);
/// assert!(batch_size(&[up, down].concat()) > 100 / 20, "neighbours correlate");
/// assert_eq!(batches(7, 3).collect::<Vec<_>>(), [1..4, 4..7]);
/// ```
#[must_use]
pub fn batch_size(values: &[f64]) -> usize {
    let mut size = values.len().div_ceil(MOST_BATCHES).max(1);
    while values.len() / (size * 2) >= FEWEST {
        let means: Vec<f64> = batches(values.len(), size)
            .map(|batch| mean(&values[batch]))
            .collect();
        if lag_1(&means) <= CORRELATION {
            break;
        }
        size *= 2;
    }
    size
}

/// Where the batches of that size lie; what does not fill one is left out at the start, which
/// is nearest to the transient. A size of 0 counts as 1.
pub fn batches(len: usize, size: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let size = size.max(1);
    let first = len % size;
    (first..len)
        .step_by(size)
        .map(move |from| from..from + size)
}

/// Correlation of neighbours.
fn lag_1(values: &[f64]) -> f64 {
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let products: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - centre) * (pair[1] - centre))
        .sum();
    if squares > 0.0 {
        products / squares
    } else {
        0.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::Noise;

    /// How often the interval of 60 values with that correlation holds their true mean.
    fn coverage(correlation: f64) -> f64 {
        let mut noise = Noise(3);
        let covers = |_| {
            let mut value = 0.0;
            let values: Vec<f64> = (0..60)
                .map(|_| {
                    value = correlation * value + noise.normal();
                    50.0 + value
                })
                .collect();
            let size = batch_size(&values);
            let parts: Vec<f64> = batches(60, size).map(|at| mean(&values[at])).collect();
            let found = Estimate::of_parts(mean(&values), &parts);
            found.low.unwrap() <= 50.0 && 50.0 <= found.high.unwrap()
        };
        (0..1_000).map(covers).filter(|covers| *covers).count() as f64 / 1_000.0
    }

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let independent = coverage(0.0);
        assert!((0.92..=0.98).contains(&independent), "{independent}");
        let dependent = coverage(0.5);
        assert!(dependent > 0.85, "{dependent}");
    }

    #[test]
    fn batches_fill_from_the_end() {
        let all: Vec<_> = batches(7, 3).collect();
        assert_eq!(all, [1..4, 4..7]);
        assert_eq!(batches(0, 3).count(), 0);
        assert_eq!(batch_size(&[]), 1);
        assert_eq!(batch_size(&[1.0; 60]), 3);
    }
}
