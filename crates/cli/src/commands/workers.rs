//! `plimsoll workers`: who is there.

use plimsoll_fleet::wire::WorkerState;
use plimsoll_run::fleet::present::{WorkerHealth, WorkerPresent, present};
use plimsoll_text::{Align, Lang, Message, Table, render};
use serde::Serialize;

use crate::args::WorkersArgs;
use crate::tell::{BAD_USE, fail, say, tell_warning};

/// Version of the JSON (`schema/workers.schema.json`); it rises when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// Workers as programs see them.
#[derive(Debug, Serialize)]
struct Workers {
    schema_version: u32,
    workers: Vec<WorkerPresent>,
}

/// Runs `plimsoll workers`; gives the exit code.
#[must_use]
pub fn run(args: &WorkersArgs, lang: Lang) -> u8 {
    let warn = |warning: Option<&Message>| tell_warning(warning, lang);
    let workers = match present(&(&args.nats).into(), "plimsoll workers", &warn) {
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

fn table(workers: &[WorkerPresent], lang: Lang) -> String {
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

fn health(worker: &WorkerPresent) -> Message {
    let error_ms = format!("{:.1}", worker.clock_error_ms.unwrap_or_default());
    match worker.health {
        WorkerHealth::Healthy => Message::new("workers-healthy"),
        WorkerHealth::Silent => Message::new("workers-silent"),
        WorkerHealth::ClockOff => Message::new("workers-clock-off").with("error_ms", error_ms),
        WorkerHealth::OtherVersion => Message::new("workers-other-version"),
        WorkerHealth::Twin => Message::new("workers-twin"),
    }
}
