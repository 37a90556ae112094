//! `plimsoll captures`: what was captured during a run, listed or written out, or taken now.

use std::time::{Duration, Instant};

use plimsoll_report::{ReportOptions, event_text, exporter};
use plimsoll_run::reasons::file_failed;
use plimsoll_run::runs;
use plimsoll_run::watching::requests::{self, PlacedRequest};
use plimsoll_store::{Run, RunState, StoredCapture, StoredEvent};
use plimsoll_text::{Lang, Message};
use plimsoll_watch::Moment;
use plimsoll_watch::capture::known_kind;

use crate::args::CapturesArgs;
use crate::say::out_bytes;
use crate::tell::{BAD_USE, fail, say};

/// Exit code when nothing could be taken.
const NOTHING_TAKEN: u8 = 3;
/// A run looks for requests each second; one that did not by then does not.
const UNHEARD: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(100);

/// Runs `plimsoll captures`; gives the exit code.
#[must_use]
pub fn run(args: &CapturesArgs, lang: Lang) -> u8 {
    let done = match &args.take {
        Some(kind) => take(args, known_kind(kind), lang),
        None => captures(args, lang).map(|()| 0),
    };
    done.unwrap_or_else(|message| fail(&message, lang, BAD_USE))
}

fn open(args: &CapturesArgs) -> Result<Run, Message> {
    runs::open(&args.runs.out, &args.run)
}

/// Has a run that goes on take captures, waits until they are stored, and lists them.
fn take(args: &CapturesArgs, kind: Option<&'static str>, lang: Lang) -> Result<u8, Message> {
    let run = open(args)?;
    let of_run = |id: &str| Message::new(id).with("run", run.id());
    if run.state().map_err(|error| error.message())? != RunState::Running {
        return Err(of_run("captures-not-running"));
    }
    let (events_before, before) = (events(&run)?.len(), all(&run)?.len());
    let asked = requests::ask(run.dir(), kind).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => of_run("captures-asked-already"),
        _ => file_failed(run.dir(), &error),
    })?;
    if let Some(id) = wait(&run, &asked)? {
        asked.withdraw();
        return Err(of_run(id));
    }
    // What could not be taken says why.
    let said = events(&run)?.split_off(events_before);
    for event in said.iter().filter(|e| e.kind == "watch-source-fails") {
        crate::say::err(&event_text(event, lang));
    }
    let mut taken = all(&run)?.split_off(before);
    taken.retain(|capture| capture.record.moment == Moment::Request.name());
    for capture in &taken {
        say(&line(capture), lang);
    }
    if taken.is_empty() {
        let message = of_run("captures-nothing-taken");
        return Ok(fail(&message, lang, NOTHING_TAKEN));
    }
    Ok(0)
}

fn events(run: &Run) -> Result<Vec<StoredEvent>, Message> {
    run.events().map_err(|error| error.message())
}

fn all(run: &Run) -> Result<Vec<StoredCapture>, Message> {
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

fn line(capture: &StoredCapture) -> Message {
    let record = &capture.record;
    Message::new("captures-taken")
        .with("number", capture.number)
        .with("kind", record.kind.as_str())
        .with("entity", plimsoll_report::entity(&record.entity))
        .with("bytes", capture.length)
        .with("ms", record.took_ns / 1_000_000)
}

fn captures(args: &CapturesArgs, lang: Lang) -> Result<(), Message> {
    let run = open(args)?;
    let Some(number) = args.number else {
        let mut text = Vec::new();
        exporter("target")?
            .export(&run, &ReportOptions { lang }, &mut text)
            .map_err(|error| error.message("-"))?;
        out_bytes(&text);
        return Ok(());
    };
    let bytes = run.capture_bytes(number).map_err(|error| error.message())?;
    let bytes = bytes.ok_or_else(|| {
        let known = run.captures().unwrap_or_default();
        let known: Vec<String> = known.iter().map(|c| c.number.to_string()).collect();
        Message::new("captures-none")
            .with("number", number)
            .with("run", run.id())
            .with("known", known.join(", "))
    })?;
    match &args.output {
        None => crate::say::out_foreign(&bytes),
        Some(path) => {
            std::fs::write(path, bytes).map_err(|error| file_failed(path, &error))?;
            let written = Message::new("run-written").with("path", path.display().to_string());
            say(&written, lang);
        }
    }
    Ok(())
}
