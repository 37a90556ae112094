//! What shows values where it is asked: a command, an address.

use std::path::Path;
use std::time::{Duration, Instant};

use plimsoll_plan::model::Text;
use plimsoll_run::Interrupt;
use plimsoll_watch::Spec;
use serde_json::Value;

use super::addresses::{host_and_port, url};
use super::commands::{CommandEnd, run_unless};
use super::fetch::{accepts, fetch_unless};

/// An answer is waited for so long.
pub(super) const QUESTION: Duration = Duration::from_secs(20);
/// How often an address is asked: as many workers as show a value may differ.
const QUESTIONS: usize = 5;
const ACTUATOR_WITHIN: Duration = Duration::from_secs(10);
const LOOKS_EVERY: Duration = Duration::from_millis(100);

/// A service that has just begun to serve opens the port of its actuator last.
pub(super) fn await_actuators(sources: &[Spec]) {
    let until = Instant::now() + ACTUATOR_WITHIN;
    for spec in sources.iter().filter(|spec| spec.source == "actuator") {
        let address = host_and_port(&spec.address);
        while !accepts(address, QUESTION) && Instant::now() < until {
            std::thread::sleep(LOOKS_EVERY);
        }
    }
}

/// What a command prints, or why it cannot be told.
pub(super) fn of_command(
    command: &str,
    folder: &Path,
    interrupt: &Interrupt,
) -> Result<String, String> {
    match run_unless(command, folder, QUESTION, interrupt) {
        CommandEnd::Done(said) => Ok(said.trim().to_owned()),
        other => Err(other.failure().unwrap_or_default()),
    }
}

/// What an address shows, asked several times: behind one address there may be several workers, of which each must have
/// the value. All of it takes no longer than one answer may.
pub(super) fn of_all_behind(
    address: &str,
    pointer: Option<&Text>,
    interrupt: &Interrupt,
) -> Result<String, String> {
    let pointer = pointer.map(|it| it.raw.as_str());
    let until = Instant::now() + QUESTION;
    let ask = || {
        let left = until.saturating_duration_since(Instant::now());
        of_http(address, pointer, left, interrupt)
    };
    let first = ask()?;
    for _ in 1..QUESTIONS {
        let next = match ask() {
            // It has answered once.
            Err(_) if Instant::now() >= until || interrupt.is_hit() => break,
            next => next?,
        };
        if next != first {
            return Ok(format!("{first}, {next}"));
        }
    }
    Ok(first)
}

fn of_http(
    address: &str,
    pointer: Option<&str>,
    within: Duration,
    interrupt: &Interrupt,
) -> Result<String, String> {
    let url = url(address).ok_or_else(|| address.to_owned())?;
    let response = fetch_unless(&url, within, interrupt).map_err(|error| error.to_string())?;
    if response.status >= 400 {
        return Err(response.status.to_string());
    }
    let Some(pointer) = pointer else {
        return Ok(response.body.trim().to_owned());
    };
    let json: Value = serde_json::from_str(&response.body).map_err(|error| error.to_string())?;
    match json.pointer(pointer) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Null) | None => Err(String::new()),
        Some(other) => Ok(other.to_string()),
    }
}
