//! A log that grows: named by the user of this program, or found at a watched process.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::root::{Root, open_named};

/// Where a log is.
#[derive(Debug, Clone)]
pub(crate) struct LogFile {
    path: PathBuf,
    /// Whose word the path is; none: the user's of this program.
    root: Option<Root>,
}

impl PartialEq for LogFile {
    fn eq(&self, other: &Self) -> bool {
        let same_root = match (&self.root, &other.root) {
            (None, None) => true,
            (Some(one), Some(other)) => one.is(other),
            _ => false,
        };
        same_root && self.path == other.path
    }
}

/// Which file a path means now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity(u64, u64);

impl LogFile {
    pub(crate) fn named(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            root: None,
        }
    }

    /// By the word of a process, for which it is read.
    pub(crate) fn of(root: &Root, path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            root: Some(root.clone()),
        }
    }

    /// The path, as whoever said it sees it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Which file is there now, and its length.
    pub(crate) fn look(&self) -> io::Result<(FileIdentity, u64)> {
        match &self.root {
            None => std::fs::metadata(&self.path).map(|found| identity(&found)),
            Some(root) => {
                let path = self.path.clone();
                let found = root.visit(move |files| files.stat(&path))?;
                let length = u64::try_from(found.st_size).unwrap_or(0);
                Ok((FileIdentity(found.st_dev, found.st_ino), length))
            }
        }
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        match &self.root {
            None => open_named(&self.path),
            Some(root) => root.open(&self.path),
        }
    }
}

/// Which file an open one is, and its length.
pub(crate) fn identity(found: &std::fs::Metadata) -> (FileIdentity, u64) {
    (FileIdentity(found.dev(), found.ino()), found.len())
}
