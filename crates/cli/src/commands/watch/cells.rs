//! What the picture shows of each kind of thing: a table, so that a figure more is a line more.

mod tables;

use plimsoll_stats::series::EntityKind;

use super::cell::Cell;

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
            let row = format!("\n| `{}` | ", sum.series.name);
            assert!(SERIES.contains(&row), "{row}");
            if let Some((attribute, _)) = sum.filter {
                assert!(
                    SERIES.contains(&format!("`{}`", attribute.0)),
                    "{attribute:?}"
                );
            }
        }
    }
}
