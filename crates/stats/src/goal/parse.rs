//! Reading a goal.

use std::str::FromStr;

use super::{Goal, GoalMetric, GoalOp, GoalUnit};

/// What is wrong with a goal's text. Positions are in characters, from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// There is no comparison.
    #[error(
        "no comparison in '{text}': write '[label:]metric op value unit', op one of <, <=, >, >="
    )]
    NoComparison {
        /// The whole text.
        text: String,
    },
    /// The metric is not known.
    #[error(
        "at character {position}: unknown metric '{found}': allowed are p<N> (such as p95 or \
         p99.9), mean, min, max, errors, throughput, each also with 'ok.' before it except errors"
    )]
    UnknownMetric {
        /// Where it begins.
        position: usize,
        /// What stands there.
        found: String,
    },
    /// The percentile is not above 0 and at most 100.
    #[error("at character {position}: percentile '{found}' is not above 0 and at most 100")]
    PercentileRange {
        /// Where it begins.
        position: usize,
        /// What stands there.
        found: String,
    },
    /// The label before the colon is empty.
    #[error("at character {position}: the label before ':' is empty: leave the colon out, too")]
    EmptyLabel {
        /// Where the colon is.
        position: usize,
    },
    /// The value is not a number that can be compared with.
    #[error("at character {position}: '{found}' is not a number of 0 or more")]
    BadValue {
        /// Where it begins.
        position: usize,
        /// What stands there.
        found: String,
    },
    /// The unit does not belong to the metric, or is missing.
    #[error("at character {position}: unit '{found}' does not fit {metric}: allowed is {allowed}")]
    BadUnit {
        /// Where it begins.
        position: usize,
        /// What stands there; empty if nothing does.
        found: String,
        /// The metric.
        metric: String,
        /// The units that fit, separated by ", ".
        allowed: String,
    },
}

impl Goal {
    /// Reads `[label:]metric op value unit`. The label ends at the last colon
    /// before the metric, so it may hold colons, spaces and comparisons.
    ///
    /// # Errors
    /// If anything in it is not understood; with position and what is allowed.
    pub fn parse(text: &str) -> Result<Self, GoalError> {
        let no_comparison = || GoalError::NoComparison {
            text: text.trim().to_owned(),
        };
        let op_at = text.rfind(['<', '>']).ok_or_else(no_comparison)?;
        let (left, right) = text.split_at(op_at);
        let (op, value) = read_op(right).ok_or_else(no_comparison)?;
        let (label, metric_at) = read_label(left)?;
        let (metric, ok_only) = read_metric(text, metric_at, left)?;
        let (value, unit) = read_value(text, text.len() - value.len(), metric)?;
        Ok(Self {
            label,
            ok_only,
            metric,
            op,
            value,
            unit,
        })
    }
}

impl FromStr for Goal {
    type Err = GoalError;

    fn from_str(text: &str) -> Result<Self, GoalError> {
        Self::parse(text)
    }
}

/// The comparison that `text` begins with, and what follows it.
fn read_op(text: &str) -> Option<(GoalOp, &str)> {
    // The longer ones first.
    [
        GoalOp::LessOrEqual,
        GoalOp::GreaterOrEqual,
        GoalOp::Less,
        GoalOp::Greater,
    ]
    .into_iter()
    .find_map(|op| Some((op, text.strip_prefix(op.text())?)))
}

/// The label, and the offset behind its colon.
fn read_label(left: &str) -> Result<(Option<String>, usize), GoalError> {
    let Some(colon) = left.rfind(':') else {
        return Ok((None, 0));
    };
    let label = left[..colon].trim();
    if label.is_empty() {
        return Err(GoalError::EmptyLabel {
            position: position(left, colon),
        });
    }
    Ok((Some(label.to_owned()), colon + 1))
}

fn read_metric(text: &str, at: usize, left: &str) -> Result<(GoalMetric, bool), GoalError> {
    let word = left[at..].trim();
    let word_at = at + (left[at..].len() - left[at..].trim_start().len());
    let (name, ok_only) = match word.strip_prefix("ok.") {
        Some(name) => (name, true),
        None => (word, false),
    };
    let unknown = || GoalError::UnknownMetric {
        position: position(text, word_at),
        found: word.to_owned(),
    };
    let metric = match name {
        "mean" => GoalMetric::Mean,
        "min" => GoalMetric::Min,
        "max" => GoalMetric::Max,
        "throughput" => GoalMetric::Throughput,
        "errors" if !ok_only => GoalMetric::Errors,
        _ => {
            let percent = name.strip_prefix('p').and_then(plain_number);
            let percent = percent.ok_or_else(unknown)?;
            if !(percent > 0.0 && percent <= 100.0) {
                return Err(GoalError::PercentileRange {
                    position: position(text, word_at),
                    found: word.to_owned(),
                });
            }
            GoalMetric::Percentile(percent)
        }
    };
    Ok((metric, ok_only))
}

fn read_value(text: &str, at: usize, metric: GoalMetric) -> Result<(f64, GoalUnit), GoalError> {
    let rest = &text[at..];
    let number_at = at + (rest.len() - rest.trim_start().len());
    let rest = text[number_at..].trim_end();
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    let value = plain_number(&rest[..end]).ok_or_else(|| GoalError::BadValue {
        position: position(text, number_at),
        found: rest.to_owned(),
    })?;
    let unit_text = rest[end..].trim_start();
    let units = metric.units();
    let unit = units.iter().find(|unit| unit.text() == unit_text);
    let unit = unit.ok_or_else(|| GoalError::BadUnit {
        position: position(text, number_at + rest.len() - unit_text.len()),
        found: unit_text.to_owned(),
        metric: metric.to_string(),
        allowed: units
            .iter()
            .map(|unit| unit.text())
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    Ok((value, *unit))
}

/// Digits with at most one point; no sign, exponent, `inf` or `nan`.
fn plain_number(text: &str) -> Option<f64> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let begins = text.starts_with(|c: char| c.is_ascii_digit());
    let value: f64 = (plain && begins).then(|| text.parse().ok())??;
    value.is_finite().then_some(value)
}

/// A byte offset as a number of characters.
fn position(text: &str, offset: usize) -> usize {
    text[..offset].chars().count()
}
