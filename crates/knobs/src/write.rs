//! A file put in another's place, so that whoever looks sees one of both whole, even after a crash.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::attributes::FileAttributes;

/// Names beside a file that are tried for the new one.
const NAMES: u32 = 100;

/// Who has a file, and its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRights {
    /// The mode, without the kind of the file.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

impl From<&Metadata> for FileRights {
    fn from(of: &Metadata) -> Self {
        Self {
            mode: of.mode() & 0o7777,
            uid: of.uid(),
            gid: of.gid(),
        }
    }
}

/// Puts `content` in the place of an existing file: written beside it, synced, renamed, with its mode and
/// owner. A link is not followed: somebody may have put it there since the path was resolved. Nothing of it is left
/// when it fails.
///
/// # Errors
///
/// If the file is missing, is no file, has no right to write for anybody, or the folder or disk does not
/// take the new one.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let old = fs::symlink_metadata(path)?;
    if !old.is_file() {
        let kind = io::ErrorKind::InvalidInput;
        return Err(io::Error::new(kind, "this is no regular file"));
    }
    // The superuser could, but somebody said no.
    if old.permissions().readonly() {
        let kind = io::ErrorKind::PermissionDenied;
        return Err(io::Error::new(kind, "the file is read-only"));
    }
    put(path, content, (&old).into(), &FileAttributes::of(path)?)
}

/// Puts a file at a path, whatever stands there, as [`replace`] does: with that mode, owner and attributes.
///
/// # Errors
///
/// If the folder or disk does not take it.
pub fn put(
    path: &Path,
    content: &[u8],
    rights: FileRights,
    attributes: &FileAttributes,
) -> io::Result<()> {
    let (name, mut new) = beside(path)?;
    let done = (|| {
        new.write_all(content)?;
        dress(&new, rights, attributes)?;
        new.sync_all()?;
        fs::rename(&name, path)
    })();
    if done.is_err() {
        // What went wrong is what is told.
        let _ = fs::remove_file(&name);
        return done;
    }
    sync_folder(path)
}

/// Whether a file could be replaced by one with the same owner, mode and attributes: it is tried with an empty one beside
/// it, which goes again.
///
/// # Errors
///
/// What the system refuses.
pub fn try_to_replace(path: &Path) -> io::Result<()> {
    let rights = FileRights::from(&fs::symlink_metadata(path)?);
    let attributes = FileAttributes::of(path)?;
    let (name, new) = beside(path)?;
    let dressed = dress(&new, rights, &attributes);
    fs::remove_file(&name)?;
    dressed
}

/// Gives a new file its owner, mode and attributes.
fn dress(new: &File, rights: FileRights, attributes: &FileAttributes) -> io::Result<()> {
    let owner = new.metadata()?;
    if (owner.uid(), owner.gid()) != (rights.uid, rights.gid) {
        fchown(new, Some(rights.uid), Some(rights.gid))?;
    }
    attributes.give(new)?;
    // After the owner, whose change takes bits away, and the attributes, one of which has the mode in it.
    new.set_permissions(fs::Permissions::from_mode(rights.mode))
}

/// Writes a value into a file of the kernel (below `/proc/sys`, `/sys` or a cgroup), in one call as it wants
/// it. No other file is written so: there a crash would leave half of it.
///
/// # Errors
///
/// If it is no such file, or the kernel does not take the value.
pub fn assign(path: &Path, value: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let known = ["/proc/sys", "/sys"]
        .iter()
        .any(|start| path.starts_with(start));
    if !known {
        let kind = io::ErrorKind::InvalidInput;
        return Err(io::Error::new(kind, "this is no file of the kernel"));
    }
    let mut file = OpenOptions::new().write(true).open(&path)?;
    let text = value.trim().as_bytes();
    match file.write(text)? {
        written if written == text.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// A new file beside another, which only its owner may read so far.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
    let name = path.file_name().ok_or_else(no_name)?;
    let mut last = None;
    for number in 0..NAMES {
        let mut own = std::ffi::OsString::from(".");
        own.push(name);
        own.push(format!(".plimsoll-{}-{number}", std::process::id()));
        let own = path.with_file_name(own);
        let mut how = OpenOptions::new();
        match how.write(true).create_new(true).mode(0o600).open(&own) {
            Ok(file) => return Ok((own, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(no_name))
}

/// Syncs the folder of a file: a rename or a second name in it is kept from then on.
///
/// # Errors
///
/// If the folder cannot be opened or synced.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_mode_stays_links_are_not_followed_and_nothing_is_left_beside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("应用.yaml");
        fs::write(&file, "a: 1\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("应用.yaml", &link).unwrap();
        assert!(replace(&link, b"a: 3\n").is_err());
        assert_eq!(fs::read(&file).unwrap(), b"a: 1\n");
        replace(&file, b"a: 2\n").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"a: 2\n");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["link", "应用.yaml"]);
    }

    #[test]
    fn attributes_and_access_control_lists_stay() {
        // Version 2; the owner, user 12345, the group, the mask and all others.
        let list = [
            2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 57, 48, 0, 0, 4, 0, 4, 0, 255,
            255, 255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255,
        ];
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, "a=1\n").unwrap();
        let none = rustix::fs::XattrFlags::empty();
        for (name, value) in [
            ("user.note", b"kept".as_slice()),
            ("system.posix_acl_access", &list),
        ] {
            // A file system without them has nothing to lose.
            let _ = rustix::fs::setxattr(&file, name, value, none);
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().mode();
        let (before, rights) = (FileAttributes::of(&file).unwrap(), mode(&file));
        try_to_replace(&file).unwrap();
        replace(&file, b"a=2\n").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"a=2\n");
        assert_eq!(FileAttributes::of(&file).unwrap(), before);
        assert_eq!(mode(&file), rights);
        assert_eq!(names(folder.path()), ["a.conf"]);
    }

    #[test]
    fn what_cannot_be_written_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.cnf");
        assert!(replace(&file, b"x").is_err());
        assert!(replace(folder.path(), b"x").is_err());
        fs::write(&file, "[mysqld]\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = replace(&file, b"x").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&file).unwrap(), b"[mysqld]\n");
        assert_eq!(names(folder.path()), ["my.cnf"]);
    }

    #[test]
    fn only_the_kernels_files_are_written_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "1").unwrap();
        assert!(assign(&file, "2").is_err() && assign(&folder.path().join("b"), "2").is_err());
        assert_eq!(fs::read(&file).unwrap(), b"1");
        // The same value again, where that is allowed.
        let kernel = Path::new("/proc/sys/vm/swappiness");
        let now = fs::read_to_string(kernel).unwrap();
        if assign(kernel, &now).is_ok() {
            assert_eq!(fs::read_to_string(kernel).unwrap(), now);
        }
        assert!(assign(Path::new("/proc/self/status"), "1").is_err());
    }
}
