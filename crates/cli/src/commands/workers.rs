//! `plimsoll workers`: who is there.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_fleet::controller::clocks::{ClockFix, measure};
use plimsoll_fleet::controller::{Desk, discover};
use plimsoll_fleet::wire::control::worker_subject;
use plimsoll_fleet::wire::{Announce, WorkerState};
use plimsoll_run::fleet::{connect, desk, nats_options, runtime, to_unix_ns, token};
use plimsoll_text::{Align, Lang, Message, Table, render};
use serde::Serialize;

use crate::args::WorkersArgs;
use crate::tell::{BAD_USE, fail, say, tell_warning};

/// Version of the JSON (`schema/workers.schema.json`); it rises when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// A clock known less well than this is worth a word.
const CLOCK_NS: u64 = 50_000_000;

/// Workers as programs see them.
#[derive(Debug, Serialize)]
struct Workers {
    schema_version: u32,
    workers: Vec<WorkerShown>,
}

/// One worker.
#[derive(Debug, Serialize)]
struct WorkerShown {
    name: String,
    host: String,
    state: WorkerState,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    cores: f64,
    memory_bytes: u64,
    version: String,
    labels: BTreeMap<String, String>,
    allows: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_offset_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_error_ms: Option<f64>,
    health: Health,
}

/// Whether a run can use a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Health {
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

/// Runs `plimsoll workers`; gives the exit code.
#[must_use]
pub fn run(args: &WorkersArgs, lang: Lang) -> u8 {
    let workers = match look(args, lang) {
        Ok(workers) => workers,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    if args.json {
        let all = Workers {
            schema_version: SCHEMA_VERSION,
            workers,
        };
        // Plain data always becomes JSON.
        let json = serde_json::to_string_pretty(&all).unwrap_or_default();
        crate::say::out(&format!("{json}\n"));
    } else if workers.is_empty() {
        say(&Message::new("workers-none"), lang);
    } else {
        crate::say::out(&table(&workers, lang));
    }
    0
}

fn look(args: &WorkersArgs, lang: Lang) -> Result<Vec<WorkerShown>, Message> {
    let runtime = runtime()?;
    let (options, warning) = nats_options(&(&args.nats).into(), "plimsoll workers")?;
    tell_warning(warning.as_ref(), lang);
    let desk = desk(connect(&runtime, &options)?);
    runtime.block_on(async {
        let wait = Duration::from_millis(1500);
        let found = discover(&*desk.link, &token(), wait).await;
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
    let fix = tokio::time::timeout(Duration::from_secs(3), fix).await;
    fix.ok()?.ok()
}

fn worker(of: &Announce, clock: Option<ClockFix>, all: &[Announce]) -> WorkerShown {
    let twins = all.iter().filter(|other| other.name == of.name).count();
    let health = match clock {
        _ if twins > 1 => Health::Twin,
        _ if of.version != env!("CARGO_PKG_VERSION") => Health::OtherVersion,
        None => Health::Silent,
        Some(clock) if clock.error_ns > CLOCK_NS => Health::ClockOff,
        Some(_) => Health::Healthy,
    };
    #[expect(clippy::cast_precision_loss)]
    let ms = |ns: i64| (ns as f64 / 1e3).round() / 1e3;
    WorkerShown {
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

fn table(workers: &[WorkerShown], lang: Lang) -> String {
    let text = |id: &str| render(lang, &Message::new(id));
    let columns = [
        ("workers-name", Align::Left),
        ("workers-state", Align::Left),
        ("workers-cores", Align::Right),
        ("workers-version", Align::Left),
        ("workers-clock", Align::Right),
        ("workers-labels", Align::Left),
        ("workers-host", Align::Left),
        ("workers-health", Align::Left),
    ];
    let mut table = Table::new(columns.map(|(id, align)| (text(id), align)).to_vec());
    for worker in workers {
        let state = match worker.state {
            WorkerState::Idle => "workers-idle",
            WorkerState::Busy => "workers-busy",
            WorkerState::Ending => "workers-ending",
        };
        let clock = match (worker.clock_offset_ms, worker.clock_error_ms) {
            (Some(offset), Some(error)) => format!("{offset:+.2} ± {error:.2} ms"),
            _ => "–".to_owned(),
        };
        let labels: Vec<String> = worker
            .labels
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        // What workers say of themselves is shown, not obeyed.
        let told = |text: &str| plimsoll_report::printable(text);
        table.row(vec![
            told(&worker.name),
            text(state),
            format!("{}", worker.cores),
            told(&worker.version),
            clock,
            told(&labels.join(",")),
            told(&worker.host),
            render(lang, &health(worker)),
        ]);
    }
    table.to_text()
}

fn health(worker: &WorkerShown) -> Message {
    let error_ms = format!("{:.1}", worker.clock_error_ms.unwrap_or_default());
    match worker.health {
        Health::Healthy => Message::new("workers-healthy"),
        Health::Silent => Message::new("workers-silent"),
        Health::ClockOff => Message::new("workers-clock-off").with("error_ms", error_ms),
        Health::OtherVersion => Message::new("workers-other-version"),
        Health::Twin => Message::new("workers-twin"),
    }
}
