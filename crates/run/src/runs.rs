//! Runs by what people call them; `last` never means an older run than the last that was made.

use std::io;
use std::path::{Path, PathBuf};

use plimsoll_stats::Summary;
use plimsoll_store::{Run, RunEntry, StoreError, list, resolve, rfc3339};
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::calibration::state_folder;

/// A file that is longer is not ours.
const MAX_BYTES: u64 = 1 << 16;

/// The last run that could not be stored, as the user's state folder remembers it.
#[derive(Serialize, Deserialize)]
struct Unstored {
    root: PathBuf,
    started_at_unix_ns: u64,
}

/// Remembers a run that has no place below `root`.
pub(crate) fn not_stored(root: &Path, started_at_unix_ns: u64) {
    let unstored = Unstored {
        root: absolute(root),
        started_at_unix_ns,
    };
    // The exit code has said it; more cannot be done where nothing can be written at all.
    let _ = serde_json::to_vec(&unstored)
        .map_err(io::Error::from)
        .and_then(|json| {
            std::fs::create_dir_all(state_folder())?;
            std::fs::write(file(), json)
        });
}

fn file() -> PathBuf {
    state_folder().join("not-stored.json")
}

/// The same folder under one name, also where it does not exist.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// When the last run of this folder was made, if it could not be stored and none came after it.
fn last_is_unstored(root: &Path, runs: &[RunEntry]) -> Option<u64> {
    let known = std::fs::metadata(file()).ok()?;
    if known.len() > MAX_BYTES {
        return None;
    }
    let unstored: Unstored = serde_json::from_slice(&std::fs::read(file()).ok()?).ok()?;
    let at = unstored.started_at_unix_ns;
    let is_last = runs.last().is_none_or(|run| run.began_before(at));
    (unstored.root == absolute(root) && is_last).then_some(at)
}

/// The folder of the run that `spec` means, as [`resolve`] finds it; but `last` is no older run
/// than the last that was made.
///
/// # Errors
/// What a person must be told when no run, or several, or one that was not stored is meant.
pub fn find(root: &Path, spec: &str) -> Result<PathBuf, Message> {
    let found = resolve(root, spec).map_err(|error| error.message());
    if !spec.starts_with("last") {
        return found;
    }
    let runs = list(root).unwrap_or_default();
    match last_is_unstored(root, &runs) {
        None => found,
        Some(at) => Err(Message::new("run-last-not-stored")
            .with("started", rfc3339(at))
            .with("newest", runs.last().map_or("–", |run| run.name.as_str()))),
    }
}

/// [`find`] and open.
///
/// # Errors
/// As [`find`], or when the run cannot be read.
pub fn open(root: &Path, spec: &str) -> Result<Run, Message> {
    let dir = find(root, spec)?;
    Run::open(&dir).map_err(|error: StoreError| error.message())
}

/// A run's summary; made from its seconds when the run goes on or was cut short.
///
/// # Errors
/// When the run cannot be read.
pub fn summary_of(run: &Run) -> Result<Summary, StoreError> {
    match run.summary()? {
        Some(summary) => Ok(summary),
        None => run.rebuild_summary(),
    }
}
