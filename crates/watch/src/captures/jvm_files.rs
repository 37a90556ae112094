//! Files that a JVM writes on request: into a folder made for them, read, and removed.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, chown};
use std::path::PathBuf;

use plimsoll_text::Message;

use super::jvm::now_unix_ns;
use crate::collector::Trouble;
use crate::collectors::jvm::target::Process;

/// A folder in the JVM's `/tmp` that only its user can look into. Dropped, it is removed.
pub(crate) struct Folder {
    process: Process,
    /// As this program sees it, and as the JVM does.
    outer: PathBuf,
    inner: String,
}

/// The file that was written.
pub(crate) enum Written {
    /// All of it.
    Whole(Vec<u8>),
    /// Its beginning: it was longer than is kept.
    Cut(Vec<u8>),
}

impl Folder {
    /// Makes the folder.
    ///
    /// # Errors
    /// The JVM's `/tmp` cannot be written.
    pub(crate) fn new(process: &Process) -> Result<Self, Trouble> {
        let inner = format!("/tmp/plimsoll-{}-{}", std::process::id(), now_unix_ns());
        let outer = process.path(&inner);
        let made = fs::DirBuilder::new()
            .mode(0o700)
            .create(&outer)
            .and_then(|()| match process.owns(&fs::symlink_metadata(&outer)?) {
                true => Ok(()),
                false => chown(&outer, Some(process.uid), Some(process.gid)),
            });
        let folder = Self {
            process: process.clone(),
            outer,
            inner,
        };
        match made {
            Ok(()) => Ok(folder),
            Err(error) => Err(folder.unreadable(&error)),
        }
    }

    /// The path of a file in it, as the JVM sees it.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.inner)
    }

    /// Reads a file that the JVM wrote into it.
    ///
    /// # Errors
    /// There is none, or it is not the JVM's.
    pub(crate) fn read(&self, name: &str, max_bytes: usize) -> Result<Written, Trouble> {
        let read = || {
            // The folder is the JVM's user's: no link of theirs may lead elsewhere.
            let file = OpenOptions::new()
                .read(true)
                .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
                .open(self.outer.join(name))?;
            let found = file.metadata()?;
            if !found.is_file() || !self.process.owns(&found) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            let mut bytes = Vec::new();
            let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
            file.take(limit).read_to_end(&mut bytes)?;
            Ok(if found.len() > limit {
                Written::Cut(bytes)
            } else {
                Written::Whole(bytes)
            })
        };
        read().map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> Trouble {
        Trouble::new(
            Message::new("watch-jvm-denied")
                .with("path", self.inner.as_str())
                .with("reason", error.to_string()),
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning of /tmp.
        let _ = fs::remove_dir_all(&self.outer);
    }
}
