//! What all routes share.

use std::sync::Arc;

use axum::http::StatusCode;
use plimsoll_store::Run;
use plimsoll_text::Message;
use tokio::sync::Semaphore;

use crate::desk::{OrderFate, RunDesk};
use crate::hooks::WebhookDesk;
use crate::library::Library;
use crate::live::LiveHub;
use crate::machines::MachineBook;
use crate::monitor::MonitorDesk;
use crate::problem::ApiError;
use crate::schedules::ScheduleBook;
use crate::shared::AccessPolicy;

/// The workbench as its routes see it.
pub(crate) struct App {
    /// The program's version.
    pub version: String,
    /// The runs there are.
    pub library: Library,
    /// The runs that this process makes.
    pub desk: Arc<RunDesk>,
    /// The runs that somebody watches.
    pub live: LiveHub,
    /// So many runs are taken in at a time.
    pub imports: Semaphore,
    /// The workers that are known.
    pub machines: Arc<MachineBook>,
    /// The target without load.
    pub monitor: Arc<MonitorDesk>,
    /// Who hears of runs.
    pub hooks: Arc<WebhookDesk>,
    /// Runs at set times.
    pub schedules: ScheduleBook,
    /// Who may come in.
    pub policy: AccessPolicy,
}

/// Runs that are taken in at a time: each has a disk to itself.
pub(crate) const IMPORTS: usize = 2;

impl App {
    /// A run by its name, or by its ticket once it has begun.
    ///
    /// # Errors
    /// No such run, one that waits or was never made, or one that cannot be read.
    pub fn open(&self, id: &str) -> Result<Run, ApiError> {
        match self.desk.fate(id) {
            None => self.library.open(id),
            Some(OrderFate::Begun(name)) => self.library.open(&name),
            Some(OrderFate::Failed(message)) => {
                Err(ApiError::new(StatusCode::CONFLICT, "not-made", message))
            }
            Some(OrderFate::Waits) => {
                let message = Message::new("server-run-waits").with("run", id);
                Err(ApiError::new(StatusCode::CONFLICT, "waits", message))
            }
        }
    }
}

/// What handlers are given.
pub(crate) type SharedApp = Arc<App>;
