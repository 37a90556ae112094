//! What people say of a run: a file beside it, so that it goes where the run goes.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The file in a run's folder.
const FILE: &str = "notes.json";
/// A longer file is not ours.
const MOST_BYTES: u64 = 1 << 20;

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
