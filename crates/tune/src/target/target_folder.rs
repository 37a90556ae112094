//! The folder of a file, held open: what is done in it is done there, whatever somebody puts at its path meanwhile,
//! and no link at a name in it is followed.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use plimsoll_knobs::MAX_BYTES;
use rustix::fs::{Mode, OFlags};

use super::identity::FolderIdentity;

/// Why a folder cannot be held.
#[derive(Debug)]
pub enum FolderError {
    /// There is none at this path.
    Gone,
    /// Its path leads to another one: this, as far as that is known.
    Another(PathBuf),
    /// The system does not let it be.
    Io(io::Error),
}

/// What stands at a name.
#[derive(Debug)]
pub enum SeenEntry {
    /// Nothing.
    Nothing,
    /// A regular file with these bytes; of one that is too large for settings, as many as show that.
    Regular(Metadata, Vec<u8>),
    /// A link, a folder, a pipe: nothing that a study writes.
    Strange {
        /// It is a link.
        link: bool,
    },
}

/// A folder that is held open.
#[derive(Debug)]
pub struct TargetFolder(OwnedFd);

impl TargetFolder {
    /// The folder of a file, whose path has no links.
    ///
    /// # Errors
    /// If it is not there any more, or its path leads elsewhere by now.
    pub fn of(file: &Path) -> Result<Self, FolderError> {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let held = match rustix::fs::open(folder, flags, Mode::empty()) {
            Ok(held) => Self(held),
            Err(rustix::io::Errno::NOENT) => return Err(FolderError::Gone),
            Err(rustix::io::Errno::NOTDIR) => return Err(FolderError::Another(folder.to_owned())),
            Err(error) => return Err(FolderError::Io(error.into())),
        };
        match fs::read_link(held.own_path()) {
            Ok(real) if real == folder => Ok(held),
            Ok(real) => Err(FolderError::Another(real)),
            Err(error) => Err(FolderError::Io(error)),
        }
    }

    fn own_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// The path by which this process reaches a name in it.
    #[must_use]
    pub fn entry(&self, name: &OsStr) -> PathBuf {
        self.own_path().join(name)
    }

    /// By what it is known again.
    ///
    /// # Errors
    /// If the system does not say it.
    pub fn identity(&self) -> io::Result<FolderIdentity> {
        let of = fs::metadata(self.own_path())?;
        Ok(FolderIdentity {
            device: of.dev(),
            inode: of.ino(),
        })
    }

    /// What is done in it so far is on the disk when this returns.
    ///
    /// # Errors
    /// If it is not.
    pub fn sync(&self) -> io::Result<()> {
        File::open(self.own_path())?.sync_all()
    }
}

/// Looks at a file without following a link at its name.
///
/// # Errors
/// If it cannot be read.
pub fn seen(path: &Path) -> io::Result<SeenEntry> {
    // What a pipe gives may never come.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SeenEntry::Nothing),
        Err(error) => {
            let meta = fs::symlink_metadata(path)?;
            return match meta.is_file() {
                true => Err(error),
                false => Ok(SeenEntry::Strange {
                    link: meta.is_symlink(),
                }),
            };
        }
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok(SeenEntry::Strange { link: false });
    }
    let mut content = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut content)?;
    Ok(SeenEntry::Regular(meta, content))
}
