//! What is set, and what was done.

use axum::Json;
use axum::extract::{Query, State};
use plimsoll_text::Lang;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::{App, SharedApp};
use crate::blocking::blocking;
use crate::language::speak;
use crate::limit::PageLimit;
use crate::problem::ApiError;
use crate::respond::ApiResult;
use crate::shared::{AuditEntry, AuditPlace, Retention, RunLimits, SettingsChange};

/// What is set, and what the command line allows.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SettingsNow {
    /// The language of texts unless a caller says his own: `en` or `zh`; null: English.
    language: Option<String>,
    /// How long things are kept.
    retention: Retention,
    /// Who hears of each run while it goes on.
    outputs: Vec<String>,
    /// The hosts that were set; null: what the command line says.
    hosts: Option<Vec<String>>,
    /// The hosts that may be loaded now; null: any.
    hosts_now: Option<Vec<String>>,
    /// What a run may be at most.
    limits: RunLimits,
    /// What is watched without load.
    monitor: Vec<String>,
    /// What the command line allows: `tune`, `scripts`, `files`, `processes`.
    allows: Vec<String>,
}

fn settings_now(app: &App) -> SettingsNow {
    let set = app.policy.settings.now();
    let masked = |texts: Vec<String>| {
        let texts = texts
            .iter()
            .map(|text| plimsoll_secrets::text(text).into_owned());
        texts.collect()
    };
    SettingsNow {
        language: set.language,
        retention: set.retention,
        outputs: masked(set.outputs),
        hosts: set.hosts,
        hosts_now: app.policy.hosts(),
        limits: set.limits,
        monitor: masked(set.monitor),
        allows: app.policy.allowed_names(),
    }
}

/// What is set. Secrets in addresses are not shown.
#[utoipa::path(get, path = "/settings", responses((status = 200, body = SettingsNow)))]
pub(super) async fn get_settings(State(app): State<SharedApp>) -> ApiResult<SettingsNow> {
    Ok(Json(settings_now(&app)))
}

/// Sets what is named; the rest stays. Runs that go on keep what they began with.
#[utoipa::path(
    patch, path = "/settings",
    request_body = SettingsChange,
    responses((status = 200, body = SettingsNow))
)]
pub(super) async fn change_settings(
    State(app): State<SharedApp>,
    Json(change): Json<SettingsChange>,
) -> ApiResult<SettingsNow> {
    blocking(move || {
        let set = app.policy.settings.change(change)?;
        app.monitor.watch(&set.monitor).map_err(ApiError::bad)?;
        speak(set.language.as_deref().and_then(Lang::parse));
        Ok(settings_now(&app))
    })
    .await
    .map(Json)
}

/// Which entries are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct AuditQuery {
    /// So many at most; 1 to 500, by default 100.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// A page of what was done, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AuditPage {
    /// The entries.
    items: Vec<AuditEntry>,
    /// The cursor of the next page; null: there is none.
    next: Option<String>,
}

/// Who did what: each change that was asked for, done or not.
#[utoipa::path(get, path = "/audit", params(AuditQuery), responses((status = 200, body = AuditPage)))]
pub(super) async fn get_audit(
    State(app): State<SharedApp>,
    Query(query): Query<AuditQuery>,
) -> ApiResult<AuditPage> {
    let limit = PageLimit::AUDIT.of(query.limit)?;
    let place = query.cursor.map(|cursor| cursor.parse::<AuditPlace>());
    let before = place.transpose().map_err(|()| PageLimit::AUDIT.refused())?;
    blocking(move || {
        let page = app.policy.audit.page(before.as_ref(), limit);
        let (items, next) = page.map_err(|error| ApiError::cannot_keep(&error))?;
        Ok(AuditPage {
            items,
            next: next.map(|next| next.to_string()),
        })
    })
    .await
    .map(Json)
}
