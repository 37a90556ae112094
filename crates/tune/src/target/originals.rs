//! Files as they were before a study: kept under a second name beside them, so that bringing one back is one rename,
//! which needs no room on the disk and gives the same bytes, owner, mode and times.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use plimsoll_knobs::MAX_BYTES;
use plimsoll_knobs::write::put;

use super::identity::OriginalFile;
use super::target_folder::{SeenEntry, seen};

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
        SeenEntry::Nothing => seen(path)?,
        kept => kept,
    };
    let content = match found {
        SeenEntry::Nothing => return Err(io::ErrorKind::NotFound.into()),
        // What a pipe or a device gives may never end.
        SeenEntry::Strange { .. } => {
            return Err(match path.is_dir() {
                true => io::ErrorKind::IsADirectory.into(),
                false => io::Error::new(io::ErrorKind::InvalidInput, NO_FILE),
            });
        }
        SeenEntry::Regular(_, content) => content,
    };
    is_whole(&content)?;
    Ok(content)
}

/// Whether these are all bytes of a file, of which no more are read than one of settings may have.
///
/// # Errors
/// If it has more.
pub fn is_whole(content: &[u8]) -> io::Result<()> {
    if content.len() > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        let message = format!("it is larger than {most} MiB");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}

/// Writes an original anew, as it was.
///
/// # Errors
/// If the folder or disk does not take it.
pub fn write_anew(path: &Path, content: &[u8], was: &OriginalFile) -> io::Result<()> {
    put(path, content, was.rights())?;
    let seconds = u64::try_from(was.changed_s).unwrap_or_default();
    let nanoseconds = u64::try_from(was.changed_ns).unwrap_or_default();
    let since = Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds);
    let changed = SystemTime::UNIX_EPOCH + since;
    // A time that the file system does not take is not worth the bytes.
    let _ = File::open(path).and_then(|file| file.set_modified(changed));
    Ok(())
}
