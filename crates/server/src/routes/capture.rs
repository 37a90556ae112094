//! Captures that are taken now.

use axum::Json;
use axum::extract::{Path, State};
use plimsoll_report::event_text;
use plimsoll_run::watching::taking;
use plimsoll_text::Message;
use plimsoll_watch::capture::{KINDS, known_kind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::evidence::capture::CaptureListed;
use crate::language::CallerLang;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// What is to be taken.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CaptureOrder {
    /// Only this kind, such as `thread_dump`; by default all that the run may take.
    kind: Option<String>,
}

/// What was taken.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CapturesNow {
    /// The captures; they are among the run's evidence now.
    items: Vec<CaptureListed>,
    /// Why something could not be taken, in words.
    troubles: Vec<String>,
}

/// Has a run that goes on take captures now, whoever makes it, as far as it was begun with the right to them; and
/// waits until they are there.
#[utoipa::path(
    post, path = "/runs/{id}/capture",
    params(("id" = String, Path, description = "The run")),
    request_body = CaptureOrder,
    responses((status = 200, body = CapturesNow))
)]
pub(super) async fn take_capture(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    CallerLang(lang): CallerLang,
    Json(order): Json<CaptureOrder>,
) -> ApiResult<CapturesNow> {
    blocking(move || {
        let named = order.kind.as_deref();
        let kind = named.map(|name| known_kind(name).ok_or_else(|| unknown(name)));
        let kind = kind.transpose()?;
        let run = app.open(&id)?;
        let taken = taking::take(&run, kind).map_err(ApiError::conflict)?;
        let troubles = taken.troubles.iter().map(|event| event_text(event, lang));
        let taken_now = CapturesNow {
            items: taken
                .captures
                .into_iter()
                .map(CaptureListed::from)
                .collect(),
            troubles: troubles.collect(),
        };
        match taken_now.items.is_empty() && taken_now.troubles.is_empty() {
            true => {
                let message = Message::new("captures-nothing-taken").with("run", run.id());
                Err(ApiError::conflict(message))
            }
            false => Ok(taken_now),
        }
    })
    .await
    .map(Json)
}

fn unknown(name: &str) -> ApiError {
    let message = Message::new("server-no-kind").with("kind", name);
    ApiError::bad(message.with("known", KINDS.join(", ")))
}
