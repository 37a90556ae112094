//! One load of the curve: what its steady seconds say.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::mix::LabelCounts;
use super::steps::CurveStep;
use crate::Histogram;
use crate::batch_means::{Estimate, batch_size, batches};
use crate::steady::truncate;
use crate::summary::ms;

/// What all requests together did in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SecondSums {
    /// Seconds since the run's start.
    pub second: u32,
    /// Requests that ended well.
    pub ok: u64,
    /// Requests that failed.
    pub errors: u64,
    /// Sum of the response times of both.
    pub response_ns: f64,
}

impl SecondSums {
    fn samples(&self) -> f64 {
        (self.ok + self.errors) as f64
    }
}

/// A load with what was measured at it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The load N: users, or arrivals per second.
    pub load: f64,
    /// Throughput X: requests per second that ended well.
    pub throughput_per_s: Estimate,
    /// Response time R: mean over all requests, failed ones included.
    pub response_time_ms: Estimate,
    /// Median of the response time.
    pub p50_ms: f64,
    /// 90th percentile of it.
    pub p90_ms: f64,
    /// 95th percentile of it.
    pub p95_ms: f64,
    /// 99th percentile of it.
    pub p99_ms: f64,
    /// Failed requests in all requests, 0 to 1.
    #[serde(alias = "error_share")]
    pub error_rate: f64,
    /// Requests that ended per second, failed ones included.
    pub completed_per_s: f64,
    /// Requests under way on average, by Little's law.
    pub concurrency: f64,
    /// Seconds left out at the start.
    pub seconds_cut: u32,
    /// Seconds that count.
    pub seconds_used: u32,
    /// Whether the load was held; else it is a part of a ramp.
    pub held: bool,
    /// Whether the seconds that count are steady. A part of a ramp never is.
    pub steady: bool,
    /// Throughput of each batch of seconds, for tests of significance.
    #[serde(skip)]
    pub batches: Vec<f64>,
    /// Requests of each label, to compare the mix of loads.
    #[serde(skip)]
    pub labels: LabelCounts,
}

impl CurvePoint {
    /// Kleinrock's power: throughput by response time, requests per second and ms.
    #[must_use]
    pub fn power(&self) -> f64 {
        let response = self.response_time_ms.value;
        if response > 0.0 {
            self.throughput_per_s.value / response
        } else {
            0.0
        }
    }

    /// Puts the percentiles in, from the response times of [`MeasuredPoint::seconds`].
    pub fn set_times(&mut self, times: &Histogram) {
        let at = |percentile| ms(times.percentile_ns(percentile) as f64);
        self.p50_ms = at(0.50);
        self.p90_ms = at(0.90);
        self.p95_ms = at(0.95);
        self.p99_ms = at(0.99);
    }
}

/// A point without its percentiles, and the seconds they are to be taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// The point.
    pub point: CurvePoint,
    /// The seconds that count, as ranges of seconds since the run's start.
    pub seconds: Vec<Range<u32>>,
}

/// Measures a step; `sums` are the seconds it was cut from. None if nothing ended in it.
#[must_use]
pub fn measure(step: &CurveStep, sums: &[SecondSums]) -> Option<MeasuredPoint> {
    let mut used: Vec<SecondSums> = Vec::new();
    let mut seconds = Vec::new();
    let (mut cut, mut steady) = (0, step.held);
    for part in &step.parts {
        let part = sums.get(part.clone())?;
        let (left_out, settled) = match step.held {
            true => settle(part),
            false => (0, true),
        };
        cut += left_out;
        steady &= settled;
        let rest = &part[left_out..];
        if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
            seconds.push(first.second..last.second + 1);
        }
        used.extend_from_slice(rest);
    }
    let samples: f64 = used.iter().map(SecondSums::samples).sum();
    if samples <= 0.0 {
        return None;
    }
    let mut point = estimate(&used);
    point.load = step.load;
    point.held = step.held;
    point.steady = steady;
    point.seconds_cut = cut as u32;
    Some(MeasuredPoint { point, seconds })
}

/// Where both throughput and response time have settled.
fn settle(part: &[SecondSums]) -> (usize, bool) {
    let throughput: Vec<f64> = part.iter().map(|second| second.ok as f64).collect();
    // A second in which nothing ended repeats the one before: it has no response time.
    let mut last = 0.0;
    let response: Vec<f64> = part
        .iter()
        .map(|second| {
            if second.samples() > 0.0 {
                last = second.response_ns / second.samples();
            }
            last
        })
        .collect();
    let (by_throughput, by_response) = (truncate(&throughput), truncate(&response));
    (
        by_throughput.cut.max(by_response.cut),
        by_throughput.steady && by_response.steady,
    )
}

/// Means and their intervals.
fn estimate(used: &[SecondSums]) -> CurvePoint {
    let seconds = used.len() as f64;
    let ok: Vec<f64> = used.iter().map(|second| second.ok as f64).collect();
    let sum = |of: fn(&SecondSums) -> f64| used.iter().map(of).sum::<f64>();
    let (samples, response_ns) = (sum(SecondSums::samples), sum(|s| s.response_ns));
    let size = batch_size(&ok);
    let (mut rates, mut responses) = (Vec::new(), Vec::new());
    for batch in batches(used.len(), size) {
        let batch = &used[batch];
        rates.push(batch.iter().map(|s| s.ok as f64).sum::<f64>() / size as f64);
        let samples: f64 = batch.iter().map(SecondSums::samples).sum();
        if samples > 0.0 {
            let ns: f64 = batch.iter().map(|s| s.response_ns).sum();
            responses.push(ns / samples / 1e6);
        }
    }
    CurvePoint {
        throughput_per_s: Estimate::of_parts(ok.iter().sum::<f64>() / seconds, &rates),
        response_time_ms: Estimate::of_parts(response_ns / samples / 1e6, &responses),
        error_rate: sum(|s| s.errors as f64) / samples,
        completed_per_s: samples / seconds,
        concurrency: response_ns / 1e9 / seconds,
        seconds_used: used.len() as u32,
        batches: rates,
        ..CurvePoint::default()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    fn second(second: u32, ok: u64, errors: u64, response_ms: f64) -> SecondSums {
        SecondSums {
            second,
            ok,
            errors,
            response_ns: (ok + errors) as f64 * response_ms * 1e6,
        }
    }

    fn step(parts: Vec<Range<usize>>) -> CurveStep {
        CurveStep {
            load: 4.0,
            held: true,
            parts,
        }
    }

    #[test]
    fn the_start_is_cut_and_the_rest_averaged() {
        let mut sums: Vec<_> = (0..20)
            .map(|s| second(s, 90 + u64::from(s % 3), 10, 40.0 + f64::from(s % 2)))
            .collect();
        sums[0] = second(0, 5, 0, 500.0);
        sums[1] = second(1, 40, 0, 300.0);
        let found = measure(&step(vec![0..20]), &sums).unwrap();
        let point = &found.point;
        assert!(point.steady && point.seconds_cut >= 2);
        assert_eq!(point.seconds_cut + point.seconds_used, 20);
        assert_eq!(found.seconds, [point.seconds_cut..20]);
        let x = point.throughput_per_s;
        assert!((90.0..92.0).contains(&x.value) && x.low.unwrap() < x.value);
        assert!((point.error_rate - 0.1).abs() < 0.01);
        // N = X R.
        let expected = point.completed_per_s * point.response_time_ms.value / 1e3;
        assert!((point.concurrency / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_queue_that_grows_is_not_steady_although_the_throughput_is() {
        let sums: Vec<_> = (0..30)
            .map(|s| second(s, 100, 0, 10.0 + 20.0 * f64::from(s)))
            .collect();
        assert!(!measure(&step(vec![0..30]), &sums).unwrap().point.steady);
        let ramp = CurveStep {
            held: false,
            ..step(vec![0..30])
        };
        let point = measure(&ramp, &sums).unwrap().point;
        assert_eq!((point.steady, point.seconds_cut), (false, 0));
    }

    #[test]
    fn nothing_at_all_is_no_point() {
        let sums = vec![SecondSums::default(); 10];
        assert_eq!(measure(&step(vec![0..10]), &sums), None);
        assert_eq!(measure(&step(vec![]), &sums), None);
        let failed: Vec<_> = (0..10).map(|s| second(s, 0, 50, 20.0)).collect();
        let point = measure(&step(vec![0..10]), &failed).unwrap().point;
        assert_eq!((point.error_rate, point.throughput_per_s.value), (1.0, 0.0));
        assert!((point.completed_per_s - 50.0).abs() < 1e-6);
    }
}
