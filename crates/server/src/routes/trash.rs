//! Runs thrown away and brought back.

use std::path::Path;

use axum::Json;
use axum::extract::{Path as Named, State};
use plimsoll_store::{Run, RunState};
use plimsoll_text::Message;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// A run by its name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunNamed {
    /// The run.
    id: String,
}

/// Runs that were thrown away.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TrashList {
    /// The runs.
    items: Vec<RunNamed>,
}

/// Moves a run's folder; one that is there already is not written over.
pub(super) fn moved(from: &Path, to: &Path, id: &str) -> Result<(), ApiError> {
    let is_there = || ApiError::conflict(Message::new("server-run-is-there").with("run", id));
    if to.exists() {
        return Err(is_there());
    }
    std::fs::rename(from, to).map_err(|error| match error.kind() {
        // Somebody was there first.
        std::io::ErrorKind::DirectoryNotEmpty | std::io::ErrorKind::AlreadyExists => is_there(),
        _ => ApiError::cannot_keep(&error),
    })
}

/// Throws a run away; it can be brought back.
#[utoipa::path(
    delete, path = "/runs/{id}",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = RunNamed))
)]
pub(super) async fn delete_run(
    State(app): State<SharedApp>,
    Named(id): Named<String>,
) -> ApiResult<RunNamed> {
    blocking(move || {
        let dir = app.library.folder(&id)?;
        // One that cannot be read can be thrown away all the same.
        let state = Run::open(&dir).and_then(|run| run.state());
        if matches!(state, Ok(RunState::Running)) {
            return Err(ApiError::conflict(
                Message::new("server-run-goes-on").with("run", id),
            ));
        }
        let trash = app
            .desk
            .journal()
            .folder("trash")
            .map_err(|error| ApiError::cannot_keep(&error))?;
        moved(&dir, &trash.join(&id), &id)?;
        Ok(RunNamed { id })
    })
    .await
    .map(Json)
}

/// The runs that were thrown away.
#[utoipa::path(get, path = "/trash", responses((status = 200, body = TrashList)))]
pub(super) async fn get_trash(State(app): State<SharedApp>) -> ApiResult<TrashList> {
    blocking(move || {
        let trash = app
            .desk
            .journal()
            .folder("trash")
            .map_err(|error| ApiError::cannot_keep(&error))?;
        let runs = plimsoll_store::list(&trash)?.into_iter().rev();
        Ok(TrashList {
            items: runs.map(|entry| RunNamed { id: entry.name }).collect(),
        })
    })
    .await
    .map(Json)
}

/// Brings a run back that was thrown away.
#[utoipa::path(
    post, path = "/runs/{id}/restore",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = RunNamed))
)]
pub(super) async fn restore_run(
    State(app): State<SharedApp>,
    Named(id): Named<String>,
) -> ApiResult<RunNamed> {
    blocking(move || {
        let trash = app
            .desk
            .journal()
            .folder("trash")
            .map_err(|error| ApiError::cannot_keep(&error))?;
        let known = plimsoll_store::list(&trash)?
            .into_iter()
            .find(|entry| entry.name == id);
        let missing =
            || ApiError::not_found(Message::new("server-not-in-trash").with("run", id.as_str()));
        let from = known.ok_or_else(missing)?.dir;
        moved(&from, &app.library.root().join(&id), &id)?;
        Ok(RunNamed { id })
    })
    .await
    .map(Json)
}
