//! A run over time.

use axum::Json;
use axum::extract::{Path, Query, State};
use plimsoll_stats::LabelId;
use plimsoll_stats::heat::{HeatColumn, HeatGrid, heat_column};
use plimsoll_store::{Run, rfc3339};
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::data::columns::{
    GeneratorPoints, LoadSeries, PointGrid, PointSums, load_series, sums, times,
};
use crate::data::rollup::Rollup;
use crate::data::stretch::{StretchQuery, aggregate};
use crate::data::target::{ChartDescribed, SeriesDescribed, charts, target_name, target_values};
use crate::language::CallerLang;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// Points unless told otherwise, and at most.
const POINTS: u32 = 600;
const MOST_POINTS: u32 = 5_000;

/// Which points are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct PointsQuery {
    /// So many points at most; by default 600.
    #[param(minimum = 1, maximum = 5000)]
    points: Option<u32>,
    /// Ids or names, with commas between them; by default those of the load. `*`: all.
    names: Option<String>,
    /// The load of this label alone.
    label: Option<String>,
}

/// A series with its values.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SeriesValues {
    /// What it is.
    #[serde(flatten)]
    name: SeriesDescribed,
    /// A value for each point; null: there is none.
    values: Vec<Option<f64>>,
}

/// Aligned series: a value of each for each point.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SeriesColumns {
    /// When the run began, UTC.
    begin: String,
    /// Seconds that a point covers.
    step_s: u32,
    /// Where each point begins, seconds from the run's start.
    times_s: Vec<u32>,
    /// The series.
    series: Vec<SeriesValues>,
}

/// The series that a run has.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SeriesNames {
    /// The load's first, then the target's.
    items: Vec<SeriesDescribed>,
    /// The target's charts, those that matter most first. Series that are in none have no other name.
    charts: Vec<ChartDescribed>,
}

fn load_name(series: &LoadSeries, label: Option<&str>) -> SeriesDescribed {
    SeriesDescribed {
        id: series.name.clone(),
        name: series.name.clone(),
        unit: series.unit.to_owned(),
        label: label.map(str::to_owned),
        entity: None,
        attributes: Vec::new(),
    }
}

impl PointsQuery {
    fn most(&self, default: u32) -> Result<u32, ApiError> {
        let points = self.points.unwrap_or(default);
        match (1..=MOST_POINTS).contains(&points) {
            true => Ok(points),
            false => Err(ApiError::bad(
                Message::new("server-bad-points").with("most", MOST_POINTS),
            )),
        }
    }

    /// Whether a series is asked for.
    fn wants(&self, id: &str, name: &str, is_load: bool) -> bool {
        match self.names.as_deref() {
            None => is_load,
            Some(names) => names
                .split(',')
                .map(str::trim)
                .any(|asked| asked == "*" || asked == id || asked == name),
        }
    }
}

/// A label of a run by its name.
fn label_of(run: &Run, name: Option<&str>) -> Result<Option<LabelId>, ApiError> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let found = run.labels().iter().find(|label| label.name == name);
    let missing = || ApiError::not_found(Message::new("server-no-label").with("label", name));
    found.map(|label| Some(label.id)).ok_or_else(missing)
}

/// Where the load ends, seconds from the run's start.
fn load_end_s(run: &Run) -> Result<f64, ApiError> {
    Ok(match run.summary()? {
        Some(summary) => summary.warm_up_s + summary.duration_s,
        None => f64::from(run.load_span_s()?.1),
    })
}

/// Series over a stretch, merged to few points: percentiles are those of all requests of a point.
#[utoipa::path(
    get, path = "/runs/{id}/series",
    params(("id" = String, Path, description = "The run"), StretchQuery, PointsQuery),
    responses((status = 200, body = SeriesColumns))
)]
pub(super) async fn get_series(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(stretch): Query<StretchQuery>,
    Query(query): Query<PointsQuery>,
) -> ApiResult<SeriesColumns> {
    blocking(move || {
        let run = app.open(&id)?;
        let state = run.state()?;
        let stretch = stretch.of(run.span_s()?.1)?;
        let label = label_of(&run, query.label.as_deref())?;
        let grid = PointGrid::over(stretch, query.most(POINTS)?);
        let grid = label.map_or(grid, |_| grid.of_label(stretch));
        let rollup = app.library.rollups.of(&run, state)?;
        let sums = sums(&run, &rollup, grid, label)?;
        let mut series = of_load((&run, &rollup), &sums, grid, &query)?;
        let wanted: Vec<_> = run
            .series()?
            .into_iter()
            .filter(|(id, key)| query.wants(&format!("target:{}", id.0), &key.name, false))
            .collect();
        let values = target_values(
            &run,
            &wanted,
            grid.from_s,
            grid.step_s,
            grid.points as usize,
        )?;
        let of_target = wanted
            .iter()
            .zip(values)
            .map(|((id, key), values)| SeriesValues {
                name: target_name(*id, key),
                values,
            });
        series.extend(of_target);
        Ok(SeriesColumns {
            begin: rfc3339(u64::try_from(run.zero_unix_ns()).unwrap_or(0)),
            step_s: grid.step_s,
            times_s: (0..grid.points)
                .map(|point| grid.from_s + point * grid.step_s)
                .collect(),
            series,
        })
    })
    .await
    .map(Json)
}

fn of_load(
    (run, rollup): (&Run, &Rollup),
    sums: &PointSums,
    grid: PointGrid,
    query: &PointsQuery,
) -> Result<Vec<SeriesValues>, ApiError> {
    let label = query.label.as_deref().filter(|label| !label.is_empty());
    let mut all = load_series(sums, grid, load_end_s(run)?);
    if label.is_none() {
        all.extend(GeneratorPoints::of(run, rollup, grid)?.series());
    }
    let wanted = all
        .into_iter()
        .filter(|series| query.wants(&series.name, &series.name, true));
    let named = wanted.map(|series| SeriesValues {
        name: load_name(&series, label),
        values: series.values,
    });
    Ok(named.collect())
}

/// The series that a run has.
#[utoipa::path(
    get, path = "/runs/{id}/series/names",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = SeriesNames))
)]
pub(super) async fn get_series_names(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
) -> ApiResult<SeriesNames> {
    blocking(move || {
        let run = app.open(&id)?;
        let one = PointGrid {
            from_s: 0,
            step_s: 1,
            points: 0,
        };
        let mut all = load_series(&PointSums::new(), one, 0.0);
        all.extend(GeneratorPoints::default().series());
        let mut items: Vec<SeriesDescribed> =
            all.iter().map(|series| load_name(series, None)).collect();
        let target = run.series()?;
        items.extend(target.iter().map(|(id, key)| target_name(*id, key)));
        Ok(SeriesNames {
            items,
            charts: charts(&target, lang),
        })
    })
    .await
    .map(Json)
}

/// A heat map: how many requests took how long, column by column.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct HeatMap {
    /// Seconds that a column covers.
    step_s: u32,
    /// Where each column begins.
    times_s: Vec<u32>,
    /// The upper ends of the rows, ms; each is 10^(1/10) times the one before.
    bounds_ms: Vec<f64>,
    /// For each column the requests in each row.
    counts: Vec<Vec<u64>>,
}

/// Which columns are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct HeatMapQuery {
    /// So many columns at most; by default 200.
    #[param(minimum = 1, maximum = 5000)]
    columns: Option<u32>,
    /// This label alone.
    label: Option<String>,
}

/// A heat map of the response time.
#[utoipa::path(
    get, path = "/runs/{id}/heatmap",
    params(("id" = String, Path, description = "The run"), StretchQuery, HeatMapQuery),
    responses((status = 200, body = HeatMap))
)]
pub(super) async fn get_heatmap(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(stretch): Query<StretchQuery>,
    Query(query): Query<HeatMapQuery>,
) -> ApiResult<HeatMap> {
    blocking(move || {
        let run = app.open(&id)?;
        let state = run.state()?;
        let points = PointsQuery {
            points: query.columns,
            ..PointsQuery::default()
        };
        let grid = PointGrid::over(stretch.of(run.span_s()?.1)?, points.most(200)?);
        let label = label_of(&run, query.label.as_deref())?;
        let rollup = app.library.rollups.of(&run, state)?;
        let sums = sums(&run, &rollup, grid, label)?;
        Ok(heat_map(&sums, grid))
    })
    .await
    .map(Json)
}

fn heat_map(sums: &PointSums, grid: PointGrid) -> HeatMap {
    let columns: Vec<HeatColumn> = sums.iter().map(|sum| heat_column(&times(sum))).collect();
    let HeatGrid { bounds_ms, counts } = HeatGrid::of(&columns);
    HeatMap {
        step_s: grid.step_s,
        times_s: (0..grid.points)
            .map(|point| grid.from_s + point * grid.step_s)
            .collect(),
        counts,
        bounds_ms,
    }
}

/// How response times of a stretch are distributed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TimeDistribution {
    /// Requests in all.
    count: u64,
    /// Buckets with anything in them: from (ms), to (ms), requests.
    buckets: Vec<(f64, f64, u64)>,
    /// Shares with the response time that so many had at most, in ms.
    percentiles: Vec<(f64, f64)>,
}

/// Which requests are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct LabelQuery {
    /// This label alone.
    label: Option<String>,
}

/// The shares whose response times are told.
const SHARES: [f64; 12] = [
    0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0,
];

/// How response times of a stretch are distributed.
#[utoipa::path(
    get, path = "/runs/{id}/distribution",
    params(("id" = String, Path, description = "The run"), StretchQuery, LabelQuery),
    responses((status = 200, body = TimeDistribution))
)]
pub(super) async fn get_distribution(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(stretch): Query<StretchQuery>,
    Query(query): Query<LabelQuery>,
) -> ApiResult<TimeDistribution> {
    blocking(move || {
        let run = app.open(&id)?;
        let state = run.state()?;
        let stretch = stretch.of(run.span_s()?.1)?;
        let label = label_of(&run, query.label.as_deref())?;
        let rollup = app.library.rollups.of(&run, state)?;
        let sum = aggregate(&run, &rollup, stretch)?;
        let did = match label {
            None => sum.total(),
            Some(label) => sum.label(label).cloned().unwrap_or_default(),
        };
        let times = did.all_response();
        let ms = |ns: u64| ns as f64 / 1e6;
        let percentiles = SHARES.map(|share| (share, ms(times.percentile_ns(share))));
        Ok(TimeDistribution {
            count: times.count(),
            buckets: times
                .buckets()
                .map(|(from, to, count)| (ms(from), ms(to), count))
                .collect(),
            percentiles: match times.is_empty() {
                true => Vec::new(),
                false => percentiles.into(),
            },
        })
    })
    .await
    .map(Json)
}
