//! A run while it goes on.

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use plimsoll_text::Message;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::live::{LiveCursor, Watching, watch};
use crate::problem::ApiError;

/// From where on events are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct LiveQuery {
    /// Seconds and series before this second of the run are left out; events of the run are not.
    #[param(minimum = 0)]
    from_s: Option<u32>,
    /// The id of the last event that was heard, as `Last-Event-ID`; `now`: only what comes.
    after: Option<String>,
}

/// What happens in a run, as server-sent events: `interval`, `generator`, `series`, `event`, `finding`, `end`.
/// What was before comes first, or what was missed since `Last-Event-ID`.
#[utoipa::path(
    get, path = "/runs/{id}/live",
    params(("id" = String, Path, description = "The run"), LiveQuery),
    responses((status = 200, description = "Events", body = String, content_type = "text/event-stream"))
)]
pub(super) async fn get_live(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(query): Query<LiveQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let heard = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok());
    let heard = heard.map(str::to_owned).or(query.after.clone());
    let watching = blocking(move || {
        let run = app.open(&id)?;
        let cursor = match heard.as_deref() {
            None => LiveCursor::default(),
            Some("now") => LiveCursor::end_of(&run)?,
            Some(text) => text.parse().map_err(|()| {
                ApiError::bad(Message::new("server-bad-event-id").with("id", text))
            })?,
        };
        let feed = app.live.feed(run.dir().to_owned());
        Ok(Watching::new(feed, cursor, query.from_s.unwrap_or(0)))
    });
    let body = Body::from_stream(watch(watching.await?));
    let head = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((head, body).into_response())
}
