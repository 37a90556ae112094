//! Where a configuration is read from.

use std::io;
use std::path::Path;

use crate::proc::root::RootFiles;

/// Where files are read from: the process's root.
pub(crate) trait ConfigSource {
    /// The text of a file that is no longer than that.
    fn text(&self, path: &str, max_bytes: usize) -> io::Result<String>;
    /// The names in a folder.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;
}

impl ConfigSource for RootFiles {
    fn text(&self, path: &str, max_bytes: usize) -> io::Result<String> {
        self.text(Path::new(path), max_bytes)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.list(Path::new(folder))
    }
}
