//! Runs at set times.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::now::{now_s, text_of};
use crate::problem::ApiError;
use crate::respond::{ApiResult, BASE};
use crate::schedules::{
    MissedTimes, ScheduleChange, ScheduleKept, ScheduleLast, ScheduleOrder, begin_now,
};
use crate::shared::Caller;

/// A schedule.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScheduleListed {
    /// What it is found by.
    schedule: String,
    /// What it is called.
    name: String,
    /// When: minute, hour, day, month, weekday, as cron has it.
    cron: String,
    /// In which time zone.
    zone: String,
    /// Whether it begins runs.
    enabled: bool,
    /// When it is due next, UTC; null: never, or not as long as it is not enabled.
    next: Option<String>,
    /// What came of the last time; null: there was none.
    last: Option<ScheduleLast>,
    /// Times at which nothing was begun, since the server was not there or too late; null: none.
    missed: Option<MissedTimes>,
    /// Who made it; null: nobody has to say here. It begins nothing once he may not begin runs.
    by: Option<String>,
    /// When it was made, UTC.
    added: String,
    /// What is run, without secrets; of files their names.
    #[schema(value_type = Object)]
    order: Value,
}

/// Texts without secrets, of files their names.
fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => plimsoll_secrets::text(&text).into_owned().into(),
        Value::Array(values) => values.into_iter().map(masked).collect(),
        Value::Object(fields) => {
            let shown = fields.into_iter().filter(|(_, value)| !value.is_null());
            let shown = shown.map(|(name, value)| {
                let value = match (name.as_str(), value) {
                    ("base64", _) => Value::Null,
                    (name, Value::String(text)) => {
                        let text = plimsoll_secrets::text(&text);
                        plimsoll_secrets::value(name, &text).into_owned().into()
                    }
                    (_, value) => masked(value),
                };
                (name, value)
            });
            Value::Object(shown.collect::<Map<String, Value>>())
        }
        other => other,
    }
}

fn now() -> i64 {
    i64::try_from(now_s()).unwrap_or(i64::MAX)
}

impl From<ScheduleKept> for ScheduleListed {
    fn from(kept: ScheduleKept) -> Self {
        let next = kept.next(now()).and_then(|next| u64::try_from(next).ok());
        Self {
            next: next.map(text_of),
            order: masked(serde_json::to_value(&kept.order).unwrap_or_default()),
            schedule: kept.schedule,
            name: kept.name,
            cron: kept.cron,
            zone: kept.zone,
            enabled: kept.enabled,
            last: kept.last,
            missed: kept.missed,
            by: kept.by,
            added: kept.added,
        }
    }
}

/// The schedules.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScheduleList {
    /// They, as they were made.
    items: Vec<ScheduleListed>,
    /// Always null: there is one page.
    next: Option<String>,
}

/// Runs at set times.
#[utoipa::path(get, path = "/schedules", responses((status = 200, body = ScheduleList)))]
pub(super) async fn list_schedules(State(app): State<SharedApp>) -> ApiResult<ScheduleList> {
    let all = app.schedules.all().into_iter();
    Ok(Json(ScheduleList {
        items: all.map(ScheduleListed::from).collect(),
        next: None,
    }))
}

/// Whether what is to be run can be.
fn check(app: &App, order: &ScheduleOrder) -> Result<(), ApiError> {
    let bounds = app.policy.bounds();
    order.order.planned(app.desk.journal(), &bounds).map(drop)
}

/// Has something run at set times. A time at which the server is not there is missed: it is said, and not made up for.
#[utoipa::path(
    post, path = "/schedules",
    request_body = ScheduleOrder,
    responses((status = 201, body = ScheduleListed, headers(("location" = String, description = "It"))))
)]
pub(super) async fn create_schedule(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<ScheduleOrder>,
) -> Result<Response, ApiError> {
    let made = blocking(move || {
        check(&app, &order)?;
        let user = caller.user.as_deref();
        let by = user
            .map(|user| app.policy.people.person(user))
            .transpose()?;
        app.schedules.add(order, by.flatten().as_ref(), now())
    })
    .await?;
    let location = format!("{BASE}/schedules/{}", made.schedule);
    let body = Json(ScheduleListed::from(made));
    Ok((StatusCode::CREATED, [(LOCATION, location)], body).into_response())
}

/// A schedule.
#[utoipa::path(
    get, path = "/schedules/{schedule}",
    params(("schedule" = String, Path, description = "What it is found by")),
    responses((status = 200, body = ScheduleListed))
)]
pub(super) async fn get_schedule(
    State(app): State<SharedApp>,
    Path(schedule): Path<String>,
) -> ApiResult<ScheduleListed> {
    Ok(Json(app.schedules.find(&schedule)?.into()))
}

/// Changes when a schedule is due, or whether it is.
#[utoipa::path(
    patch, path = "/schedules/{schedule}",
    params(("schedule" = String, Path, description = "What it is found by")),
    request_body = ScheduleChange,
    responses((status = 200, body = ScheduleListed))
)]
pub(super) async fn change_schedule(
    State(app): State<SharedApp>,
    Path(schedule): Path<String>,
    Json(change): Json<ScheduleChange>,
) -> ApiResult<ScheduleListed> {
    let changed = blocking(move || app.schedules.alter(&schedule, change, now())).await?;
    Ok(Json(changed.into()))
}

/// A schedule by what it is found by.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScheduleNamed {
    /// What it is found by.
    schedule: String,
}

/// Takes a schedule away. Its runs stay.
#[utoipa::path(
    delete, path = "/schedules/{schedule}",
    params(("schedule" = String, Path, description = "What it is found by")),
    responses((status = 200, body = ScheduleNamed))
)]
pub(super) async fn remove_schedule(
    State(app): State<SharedApp>,
    Path(schedule): Path<String>,
) -> ApiResult<ScheduleNamed> {
    blocking(move || {
        app.schedules.remove(&schedule)?;
        Ok(ScheduleNamed { schedule })
    })
    .await
    .map(Json)
}

/// A run that a schedule has begun.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScheduleBegun {
    /// The run, or its ticket while it waits.
    id: String,
}

/// Begins a schedule's run now, as when it is due.
#[utoipa::path(
    post, path = "/schedules/{schedule}/run",
    params(("schedule" = String, Path, description = "What it is found by")),
    responses((status = 201, body = ScheduleBegun))
)]
pub(super) async fn run_schedule(
    State(app): State<SharedApp>,
    Path(schedule): Path<String>,
) -> Result<(StatusCode, Json<ScheduleBegun>), ApiError> {
    let id = blocking(move || begin_now(&app, &schedule, now())).await?;
    Ok((StatusCode::CREATED, Json(ScheduleBegun { id })))
}
