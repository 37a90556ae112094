//! Files as they were before a study: kept under a second name beside them, so that bringing one back is one rename,
//! which needs no room on the disk and gives the same bytes, owner, mode and times.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use plimsoll_knobs::MAX_BYTES;

use super::held_folder::{Seen, seen};

/// What stands behind a file's name for its original.
pub const ORIGINAL: &str = ".plimsoll-original";

/// What is said of a pipe or a device.
const NO_FILE: &str = "it is no file";

/// Whether a file could not be read because it is a pipe or a device.
#[must_use]
pub fn is_no_file(error: &io::Error) -> bool {
    error.raw_os_error().is_none() && error.to_string() == NO_FILE
}

/// Where the original of a file is kept: beside it, hidden, and without the end that programs look for.
#[must_use]
pub fn kept_as(path: &Path) -> PathBuf {
    path.with_file_name(hidden(path, ORIGINAL))
}

/// A hidden name that begins as a file's does.
#[must_use]
pub fn hidden(path: &Path, end: &str) -> OsString {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(end);
    name
}

/// The bytes of the original, or of the file itself while none is kept. No link is followed: the path has none.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let found = match seen(&kept_as(path))? {
        Seen::Nothing => seen(path)?,
        kept => kept,
    };
    let content = match found {
        Seen::Nothing => return Err(io::ErrorKind::NotFound.into()),
        // What a pipe or a device gives may never end.
        Seen::Strange { .. } => {
            return Err(match path.is_dir() {
                true => io::ErrorKind::IsADirectory.into(),
                false => io::Error::new(io::ErrorKind::InvalidInput, NO_FILE),
            });
        }
        Seen::Regular(_, content) => content,
    };
    if content.len() > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        let message = format!("it is larger than {most} MiB");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(content)
}
