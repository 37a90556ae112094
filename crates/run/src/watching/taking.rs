//! Has a run that goes on take captures, whoever makes it, and waits for them.

use std::time::{Duration, Instant};

use plimsoll_store::{Run, RunState, StoredCapture, StoredEvent};
use plimsoll_text::Message;
use plimsoll_watch::Moment;

use super::requests::{self, PlacedRequest};
use crate::reasons::file_failed;

/// A run looks for requests each second; one that did not by then does not.
const UNHEARD: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(100);

/// What came of it.
#[derive(Debug)]
pub struct CapturesTaken {
    /// What was taken.
    pub captures: Vec<StoredCapture>,
    /// Events that say why something could not be taken.
    pub troubles: Vec<StoredEvent>,
}

/// Has captures taken, of one kind or of all that the run may take, and waits until they are stored.
///
/// # Errors
/// The run does not go on, or does not hear; somebody else asks already; the folder may not be written.
pub fn take(run: &Run, kind: Option<&'static str>) -> Result<CapturesTaken, Message> {
    let of_run = |id: &str| Message::new(id).with("run", run.id());
    if run.state().map_err(|error| error.message())? != RunState::Running {
        return Err(of_run("captures-not-running"));
    }
    let (events_before, before) = (events(run)?.len(), captures(run)?.len());
    let asked = requests::ask(run.dir(), kind).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => of_run("captures-asked-already"),
        _ => file_failed(run.dir(), &error),
    })?;
    if let Some(id) = wait(run, &asked)? {
        asked.withdraw();
        return Err(of_run(id));
    }
    let mut troubles = events(run)?.split_off(events_before);
    troubles.retain(|event| event.kind == "watch-source-fails");
    let mut taken = captures(run)?.split_off(before);
    taken.retain(|capture| capture.record.moment == Moment::Request.name());
    Ok(CapturesTaken {
        captures: taken,
        troubles,
    })
}

fn events(run: &Run) -> Result<Vec<StoredEvent>, Message> {
    run.events().map_err(|error| error.message())
}

fn captures(run: &Run) -> Result<Vec<StoredCapture>, Message> {
    run.captures().map_err(|error| error.message())
}

/// Waits for the response; the id of why there is none.
fn wait(run: &Run, asked: &PlacedRequest) -> Result<Option<&'static str>, Message> {
    let began = Instant::now();
    loop {
        // In this order: a run may tell with its last breath.
        let running = run.state().map_err(|error| error.message())? == RunState::Running;
        let mut events = events(run)?.into_iter();
        if events.any(|event| event.args["token"] == asked.token.as_str()) {
            return Ok(None);
        }
        if !running {
            return Ok(Some("captures-run-ended"));
        }
        if began.elapsed() > UNHEARD && asked.is_waiting() {
            return Ok(Some("captures-unheard"));
        }
        std::thread::sleep(TICK);
    }
}
