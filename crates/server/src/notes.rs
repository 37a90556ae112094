//! What people say of a run: a file beside it, so that it goes where the run goes.

use std::io;
use std::path::Path;

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::problem::ApiError;
use crate::shared::{is_hidden_in_text, is_title};

/// The file in a run's folder.
const FILE: &str = "notes.json";
const NOTE_BYTES: usize = 64 << 10;
const TAGS: usize = 50;
const TAG_BYTES: usize = 100;
/// A longer file is not ours.
const MOST_BYTES: u64 = 1 << 20;

/// Tags as they are kept: sorted, each once.
///
/// # Errors
/// Too many, too long, or such that cannot be seen.
pub(crate) fn checked_tags(tags: &[String]) -> Result<Vec<String>, ApiError> {
    let wrong = || {
        let message = Message::new("server-bad-tags");
        ApiError::bad(message.with("most", TAGS).with("bytes", TAG_BYTES))
    };
    if tags.len() > TAGS {
        return Err(wrong());
    }
    let mut tags: Vec<String> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
    tags.sort();
    tags.dedup();
    let is_bad = |tag: &String| tag.len() > TAG_BYTES || !is_title(tag, TAG_BYTES);
    match tags.iter().any(is_bad) {
        true => Err(wrong()),
        false => Ok(tags),
    }
}

/// A note as it is kept.
///
/// # Errors
/// One that is too long, or has characters that cannot be seen.
pub(crate) fn checked_note(note: String) -> Result<String, ApiError> {
    match note.len() > NOTE_BYTES || note.chars().any(is_hidden_in_text) {
        true => Err(ApiError::bad(
            Message::new("server-note-too-long").with("most", NOTE_BYTES),
        )),
        false => Ok(note),
    }
}

/// A note and tags.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunNotes {
    /// A note; plain text.
    pub note: String,
    /// Tags, sorted.
    pub tags: Vec<String>,
}

impl RunNotes {
    /// What is said of the run in a folder; nothing where nobody has said anything, or what is there is
    /// not ours.
    pub fn read(dir: &Path) -> Self {
        let path = dir.join(FILE);
        let short = std::fs::metadata(&path).is_ok_and(|known| known.len() <= MOST_BYTES);
        let bytes = short.then(|| std::fs::read(&path).ok()).flatten();
        bytes
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Keeps it: whole or not at all.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        plimsoll_store::private::replace(&dir.join(FILE), &serde_json::to_vec_pretty(self)?)
    }
}
