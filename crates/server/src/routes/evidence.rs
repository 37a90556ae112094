//! What was captured of a run's target, and which of it shows a finding.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use plimsoll_store::Run;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::evidence::capture::{
    CaptureListed, CaptureText, CaptureView, TextQuery, capture, captured, captures,
};
use crate::evidence::classes::{ClassesQuery, HeapClasses, classes};
use crate::evidence::exhibits::{FindingsEvidence, findings};
use crate::evidence::facts::{FactPage, FactsQuery, facts};
use crate::evidence::flame_of::{CaptureFlame, FlameQuery};
use crate::evidence::page::PartQuery;
use crate::evidence::proposed::{ProposedStudy, proposed};
use crate::evidence::statements::StatementsShown;
use crate::evidence::threads::DumpShown;
use crate::language::CallerLang;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// Which captures are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct CapturesQuery {
    /// Of this kind, such as `thread_dump`.
    kind: Option<String>,
}

/// Captures of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CapturePage {
    /// The captures, in the order in which they were taken.
    items: Vec<CaptureListed>,
    /// The cursor of the next part; null: there is none.
    next: Option<String>,
}

/// Reads something of a run.
async fn read<T: Send + 'static>(
    app: SharedApp,
    id: String,
    work: impl FnOnce(&Run) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    blocking(move || work(&app.open(&id)?)).await
}

/// The captures of a run.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures",
    params(("id" = String, Path, description = "The run"), CapturesQuery, PartQuery),
    responses((status = 200, body = CapturePage))
)]
pub(super) async fn get_captures(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(query): Query<CapturesQuery>,
    Query(part): Query<PartQuery>,
) -> ApiResult<CapturePage> {
    let page = move |run: &Run| {
        let is_wanted = |capture: &CaptureListed| {
            let kind = query.kind.as_deref().filter(|kind| !kind.is_empty());
            kind.is_none_or(|kind| kind == capture.kind)
        };
        let (items, next) = part.of(captures(run)?.into_iter().filter(is_wanted))?;
        Ok(CapturePage { items, next })
    };
    read(app, id, page).await.map(Json)
}

/// A capture's text, part by part.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures/{number}",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = u32, Path, description = "The capture"),
        TextQuery
    ),
    responses((status = 200, body = CaptureText))
)]
pub(super) async fn get_capture(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, u32)>,
    Query(query): Query<TextQuery>,
) -> ApiResult<CaptureText> {
    let text = move |run: &Run| {
        let (capture, bytes) = captured(run, number.into(), CaptureView::Text)?;
        Ok(CaptureText::of(capture, &bytes, query))
    };
    read(app, id, text).await.map(Json)
}

/// A capture as it was taken, such as a flight recording.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures/{number}/file",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = u32, Path, description = "The capture")
    ),
    responses((status = 200, description = "Its bytes", body = Vec<u8>, content_type = "application/octet-stream"))
)]
pub(super) async fn get_capture_file(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, u32)>,
) -> Result<Response, ApiError> {
    let (capture, bytes) = read(app, id, move |run| capture(run, number.into())).await?;
    // Whatever it is, a browser keeps it and does not show it. Its kind may be anybody's words in a run that was
    // taken in.
    let kind = capture
        .kind
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_');
    let name = format!(
        "attachment; filename=\"{}-{number}\"",
        kind.take(40).collect::<String>()
    );
    let attachment = HeaderValue::from_str(&name);
    let head = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        ),
        (
            CONTENT_DISPOSITION,
            attachment.unwrap_or(HeaderValue::from_static("attachment")),
        ),
    ];
    Ok((head, bytes).into_response())
}

/// A thread dump: threads by their stacks, and who waits for whose lock.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures/{number}/threads",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = u32, Path, description = "The capture"),
        PartQuery
    ),
    responses((status = 200, body = DumpShown))
)]
pub(super) async fn get_threads(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, u32)>,
    Query(part): Query<PartQuery>,
) -> ApiResult<DumpShown> {
    let dump = move |run: &Run| {
        let (capture, bytes) = captured(run, number.into(), CaptureView::Threads)?;
        DumpShown::of(capture, &String::from_utf8_lossy(&bytes), part)
    };
    read(app, id, dump).await.map(Json)
}

/// A flame graph of a capture.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures/{number}/flame",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = u32, Path, description = "The capture"),
        FlameQuery
    ),
    responses((status = 200, body = CaptureFlame))
)]
pub(super) async fn get_flame(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, u32)>,
    Query(query): Query<FlameQuery>,
) -> ApiResult<CaptureFlame> {
    let flame = move |run: &Run| {
        let (capture, bytes) = captured(run, number.into(), CaptureView::Flame)?;
        CaptureFlame::of(capture, &bytes, run.zero_unix_ns(), query)
    };
    read(app, id, flame).await.map(Json)
}

/// A class histogram, with what grew since an earlier one.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures/{number}/classes",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = u32, Path, description = "The capture"),
        ClassesQuery,
        PartQuery
    ),
    responses((status = 200, body = HeapClasses))
)]
pub(super) async fn get_classes(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, u32)>,
    Query(query): Query<ClassesQuery>,
    Query(part): Query<PartQuery>,
) -> ApiResult<HeapClasses> {
    let heap = move |run: &Run| classes(run, number.into(), query, part);
    read(app, id, heap).await.map(Json)
}

/// Statements of a database with their plans, or slow commands of a cache.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/captures/{number}/statements",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = u32, Path, description = "The capture")
    ),
    responses((status = 200, body = StatementsShown))
)]
pub(super) async fn get_statements(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, u32)>,
) -> ApiResult<StatementsShown> {
    let statements = move |run: &Run| {
        let (capture, bytes) = captured(run, number.into(), CaptureView::Statements)?;
        Ok(StatementsShown::of(capture, &bytes))
    };
    read(app, id, statements).await.map(Json)
}

/// Facts and settings of the target, with what of them changed.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/facts",
    params(("id" = String, Path, description = "The run"), FactsQuery, PartQuery),
    responses((status = 200, body = FactPage))
)]
pub(super) async fn get_facts(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(query): Query<FactsQuery>,
    Query(part): Query<PartQuery>,
) -> ApiResult<FactPage> {
    blocking(move || {
        let since = query.since.as_deref().filter(|since| !since.is_empty());
        let other = since.map(|since| app.open(since)).transpose()?;
        facts(&app.open(&id)?, other.as_ref(), &query, part)
    })
    .await
    .map(Json)
}

/// What shows each finding: when to look, at which series, captures and facts.
#[utoipa::path(
    get, path = "/runs/{id}/evidence/findings",
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = FindingsEvidence))
)]
pub(super) async fn get_findings_evidence(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
) -> ApiResult<FindingsEvidence> {
    let known = Arc::clone(&app);
    let work = move |run: &Run| findings(run, &*known.library.diagnoses.of(run)?, lang);
    read(app, id, work).await.map(Json)
}

/// A study of what a finding advises, to begin with: its text, and the files to send with it.
#[utoipa::path(
    get, path = "/runs/{id}/findings/{number}/study",
    params(
        ("id" = String, Path, description = "The run"),
        ("number" = usize, Path, description = "The finding's place in the diagnosis, from 1")
    ),
    responses((status = 200, body = ProposedStudy))
)]
pub(super) async fn get_finding_study(
    State(app): State<SharedApp>,
    Path((id, number)): Path<(String, usize)>,
    CallerLang(lang): CallerLang,
) -> ApiResult<ProposedStudy> {
    let known = Arc::clone(&app);
    let work = move |run: &Run| proposed(run, &*known.library.diagnoses.of(run)?, number, lang);
    read(app, id, work).await.map(Json)
}
