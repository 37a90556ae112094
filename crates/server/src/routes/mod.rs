//! The API, route by route, and its OpenAPI document, which is made of them.

mod bundle;
mod capture;
mod compare;
mod control;
mod evidence;
mod follow;
mod forms;
mod list;
mod live;
mod machines;
mod measurements;
mod meta;
mod monitor;
mod people;
mod result;
mod schedules;
mod series;
mod session;
mod settings;
mod studies;
mod told;
mod trash;
mod webhooks;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use axum::routing::get;
use axum::{Router, middleware};
use plimsoll_plan::limits::PLAN_BYTES;
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::SharedApp;
use crate::connections::paced;
use crate::desk::MOST_FILE_BYTES;
use crate::guard::{AllowedHosts, guarded, sealed};
use crate::page::page;
use crate::problem::{ProblemDetails, in_words};
use crate::respond::BASE;
use crate::shared::{authorised, needed};

/// What the document says of the API as a whole.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Plimsoll workbench",
        description = "Runs over HTTP. Lists come in pages: `next` is the cursor of the next one. Errors are problem details (RFC 9457). Texts are in the language of `?lang=` or `Accept-Language` (en, zh).",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    components(schemas(ProblemDetails))
)]
struct WorkbenchApi;

fn routes() -> OpenApiRouter<SharedApp> {
    OpenApiRouter::with_openapi(WorkbenchApi::openapi())
        .routes(routes!(meta::meta))
        .routes(routes!(list::list_runs, control::create_run))
        .routes(routes!(
            result::get_run,
            result::patch_run,
            trash::delete_run
        ))
        .routes(routes!(trash::restore_run))
        .routes(routes!(trash::get_trash))
        .routes(routes!(bundle::export_run))
        .routes(routes!(bundle::import_run))
        .routes(routes!(compare::get_comparison))
        .routes(routes!(compare::get_trend))
        .routes(routes!(result::get_labels))
        .routes(routes!(result::get_curve))
        .routes(routes!(result::get_errors))
        .routes(routes!(result::get_findings))
        .routes(routes!(result::get_events))
        .routes(routes!(result::get_plan))
        .routes(routes!(series::get_series))
        .routes(routes!(series::get_series_names))
        .routes(routes!(series::get_heatmap))
        .routes(routes!(series::get_distribution))
        .routes(routes!(evidence::get_captures))
        .routes(routes!(evidence::get_capture))
        .routes(routes!(evidence::get_capture_file))
        .routes(routes!(evidence::get_threads))
        .routes(routes!(evidence::get_flame))
        .routes(routes!(evidence::get_classes))
        .routes(routes!(evidence::get_statements))
        .routes(routes!(evidence::get_facts))
        .routes(routes!(evidence::get_findings_evidence))
        .routes(routes!(evidence::get_finding_study))
        .routes(routes!(live::get_live))
        .routes(routes!(control::stop_run))
        .routes(routes!(control::extend_run))
        .routes(routes!(control::get_load, control::change_load))
        .routes(routes!(capture::take_capture))
        .merge(shared_routes())
        .merge(undertaking_routes())
}

/// Who calls, and what is set.
fn shared_routes() -> OpenApiRouter<SharedApp> {
    OpenApiRouter::new()
        .routes(routes!(
            session::get_session,
            session::log_in,
            session::log_out
        ))
        .routes(routes!(session::add_first_user))
        .routes(routes!(session::change_password))
        .routes(routes!(people::get_users, people::add_user))
        .routes(routes!(people::change_user, people::remove_user))
        .routes(routes!(people::get_tokens, people::add_token))
        .routes(routes!(people::remove_token))
        .routes(routes!(settings::get_settings, settings::change_settings))
        .routes(routes!(settings::get_audit))
}

/// Several runs as one undertaking, and the target without load.
fn undertaking_routes() -> OpenApiRouter<SharedApp> {
    OpenApiRouter::new()
        .routes(routes!(told::get_text))
        .routes(routes!(
            measurements::list_measurements,
            measurements::create_measurement
        ))
        .routes(routes!(measurements::get_measurement))
        .routes(routes!(measurements::stop_measurement))
        .routes(routes!(measurements::watch_measurement))
        .routes(routes!(
            schedules::list_schedules,
            schedules::create_schedule
        ))
        .routes(routes!(
            schedules::get_schedule,
            schedules::change_schedule,
            schedules::remove_schedule
        ))
        .routes(routes!(schedules::run_schedule))
        .routes(routes!(webhooks::list_webhooks, webhooks::create_webhook))
        .routes(routes!(webhooks::change_webhook, webhooks::remove_webhook))
        .routes(routes!(webhooks::test_webhook))
        .routes(routes!(webhooks::get_deliveries))
        .routes(routes!(studies::list_studies, studies::create_study))
        .routes(routes!(studies::get_study))
        .routes(routes!(studies::stop_study))
        .routes(routes!(studies::restore_study))
        .routes(routes!(studies::watch_study))
        .routes(routes!(monitor::get_monitor))
        .routes(routes!(monitor::get_monitor_names))
        .routes(routes!(monitor::get_monitor_series))
        .routes(routes!(monitor::watch_monitor))
        .routes(routes!(machines::get_calibrations))
        .routes(routes!(machines::get_machines))
}

/// Schemas that the document takes over as they are.
const SCHEMAS: [(&str, &str); 4] = [
    (
        "Comparison",
        include_str!("../../../../schema/comparison.schema.json"),
    ),
    (
        "Curve",
        include_str!("../../../../schema/curve.schema.json"),
    ),
    (
        "Summary",
        include_str!("../../../../schema/summary.schema.json"),
    ),
    (
        "Diagnosis",
        include_str!("../../../../schema/diagnosis.schema.json"),
    ),
];

/// The API's OpenAPI document (3.1), made of the code.
#[must_use]
pub fn openapi() -> Value {
    let (_, api) = routes().split_for_parts();
    let mut document = serde_json::to_value(api).unwrap_or_default();
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    for (name, text) in SCHEMAS {
        let mut schema: Value = serde_json::from_str(text).unwrap_or_default();
        rebase(&mut schema, name);
        document["components"]["schemas"][name] = schema;
    }
    let Some(paths) = document["paths"].as_object_mut() else {
        return document;
    };
    let below = std::mem::take(paths);
    for (path, mut item) in below {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if operation["responses"].is_object() {
                operation["responses"]["default"] = problem_response();
                operation["x-role"] = needed(&method.to_uppercase(), &path).name().into();
            }
        }
        paths.insert(format!("{BASE}{path}"), item);
    }
    document
}

/// A schema that stands in the document: its references to itself lead there.
fn rebase(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(fields) => {
            // Its own name would make it a document of its own.
            fields.retain(|key, value| {
                !(["$id", "$schema"].contains(&key.as_str()) && value.is_string())
            });
            for (key, value) in fields {
                match value.as_str().and_then(|text| text.strip_prefix("#/")) {
                    Some(place) if key == "$ref" => {
                        *value = format!("#/components/schemas/{name}/{place}").into();
                    }
                    _ => rebase(value, name),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rebase(value, name)),
        _ => {}
    }
}

/// What every route may say in place of what was asked for.
fn problem_response() -> Value {
    json!({
        "description": "What went wrong: problem details (RFC 9457)",
        "content": {
            "application/problem+json": {
                "schema": {"$ref": "#/components/schemas/ProblemDetails"}
            }
        }
    })
}

/// All that is served.
pub(crate) fn router(app: SharedApp, hosts: Arc<AllowedHosts>) -> Router {
    let (api, _) = routes().split_for_parts();
    let document = serde_json::to_string(&openapi()).unwrap_or_default();
    let document: &'static str = document.leak();
    let openapi =
        move || async move { ([(CONTENT_TYPE, "application/json")], document).into_response() };
    let api = api.route("/openapi.json", get(openapi));
    let authorised = middleware::from_fn_with_state(Arc::clone(&app), authorised);
    // Files of plans come in base64.
    let most = PLAN_BYTES + MOST_FILE_BYTES / 3 * 4 + (1 << 20);
    Router::new()
        .nest(BASE, api.route_layer(authorised))
        .fallback(page)
        .layer(DefaultBodyLimit::max(most))
        .layer(middleware::from_fn_with_state(hosts, guarded))
        .layer(middleware::from_fn(paced))
        .layer(middleware::from_fn(in_words))
        .layer(middleware::from_fn(sealed))
        .with_state(app)
}
