//! `plimsoll captures`: what was captured during a run, listed or written out, or taken now.

use plimsoll_report::{ReportOptions, event_text, exporter};
use plimsoll_run::reasons::file_failed;
use plimsoll_run::runs;
use plimsoll_run::watching::taking;
use plimsoll_store::{Run, StoredCapture};
use plimsoll_text::{Lang, Message};
use plimsoll_watch::capture::known_kind;

use crate::args::CapturesArgs;
use crate::say::out_bytes;
use crate::tell::{BAD_USE, fail, say};

/// Exit code when nothing could be taken.
const NOTHING_TAKEN: u8 = 3;

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
    let taken = taking::take(&run, kind)?;
    // What could not be taken says why.
    for event in &taken.troubles {
        crate::say::err(&event_text(event, lang));
    }
    for capture in &taken.captures {
        say(&line(capture), lang);
    }
    if taken.captures.is_empty() {
        let message = Message::new("captures-nothing-taken").with("run", run.id());
        return Ok(fail(&message, lang, NOTHING_TAKEN));
    }
    Ok(0)
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
