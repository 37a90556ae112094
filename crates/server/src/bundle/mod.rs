//! A run as one file: a gzipped tar of what a run's folder has, behind a first entry that says which run it is.
//!
//! It is written and read as a stream. What is taken in is anybody's: names that are known, plain files, no more
//! bytes than a run has, and a database that the store holds for one of its own, before anything lies among the
//! runs.

mod fault;
mod pack;
mod pipe;
mod unpack;

pub(crate) use fault::BundleFault;
pub(crate) use pack::RunFiles;
pub(crate) use pipe::{PipeReader, PipeWriter, pipe};
pub(crate) use unpack::{free_name, unpacked};

use serde::{Deserialize, Serialize};

use crate::shared::is_title;

/// The first entry.
const HEAD: &str = "plimsoll-run.json";
/// The form that is written, and the newest that is read.
const FORM: u32 = 1;
/// The files of a run that go with it. A log that a killed process left belongs to its database.
const FILES: [&str; 5] = [
    "plan",
    "run.sqlite",
    "run.sqlite-wal",
    "summary.json",
    "notes.json",
];

/// What the first entry says.
#[derive(Debug, Serialize, Deserialize)]
struct BundleHead {
    /// [`FORM`].
    form: u32,
    /// What the run is called.
    id: String,
}

/// Whether a run may be called so: a folder's name, of letters that one can see.
fn is_name(id: &str) -> bool {
    is_title(id, 200) && id.len() <= 200 && !id.starts_with('.') && !id.contains(['/', '\\'])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
