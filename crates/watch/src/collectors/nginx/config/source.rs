//! Where a configuration is read from.

use std::io;

/// Where files are read from: the process's root.
pub(crate) trait ConfigSource {
    /// The text of a file that is no longer than that.
    fn text(&self, path: &str, max_bytes: usize) -> io::Result<String>;
    /// The names in a folder.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;
}
