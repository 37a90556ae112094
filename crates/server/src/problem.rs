//! What goes wrong, as problem details (RFC 9457).

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use plimsoll_plan::Problem;
use plimsoll_run::RejectedPlan;
use plimsoll_store::{StoreError, StoreErrorKind};
use plimsoll_text::{Lang, Message, render};
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::{CallerLang, by_default, told};
use crate::refusals;

/// The media type of problem details.
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");
/// Longest text of a refused request that is read.
const MOST_TEXT: usize = 4_096;

/// What went wrong, as it is sent: RFC 9457.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDetails {
    /// What kind of problem it is: a path that never changes.
    #[serde(rename = "type")]
    #[schema(examples("/problems/not-found"))]
    kind: String,
    /// The kind in words.
    title: String,
    /// The status of the response.
    status: u16,
    /// What is wrong here, what is allowed, what to do.
    detail: String,
    /// The field of the request that it is about; absent: not one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// All mistakes of a plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<PlanMistake>,
}

/// A mistake of a plan.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct PlanMistake {
    /// The file; absent: what was sent.
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
    /// Line, from 1; 0: not of one line.
    line: u32,
    /// Column, from 1; 0: not of one column.
    column: u32,
    /// What is wrong.
    what: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

/// Why a request was not done.
#[derive(Debug, Clone)]
pub(crate) struct ApiError(Arc<ErrorParts>);

#[derive(Debug)]
struct ErrorParts {
    status: StatusCode,
    kind: &'static str,
    message: Message,
    field: Option<String>,
    mistakes: Vec<Problem>,
}

impl ApiError {
    /// A kind has the text `problem-KIND`.
    pub fn new(status: StatusCode, kind: &'static str, message: Message) -> Self {
        Self(Arc::new(ErrorParts {
            status,
            kind,
            message,
            field: None,
            mistakes: Vec::new(),
        }))
    }

    /// It is bad for what stands in a field of the request, which a form shows beside it.
    pub fn bad_field(field: &str, message: Message) -> Self {
        Self(Arc::new(ErrorParts {
            status: StatusCode::BAD_REQUEST,
            kind: "bad-request",
            message,
            field: Some(field.to_owned()),
            mistakes: Vec::new(),
        }))
    }

    /// There is no such thing.
    pub fn not_found(message: Message) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// What was asked for makes no sense.
    pub fn bad(message: Message) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// It is not allowed here, whoever asks.
    pub fn forbidden(message: Message) -> Self {
        Self::new(StatusCode::FORBIDDEN, "not-allowed", message)
    }

    /// It cannot be done as things are.
    pub fn conflict(message: Message) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// What is stored is not what it should be.
    pub fn unreadable(message: Message) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "run-unreadable", message)
    }

    /// What is to stay cannot be written.
    pub fn cannot_keep(error: &std::io::Error) -> Self {
        let message = Message::new("server-cannot-keep").with("reason", error.to_string());
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "store", message)
    }

    /// It is our fault.
    pub fn internal(message: Message) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// What is wrong, in words.
    pub fn message(&self) -> Message {
        self.0.message.clone()
    }

    fn details(&self, lang: Lang) -> ProblemDetails {
        let parts = &self.0;
        let masked = |message: &Message| told(lang, message);
        let mistake = |problem: &Problem| PlanMistake {
            file: problem.file.clone(),
            line: problem.at.line,
            column: problem.at.column,
            what: masked(&problem.message),
            remedy: problem.remedy.as_ref().map(masked),
        };
        ProblemDetails {
            kind: format!("/problems/{}", parts.kind),
            title: render(lang, &Message::new(format!("problem-{}", parts.kind))),
            status: parts.status.as_u16(),
            detail: masked(&parts.message),
            field: parts.field.clone(),
            errors: parts.mistakes.iter().map(mistake).collect(),
        }
    }
}

impl ApiError {
    /// As it is sent to one of whom nothing is known.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.details(by_default())).unwrap_or_default()
    }
}

impl IntoResponse for ApiError {
    /// What went wrong waits for its language: [`in_words`].
    fn into_response(self) -> Response {
        let mut response = self.0.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let message = error.message();
        match error.kind {
            StoreErrorKind::NotARun
            | StoreErrorKind::NoRuns
            | StoreErrorKind::RunNotFound { .. } => Self::not_found(message),
            StoreErrorKind::Damaged | StoreErrorKind::NewerVersion { .. } => {
                Self::unreadable(message)
            }
            StoreErrorKind::Locked | StoreErrorKind::StillWritten => Self::conflict(message),
            _ => Self::new(StatusCode::INSUFFICIENT_STORAGE, "store", message),
        }
    }
}

impl From<plimsoll_report::ReportError> for ApiError {
    fn from(error: plimsoll_report::ReportError) -> Self {
        match error {
            plimsoll_report::ReportError::Store(error) => error.into(),
            error @ plimsoll_report::ReportError::Write(_) => Self::internal(error.message("-")),
        }
    }
}

impl From<RejectedPlan> for ApiError {
    fn from(rejected: RejectedPlan) -> Self {
        let message = Message::new("server-plan-rejected").with("count", rejected.problems.len());
        Self(Arc::new(ErrorParts {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            kind: "plan",
            message,
            field: None,
            mistakes: rejected.problems,
        }))
    }
}

/// Gives each failure its words, also those that the framework found.
pub(crate) async fn in_words(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let lang = CallerLang::of(&parts).0;
    let is_api = parts.uri.path().starts_with("/api/");
    let response = next.run(Request::from_parts(parts, body)).await;
    if let Some(error) = response.extensions().get::<ApiError>() {
        let mut told = respond(error.details(lang));
        if let Some(after) = response.headers().get(RETRY_AFTER) {
            told.headers_mut().insert(RETRY_AFTER, after.clone());
        }
        return told;
    }
    let status = response.status();
    if !is_api || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let text = to_bytes(response.into_body(), MOST_TEXT)
        .await
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    respond(refused(status, text).details(lang))
}

/// What the framework refused.
fn refused(status: StatusCode, text: String) -> ApiError {
    let kind = match status {
        StatusCode::NOT_FOUND => "not-found",
        StatusCode::METHOD_NOT_ALLOWED => "method",
        StatusCode::PAYLOAD_TOO_LARGE => "too-long",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "media-type",
        status if status.is_server_error() => "internal",
        _ => "bad-request",
    };
    let message = match text.is_empty() {
        true => Message::new(format!("problem-{kind}")),
        false => refusals::in_our_words(&text),
    };
    ApiError::new(status, kind, message)
}

fn respond(details: ProblemDetails) -> Response {
    let status = StatusCode::from_u16(details.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_vec(&details).unwrap_or_default();
    let mut response = (status, Body::from(body)).into_response();
    response.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
    response
}
