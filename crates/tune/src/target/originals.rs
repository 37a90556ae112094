//! Files as they were before a study: kept under a second name beside them, so that bringing one back is one rename,
//! which needs no room on the disk and gives the same bytes, owner, mode and times.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use plimsoll_knobs::FileAttributes;
use plimsoll_knobs::write::put;

use super::identity::OriginalFile;
use super::target_folder::{SeenEntry, seen};

/// What stands behind a file's name for its original.
pub const ORIGINAL: &str = ".plimsoll-original";

/// A larger file is no file of settings.
pub const MOST_MIB: u64 = 8;
/// What is said of a pipe or a device.
pub const NO_FILE: &str = "it is no file";

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
        SeenEntry::Regular(meta, content) => {
            is_small(&meta, &content)?;
            content
        }
    };
    Ok(content)
}

/// A file that is larger than a study changes: reading one takes many times its size in memory.
#[derive(Debug)]
pub struct TooLarge {
    /// Its size, in MiB.
    pub mib: u64,
}

impl std::error::Error for TooLarge {}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it has {} MiB, more than {MOST_MIB}", self.mib)
    }
}

/// Whether a file has no more bytes than one of settings may have.
///
/// # Errors
/// If it has more.
pub fn is_small(meta: &Metadata, content: &[u8]) -> io::Result<()> {
    let bytes = meta.len().max(content.len() as u64);
    if bytes > MOST_MIB << 20 {
        let mib = bytes.div_ceil(1 << 20);
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            TooLarge { mib },
        ));
    }
    Ok(())
}

/// Writes an original anew, as it was, with attributes of a file that has them still.
///
/// # Errors
/// If the folder or disk does not take it.
pub fn write_anew(
    path: &Path,
    content: &[u8],
    was: &OriginalFile,
    attributes: &FileAttributes,
) -> io::Result<()> {
    put(path, content, was.rights(), attributes)?;
    let seconds = u64::try_from(was.changed_s).unwrap_or_default();
    let nanoseconds = u64::try_from(was.changed_ns).unwrap_or_default();
    let since = Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds);
    let changed = SystemTime::UNIX_EPOCH + since;
    // A time that the file system does not take is not worth the bytes.
    let _ = File::open(path).and_then(|file| file.set_modified(changed));
    Ok(())
}
