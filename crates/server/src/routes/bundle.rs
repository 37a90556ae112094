//! Runs handed out and taken in, each as one file.

use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use plimsoll_store::{RunState, verified};
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

use super::trash::moved;
use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::bundle::{BundleFault, PipeReader, PipeWriter, RunFiles, free_name, pipe, unpacked};
use crate::now::since_epoch;
use crate::problem::ApiError;

/// What a run's file is.
const GZIP: &str = "application/gzip";
/// The network may stand still so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run as one file: a gzipped tar of its folder.
#[utoipa::path(
    get, path = "/runs/{id}/export",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, description = "The run", body = Vec<u8>, content_type = "application/gzip"))
)]
pub(super) async fn export_run(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let files = blocking(move || {
        let run = app.open(&id)?;
        let name = run.id();
        if run.state()? == RunState::Running {
            return Err(ApiError::conflict(
                Message::new("server-run-goes-on").with("run", name),
            ));
        }
        let files = RunFiles::open(run, &name).map_err(|error| ApiError::cannot_keep(&error))?;
        Ok((files, name))
    });
    let (files, name) = files.await?;
    let (to, from) = pipe();
    tokio::task::spawn_blocking(move || {
        let mut writer = PipeWriter::new(to);
        let packed = files.pack(&mut writer);
        writer.done(packed);
    });
    let pieces = futures_util::stream::unfold(from, |mut from| async move {
        let piece = from.recv().await?;
        Some((piece, from))
    });
    // A name is anybody's: what a header cannot say stands behind it in percent signs (RFC 6266).
    let plain: String = name
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || "-_.".contains(c) => c,
            _ => '_',
        })
        .collect();
    let whole: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    // Names of runs have no spaces, which a form writes as a plus sign.
    let attachment = format!(
        "attachment; filename=\"{plain}.plimsoll.tar.gz\"; filename*=UTF-8''{whole}.plimsoll.tar.gz"
    );
    let attachment = HeaderValue::from_str(&attachment);
    let head = [
        (CONTENT_TYPE, HeaderValue::from_static(GZIP)),
        (
            CONTENT_DISPOSITION,
            attachment.unwrap_or(HeaderValue::from_static("attachment")),
        ),
    ];
    Ok((head, Body::from_stream(pieces)).into_response())
}

/// How a run is taken in.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct ImportQuery {
    /// If there is a run of that name already, this one gets a number behind its name; by default it is refused
    /// then.
    new_id: bool,
}

/// A run that was taken in.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunTakenIn {
    /// What it is called here.
    id: String,
    /// What it was called where it came from.
    was: String,
}

/// Takes a run in that was exported: `application/gzip`.
#[utoipa::path(
    post, path = "/runs/import",
    params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/gzip"),
    responses((status = 201, body = RunTakenIn))
)]
pub(super) async fn import_run(
    State(app): State<SharedApp>,
    Query(query): Query<ImportQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    // What a form of another site can send is no run.
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case(GZIP)) {
        let message = Message::new("server-import-type").with("type", kind.unwrap_or("-"));
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media-type",
            message,
        ));
    }
    let Ok(_permit) = app.imports.try_acquire() else {
        let message = Message::new("server-import-busy").with("most", crate::app::IMPORTS);
        return Err(ApiError::conflict(message));
    };
    let (to, from) = pipe();
    let taking = app.clone();
    let taken = blocking(move || take_in(&taking, PipeReader::new(from), &query));
    let (taken, ()) = tokio::join!(taken, pump(body.into_data_stream(), to));
    let taken = taken?;
    Ok((StatusCode::CREATED, Json(taken)).into_response())
}

/// Hands on what comes, until there is no more or nobody wants it.
async fn pump(mut body: BodyDataStream, to: mpsc::Sender<std::io::Result<bytes::Bytes>>) {
    loop {
        let piece = match tokio::time::timeout(PATIENCE, body.next()).await {
            Ok(None) => return,
            Ok(Some(piece)) => piece.map_err(std::io::Error::other),
            Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
        };
        let is_last = piece.is_err();
        if to.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

/// Unpacks, looks at it, and only then puts it among the runs.
fn take_in(app: &App, mut from: PipeReader, query: &ImportQuery) -> Result<RunTakenIn, ApiError> {
    let kept = |error: std::io::Error| ApiError::cannot_keep(&error);
    let imports = app.desk.journal().folder("imports").map_err(kept)?;
    let scratch = Scratch::below(&imports).map_err(kept)?;
    let was = unpacked(&mut from, &scratch.0)?;
    drop(verified(&scratch.0).map_err(BundleFault::from)?);
    let root = app.library.root();
    let taken =
        || ApiError::conflict(Message::new("server-run-is-there").with("run", was.as_str()));
    let (id, dir) = match query.new_id {
        true => free_name(root, &was).ok_or_else(taken)?,
        false => (was.clone(), root.join(&was)),
    };
    moved(&scratch.0, &dir, &id)?;
    Ok(RunTakenIn { id, was })
}

/// A folder that goes with its owner, unless it was moved.
struct Scratch(PathBuf);

impl Scratch {
    fn below(folder: &FilePath) -> std::io::Result<Self> {
        let number = since_epoch().as_nanos();
        let path = folder.join(number.to_string());
        plimsoll_store::private::folder(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays of it is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
