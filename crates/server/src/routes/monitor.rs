//! The target without load, and what this machine can do.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::data::target::{ChartDescribed, SeriesDescribed, charts, target_name};
use crate::language::CallerLang;
use crate::monitor::MonitorSource;
use crate::now::text_of;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// Hours that are kept, in seconds.
const KEEPS_S: i64 = 21_600;
/// Points unless told otherwise, and at most.
const POINTS: i64 = 600;
const MOST_POINTS: i64 = 5_000;
/// Series of one response.
const MOST_SERIES: usize = 500;
/// A connection on which nothing is said is told so.
const QUIET: Duration = Duration::from_secs(15);

/// What is watched without load.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MonitorNow {
    /// The sources; what is amiss of one is an entry of its own.
    sources: Vec<MonitorSource>,
    /// Since when something is known, UTC; null: nothing is.
    begin: Option<String>,
    /// How long it is kept, seconds.
    keeps_s: i64,
}

fn iso(unix_s: i64) -> String {
    text_of(u64::try_from(unix_s).unwrap_or(0))
}

/// What is watched without load.
#[utoipa::path(get, path = "/monitor", responses((status = 200, body = MonitorNow)))]
pub(super) async fn get_monitor(State(app): State<SharedApp>) -> ApiResult<MonitorNow> {
    let extent = app.monitor.look(|kept| kept.extent());
    Ok(Json(MonitorNow {
        sources: app.monitor.sources(),
        begin: extent.map(|(first, _)| iso(first)),
        keeps_s: KEEPS_S,
    }))
}

/// The series there are.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MonitorNames {
    /// They.
    items: Vec<SeriesDescribed>,
    /// Their charts, those that matter most first.
    charts: Vec<ChartDescribed>,
}

/// The series that are watched without load.
#[utoipa::path(get, path = "/monitor/series/names", responses((status = 200, body = MonitorNames)))]
pub(super) async fn get_monitor_names(
    State(app): State<SharedApp>,
    CallerLang(lang): CallerLang,
) -> ApiResult<MonitorNames> {
    let keys: Vec<_> = app.monitor.look(|kept| kept.keys());
    let items = keys.iter().map(|(id, key)| target_name(*id, key));
    Ok(Json(MonitorNames {
        items: items.collect(),
        charts: charts(&keys, lang),
    }))
}

/// Which stretch is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct MonitorQuery {
    /// The last so many seconds: 10 to 21600; by default 900.
    #[param(minimum = 10, maximum = 21600)]
    last_s: Option<i64>,
    /// So many points at most; by default 600.
    #[param(minimum = 1, maximum = 5000)]
    points: Option<i64>,
    /// Ids or names, with commas between them; by default all, 500 at most.
    names: Option<String>,
}

/// A series with its values.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MonitorValues {
    /// What it is.
    #[serde(flatten)]
    name: SeriesDescribed,
    /// A mean for each point; null: there is none.
    values: Vec<Option<f64>>,
}

/// Aligned series of the last hours.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MonitorColumns {
    /// When the first point begins, UTC.
    begin: String,
    /// Seconds that a point covers.
    step_s: i64,
    /// Where each point begins, seconds from `begin`.
    times_s: Vec<i64>,
    /// The series.
    series: Vec<MonitorValues>,
}

/// The shortest step that has at most so many points.
fn step(last_s: i64, points: i64) -> i64 {
    const STEPS: [i64; 12] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];
    let fits = |step: &&i64| (last_s + **step - 1) / **step <= points;
    STEPS.iter().find(fits).copied().unwrap_or(KEEPS_S)
}

/// What was seen without load: means of levels, rates of counters.
#[utoipa::path(
    get, path = "/monitor/series",
    params(MonitorQuery),
    responses((status = 200, body = MonitorColumns))
)]
pub(super) async fn get_monitor_series(
    State(app): State<SharedApp>,
    Query(query): Query<MonitorQuery>,
) -> ApiResult<MonitorColumns> {
    let last_s = query.last_s.unwrap_or(900);
    let points = query.points.unwrap_or(POINTS);
    if !(10..=KEEPS_S).contains(&last_s) {
        let message = Message::new("server-bad-last");
        return Err(ApiError::bad(message.with("most", KEEPS_S)));
    }
    if !(1..=MOST_POINTS).contains(&points) {
        let message = Message::new("server-bad-points");
        return Err(ApiError::bad(message.with("most", MOST_POINTS)));
    }
    blocking(move || {
        let step_s = step(last_s, points);
        Ok(app.monitor.look(|kept| {
            let end = kept.extent().map_or(0, |(_, last)| last + 1);
            let from_s = (end - last_s).div_euclid(step_s) * step_s;
            let count = usize::try_from((end - from_s + step_s - 1) / step_s).unwrap_or(0);
            let asked: Option<Vec<&str>> = query
                .names
                .as_ref()
                .map(|names| names.split(',').map(str::trim).collect());
            let keys = kept
                .keys()
                .into_iter()
                .map(|(id, key)| (id, target_name(id, &key)));
            let wanted = keys.filter(|(_, name)| {
                let is_asked = |asked: &Vec<&str>| {
                    asked
                        .iter()
                        .any(|asked| *asked == name.id || *asked == name.name)
                };
                asked.as_ref().is_none_or(is_asked)
            });
            let series = wanted.take(MOST_SERIES).map(|(id, name)| MonitorValues {
                name,
                values: kept.values(id, from_s, step_s, count),
            });
            MonitorColumns {
                begin: iso(from_s.max(0)),
                step_s,
                times_s: (0..)
                    .step_by(usize::try_from(step_s).unwrap_or(1))
                    .take(count)
                    .collect(),
                series: series.collect(),
            }
        }))
    })
    .await
    .map(Json)
}

/// What is seen without load, second by second, as server-sent events: `series`.
#[utoipa::path(
    get, path = "/monitor/live",
    responses((status = 200, description = "Events", body = String, content_type = "text/event-stream"))
)]
pub(super) async fn watch_monitor(State(app): State<SharedApp>) -> Response {
    let events = unfold(app.monitor.news(), |mut news| async move {
        let text = match tokio::time::timeout(QUIET, news.changed()).await {
            Ok(Ok(())) => news.borrow_and_update().clone(),
            Ok(Err(_)) => return None,
            Err(_) => Bytes::from_static(b":\n\n"),
        };
        Some((Ok::<_, Infallible>(text), news))
    });
    let head = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
    ];
    (head, Body::from_stream(events)).into_response()
}
