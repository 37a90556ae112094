//! Goals: `[label:]metric op value unit`, e.g. `checkout:ok.p95 < 300 ms`.
//!
//! Metrics: `p<N>` (p95, p99.9), `mean`, `min`, `max` in `ms`, `s` or `us`;
//! `errors` in `%`; `throughput` in `/s`. Times are response times over all
//! samples, or over successes only with the prefix `ok.`.

mod evaluate;
mod out_of_reach;
mod parse;

use std::fmt;

pub use evaluate::{GoalResult, evaluate};
pub use out_of_reach::out_of_reach;
pub use parse::GoalError;

/// What a run or one label must reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The label; `None` = all requests together.
    pub label: Option<String>,
    /// Over successes only (`ok.`).
    pub ok_only: bool,
    /// What is compared.
    pub metric: GoalMetric,
    /// How it is compared.
    pub op: GoalOp,
    /// With what, in `unit`.
    pub value: f64,
    /// The unit of `value`.
    pub unit: GoalUnit,
}

/// What a goal looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GoalMetric {
    /// A percentile (above 0, up to 100) of the response time.
    Percentile(f64),
    /// The mean response time.
    Mean,
    /// The shortest response time.
    Min,
    /// The longest response time.
    Max,
    /// The share of failed samples.
    Errors,
    /// Samples per second.
    Throughput,
}

impl GoalMetric {
    /// The units it may be given in; the first is the usual one.
    pub const fn units(self) -> &'static [GoalUnit] {
        match self {
            Self::Errors => &[GoalUnit::Percent],
            Self::Throughput => &[GoalUnit::PerSecond],
            _ => &[GoalUnit::Millis, GoalUnit::Seconds, GoalUnit::Micros],
        }
    }
}

impl fmt::Display for GoalMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percentile(p) => write!(f, "p{p}"),
            Self::Mean => f.write_str("mean"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Errors => f.write_str("errors"),
            Self::Throughput => f.write_str("throughput"),
        }
    }
}

/// How a goal compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalOp {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl GoalOp {
    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether `observed op value` holds.
    pub fn holds(self, observed: f64, value: f64) -> bool {
        match self {
            Self::Less => observed < value,
            Self::LessOrEqual => observed <= value,
            Self::Greater => observed > value,
            Self::GreaterOrEqual => observed >= value,
        }
    }
}

/// The unit of a goal's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalUnit {
    /// `ms`
    Millis,
    /// `s`
    Seconds,
    /// `us`
    Micros,
    /// `%`
    Percent,
    /// `/s`
    PerSecond,
}

impl GoalUnit {
    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Millis => "ms",
            Self::Seconds => "s",
            Self::Micros => "us",
            Self::Percent => "%",
            Self::PerSecond => "/s",
        }
    }

    /// How many of the base unit (ns, share, samples per second) one is.
    const fn factor(self) -> f64 {
        match self {
            Self::Micros => 1e3,
            Self::Millis => 1e6,
            Self::Seconds => 1e9,
            Self::Percent => 0.01,
            Self::PerSecond => 1.0,
        }
    }
}

impl Goal {
    /// The value in the base unit: nanoseconds, a share of 0 to 1, samples a second.
    #[must_use]
    pub fn base_value(&self) -> f64 {
        self.value * self.unit.factor()
    }
}

impl fmt::Display for Goal {
    /// The normal form, which parses to the same goal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = &self.label {
            write!(f, "{label}:")?;
        }
        let prefix = if self.ok_only { "ok." } else { "" };
        let (metric, op) = (self.metric, self.op.text());
        write!(
            f,
            "{prefix}{metric} {op} {} {}",
            self.value,
            self.unit.text()
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
