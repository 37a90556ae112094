//! How routes respond.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

use crate::problem::ApiError;

/// Where the API is.
pub(crate) const BASE: &str = "/api/v1";

/// A value in JSON.
pub(crate) type ApiResult<T> = Result<Json<T>, ApiError>;

/// A document whose form another schema tells.
pub(crate) fn raw_json(bytes: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/json")], bytes).into_response()
}
