//! A run on a workbench, as one here is told.

use std::io::{BufRead as _, Read as _};
use std::time::Duration;

use plimsoll_server::client::{RemoteError, ServerLink};
use plimsoll_text::{Lang, Message, render};
use serde_json::Value;

use super::RemoteInterrupts;
use crate::live::RemoteLine;

/// A connection that is lost is made again after so long, so often.
const AGAIN: Duration = Duration::from_secs(1);
const TIMES: u32 = 30;
/// How often it is looked whether a run that waits has begun, or somebody interrupts.
const LOOK: Duration = Duration::from_millis(300);
/// An event is no longer than that.
const MOST_EVENT: u64 = 4 << 20;

/// Follows a run to its end, or to the end that an interruption here gives it.
///
/// # Errors
/// A server that is lost, a run that could not be made.
pub fn follow(
    link: &ServerLink,
    created: &Value,
    interrupts: &RemoteInterrupts,
    (quiet, lang): (bool, Lang),
) -> Result<String, Message> {
    let ticket = created["id"].as_str().unwrap_or_default().to_owned();
    interrupts.are_for(&ticket);
    if created["state"] == "queued" {
        let message = Message::new("remote-waits").with("run", ticket.as_str());
        crate::say::err(&render(lang, &message));
    }
    let run = begun(link, &ticket, interrupts)?;
    let mut line = RemoteLine::new(quiet, lang);
    let mut last: Option<String> = None;
    let mut failures = 0;
    loop {
        match events(link, &run, &mut last, &mut line) {
            Ok(true) => break,
            Ok(false) => failures += 1,
            Err(RemoteError::Lost(message)) => {
                failures += 1;
                if failures > TIMES {
                    return Err(message);
                }
            }
            Err(refused) => return Err(refused.message()),
        }
        if failures > TIMES {
            return Err(Message::new("remote-gone").with("run", run));
        }
        std::thread::sleep(AGAIN);
    }
    line.end();
    Ok(run)
}

/// Waits until a run has begun; gives its name.
fn begun(
    link: &ServerLink,
    ticket: &str,
    interrupts: &RemoteInterrupts,
) -> Result<String, Message> {
    let path = format!("/runs/{ticket}");
    loop {
        match link.json("GET", &path, None) {
            Ok(run) => return Ok(run["run"].as_str().unwrap_or(ticket).to_owned()),
            // It waits; one that was withdrawn is not there any more.
            Err(RemoteError::Refused { kind, .. })
                if kind == "/problems/waits" && !interrupts.any() => {}
            Err(error) => return Err(error.message()),
        }
        std::thread::sleep(LOOK);
    }
}

/// Hears events behind the last one; whether the end was among them.
fn events(
    link: &ServerLink,
    run: &str,
    last: &mut Option<String>,
    line: &mut RemoteLine,
) -> Result<bool, RemoteError> {
    let header = last
        .as_ref()
        .map(|last| format!("Last-Event-ID: {last}\r\n"));
    let path = format!("/runs/{run}/live");
    let mut body = link.send("GET", &path, &header.unwrap_or_default(), None)?;
    let (mut id, mut name) = (None, String::new());
    loop {
        let mut text = String::new();
        // A connection that breaks is made again behind the last event.
        let read = body
            .by_ref()
            .take(MOST_EVENT)
            .read_line(&mut text)
            .unwrap_or(0);
        if read == 0 {
            return Ok(false);
        }
        match text.trim_end().split_once(": ") {
            Some(("id", value)) => id = Some(value.to_owned()),
            Some(("event", value)) => value.clone_into(&mut name),
            Some(("data", value)) => {
                line.hear(&name, &serde_json::from_str(value).unwrap_or_default());
                if name == "end" {
                    return Ok(true);
                }
                *last = id.take().or(last.take());
            }
            _ => {}
        }
    }
}
