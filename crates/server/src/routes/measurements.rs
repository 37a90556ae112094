//! Several runs as one undertaking: begun, followed, ended.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use plimsoll_diagnose::json::document;
use plimsoll_text::{Lang, Message};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::follow::{StreamFollowed, follow};
use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::desk::{MeasurementDocument, MeasurementListed, MeasurementOrder, MeasurementState};
use crate::language::CallerLang;
use crate::limit::PageLimit;
use crate::problem::ApiError;
use crate::respond::{ApiResult, BASE};
use crate::shared::Caller;

/// An undertaking that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MeasurementCreated {
    /// What it is called.
    id: String,
    /// `running` or `queued`.
    state: MeasurementState,
}

/// Asks for several runs together: one repeated, a search for the most load, the hops of a chain, two plans in
/// turn.
#[utoipa::path(
    post, path = "/measurements",
    request_body = MeasurementOrder,
    responses((status = 201, body = MeasurementCreated, headers(("location" = String, description = "It"))))
)]
pub(super) async fn create_measurement(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<MeasurementOrder>,
) -> Result<Response, ApiError> {
    let created = blocking(move || {
        let bounds = app.policy.bounds();
        let ready = order.ready(app.desk.journal(), &bounds)?;
        let entry = app
            .desk
            .measure(order.kind, ready, caller.user, bounds.limits.queue)?;
        let listed = entry.document().listed;
        Ok(MeasurementCreated {
            id: listed.id,
            state: listed.state,
        })
    })
    .await?;
    let location = format!("{BASE}/measurements/{}", created.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(created)).into_response())
}

/// Which are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct MeasurementQuery {
    /// So many at most; 1 to 200, by default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// A page of undertakings, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MeasurementPage {
    /// They.
    items: Vec<MeasurementListed>,
    /// The cursor of the next page; null: there is none.
    next: Option<String>,
}

/// Capacity, hops, comparisons and repeated runs, the newest first.
#[utoipa::path(
    get, path = "/measurements",
    params(MeasurementQuery),
    responses((status = 200, body = MeasurementPage))
)]
pub(super) async fn list_measurements(
    State(app): State<SharedApp>,
    Query(query): Query<MeasurementQuery>,
) -> ApiResult<MeasurementPage> {
    let limit = PageLimit::LIST.of(query.limit)?;
    blocking(move || {
        let names = app.desk.measurements().names();
        let behind = |name: &&String| query.cursor.as_ref().is_none_or(|cursor| *name < cursor);
        let mut names: Vec<&String> = names.iter().filter(behind).take(limit + 1).collect();
        let is_more = names.len() > limit;
        names.truncate(limit);
        let next = names.last().filter(|_| is_more).map(|name| (*name).clone());
        let found = names
            .iter()
            .filter_map(|name| app.desk.measurements().find(name));
        Ok(MeasurementPage {
            items: found.map(|document| document.listed).collect(),
            next,
        })
    })
    .await
    .map(Json)
}

/// One of them, with what came out.
#[utoipa::path(
    get, path = "/measurements/{measurement}",
    params(("measurement" = String, Path, description = "Its name")),
    responses((status = 200, body = MeasurementDocument))
)]
pub(super) async fn get_measurement(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
) -> ApiResult<MeasurementDocument> {
    blocking(move || {
        let mut found = app.desk.measurements().named(&id)?;
        let beyond = found
            .result
            .as_mut()
            .and_then(|result| result.get_mut("beyond"));
        if let Some(beyond) = beyond {
            retell(&app, beyond, lang);
        }
        Ok(found)
    })
    .await
    .map(Json)
}

/// Has the diagnosis beyond the capacity in the language of whoever asks: it was kept in one. Where its run is no more,
/// it stays as it was kept.
fn retell(app: &App, beyond: &mut Value, lang: Lang) {
    let name = beyond["run"].as_str().unwrap_or_default();
    if beyond["diagnosis"].is_null() {
        return;
    }
    let Ok(run) = app.open(name) else {
        return;
    };
    if let Ok(diagnosis) = app.library.diagnoses.of(&run)
        && let Ok(told) = serde_json::to_value(document(&run.id(), &diagnosis, lang))
    {
        beyond["diagnosis"] = told;
    }
}

/// An undertaking by its name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MeasurementNamed {
    /// Its name.
    id: String,
}

/// Ends one, or takes one that waits out of the queue; what was measured until then stays.
#[utoipa::path(
    post, path = "/measurements/{measurement}/stop",
    params(("measurement" = String, Path, description = "Its name")),
    responses((status = 200, body = MeasurementNamed))
)]
pub(super) async fn stop_measurement(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> ApiResult<MeasurementNamed> {
    blocking(move || {
        app.desk.measurements().named(&id)?;
        match app.desk.stop_measurement(&id) {
            true => Ok(MeasurementNamed { id }),
            false => Err(ApiError::conflict(
                Message::new("server-run-over").with("run", id),
            )),
        }
    })
    .await
    .map(Json)
}

/// What one who watches has heard.
struct MeasurementWatch {
    app: Arc<App>,
    id: String,
    steps: usize,
    runs: usize,
    is_over: bool,
}

impl StreamFollowed for MeasurementWatch {
    fn fresh(&mut self) -> Result<String, ApiError> {
        let document = self.app.desk.measurements().named(&self.id)?;
        let mut text = String::new();
        let mut send =
            |name: &str, data: Value| text += &format!("event: {name}\ndata: {data}\n\n");
        for step in document.progress.iter().skip(self.steps) {
            send("progress", json!(step));
        }
        for run in document.listed.runs.iter().skip(self.runs) {
            send("run", json!({"id": run}));
        }
        (self.steps, self.runs) = (document.progress.len(), document.listed.runs.len());
        let state = document.listed.state;
        if ![MeasurementState::Queued, MeasurementState::Running].contains(&state) {
            self.is_over = true;
            send("end", json!({"state": state}));
        }
        Ok(text)
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// What happens in one, as server-sent events: `progress`, `run` (follow `/runs/{id}/live`), `end`. What was before
/// comes first.
#[utoipa::path(
    get, path = "/measurements/{measurement}/live",
    params(("measurement" = String, Path, description = "Its name")),
    responses((status = 200, description = "Events", body = String, content_type = "text/event-stream"))
)]
pub(super) async fn watch_measurement(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let (looking, name) = (Arc::clone(&app), id.clone());
    blocking(move || looking.desk.measurements().named(&name)).await?;
    Ok(follow(MeasurementWatch {
        app,
        id,
        steps: 0,
        runs: 0,
        is_over: false,
    }))
}
