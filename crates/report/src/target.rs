//! The target over time, on the timeline of the load: rates from counters, sums and means
//! over the series of a line, gaps as gaps.

mod charts;
mod drawn;
mod export;

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::fold::{Grid as SeriesGrid, fold};
use plimsoll_stats::series::{Entity, SeriesId, SeriesKind};
use plimsoll_store::Run;

use crate::ReportError;
use crate::document::{ReportBlock, ReportGrid, Say};
use crate::number::{bytes, trimmed};
use crate::series::Values;
use drawn::drawn;
pub use drawn::{DrawnChart, DrawnLine, target_charts};
pub(crate) use export::{export_series, export_text};

/// The target's part of a report.
#[derive(Debug)]
pub(crate) struct ReportTarget {
    pub(crate) charts: Vec<TargetChart>,
    /// The charts' lines in figures.
    pub(crate) table: ReportGrid,
    pub(crate) captures: ReportGrid,
    pub(crate) facts: ReportGrid,
}

impl ReportTarget {
    /// Reads what was seen of the target, at points of `step_s` seconds each.
    pub(crate) fn read(
        run: &Run,
        step_s: u32,
        points: usize,
        say: Say,
    ) -> Result<Self, ReportError> {
        let charts = read(run, SeriesGrid::seconds(step_s, points), say)?;
        Ok(Self {
            table: table(&charts, say),
            charts,
            captures: captures(run, say)?,
            facts: facts(run, say)?,
        })
    }

    /// Its figures, captures and facts as tables with their headings; nothing if the run has
    /// none.
    pub(crate) fn blocks(self, say: Say) -> Vec<ReportBlock> {
        let tables = [
            ("report-target", self.table),
            ("report-captures", self.captures),
            ("report-target-facts", self.facts),
        ];
        let known = tables.into_iter().filter(|(_, grid)| !grid.is_empty());
        known
            .flat_map(|(title, grid)| {
                [
                    ReportBlock::Heading(say.text(title)),
                    ReportBlock::Table(grid),
                ]
            })
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

/// Reads the charts of everything that was watched, thing by thing.
fn read(run: &Run, grid: SeriesGrid, say: Say) -> Result<Vec<TargetChart>, ReportError> {
    let all = run.series()?;
    let kinds = all.iter().map(|(id, key)| (*id, key.kind)).collect();
    let mut found = Vec::new();
    for chart in drawn(&all, say) {
        let mut lines = Vec::new();
        for line in &chart.lines {
            lines.extend(read_line(run, grid, &kinds, line)?);
        }
        if !lines.is_empty() {
            found.push(finish(chart, lines));
        }
    }
    Ok(found)
}

fn finish(chart: DrawnChart, mut lines: Vec<TargetLine>) -> TargetChart {
    if lines.len() > MAX_LINES {
        lines.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        lines.truncate(MAX_LINES);
    }
    TargetChart {
        entity: chart.entity,
        title: chart.title,
        unit: chart.unit,
        lines,
    }
}

fn read_line(
    run: &Run,
    grid: SeriesGrid,
    kinds: &BTreeMap<SeriesId, SeriesKind>,
    line: &DrawnLine,
) -> Result<Option<TargetLine>, ReportError> {
    let mut sum: Values = vec![None; grid.points];
    for (column, id) in run.target(&line.series)?.iter().zip(&line.series) {
        if let Some(kind) = kinds.get(id) {
            add(&mut sum, &fold(column, *kind, grid));
        }
    }
    for value in sum.iter_mut().flatten() {
        *value *= line.factor;
    }
    Ok(TargetLine::of(line.name.clone(), sum))
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

/// Mean and largest value of every line, for reports without charts.
fn table(charts: &[TargetChart], say: Say) -> ReportGrid {
    let heads = [
        ("report-target-thing", false),
        ("report-target-what", false),
        ("report-target-mean", true),
        ("report-target-max", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
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
fn captures(run: &Run, say: Say) -> Result<ReportGrid, ReportError> {
    let heads = [
        ("report-capture-number", true),
        ("report-column-time", true),
        ("report-capture-moment", false),
        ("report-capture-kind", false),
        ("report-target-thing", false),
        ("report-capture-size", true),
        ("report-capture-took", true),
    ];
    let mut grid = ReportGrid::new(say, &heads);
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
fn facts(run: &Run, say: Say) -> Result<ReportGrid, ReportError> {
    let mut last = BTreeMap::new();
    for record in run.facts()? {
        last.insert((record.fact.entity, record.fact.name), record.fact.value);
    }
    let heads = [
        ("report-target-thing", false),
        ("report-target-fact", false),
        ("report-target-value", false),
    ];
    let mut grid = ReportGrid::new(say, &heads);
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
    say.message(&crate::words::entity(entity))
}
