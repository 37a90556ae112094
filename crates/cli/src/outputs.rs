//! Files that a command will write at its end: that they can be written is seen before a load is
//! made for them.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;

use plimsoll_run::reasons::file_failed;
use plimsoll_text::Message;

/// Says what cannot be written; a file that is there keeps what is in it.
///
/// # Errors
/// Why the file will not be written.
pub fn writable(path: &Path) -> Result<(), Message> {
    // What is no file (a pipe, a device) is opened when there is something for it.
    if std::fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return Ok(());
    }
    let is_new = std::fs::symlink_metadata(path).is_err();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    match opened {
        Ok(_) => {
            if is_new {
                // It was made to be seen, and nothing is in it.
                let _ = std::fs::remove_file(path);
            }
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(Path::new("")).display().to_string();
            Err(Message::new("output-no-folder")
                .with("path", path.display().to_string())
                .with("folder", folder))
        }
        Err(error) if error.kind() == ErrorKind::IsADirectory => {
            Err(Message::new("output-is-folder").with("path", path.display().to_string()))
        }
        Err(error) => Err(file_failed(path, &error)),
    }
}

/// The same for a file that may not have been asked for.
///
/// # Errors
/// As [`writable`].
pub fn all_writable<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Message> {
    let mut paths = paths.into_iter().filter(|path| *path != Path::new("-"));
    paths.try_for_each(writable)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn looking_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (there, new) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::write(&there, "kept").unwrap();
        assert!(writable(&there).is_ok() && writable(&new).is_ok());
        assert_eq!(std::fs::read_to_string(&there).unwrap(), "kept");
        assert!(!new.exists());
        assert_eq!(writable(dir.path()).unwrap_err().id, "output-is-folder");
        let nowhere = dir.path().join("no/b");
        assert_eq!(writable(&nowhere).unwrap_err().id, "output-no-folder");
        assert!(writable(Path::new("/dev/null")).is_ok());
    }
}
