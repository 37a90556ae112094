//! A stretch of a run, and what labels did in it: whole minutes from sums, the rest from seconds.

use plimsoll_stats::{Aggregate, LabelInterval, Window};
use plimsoll_store::{MINUTE_S, Run, StoreError};
use plimsoll_text::Message;
use serde::Deserialize;
use utoipa::IntoParams;

use super::rollup::Rollup;
use crate::problem::ApiError;

/// A stretch of a run, seconds from its start.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct StretchQuery {
    /// First second; by default that of the run.
    #[param(minimum = 0)]
    pub from_s: Option<f64>,
    /// The end, which is not in it; by default that of the run.
    #[param(minimum = 0)]
    pub to_s: Option<f64>,
}

/// Whole seconds of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunStretch {
    /// The first.
    pub from_s: u32,
    /// The one behind the last.
    pub to_s: u32,
}

impl StretchQuery {
    /// Whether a stretch is named at all.
    pub fn is_named(&self) -> bool {
        self.from_s.is_some() || self.to_s.is_some()
    }

    /// The whole seconds that are meant, of a run that has so many.
    ///
    /// # Errors
    /// What is no time, or ends before it begins.
    pub fn of(&self, seconds: u32) -> Result<RunStretch, ApiError> {
        let second = |name: &'static str, value: Option<f64>, default: u32| match value {
            None => Ok(default),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "finite, not negative, and a cast saturates"
            )]
            Some(value) if value.is_finite() && value >= 0.0 => Ok(match name {
                "from_s" => value.floor() as u32,
                _ => value.ceil() as u32,
            }),
            Some(value) => Err(ApiError::bad(
                Message::new("server-bad-second")
                    .with("name", name)
                    .with("value", value.to_string()),
            )),
        };
        let from_s = second("from_s", self.from_s, 0)?;
        let to_s = second("to_s", self.to_s, seconds)?;
        if self.to_s.is_some() && to_s <= from_s {
            let message = Message::new("server-empty-stretch")
                .with("from", from_s)
                .with("to", to_s);
            return Err(ApiError::bad(message));
        }
        Ok(RunStretch {
            from_s: from_s.min(seconds),
            to_s: to_s.min(seconds),
        })
    }
}

/// What labels did in a stretch. Requests that ended after the load did count in all but the throughput.
///
/// # Errors
/// If the run cannot be read.
pub(crate) fn aggregate(
    run: &Run,
    rollup: &Rollup,
    stretch: RunStretch,
) -> Result<Aggregate, StoreError> {
    let window = Window::new(f64::from(stretch.from_s), f64::from(stretch.to_s));
    let mut sum = Aggregate::with_tail(window);
    run.labels().iter().for_each(|label| sum.add_label(label));
    let mut add = |label: &_, second: u32, late: bool, interval: &LabelInterval| match late {
        true => sum.add_tail(label, interval),
        false => sum.add(u64::from(second), label, interval),
    };
    let whole_from = stretch.from_s.next_multiple_of(MINUTE_S);
    let whole_to = (stretch.to_s.min(rollup.until_s)) / MINUTE_S * MINUTE_S;
    let (whole_from, whole_to) = match whole_from < whole_to {
        true => (whole_from, whole_to),
        false => (stretch.to_s, stretch.to_s),
    };
    for (from_s, to_s) in [(stretch.from_s, whole_from), (whole_to, stretch.to_s)] {
        if from_s < to_s {
            run.for_each_second(from_s, to_s, |part| {
                add(part.label, part.second, part.after_load, part.interval);
            })?;
        }
    }
    if whole_from < whole_to {
        rollup.for_each_label(run, (whole_from, whole_to), None, |at_s, id, late, did| {
            add(&run.label(id), at_s, late, did);
        })?;
    }
    Ok(sum)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(from_s: Option<f64>, to_s: Option<f64>) -> Option<(u32, u32)> {
        let stretch = StretchQuery { from_s, to_s }.of(100).ok()?;
        Some((stretch.from_s, stretch.to_s))
    }

    #[test]
    fn stretches_are_whole_seconds_within_the_run() {
        assert_eq!(of(None, None), Some((0, 100)));
        assert_eq!(of(Some(1.5), Some(2.5)), Some((1, 3)));
        assert_eq!(of(Some(90.0), Some(1e300)), Some((90, 100)));
        assert_eq!(of(Some(500.0), None), Some((100, 100)));
        for (from_s, to_s) in [
            (Some(-1.0), None),
            (Some(f64::NAN), None),
            (None, Some(f64::INFINITY)),
            (Some(5.0), Some(5.0)),
            (Some(6.0), Some(5.0)),
        ] {
            assert_eq!(of(from_s, to_s), None, "{from_s:?} {to_s:?}");
        }
    }
}
