//! Which charts a target has, and which of its series each of them draws: for reports, and for whoever draws them anew
//! as the run goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, SeriesId, SeriesKey};
use plimsoll_text::{Lang, Message};

use super::charts::{CHARTS, Chart, ChartLine};
use crate::document::Say;

/// A chart of one thing of the target.
#[derive(Debug, Clone)]
pub struct DrawnChart {
    /// What it is of.
    pub entity: Arc<Entity>,
    /// The same in words.
    pub of: String,
    /// What it shows, in words.
    pub title: String,
    /// Its unit as shown.
    pub unit: String,
    /// Its place among those that matter most where a bottleneck is looked for, from 0.
    pub rank: usize,
    /// The lines that there are series of.
    pub lines: Vec<DrawnLine>,
}

/// A line: the sum of its series times a factor.
#[derive(Debug, Clone)]
pub struct DrawnLine {
    /// What it is called, in words.
    pub name: String,
    /// The series.
    pub series: Vec<SeriesId>,
    /// From their sum (rates of counters) to the chart's unit.
    pub factor: f64,
}

/// The charts of everything that was watched, thing by thing.
#[must_use]
pub fn target_charts(series: &[(SeriesId, SeriesKey)], lang: Lang) -> Vec<DrawnChart> {
    drawn(series, Say(lang))
}

pub(super) fn drawn(series: &[(SeriesId, SeriesKey)], say: Say) -> Vec<DrawnChart> {
    let mut by_entity: BTreeMap<_, Vec<&(SeriesId, SeriesKey)>> = BTreeMap::new();
    for one in series {
        let entity = &one.1.entity;
        let place = (entity.host.clone(), entity.kind, entity.name.clone());
        by_entity.entry((place, entity)).or_default().push(one);
    }
    let mut found = Vec::new();
    for ((_, entity), own) in by_entity {
        for chart in CHARTS.iter().filter(|chart| chart.kind == entity.kind) {
            let lines = chart.lines.iter();
            let lines: Vec<DrawnLine> = lines.flat_map(|line| lines_of(line, &own, say)).collect();
            if !lines.is_empty() {
                found.push(chart_of(chart, entity, lines, say));
            }
        }
    }
    found
}

fn chart_of(chart: &Chart, entity: &Arc<Entity>, lines: Vec<DrawnLine>, say: Say) -> DrawnChart {
    DrawnChart {
        entity: Arc::clone(entity),
        of: say.message(&crate::words::entity(entity)),
        title: say.text(&format!("report-{}", chart.title)),
        unit: chart.unit.replace("/s", &say.text("report-per-second")),
        rank: chart.rank(),
        lines,
    }
}

fn lines_of(line: &ChartLine, own: &[&(SeriesId, SeriesKey)], say: Say) -> Vec<DrawnLine> {
    let mut groups: BTreeMap<String, Vec<SeriesId>> = BTreeMap::new();
    for (id, key) in own {
        let is_wanted = key.name == line.series.name
            && line
                .only
                .is_none_or(|(name, value)| key.attribute(name.0) == Some(value));
        if !is_wanted {
            continue;
        }
        let group = match line.by {
            None => say.text(&format!("report-{}", line.name)),
            Some(attribute) => match key.attribute(attribute.0) {
                Some(value) => mode(value, say),
                None => continue,
            },
        };
        groups.entry(group).or_default().push(*id);
    }
    let lines = groups.into_iter().map(|(name, series)| {
        #[expect(clippy::cast_precision_loss, reason = "a handful of series")]
        let members = if line.mean { series.len() as f64 } else { 1.0 };
        DrawnLine {
            name,
            factor: line.scale / members,
            series,
        }
    });
    lines.collect()
}

/// The value of an attribute, in words if there are any for it.
fn mode(value: &str, say: Say) -> String {
    say.if_known(&Message::new(format!(
        "report-mode-{}",
        value.replace('_', "-")
    )))
    .unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::names::{host, jvm, process};
    use plimsoll_stats::series::{EntityKind, SeriesKind};

    use super::*;

    fn key(kind: EntityKind, name: &str, series: &str, attribute: &[(&str, &str)]) -> SeriesKey {
        let attributes = attribute.iter();
        SeriesKey {
            entity: Entity::new(kind, name, "h"),
            name: series.to_owned().into(),
            attributes: attributes
                .map(|(name, value)| ((*name).to_owned().into(), (*value).to_owned()))
                .collect(),
            unit: "s".into(),
            kind: SeriesKind::Counter,
        }
    }

    #[test]
    fn each_thing_has_its_charts_with_the_series_of_each_line() {
        use EntityKind::{Host, Jvm, Process};
        let cpu = |mode| key(Host, "", host::CPU_TIME.name, &[("cpu.mode", mode)]);
        let user = [("cpu.mode", "user")];
        let all = [
            cpu("user"),
            cpu("user"),
            cpu("idle"),
            key(Process, "a", process::CPU_TIME.name, &user),
            key(Process, "b", process::CPU_TIME.name, &user),
            key(Jvm, "a", jvm::GC_PAUSE_TIME.name, &[]),
            key(Jvm, "a", "not.known", &[]),
        ];
        let all: Vec<_> = (1..).map(SeriesId).zip(all).collect();
        let charts = target_charts(&all, Lang::En);
        let titles: Vec<String> = charts
            .iter()
            .map(|chart| format!("{}: {}", chart.of, chart.title))
            .collect();
        assert_eq!(titles.len(), 4, "{titles:?}");
        let host = charts.iter().find(|chart| chart.entity.kind == Host);
        let lines = &host.expect("the host's").lines;
        let user = lines.iter().find(|line| line.name == "user");
        let user = user.expect("a line for each mode");
        assert_eq!(user.series, [SeriesId(1), SeriesId(2)]);
        assert!((user.factor - 50.0).abs() < 1e-9, "the mean of both, in %");
        let mut ranked = charts.clone();
        ranked.sort_by_key(|chart| chart.rank);
        assert_eq!(ranked[0].entity.kind, Process, "its CPU matters most");
    }
}
