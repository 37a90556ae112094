//! The target's series of a run.

use plimsoll_report::{DrawnLine, target_charts};
use plimsoll_stats::series::fold::{Grid, fold};
use plimsoll_stats::series::{Entity, SeriesId, SeriesKey, SeriesKind};
use plimsoll_store::{Run, StoreError};
use plimsoll_text::Lang;
use serde::Serialize;
use utoipa::ToSchema;

/// The thing that a series is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SeriesThing {
    /// `host`, `process`, `jvm` …
    pub kind: String,
    /// Its name; may be empty.
    pub name: String,
    /// The host that it is on.
    pub host: String,
}

impl From<&Entity> for SeriesThing {
    fn from(entity: &Entity) -> Self {
        Self {
            kind: entity.kind.name().to_owned(),
            name: entity.name.clone(),
            host: entity.host.clone(),
        }
    }
}

/// What a series is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SeriesDescribed {
    /// What it is asked for by: `throughput`, `target:12` …
    pub id: String,
    /// Its name: for the target's as OpenTelemetry has it, such as `system.cpu.time`.
    pub name: String,
    /// The unit by UCUM; the rate of a counter is in so much a second (`s/s`).
    pub unit: String,
    /// The label that it is of; absent: all requests, or the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The thing that it is of, for the target's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<SeriesThing>,
    /// Attributes, such as `cpu.mode=user`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
}

/// A line of a chart: the sum of its series times a factor.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct LineDescribed {
    /// What it is called, in the caller's language.
    pub name: String,
    /// Ids of series.
    pub series: Vec<String>,
    /// From the sum to the chart's unit.
    pub factor: f64,
}

/// A chart of one thing of the target, as reports have it too.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ChartDescribed {
    /// What it shows, in the caller's language.
    pub title: String,
    /// What it is of, in the caller's language.
    pub of: String,
    /// Its unit as shown; may be empty.
    pub unit: String,
    /// The lower, the more it matters where a bottleneck is looked for.
    pub rank: usize,
    /// Its lines.
    pub lines: Vec<LineDescribed>,
}

/// The charts of a target, those that matter most first.
pub(crate) fn charts(series: &[(SeriesId, SeriesKey)], lang: Lang) -> Vec<ChartDescribed> {
    let mut drawn = target_charts(series, lang);
    drawn.sort_by_key(|chart| chart.rank);
    let line = |line: DrawnLine| LineDescribed {
        name: line.name,
        series: line.series.into_iter().map(asked_by).collect(),
        factor: line.factor,
    };
    let charts = drawn.into_iter().map(|chart| ChartDescribed {
        title: chart.title,
        of: chart.of,
        unit: chart.unit,
        rank: chart.rank,
        lines: chart.lines.into_iter().map(line).collect(),
    });
    charts.collect()
}

/// What a series of the target is asked for by.
fn asked_by(id: SeriesId) -> String {
    format!("target:{}", id.0)
}

/// What a series of the target is.
pub(crate) fn target_name(id: SeriesId, key: &SeriesKey) -> SeriesDescribed {
    let rate = match key.kind {
        SeriesKind::Gauge => "",
        SeriesKind::Counter => "/s",
    };
    let attributes = key.attributes.iter();
    SeriesDescribed {
        id: asked_by(id),
        name: key.name.to_string(),
        unit: format!("{}{rate}", key.unit),
        label: None,
        entity: Some(SeriesThing::from(&*key.entity)),
        attributes: attributes
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
    }
}

/// Values of series of the target at points of equal length: means of gauges, rates of counters.
///
/// # Errors
/// If the run cannot be read.
pub(crate) fn target_values(
    run: &Run,
    wanted: &[(SeriesId, SeriesKey)],
    from_s: u32,
    step_s: u32,
    points: usize,
) -> Result<Vec<Vec<Option<f64>>>, StoreError> {
    let ids: Vec<SeriesId> = wanted.iter().map(|(id, _)| *id).collect();
    let grid = Grid {
        from_ms: i64::from(from_s) * 1_000,
        ..Grid::seconds(step_s, points)
    };
    let columns = run.target(&ids)?;
    let values = columns.iter().zip(wanted);
    Ok(values
        .map(|(column, (_, key))| fold(column, key.kind, grid))
        .collect())
}
