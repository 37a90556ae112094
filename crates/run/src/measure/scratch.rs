//! A folder for runs that are of no use afterwards.

use std::path::{Path, PathBuf};

use plimsoll_text::Message;

use crate::reasons::file_failed;

/// The folder; it goes when this does.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it, called after a command.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn new(command: &str) -> Result<Self, Message> {
        // Nobody who guesses the name may be there first.
        let number = fastrand::u64(..);
        let name = format!("plimsoll-{command}-{}-{number:016x}", std::process::id());
        let path = std::env::temp_dir().join(name);
        plimsoll_store::private::folder(&path).map_err(|error| file_failed(&path, &error))?;
        Ok(Self(path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
