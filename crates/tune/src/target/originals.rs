//! Files as they were before a study: kept under a second name beside them, so that bringing one back is one rename,
//! which needs no room on the disk and gives the same bytes, owner, mode and times.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use plimsoll_knobs::MAX_BYTES;
use plimsoll_knobs::write::{keep_original, sync_folder};

/// What stands behind a file's name for its original.
const ORIGINAL: &str = ".plimsoll-original";

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
    beside(path, ORIGINAL)
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(end);
    path.with_file_name(name)
}

/// Keeps the original of a file. The journal must know of it before.
///
/// # Errors
/// If there is one already: another study has not brought it back; or if it cannot be made.
pub fn keep(path: &Path) -> io::Result<()> {
    let kept = kept_as(path);
    match fs::hard_link(path, &kept) {
        Ok(()) => sync_folder(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without second names, or a file of somebody else's.
        Err(_) => keep_original(path, &kept),
    }
}

/// The bytes of the original, or of the file itself while none is kept.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    match read_file(&kept_as(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => read_file(path),
        other => other,
    }
}

/// What a pipe or a device gives may never end.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let of = fs::metadata(path)?;
    if of.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !of.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, NO_FILE));
    }
    if of.len() > MAX_BYTES as u64 {
        let most = MAX_BYTES >> 20;
        let message = format!("it is larger than {most} MiB");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    fs::read(path)
}

/// What bringing a file back did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Back {
    /// It was changed, and is as it was.
    Done,
    /// It was as it should be.
    NothingToDo,
}

/// Brings the original of a file back, and takes away what a write that was cut off left beside it.
///
/// # Errors
/// If the folder does not take the rename.
pub fn bring_back(path: &Path) -> io::Result<Back> {
    let kept = kept_as(path);
    let done = match fs::metadata(&kept) {
        Ok(original) => {
            let now = fs::metadata(path).ok();
            let same =
                |now: &fs::Metadata| (now.dev(), now.ino()) == (original.dev(), original.ino());
            if now.as_ref().is_some_and(same) {
                // A rename onto itself would leave both names.
                fs::remove_file(&kept)?;
                Back::NothingToDo
            } else if let Err(error) = fs::rename(&kept, path) {
                // A file that is mounted can neither be replaced nor brought back: what is as it was needs nothing.
                if !is_as(path, &kept) {
                    return Err(error);
                }
                fs::remove_file(&kept)?;
                Back::NothingToDo
            } else {
                Back::Done
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Back::NothingToDo,
        Err(error) => return Err(error),
    };
    clear(path);
    match sync_folder(path) {
        // With its folder all of it is gone.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Back::NothingToDo),
        synced => synced.map(|()| done),
    }
}

/// Leaves a file as it is now: its original goes.
///
/// # Errors
/// If the folder does not let it go.
pub fn leave(path: &Path) -> io::Result<()> {
    match fs::remove_file(kept_as(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => clear(path),
    }
    match sync_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        synced => synced,
    }
}

/// Whether two files have the same bytes, mode and owner.
fn is_as(path: &Path, other: &Path) -> bool {
    let of = |path: &Path| {
        let meta = fs::metadata(path).ok()?;
        let content = read_file(path).ok()?;
        Some((meta.mode(), meta.uid(), meta.gid(), content))
    };
    of(path).is_some_and(|own| of(other) == Some(own))
}

/// Takes away what was being written beside a file when the writer was killed.
fn clear(path: &Path) {
    let own = beside(path, ".plimsoll-");
    let Some(begin) = own
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
    else {
        return;
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&begin) && !name.ends_with(ORIGINAL) {
            // What cannot be removed does no harm: nobody reads it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(name)
            .map(|it| it.into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_comes_back_as_it_was_from_every_state() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("应用 a.conf");
        fs::write(&file, b"first\r\n\0\xff").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let before = fs::metadata(&file).unwrap();
        let states: [&dyn Fn(); 4] = [
            &|| {},
            &|| keep(&file).unwrap(),
            &|| {
                keep(&file).unwrap();
                let new = folder.path().join(".应用 a.conf.plimsoll-77-0");
                fs::write(new, "half").unwrap();
            },
            &|| {
                keep(&file).unwrap();
                let new = folder.path().join(".应用 a.conf.plimsoll-77-0");
                fs::write(&new, "second").unwrap();
                fs::rename(&new, &file).unwrap();
            },
        ];
        for state in states {
            state();
            assert_eq!(read(&file).unwrap(), b"first\r\n\0\xff");
            bring_back(&file).unwrap();
            // A second time does no harm.
            assert_eq!(bring_back(&file).unwrap(), Back::NothingToDo);
            assert_eq!(fs::read(&file).unwrap(), b"first\r\n\0\xff");
            let now = fs::metadata(&file).unwrap();
            assert_eq!(
                (now.mode(), now.mtime_nsec()),
                (before.mode(), before.mtime_nsec())
            );
            assert_eq!(names(folder.path()), ["应用 a.conf"]);
        }
    }

    #[test]
    fn a_folder_that_is_gone_needs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run/a.conf");
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, "first").unwrap();
        keep(&file).unwrap();
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
        assert_eq!(bring_back(&file).unwrap(), Back::NothingToDo);
    }

    #[test]
    fn a_file_of_another_study_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, "first").unwrap();
        keep(&file).unwrap();
        assert_eq!(
            keep(&file).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
    }

    #[test]
    fn a_copy_does_where_second_names_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, "first").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        keep_original(&file, &kept_as(&file)).unwrap();
        fs::write(&file, "second").unwrap();
        assert_eq!(bring_back(&file).unwrap(), Back::Done);
        assert_eq!(fs::read(&file).unwrap(), b"first");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        assert_eq!(names(folder.path()), ["a.conf"]);
    }
}
