//! Others hear of runs.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::hooks::{
    WebhookChange, WebhookDelivery, WebhookEvent, WebhookKept, WebhookKind, WebhookOrder,
};
use crate::problem::ApiError;
use crate::respond::{ApiResult, BASE};
use crate::shared::Caller;

/// A webhook.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookListed {
    /// What it is found by.
    webhook: String,
    /// What it is called.
    name: String,
    /// Where it is sent: scheme and host; the rest may be a secret.
    url: String,
    /// Who understands it.
    kind: WebhookKind,
    /// What is told.
    events: Vec<WebhookEvent>,
    /// The variable of the server's environment that has the secret it is signed with; null: it is not signed.
    secret_env: Option<String>,
    /// The language of its texts; null: English.
    language: Option<String>,
    /// Whether anything is told.
    enabled: bool,
    /// Who made it; null: nobody has to say here.
    by: Option<String>,
    /// When it was made, UTC.
    added: String,
}

impl From<WebhookKept> for WebhookListed {
    fn from(kept: WebhookKept) -> Self {
        Self {
            url: kept.shown(),
            webhook: kept.webhook,
            name: kept.name,
            kind: kept.kind,
            events: kept.events,
            secret_env: kept.secret_env,
            language: kept.language,
            enabled: kept.enabled,
            by: kept.by,
            added: kept.added,
        }
    }
}

/// The webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookList {
    /// They, as they were made.
    items: Vec<WebhookListed>,
    /// Always null: there is one page.
    next: Option<String>,
}

/// Who hears of runs.
#[utoipa::path(get, path = "/webhooks", responses((status = 200, body = WebhookList)))]
pub(super) async fn list_webhooks(State(app): State<SharedApp>) -> ApiResult<WebhookList> {
    let all = app.hooks.all().into_iter();
    Ok(Json(WebhookList {
        items: all.map(WebhookListed::from).collect(),
        next: None,
    }))
}

/// Tells somebody of the runs that this server makes from now on. Addresses of this host and of private networks are
/// sent to only where the server's command line allows it (`--allow-webhook`); others are refused here, as are
/// variables that are not set. The problem names the `field`.
#[utoipa::path(
    post, path = "/webhooks",
    request_body = WebhookOrder,
    responses((status = 201, body = WebhookListed, headers(("location" = String, description = "It"))))
)]
pub(super) async fn create_webhook(
    State(app): State<SharedApp>,
    caller: Caller,
    Json(order): Json<WebhookOrder>,
) -> Result<Response, ApiError> {
    let made = blocking(move || app.hooks.add(order, caller.user)).await?;
    let location = format!("{BASE}/webhooks/{}", made.webhook);
    let body = Json(WebhookListed::from(made));
    Ok((StatusCode::CREATED, [(LOCATION, location)], body).into_response())
}

/// Changes what is told, or whether anything is.
#[utoipa::path(
    patch, path = "/webhooks/{webhook}",
    params(("webhook" = String, Path, description = "What it is found by")),
    request_body = WebhookChange,
    responses((status = 200, body = WebhookListed))
)]
pub(super) async fn change_webhook(
    State(app): State<SharedApp>,
    Path(webhook): Path<String>,
    Json(change): Json<WebhookChange>,
) -> ApiResult<WebhookListed> {
    let changed = blocking(move || app.hooks.alter(&webhook, change)).await?;
    Ok(Json(changed.into()))
}

/// A webhook by what it is found by.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WebhookNamed {
    /// What it is found by.
    webhook: String,
}

/// Takes a webhook away, with what was to be sent to it.
#[utoipa::path(
    delete, path = "/webhooks/{webhook}",
    params(("webhook" = String, Path, description = "What it is found by")),
    responses((status = 200, body = WebhookNamed))
)]
pub(super) async fn remove_webhook(
    State(app): State<SharedApp>,
    Path(webhook): Path<String>,
) -> ApiResult<WebhookNamed> {
    blocking(move || {
        app.hooks.remove(&webhook)?;
        Ok(WebhookNamed { webhook })
    })
    .await
    .map(Json)
}

/// Sends something at once, to see whether it arrives, and says what came of it: it is not tried again.
#[utoipa::path(
    post, path = "/webhooks/{webhook}/test",
    params(("webhook" = String, Path, description = "What it is found by")),
    responses((status = 200, body = WebhookDelivery))
)]
pub(super) async fn test_webhook(
    State(app): State<SharedApp>,
    Path(webhook): Path<String>,
) -> ApiResult<WebhookDelivery> {
    blocking(move || app.hooks.test(&webhook)).await.map(Json)
}

/// What was sent to a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeliveryList {
    /// Its deliveries, the newest first; of all webhooks the last 500 are kept.
    items: Vec<WebhookDelivery>,
    /// Always null: there is one page.
    next: Option<String>,
}

/// What was sent to a webhook, how often it was tried, and what came of it.
#[utoipa::path(
    get, path = "/webhooks/{webhook}/deliveries",
    params(("webhook" = String, Path, description = "What it is found by")),
    responses((status = 200, body = DeliveryList))
)]
pub(super) async fn get_deliveries(
    State(app): State<SharedApp>,
    Path(webhook): Path<String>,
) -> ApiResult<DeliveryList> {
    let items = app.hooks.deliveries(&webhook)?;
    Ok(Json(DeliveryList { items, next: None }))
}
