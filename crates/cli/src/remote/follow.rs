//! A run on a workbench, as one here is told.

use std::io::{BufRead as _, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plimsoll_server::client::{RemoteError, ServerLink};
use plimsoll_text::{Lang, Message, render};
use serde_json::{Value, json};

use crate::interrupt::INTERRUPTED;
use crate::live::RemoteLine;

/// A connection that is lost is made again after so long, so often.
const AGAIN: Duration = Duration::from_secs(1);
const TIMES: u32 = 30;
/// How often it is looked whether a run that waits has begun, or somebody interrupts.
const LOOK: Duration = Duration::from_millis(300);
/// An event is no longer than that.
const MOST_EVENT: u64 = 4 << 20;

/// Follows a run to its end; ends it there when somebody interrupts here, first gracefully, then at once, and
/// the third time leaves it alone.
///
/// # Errors
/// A server that is lost, a run that could not be made.
pub fn follow(
    link: &Arc<ServerLink>,
    created: &Value,
    (quiet, lang): (bool, Lang),
) -> Result<String, Message> {
    let ticket = created["id"].as_str().unwrap_or_default().to_owned();
    let interrupts = heard(Arc::clone(link), ticket.clone(), lang);
    if created["state"] == "queued" {
        let message = Message::new("remote-waits").with("run", ticket.as_str());
        crate::say::err(&render(lang, &message));
    }
    let run = begun(link, &ticket, &interrupts)?;
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

/// What Ctrl-C does to the run there.
fn heard(link: Arc<ServerLink>, run: String, lang: Lang) -> Arc<AtomicU32> {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let handler = move || {
        let how = match counted.fetch_add(1, Ordering::Relaxed) {
            0 => "graceful",
            1 => "at_once",
            _ => std::process::exit(INTERRUPTED.into()),
        };
        let path = format!("/runs/{run}/stop");
        if let Err(error) = link.call("POST", &path, Some(&json!({"how": how}))) {
            crate::say::err(&render(lang, &error.message()));
        }
    };
    // Refused only when another handler is there, which nobody installs.
    let _ = ctrlc::set_handler(handler);
    count
}

/// Waits until a run has begun; gives its name.
fn begun(link: &ServerLink, ticket: &str, interrupts: &AtomicU32) -> Result<String, Message> {
    let path = format!("/runs/{ticket}");
    loop {
        match link.json("GET", &path, None) {
            Ok(run) => return Ok(run["run"].as_str().unwrap_or(ticket).to_owned()),
            // It waits; one that was withdrawn is not there any more.
            Err(RemoteError::Refused { kind, .. })
                if kind == "/problems/waits" && interrupts.load(Ordering::Relaxed) == 0 => {}
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
