//! By what files and folders are known again.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use plimsoll_knobs::write::FileRights;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A folder, whatever its path is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderIdentity {
    /// The number of its file system.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// A file as a study found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalFile {
    /// The number of its file system.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// The digest of its bytes.
    pub sha256: String,
    /// Its mode.
    pub mode: u32,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// When it was changed last: Unix seconds,
    pub changed_s: i64,
    /// and nanoseconds of them.
    pub changed_ns: i64,
}

/// The original of a file, and the folder that it lies in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginalIdentity {
    /// The folder.
    pub folder: FolderIdentity,
    /// The file.
    pub file: OriginalFile,
}

impl OriginalFile {
    /// Of a file with these bytes.
    #[must_use]
    pub fn of(meta: &Metadata, content: &[u8]) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            sha256: digest(content),
            mode: meta.mode() & 0o7777,
            uid: meta.uid(),
            gid: meta.gid(),
            changed_s: meta.mtime(),
            changed_ns: meta.mtime_nsec(),
        }
    }

    /// Who has it, and its mode.
    #[must_use]
    pub const fn rights(&self) -> FileRights {
        FileRights {
            mode: self.mode,
            uid: self.uid,
            gid: self.gid,
        }
    }

    /// Whether a file is this one: the same bytes, and the same file or a copy with its mode and owner. Numbers of file
    /// systems change with a restart of the host.
    #[must_use]
    pub fn is(&self, meta: &Metadata, content: &[u8]) -> bool {
        let same_file = self.inode == meta.ino() || self.rights() == meta.into();
        same_file && self.sha256 == digest(content)
    }
}

/// SHA-256, in hexadecimal digits.
#[must_use]
pub fn digest(content: &[u8]) -> String {
    let bytes = Sha256::digest(content);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
