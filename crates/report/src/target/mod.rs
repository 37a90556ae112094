//! The target over time, on the time line of the load: rates from counters, sums and means
//! over the series of a line, gaps as gaps.

mod charts;
mod export;

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::{Column, Entity, SeriesId, SeriesKey, SeriesKind};
use plimsoll_store::Run;
use plimsoll_text::Message;

use crate::ReportError;
use crate::document::{Block, Grid, Say};
use crate::number::{bytes, trimmed};
use crate::series::Values;
use charts::{CHARTS, Chart, Line};
pub use export::{SeriesCsv, TargetText};

/// The target's part of a report.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) charts: Vec<TargetChart>,
    /// The charts' lines in figures.
    pub(crate) table: Grid,
    pub(crate) captures: Grid,
    pub(crate) facts: Grid,
}

impl Target {
    /// Reads what was seen of the target, at points of `step_s` seconds each.
    pub(crate) fn read(
        run: &Run,
        step_s: u32,
        points: usize,
        say: Say,
    ) -> Result<Self, ReportError> {
        let charts = read(run, Grain { step_s, points }, say)?;
        Ok(Self {
            table: table(&charts, say),
            charts,
            captures: captures(run, say)?,
            facts: facts(run, say)?,
        })
    }

    /// Its figures, captures and facts as tables with their headings; nothing if the run has
    /// none.
    pub(crate) fn blocks(self, say: Say) -> Vec<Block> {
        let tables = [
            ("report-target", self.table),
            ("report-captures", self.captures),
            ("report-target-facts", self.facts),
        ];
        let known = tables.into_iter().filter(|(_, grid)| !grid.is_empty());
        known
            .flat_map(|(title, grid)| [Block::Heading(say.text(title)), Block::Table(grid)])
            .collect()
    }

    /// The same by the second, for reports without charts.
    pub(crate) fn by_second(run: &Run, say: Say) -> Result<Self, ReportError> {
        let (_, seconds) = run.span_s()?;
        Self::read(run, 1, seconds as usize, say)
    }
}

/// A chart of one thing.
#[derive(Debug)]
pub(crate) struct TargetChart {
    pub(crate) entity: Arc<Entity>,
    pub(crate) title: String,
    pub(crate) unit: String,
    pub(crate) lines: Vec<TargetLine>,
}

/// A line of a chart.
#[derive(Debug)]
pub(crate) struct TargetLine {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// Mean and largest over the load.
    pub(crate) mean: f64,
    pub(crate) max: f64,
}

/// Lines of a chart at most; those with the largest means are kept.
const MAX_LINES: usize = 8;

/// The points of a run's charts: where each begins and how many seconds it covers.
#[derive(Debug, Clone, Copy)]
struct Grain {
    step_s: u32,
    points: usize,
}

/// Reads the charts of everything that was watched, thing by thing.
fn read(run: &Run, grain: Grain, say: Say) -> Result<Vec<TargetChart>, ReportError> {
    let all = run.series()?;
    let mut entities: Vec<&Arc<Entity>> = all.iter().map(|(_, key)| &key.entity).collect();
    entities.sort();
    entities.dedup();
    entities.sort_by_key(|entity| (entity.host.clone(), entity.kind, entity.name.clone()));
    let mut found = Vec::new();
    for entity in entities {
        for chart in CHARTS.iter().filter(|chart| chart.kind == entity.kind) {
            let mut lines = Vec::new();
            for line in chart.lines {
                lines.extend(read_line(run, grain, say, &all, entity, line)?);
            }
            if !lines.is_empty() {
                found.push(finish(chart, entity, lines, say));
            }
        }
    }
    Ok(found)
}

fn finish(
    chart: &Chart,
    entity: &Arc<Entity>,
    mut lines: Vec<TargetLine>,
    say: Say,
) -> TargetChart {
    if lines.len() > MAX_LINES {
        lines.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        lines.truncate(MAX_LINES);
    }
    TargetChart {
        entity: Arc::clone(entity),
        title: say.text(&format!("report-{}", chart.title)),
        unit: chart.unit.replace("/s", &say.text("report-per-second")),
        lines,
    }
}

fn read_line(
    run: &Run,
    grain: Grain,
    say: Say,
    all: &[(SeriesId, SeriesKey)],
    entity: &Arc<Entity>,
    line: &Line,
) -> Result<Vec<TargetLine>, ReportError> {
    let mut groups: BTreeMap<String, Vec<(SeriesId, SeriesKind)>> = BTreeMap::new();
    for (id, key) in all {
        let wanted = key.entity == *entity
            && key.name == line.series
            && line
                .only
                .is_none_or(|(name, value)| key.attribute(name) == Some(value));
        if wanted {
            let group = match line.by {
                None => say.text(&format!("report-{}", line.name)),
                Some(attribute) => match key.attribute(attribute) {
                    Some(value) => value.to_owned(),
                    None => continue,
                },
            };
            groups.entry(group).or_default().push((*id, key.kind));
        }
    }
    let mut lines = Vec::new();
    for (name, series) in groups {
        let ids: Vec<SeriesId> = series.iter().map(|(id, _)| *id).collect();
        let mut sum: Values = vec![None; grain.points];
        for (column, (_, kind)) in run.target(&ids)?.iter().zip(&series) {
            add(&mut sum, &fold(column, *kind, grain));
        }
        #[expect(clippy::cast_precision_loss, reason = "a handful of series")]
        let members = if line.mean { ids.len() as f64 } else { 1.0 };
        for value in sum.iter_mut().flatten() {
            *value *= line.scale / members;
        }
        lines.extend(TargetLine::of(name, sum));
    }
    Ok(lines)
}

impl TargetLine {
    /// A line; none if it has no point.
    fn of(name: String, values: Values) -> Option<Self> {
        let seen = || values.iter().flatten();
        let count = seen().count();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred points")]
        let mean = seen().sum::<f64>() / count as f64;
        let max = seen().copied().reduce(f64::max)?;
        Some(Self {
            name,
            mean,
            max,
            values,
        })
    }
}

fn add(sum: &mut Values, values: &Values) {
    for (sum, value) in sum.iter_mut().zip(values) {
        if let Some(value) = value {
            *sum = Some(sum.unwrap_or(0.0) + value);
        }
    }
}

/// A series at the points of the charts: the mean of a gauge, the rate of a counter. The
/// rate of a stretch between two looks counts in every point that the stretch touches, so
/// that what is looked at every 5 s has no holes; a stretch of more than
/// [`LONGEST_STRETCH_MS`] is a gap, and so is one in which a counter began anew.
fn fold(column: &Column, kind: SeriesKind, grain: Grain) -> Values {
    let mut sums = vec![(0.0, 0.0); grain.points];
    let step_ms = i64::from(grain.step_s) * 1_000;
    let looks = || {
        column
            .at_ms
            .iter()
            .copied()
            .zip(column.values.iter().copied())
    };
    for ((from, before), (to, value)) in looks().zip(looks().skip(1)) {
        let stretch_ms = to - from;
        let value = match kind {
            SeriesKind::Gauge => value,
            SeriesKind::Counter if value < before => continue,
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
            SeriesKind::Counter => (value - before) / (stretch_ms as f64 / 1e3),
        };
        if stretch_ms <= 0 || stretch_ms > LONGEST_STRETCH_MS || to <= 0 {
            continue;
        }
        let first = usize::try_from(from.max(0) / step_ms).unwrap_or(0);
        let last = usize::try_from((to - 1) / step_ms).unwrap_or(0);
        for (point, sum) in sums.iter_mut().enumerate().take(last + 1).skip(first) {
            let begins = i64::try_from(point)
                .unwrap_or(i64::MAX)
                .saturating_mul(step_ms);
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
            let share = (to.min(begins + step_ms) - from.max(begins)) as f64;
            sum.0 += value * share;
            sum.1 += share;
        }
    }
    let value = |(sum, weight): (f64, f64)| (weight > 0.0).then(|| sum / weight);
    sums.into_iter().map(value).collect()
}

/// Between two looks that are further apart nothing is known.
const LONGEST_STRETCH_MS: i64 = 65_000;

/// Mean and largest value of every line, for reports without charts.
fn table(charts: &[TargetChart], say: Say) -> Grid {
    let heads = [
        ("report-target-thing", false),
        ("report-target-what", false),
        ("report-target-mean", true),
        ("report-target-max", true),
    ];
    let mut grid = Grid::new(say, &heads);
    for chart in charts {
        for line in &chart.lines {
            let what = match chart.unit.as_str() {
                "" => format!("{}: {}", chart.title, line.name),
                unit => format!("{}: {} ({unit})", chart.title, line.name),
            };
            grid.row(vec![
                entity_name(&chart.entity, say),
                what,
                trimmed(round(line.mean)),
                trimmed(round(line.max)),
            ]);
        }
    }
    grid
}

/// What was captured, and when.
fn captures(run: &Run, say: Say) -> Result<Grid, ReportError> {
    let heads = [
        ("report-capture-number", true),
        ("report-column-time", true),
        ("report-capture-moment", false),
        ("report-capture-kind", false),
        ("report-target-thing", false),
        ("report-capture-size", true),
        ("report-capture-took", true),
    ];
    let mut grid = Grid::new(say, &heads);
    for capture in run.captures()? {
        let seconds = |ns: f64| format!("{:.1} s", ns / 1e9);
        grid.row(vec![
            capture.number.to_string(),
            seconds(capture.at_ns as f64),
            say.text(&format!("report-moment-{}", capture.record.moment)),
            capture.record.kind.clone(),
            entity_name(&capture.record.entity, say),
            bytes(capture.length),
            seconds(capture.record.took_ns as f64),
        ]);
    }
    Ok(grid)
}

/// What is known of the things that were watched: the last value of each fact.
fn facts(run: &Run, say: Say) -> Result<Grid, ReportError> {
    let mut last = BTreeMap::new();
    for record in run.facts()? {
        last.insert((record.fact.entity, record.fact.name), record.fact.value);
    }
    let heads = [
        ("report-target-thing", false),
        ("report-target-fact", false),
        ("report-target-value", false),
    ];
    let mut grid = Grid::new(say, &heads);
    for ((entity, name), value) in last {
        grid.row(vec![entity_name(&entity, say), name, value]);
    }
    Ok(grid)
}

/// Three significant digits below 100, whole numbers above.
fn round(value: f64) -> f64 {
    let places = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    let unit = 10_f64.powi(places);
    (value * unit).round() / unit
}

/// A thing in words.
pub(crate) fn entity_name(entity: &Entity, say: Say) -> String {
    let kind = say.text(&format!(
        "report-entity-{}",
        entity.kind.name().replace('_', "-")
    ));
    let id = match entity.name.as_str() {
        "" => "report-entity-host-only",
        _ => "report-entity",
    };
    say.message(
        &Message::new(id)
            .with("kind", kind)
            .with("name", entity.name.as_str())
            .with("host", entity.host.as_str()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(points: &[(i64, f64)]) -> Column {
        let mut column = Column::default();
        points
            .iter()
            .for_each(|(at, value)| column.push(*at, *value));
        column
    }

    const SECONDS: Grain = Grain {
        step_s: 1,
        points: 6,
    };

    #[test]
    fn counters_become_rates_and_gaps_stay() {
        let counted = column(&[
            (-500, 0.0),
            (500, 10.0),
            (1_500, 30.0),
            (2_500, 5.0),
            (3_500, 6.0),
        ]);
        let rates = fold(&counted, SeriesKind::Counter, SECONDS);
        let expected = [Some(15.0), Some(20.0), Some(1.0), Some(1.0), None, None];
        assert_eq!(rates, expected);
    }

    #[test]
    fn slow_looks_have_no_holes_and_lost_ones_do() {
        let slow = column(&[(0, 1.0), (5_000, 11.0)]);
        assert_eq!(
            fold(&slow, SeriesKind::Counter, SECONDS)[..5],
            [Some(2.0); 5]
        );
        assert_eq!(fold(&slow, SeriesKind::Gauge, SECONDS)[4], Some(11.0));
        let lost = column(&[(0, 1.0), (120_000, 11.0)]);
        assert_eq!(fold(&lost, SeriesKind::Gauge, SECONDS), [None; 6]);
    }
}
