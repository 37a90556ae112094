//! A run as the command line tells it.

use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use plimsoll_report::{Screen, terminal_summary};
use plimsoll_text::Message;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::language::CallerLang;
use crate::problem::ApiError;

/// Columns of a text, at least and at most.
const COLUMNS: [usize; 2] = [40, 400];

/// How wide it is to be.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct TextQuery {
    /// Columns: 40 to 400; by default 100.
    #[param(minimum = 40, maximum = 400)]
    columns: Option<usize>,
}

/// What `plimsoll show` prints of a run.
#[utoipa::path(
    get, path = "/runs/{id}/text",
    params(("id" = String, Path, description = "The run"), TextQuery),
    responses((status = 200, description = "The text", body = String, content_type = "text/plain"))
)]
pub(super) async fn get_text(
    State(app): State<SharedApp>,
    Path(id): Path<String>,
    Query(query): Query<TextQuery>,
    CallerLang(lang): CallerLang,
) -> Result<Response, ApiError> {
    let columns = query.columns.unwrap_or(Screen::PLAIN.columns);
    if !(COLUMNS[0]..=COLUMNS[1]).contains(&columns) {
        let message = Message::new("server-bad-columns");
        return Err(ApiError::bad(
            message.with("least", COLUMNS[0]).with("most", COLUMNS[1]),
        ));
    }
    let text = blocking(move || {
        let run = app.open(&id)?;
        let screen = Screen {
            columns,
            ..Screen::PLAIN
        };
        Ok(terminal_summary(&run, lang, screen)?)
    });
    let head = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((head, text.await?).into_response())
}
