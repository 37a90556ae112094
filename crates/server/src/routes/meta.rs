//! What this server is.

use axum::Json;
use axum::extract::State;
use plimsoll_text::Lang;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::SharedApp;
use crate::blocking::blocking;
use crate::page;
use crate::respond::ApiResult;
use crate::shared::Caller;

/// The machine that makes the load.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LoadMachine {
    /// Host name.
    host_name: String,
    /// Operating system.
    os: String,
    /// Model of the first processor.
    cpu_model: String,
    /// Processors that this process may use.
    allowed_cpus: f64,
    /// Memory of the host, bytes.
    memory_bytes: u64,
}

/// What this server is, and what its caller may do.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ServerMeta {
    /// Version of the program.
    version: String,
    /// Languages of texts.
    languages: Vec<String>,
    /// What the caller may do: `look`, `run`, `administer`.
    rights: Vec<String>,
    /// What the command line of this server allows beside that: `tune`, `scripts`, `files`, `processes`.
    allows: Vec<String>,
    /// The folder of the runs.
    runs_folder: String,
    /// The run that this server makes now; null: none.
    running: Option<String>,
    /// How many runs wait.
    queued: usize,
    /// Runs that a server before this one had begun and that were cut short, since it was killed.
    cut_short: Vec<String>,
    /// The UI is in this binary.
    has_ui: bool,
    /// The machine that makes the load.
    machine: LoadMachine,
}

/// What this server is, and what its caller may do.
#[utoipa::path(get, path = "/meta", responses((status = 200, body = ServerMeta)))]
pub(super) async fn meta(State(app): State<SharedApp>, caller: Caller) -> ApiResult<ServerMeta> {
    let read = move || {
        let environment =
            plimsoll_run::environment::environment(&plimsoll_load::monitor::Allowance::read());
        Ok(ServerMeta {
            version: app.version.clone(),
            languages: Lang::ALL
                .iter()
                .map(|lang| lang.code().to_owned())
                .collect(),
            rights: caller.own_role().rights(),
            allows: app.policy.allowed_names(),
            runs_folder: app.library.root().display().to_string(),
            running: app.desk.current(),
            queued: app.desk.waiting().len(),
            cut_short: app.desk.cut_short().to_vec(),
            has_ui: page::is_there(),
            machine: LoadMachine {
                host_name: environment.host_name,
                os: environment.os,
                cpu_model: environment.cpu_model,
                allowed_cpus: environment.allowed_cpus,
                memory_bytes: environment.memory_bytes,
            },
        })
    };
    blocking(read).await.map(Json)
}
