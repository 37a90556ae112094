//! What this machine can do.

use axum::Json;
use axum::extract::State;
use plimsoll_load::monitor::Allowance;
use plimsoll_run::{calibration, environment};
use plimsoll_text::Message;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::problem::ApiError;
use crate::respond::ApiResult;

/// What `plimsoll calibrate` has measured on this machine with this version.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CalibrationList {
    /// The ceilings of this load generator, as they are kept.
    #[schema(value_type = Vec<Object>)]
    items: Vec<Value>,
    /// Always null: there is one page.
    next: Option<String>,
}

/// What this machine can do as a load generator, as it was calibrated.
#[utoipa::path(get, path = "/calibrations", responses((status = 200, body = CalibrationList)))]
pub(super) async fn get_calibrations(State(_): State<SharedApp>) -> ApiResult<CalibrationList> {
    blocking(move || {
        let own = environment::environment(&Allowance::read());
        let items = calibration::known(&own)
            .iter()
            .map(serde_json::to_value)
            .collect::<Result<Vec<Value>, _>>();
        Ok(CalibrationList {
            items: items.map_err(|_| ApiError::internal(Message::new("server-internal")))?,
            next: None,
        })
    })
    .await
    .map(Json)
}
