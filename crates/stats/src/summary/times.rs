//! Times of a summary.

use serde::{Deserialize, Serialize};

use crate::{Histogram, PhaseSum};

/// Nanoseconds as milliseconds, rounded to 1 µs.
pub fn ms(ns: f64) -> f64 {
    (ns / 1_000.0).round() / 1_000.0
}

/// A distribution of times in ms; all 0 if there are no samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p99_9: f64,
    /// Largest.
    pub max: f64,
}

impl From<&Histogram> for Times {
    fn from(histogram: &Histogram) -> Self {
        let at = |q| ms(histogram.percentile_ns(q) as f64);
        Self {
            mean: ms(histogram.mean_ns()),
            min: ms(histogram.min_ns() as f64),
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p99_9: at(0.999),
            max: ms(histogram.max_ns() as f64),
        }
    }
}

/// The phases of a label's samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabelPhases {
    /// Resolving the host name.
    pub dns: PhaseTimes,
    /// Making the TCP connection.
    pub connect: PhaseTimes,
    /// The TLS handshake.
    pub tls: PhaseTimes,
    /// To the first byte of the response.
    pub first_byte: PhaseTimes,
    /// The rest of the response.
    pub receive: PhaseTimes,
}

impl From<&[PhaseSum; 5]> for LabelPhases {
    fn from([dns, connect, tls, first_byte, receive]: &[PhaseSum; 5]) -> Self {
        Self {
            dns: dns.into(),
            connect: connect.into(),
            tls: tls.into(),
            first_byte: first_byte.into(),
            receive: receive.into(),
        }
    }
}

/// How long a phase took, over the samples that had it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// How many samples had it.
    pub count: u64,
    /// Mean over those.
    pub mean_ms: f64,
    /// Longest.
    pub max_ms: f64,
}

impl From<&PhaseSum> for PhaseTimes {
    fn from(sum: &PhaseSum) -> Self {
        Self {
            count: sum.count,
            mean_ms: ms(sum.mean_ns()),
            max_ms: ms(sum.max_ns as f64),
        }
    }
}
