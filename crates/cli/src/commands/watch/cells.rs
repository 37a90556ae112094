//! What the picture shows of each kind of thing: a table, so that a figure more is a line more.

mod tables;

use plimsoll_stats::series::{EntityKind, SeriesKey, SeriesKind};

use super::state::Latest;

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
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
    name: &'static str,
    filter: Option<(&'static str, &'static str)>,
}

impl Sum {
    /// Its value; none when no series has one.
    fn of(&self, series: &[(&SeriesKey, &Latest)]) -> Option<f64> {
        let fits = |key: &SeriesKey| {
            key.name == self.name
                && self
                    .filter
                    .is_none_or(|(name, value)| key.attribute(name) == Some(value))
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
    pub form: Form,
    sum: Sum,
    per: Option<Sum>,
    limit: Option<Sum>,
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
    const fn per(mut self, name: &'static str) -> Self {
        self.per = Some(Sum { name, filter: None });
        self
    }

    /// With that beside it as its limit.
    const fn limit(mut self, name: &'static str) -> Self {
        self.limit = Some(Sum { name, filter: None });
        self
    }

    /// With a limit of the same attribute.
    const fn limit_by(mut self, name: &'static str) -> Self {
        self.limit = Some(Sum {
            name,
            filter: self.sum.filter,
        });
        self
    }
}

const fn cell(id: &'static str, form: Form, name: &'static str) -> Cell {
    let sum = Sum { name, filter: None };
    Cell {
        id,
        form,
        sum,
        per: None,
        limit: None,
    }
}

const fn by(
    id: &'static str,
    form: Form,
    name: &'static str,
    filter: (&'static str, &'static str),
) -> Cell {
    let sum = Sum {
        name,
        filter: Some(filter),
    };
    Cell {
        id,
        form,
        sum,
        per: None,
        limit: None,
    }
}

/// The figures of a kind of thing.
pub(super) fn cells(kind: EntityKind) -> &'static [Cell] {
    match kind {
        EntityKind::Host => tables::HOST,
        EntityKind::Process => tables::PROCESS,
        EntityKind::Jvm => tables::JVM,
        EntityKind::WebServer => tables::WEB_SERVER,
        EntityKind::Pool => tables::POOL,
        EntityKind::Application => tables::APPLICATION,
        EntityKind::Proxy => tables::PROXY,
        EntityKind::Database => tables::DATABASE,
        EntityKind::Cache => tables::CACHE,
        EntityKind::Watcher => tables::WATCHER,
        EntityKind::Client => tables::CLIENT,
        EntityKind::Exporter => &[],
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_text::{Lang, Message, render};

    use super::*;

    /// Made from the names themselves, and compared with them by a test of the watcher.
    const SERIES: &str = include_str!("../../../../../docs/series.md");

    fn all() -> impl Iterator<Item = &'static Cell> {
        let kinds = [
            EntityKind::Host,
            EntityKind::Process,
            EntityKind::Jvm,
            EntityKind::WebServer,
            EntityKind::Pool,
            EntityKind::Application,
            EntityKind::Client,
            EntityKind::Proxy,
            EntityKind::Database,
            EntityKind::Cache,
            EntityKind::Watcher,
        ];
        kinds.into_iter().flat_map(cells)
    }

    #[test]
    fn every_figure_has_a_label_in_both_languages() {
        for cell in all() {
            for lang in Lang::ALL {
                assert_ne!(render(lang, &Message::new(cell.id)), cell.id);
            }
        }
    }

    #[test]
    fn figures_are_of_series_that_there_are() {
        let sums = all().flat_map(|cell| [Some(cell.sum), cell.per, cell.limit]);
        for sum in sums.flatten() {
            let row = format!("\n| `{}` | ", sum.name);
            assert!(SERIES.contains(&row), "{}", sum.name);
            if let Some((attribute, _)) = sum.filter {
                assert!(SERIES.contains(&format!("`{attribute}`")), "{attribute}");
            }
        }
    }
}
