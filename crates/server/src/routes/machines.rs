//! This machine, and those that the server knows: workers and agents.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use plimsoll_load::monitor::Allowance;
use plimsoll_run::{calibration, environment};
use plimsoll_store::Environment;
use plimsoll_text::Message;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::desk::BothTexts;
use crate::machines::WorkerHeard;
use crate::monitor::AgentHeard;
use crate::now::{now_text, text_of};
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
        Ok(CalibrationList {
            items: calibrations(&own)?,
            next: None,
        })
    })
    .await
    .map(Json)
}

fn calibrations(own: &Environment) -> Result<Vec<Value>, ApiError> {
    let known = calibration::known(own);
    let items = known.iter().map(serde_json::to_value);
    let items = items.collect::<Result<Vec<Value>, _>>();
    items.map_err(|_| ApiError::internal(Message::new("server-internal")))
}

/// What a machine is to this server.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum MachineKind {
    /// It is the one that the server runs on, which makes the load.
    Own,
    /// It makes load for runs of many machines.
    Worker,
    /// An agent on it is watched without load.
    Agent,
}

/// A machine that is known.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MachineListed {
    /// What it is to this server.
    kind: MachineKind,
    /// The worker's or the agent's name; of this machine its host's.
    name: String,
    /// The host.
    host: String,
    /// Version of the program there; null: not known.
    version: Option<String>,
    /// Processors that it may use; null: not known.
    cores: Option<f64>,
    /// Memory, bytes; null: not known.
    memory_bytes: Option<u64>,
    /// Model of the first processor; null: not known.
    cpu_model: Option<String>,
    /// What it does: `idle`, `busy`, `ending`, or `gone` if it did not respond the last time; null: not known.
    state: Option<String>,
    /// Whether a run can use a worker: `healthy`, `silent`, `clock_off`, `other_version`, `twin`; null: it is none.
    health: Option<String>,
    /// The run that it works for; null: none.
    run: Option<String>,
    /// Labels of a worker.
    labels: BTreeMap<String, String>,
    /// What its clock is ahead of this machine's, ms; null: not known.
    clock_offset_ms: Option<f64>,
    /// How well that is known, ms; null: not known.
    clock_error_ms: Option<f64>,
    /// When it was heard last, UTC.
    last_heard: String,
    /// What this machine can do as a load generator, as it was calibrated; empty: it was not, or is another.
    #[schema(value_type = Vec<Object>)]
    calibrations: Vec<Value>,
}

/// The machines that are known.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MachineList {
    /// This machine first, then workers and agents.
    items: Vec<MachineListed>,
    /// Always null: there is one page.
    next: Option<String>,
    /// Workers are asked who is there (`plimsoll serve --nats`); else none is known.
    asks_workers: bool,
    /// Why no worker could be asked the last time; null: they could, or are not asked.
    trouble: Option<BothTexts>,
}

/// A value by the name that it has in JSON.
fn name_of(value: &impl Serialize) -> Option<String> {
    let value = serde_json::to_value(value).ok()?;
    value.as_str().map(str::to_owned)
}

fn worker(heard: WorkerHeard) -> MachineListed {
    let said = heard.said;
    MachineListed {
        kind: MachineKind::Worker,
        name: said.name,
        host: said.host,
        version: Some(said.version),
        cores: Some(said.cores),
        memory_bytes: Some(said.memory_bytes).filter(|bytes| *bytes > 0),
        cpu_model: None,
        state: match heard.is_there {
            true => name_of(&said.state),
            false => Some("gone".to_owned()),
        },
        health: name_of(&said.health),
        run: said.run,
        labels: said.labels,
        clock_offset_ms: said.clock_offset_ms,
        clock_error_ms: said.clock_error_ms,
        last_heard: text_of(heard.heard_s),
        calibrations: Vec::new(),
    }
}

fn agent(((name, host), heard): ((String, String), AgentHeard)) -> MachineListed {
    MachineListed {
        kind: MachineKind::Agent,
        name,
        host,
        version: heard.version,
        cores: None,
        memory_bytes: None,
        cpu_model: None,
        state: None,
        health: None,
        run: None,
        labels: BTreeMap::new(),
        clock_offset_ms: heard.clock_offset_s.map(|offset| offset * 1e3),
        clock_error_ms: None,
        last_heard: text_of(heard.heard_s),
        calibrations: Vec::new(),
    }
}

/// This machine, and those that the server knows: workers, if it is told where they are asked for, and agents that are
/// watched without load. Nothing is guessed: who was not heard is not there.
#[utoipa::path(get, path = "/machines", responses((status = 200, body = MachineList)))]
pub(super) async fn get_machines(State(app): State<SharedApp>) -> ApiResult<MachineList> {
    blocking(move || {
        let own = environment::environment(&Allowance::read());
        let calibrations = calibrations(&own)?;
        let this = MachineListed {
            kind: MachineKind::Own,
            name: own.host_name.clone(),
            host: own.host_name,
            version: Some(app.version.clone()),
            cores: Some(own.allowed_cpus),
            memory_bytes: Some(own.memory_bytes),
            cpu_model: Some(own.cpu_model),
            state: Some(match app.desk.is_busy() {
                true => "busy".to_owned(),
                false => "idle".to_owned(),
            }),
            health: None,
            run: app.desk.current(),
            labels: BTreeMap::new(),
            clock_offset_ms: Some(0.0),
            clock_error_ms: Some(0.0),
            last_heard: now_text(),
            calibrations,
        };
        let (workers, trouble) = app.machines.workers();
        let mut items = vec![this];
        items.extend(workers.into_iter().map(worker));
        items.extend(app.monitor.agents().into_iter().map(agent));
        Ok(MachineList {
            items,
            next: None,
            asks_workers: app.machines.asks(),
            trouble: trouble.as_ref().map(BothTexts::of),
        })
    })
    .await
    .map(Json)
}
