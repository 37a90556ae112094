//! A bundle on disk.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use plimsoll_text::Message as Text;

use super::Bundle;
use super::error::BundleError;

/// The folder with a bundle's files; removed with everything in it when this is dropped.
#[derive(Debug)]
pub struct Unpacked {
    folder: tempfile::TempDir,
}

impl Bundle {
    /// Writes the files into a new folder that only this user can enter; it is removed when the
    /// response is dropped.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn unpack(&self, parent: &Path) -> Result<Unpacked, BundleError> {
        let failed = |path: &Path, error: &std::io::Error| {
            BundleError(
                Text::new("bundle-unwritable")
                    .with("path", path.display().to_string())
                    .with("reason", error.to_string()),
            )
        };
        let folder = tempfile::Builder::new()
            .prefix("plimsoll-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map_err(|error| failed(parent, &error))?;
        for (name, contents) in self.files() {
            let path = folder.path().join(name);
            write(&path, contents).map_err(|error| failed(&path, &error))?;
        }
        Ok(Unpacked { folder })
    }
}

impl Unpacked {
    /// Where the files are.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The names were checked, and nobody else can put links into the new folder.
fn write(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?
        .write_all(contents)
}
