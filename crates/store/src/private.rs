//! Files and folders that only their owner may read, whatever the umask is.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};

/// Makes a folder that is not there yet.
///
/// # Errors
/// When it is there, or cannot be made.
pub fn folder(path: &Path) -> io::Result<()> {
    builder().create(path)
}

/// Makes a folder and those above it. One that is there is left as it is.
///
/// # Errors
/// When they cannot be made.
pub fn folders(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder
}

/// Makes a file that is not there yet.
///
/// # Errors
/// When it is there, or cannot be made.
pub fn new_file(path: &Path) -> io::Result<File> {
    options().create_new(true).open(path)
}

/// Writes a file, also over one that is there.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = options().create(true).truncate(true).open(path)?;
    // One that is there keeps its mode otherwise.
    #[cfg(unix)]
    file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    file.write_all(bytes)
}

/// Writes a file beside and moves it there, so that it is whole or as it was.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.to_owned().into_os_string();
    beside.push(".new");
    // What is there was left by one that was killed, or is a link that leads elsewhere.
    let _ = std::fs::remove_file(&beside);
    write(beside.as_ref(), bytes)?;
    std::fs::rename(beside, path)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    options.mode(0o600);
    options
}
