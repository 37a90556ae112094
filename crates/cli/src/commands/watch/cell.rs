//! One figure: which series it is made of and how it is written.

use plimsoll_stats::names::SeriesName;
use plimsoll_stats::names::attributes::AttributeName;
use plimsoll_stats::series::{SeriesKey, SeriesKind};

use super::state::Latest;

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CellForm {
    /// As it is.
    Number,
    /// So much a second.
    PerSecond,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// A share, in percent.
    Share,
    /// Seconds, in milliseconds.
    Milliseconds,
}

/// The sum of some series of a thing: of gauges their values, of sums their rates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    pub(super) series: SeriesName,
    pub(super) filter: Option<(AttributeName, &'static str)>,
}

impl Sum {
    /// Its value; none when no series has one.
    fn of(&self, series: &[(&SeriesKey, &Latest)]) -> Option<f64> {
        let fits = |key: &SeriesKey| {
            key.name == self.series.name
                && self
                    .filter
                    .is_none_or(|(attribute, value)| key.attribute(attribute.0) == Some(value))
        };
        let of_name = series.iter().filter(|(key, _)| fits(key));
        let values = of_name.filter_map(|(key, latest)| match key.kind {
            SeriesKind::Gauge => Some(latest.value),
            SeriesKind::Counter => latest.rate,
        });
        values.reduce(|sum, value| sum + value)
    }
}

/// One figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// The id of its label.
    pub id: &'static str,
    /// How it is written.
    pub form: CellForm,
    pub(super) sum: Sum,
    pub(super) per: Option<Sum>,
    pub(super) limit: Option<Sum>,
}

impl Cell {
    /// The figure and its limit, if it has one.
    pub(super) fn figure(&self, series: &[(&SeriesKey, &Latest)]) -> Option<(f64, Option<f64>)> {
        let mut value = self.sum.of(series)?;
        if let Some(per) = &self.per {
            let per = per.of(series)?;
            value = if per > 0.0 { value / per } else { return None };
        }
        Some((value, self.limit.and_then(|limit| limit.of(series))))
    }

    /// Divided by that.
    pub(super) const fn per(mut self, series: SeriesName) -> Self {
        self.per = Some(Sum {
            series,
            filter: None,
        });
        self
    }

    /// With that beside it as its limit.
    pub(super) const fn limit(mut self, series: SeriesName) -> Self {
        self.limit = Some(Sum {
            series,
            filter: None,
        });
        self
    }

    /// With a limit of the same attribute.
    pub(super) const fn limit_by(mut self, series: SeriesName) -> Self {
        self.limit = Some(Sum {
            series,
            filter: self.sum.filter,
        });
        self
    }
}

/// A figure of the series of a name.
pub(super) const fn cell(id: &'static str, form: CellForm, series: SeriesName) -> Cell {
    Cell {
        id,
        form,
        sum: Sum {
            series,
            filter: None,
        },
        per: None,
        limit: None,
    }
}

/// A figure of those with an attribute.
pub(super) const fn by(
    id: &'static str,
    form: CellForm,
    series: SeriesName,
    filter: (AttributeName, &'static str),
) -> Cell {
    let mut cell = cell(id, form, series);
    cell.sum.filter = Some(filter);
    cell
}
