//! Who is there: the workers that respond on a link, and whether a run can use them.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_fleet::controller::clocks::{ClockFix, measure};
use plimsoll_fleet::controller::{Desk, discover};
use plimsoll_fleet::wire::control::worker_subject;
use plimsoll_fleet::wire::{Announce, WorkerState};
use plimsoll_text::Message;
use serde::Serialize;

use super::{connect, desk, nats_options, runtime, to_unix_ns, token};
use crate::NatsSettings;

/// A clock known less well than this is worth a word.
const CLOCK_NS: u64 = 50_000_000;
/// Workers respond within this, or are not there; and to a question about their clocks.
const FOUND_WITHIN: Duration = Duration::from_millis(1500);
const CLOCK_WITHIN: Duration = Duration::from_secs(3);

/// Whether a run can use a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerHealth {
    /// It can.
    Healthy,
    /// It does not respond to questions about its clock.
    Silent,
    /// Its clock is not known well.
    ClockOff,
    /// It is of another version.
    OtherVersion,
    /// Another has the same name.
    Twin,
}

/// A worker that responded.
#[derive(Debug, Clone, Serialize)]
pub struct WorkerPresent {
    /// Its name.
    pub name: String,
    /// Its host's name, as it says.
    pub host: String,
    /// What it does.
    pub state: WorkerState,
    /// The token of the run it works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// CPUs it may use.
    pub cores: f64,
    /// Memory it may use, bytes; 0: unknown.
    pub memory_bytes: u64,
    /// Version of its program.
    pub version: String,
    /// Labels it was given.
    pub labels: BTreeMap<String, String>,
    /// What it allows beyond requests.
    pub allows: Vec<String>,
    /// What its clock is ahead of this one, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<f64>,
    /// How well that is known, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_error_ms: Option<f64>,
    /// Whether a run can use it.
    pub health: WorkerHealth,
}

/// The workers of a NATS server. Takes some seconds. Before, `warn` hears if the connection need not be encrypted.
///
/// # Errors
/// It cannot be reached.
pub fn present(
    settings: &NatsSettings,
    name: &str,
    warn: &dyn Fn(Option<&Message>),
) -> Result<Vec<WorkerPresent>, Message> {
    let runtime = runtime()?;
    let (options, warning) = nats_options(settings, name)?;
    warn(warning.as_ref());
    let desk = desk(connect(&runtime, &options)?);
    runtime.block_on(async {
        let found = discover(&*desk.link, &token(), FOUND_WITHIN).await;
        let found = found.map_err(|error| error.message())?;
        let mut workers = Vec::new();
        for one in &found {
            let clock = clock(&desk, one).await;
            workers.push(worker(one, clock, &found));
        }
        Ok(workers)
    })
}

async fn clock(desk: &Desk, of: &Announce) -> Option<ClockFix> {
    let subject = worker_subject(&of.name, &of.instance);
    let fix = measure(desk, &subject, 8, to_unix_ns());
    let fix = tokio::time::timeout(CLOCK_WITHIN, fix).await;
    fix.ok()?.ok()
}

fn worker(of: &Announce, clock: Option<ClockFix>, all: &[Announce]) -> WorkerPresent {
    let twins = all.iter().filter(|other| other.name == of.name).count();
    let health = match clock {
        _ if twins > 1 => WorkerHealth::Twin,
        _ if of.version != env!("CARGO_PKG_VERSION") => WorkerHealth::OtherVersion,
        None => WorkerHealth::Silent,
        Some(clock) if clock.error_ns > CLOCK_NS => WorkerHealth::ClockOff,
        Some(_) => WorkerHealth::Healthy,
    };
    #[expect(clippy::cast_precision_loss)]
    let ms = |ns: i64| (ns as f64 / 1e3).round() / 1e3;
    WorkerPresent {
        name: of.name.clone(),
        host: of.host.clone(),
        state: of.state,
        run: of.run.clone(),
        cores: of.cores,
        memory_bytes: of.memory_bytes,
        version: of.version.clone(),
        labels: of.labels.clone(),
        allows: of.allows.clone(),
        clock_offset_ms: clock.map(|clock| ms(clock.wall_ns)),
        clock_error_ms: clock.map(|clock| ms(i64::try_from(clock.error_ns).unwrap_or(i64::MAX))),
        health,
    }
}
