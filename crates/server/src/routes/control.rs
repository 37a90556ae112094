//! Runs that are asked for, ended, changed.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use plimsoll_plan::units::parse_rate;
use plimsoll_run::{ChangeError, LoadChange, LoadNow, NewLoad, RunHandle, TimedChange};
use plimsoll_stats::curve::LoadModel;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::desk::{LONGEST_EXTENSION, OrderFate, RunOrder, clear_plans};
use crate::library::RunProgress;
use crate::now::since_epoch;
use crate::problem::ApiError;
use crate::respond::{ApiResult, BASE};

/// A run that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunCreated {
    /// What it is called; of one that waits until it begins: `GET /runs/{id}` leads on then.
    id: String,
    /// `running` or `queued`.
    state: RunProgress,
}

/// Asks for a run. It begins at once, or waits for those before it.
#[utoipa::path(
    post, path = "/runs",
    request_body = RunOrder,
    responses((status = 201, body = RunCreated, headers(("location" = String, description = "The run"))))
)]
pub(super) async fn create_run(
    State(app): State<SharedApp>,
    Json(order): Json<RunOrder>,
) -> Result<Response, ApiError> {
    let created = blocking(move || {
        let (bounds, journal) = (app.policy.bounds(), app.desk.journal());
        let retention = app.policy.settings.now().retention;
        clear_plans(journal, &retention, SystemTime::now());
        let ready = order.request(app.library.root(), journal, &bounds)?;
        let asked = app.desk.ask(&order, ready, bounds.limits.queue);
        let (ticket, fate) = asked.map_err(ApiError::conflict)?;
        match fate {
            OrderFate::Begun(id) => Ok(RunCreated {
                id,
                state: RunProgress::Running,
            }),
            OrderFate::Waits => Ok(RunCreated {
                id: ticket,
                state: RunProgress::Queued,
            }),
            OrderFate::Failed(message) => Err(ApiError::conflict(message)),
        }
    })
    .await?;
    let location = format!("{BASE}/runs/{}", created.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(created)).into_response())
}

/// The handle of a run that this server makes.
fn handle(app: &App, id: &str) -> Result<Arc<RunHandle>, ApiError> {
    if let Some(handle) = app.desk.handle(id) {
        return Ok(handle);
    }
    let run = app.open(id)?;
    let name = run.id();
    if let Some(handle) = app.desk.handle(&name) {
        return Ok(handle);
    }
    Err(match run.state()? {
        plimsoll_store::RunState::Running => {
            ApiError::conflict(Message::new("server-run-elsewhere").with("run", name))
        }
        _ => over(&name),
    })
}

/// When the run in a folder began.
fn begun(folder: &std::path::Path) -> Result<Duration, ApiError> {
    let run = plimsoll_store::Run::open(folder)?;
    Ok(Duration::from_nanos(run.meta().started_at_unix_ns))
}

fn over(id: &str) -> ApiError {
    ApiError::conflict(Message::new("server-run-over").with("run", id))
}

/// How a run is ended.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum StopHow {
    /// No new work; what is in flight may complete.
    #[default]
    Graceful,
    /// What is in flight is cut off.
    AtOnce,
}

/// That a run is to end.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StopOrder {
    /// How.
    how: StopHow,
}

/// That something was done.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunChanged {
    /// The run.
    id: String,
    /// From this moment on it holds, seconds from the run's start; null: from now on.
    at_s: Option<f64>,
}

/// Ends a run, or takes one that waits out of the queue.
#[utoipa::path(
    post, path = "/runs/{id}/stop",
    params(("id" = String, Path, description = "The run")),
    request_body = StopOrder,
    responses((status = 200, body = RunChanged))
)]
pub(super) async fn stop_run(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Json(order): Json<StopOrder>,
) -> ApiResult<RunChanged> {
    blocking(move || {
        if !app.desk.withdraw(&id) {
            let handle = handle(&app, &id)?;
            match order.how {
                StopHow::Graceful => handle.stop(),
                StopHow::AtOnce => handle.cut_off(),
            }
        }
        Ok(RunChanged { id, at_s: None })
    })
    .await
    .map(Json)
}

/// By how much a run is to last longer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtendOrder {
    /// Seconds: more than 0, a week at most.
    #[schema(minimum = 0, maximum = 604800)]
    by_s: f64,
}

fn changed(id: String, change: Result<TimedChange, ChangeError>) -> Result<RunChanged, ApiError> {
    let timed = change.map_err(|error| ApiError::conflict(error.message()))?;
    Ok(RunChanged {
        id,
        at_s: Some(timed.at_ns as f64 / 1e9),
    })
}

/// Has the load of a run last longer.
#[utoipa::path(
    post, path = "/runs/{id}/extend",
    params(("id" = String, Path, description = "The run")),
    request_body = ExtendOrder,
    responses((status = 200, body = RunChanged))
)]
pub(super) async fn extend_run(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Json(order): Json<ExtendOrder>,
) -> ApiResult<RunChanged> {
    blocking(move || {
        let by = Duration::try_from_secs_f64(order.by_s)
            .ok()
            .filter(|by| !by.is_zero() && *by <= LONGEST_EXTENSION)
            .ok_or_else(|| ApiError::bad(Message::new("server-bad-extension")))?;
        let handle = handle(&app, &id)?;
        let lasted = match handle.folder() {
            Some(folder) => since_epoch().saturating_sub(begun(folder)?),
            None => Duration::ZERO,
        };
        app.policy.bounds().check_length(lasted + by)?;
        changed(id, handle.extend(by))
    })
    .await
    .map(Json)
}

/// The load of a scenario as it is now.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScenarioLoadNow {
    /// The scenario.
    name: String,
    /// What it is counted in: `users` of a closed load, `rate` of an open one.
    #[schema(value_type = String)]
    model: LoadModel,
    /// Users, or arrivals a second; null: it is not ended by time.
    amount: Option<f64>,
}

/// The load of a run as it is now.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunLoadNow {
    /// When the load ends by what is known now, seconds from the run's start; null: time does not end it, or that
    /// is not known before.
    end_s: Option<f64>,
    /// Each scenario whose load can be changed here.
    scenarios: Vec<ScenarioLoadNow>,
}

impl From<LoadNow> for RunLoadNow {
    fn from(now: LoadNow) -> Self {
        let scenarios = now.scenarios.into_iter().map(|of| ScenarioLoadNow {
            name: of.name,
            model: match of.is_closed {
                true => LoadModel::Users,
                false => LoadModel::Rate,
            },
            amount: of.load,
        });
        Self {
            end_s: now.end_ns.map(|end_ns| end_ns as f64 / 1e9),
            scenarios: scenarios.collect(),
        }
    }
}

/// The load of a run as it is now, and when it ends.
#[utoipa::path(
    get, path = "/runs/{id}/load",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = RunLoadNow))
)]
pub(super) async fn get_load(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> ApiResult<RunLoadNow> {
    blocking(move || {
        let run = app.open(&id)?;
        if let Some(handle) = app.desk.handle(&run.id()) {
            return Ok(handle.load_now().into());
        }
        // Of a run of another process its plan is known.
        let profile = run.meta().load_profile.as_ref();
        let last = profile.and_then(|profile| profile.stretches.last());
        Ok(RunLoadNow {
            end_s: last.map(|stretch| stretch.to_s),
            scenarios: Vec::new(),
        })
    })
    .await
    .map(Json)
}

/// A new load: users, or a rate.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LoadOrder {
    /// Users at once, of a closed load.
    users: Option<u32>,
    /// Arrivals such as `50/s`, of an open load.
    rate: Option<String>,
    /// The scenario; by default the only one of that kind.
    scenario: Option<String>,
}

/// Changes the load of a run while it goes on; the change is kept with the run.
#[utoipa::path(
    post, path = "/runs/{id}/load",
    params(("id" = String, Path, description = "The run")),
    request_body = LoadOrder,
    responses((status = 200, body = RunChanged))
)]
pub(super) async fn change_load(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Json(order): Json<LoadOrder>,
) -> ApiResult<RunChanged> {
    blocking(move || {
        let bad = || ApiError::bad(Message::new("server-users-or-rate"));
        let to = match (order.users, order.rate) {
            (Some(users), None) => NewLoad::Users(users),
            (None, Some(rate)) => NewLoad::Rate(parse_rate(&rate).ok_or_else(bad)?),
            _ => return Err(bad()),
        };
        app.policy.bounds().check_change(&to)?;
        let handle = handle(&app, &id)?;
        let scenario = order.scenario;
        changed(id, handle.change(&LoadChange { scenario, to }))
    })
    .await
    .map(Json)
}
