//! A file that a study changes: its path is resolved once, and before each write it is looked whether the folder, the
//! file and its original are still what the study left there.

mod back;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use plimsoll_knobs::FileAttributes;
use plimsoll_knobs::write::{replace, try_to_replace};
use plimsoll_text::Message;

use super::file_messages::{
    NotAsLeft, another_folder, folder_gone, not_as_left, of_another_study, original_changed,
    several_names, unwritten,
};
use super::identity::{FolderIdentity, OriginalFile, OriginalIdentity, digest};
use super::journal::Entry;
use super::originals::{ORIGINAL, hidden, is_small, kept_as, write_anew};
use super::target_folder::{FolderError, SeenEntry, TargetFolder, seen};

/// The folder of the copies of originals, below that of the study's journal.
const COPIES: &str = "kept";

/// A file that a study changes, and what it knows of it.
#[derive(Debug, Clone)]
pub struct TargetFile {
    path: PathBuf,
    /// The original; none: the journal of an older version does not say it.
    was: Option<OriginalIdentity>,
    /// The digests of what the study has written there.
    written: BTreeSet<String>,
    /// The bytes of the original, while the study itself goes on.
    original: Option<Vec<u8>>,
}

/// What bringing a file back did.
#[derive(Debug, Default, PartialEq)]
pub struct FileBack {
    /// It was changed, and is as it was.
    pub changed: bool,
    /// Its folder is gone, and it with it: it was moved, or is no more.
    pub is_gone: bool,
    /// What somebody must know of it.
    pub notes: Vec<Message>,
}

/// A file that is as the study left it.
pub struct CheckedFile {
    folder: TargetFolder,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl TargetFile {
    /// Looks at a file that is about to be changed for the first time, in the folder that it had when the study began.
    ///
    /// # Errors
    /// If it is none, or another study has it.
    pub fn look(path: &Path, folder: Option<&FolderIdentity>) -> Result<Self, Message> {
        let held = TargetFolder::of(path).map_err(|error| of_folder(path, error))?;
        let identity = held.identity().map_err(|error| unwritten(path, &error))?;
        if folder != Some(&identity) {
            return Err(another_folder(path, &kept_as(path), &folder_of(path)));
        }
        let at = |name: &OsStr| seen(&held.entry(name)).map_err(|error| unwritten(path, &error));
        if !matches!(at(&hidden(path, ORIGINAL))?, SeenEntry::Nothing) {
            return Err(of_another_study(path, &kept_as(path)));
        }
        let (meta, content) = regular(path, at(name_of(path))?)?;
        if meta.nlink() > 1 {
            return Err(several_names(path, meta.nlink()));
        }
        let entry = held.entry(name_of(path));
        // What the system refuses is known before the first of its files is changed.
        is_small(&meta, &content)
            .and_then(|()| try_to_replace(&entry))
            .map_err(|error| unwritten(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            was: Some(OriginalIdentity {
                folder: identity,
                file: OriginalFile::of(&meta, &content),
            }),
            written: BTreeSet::new(),
            original: Some(content),
        })
    }

    /// The files that a journal says are changed.
    #[must_use]
    pub fn all_of(entries: &[Entry]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for entry in entries {
            match entry {
                Entry::Kept { path, was } if all.iter().all(|it| it.path != *path) => {
                    all.push(Self {
                        path: path.clone(),
                        was: was.clone(),
                        written: BTreeSet::new(),
                        original: None,
                    });
                }
                Entry::Wrote { path, sha256 } => {
                    let own = all.iter_mut().filter(|it| it.path == *path);
                    own.for_each(|it| {
                        it.written.insert(sha256.clone());
                    });
                }
                _ => {}
            }
        }
        all
    }

    /// Its path, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of the original, while the study itself goes on.
    #[must_use]
    pub fn original(&self) -> Option<&[u8]> {
        self.original.as_deref()
    }

    /// What the journal is told before the original is kept.
    #[must_use]
    pub fn entry(&self) -> Entry {
        Entry::Kept {
            path: self.path.clone(),
            was: self.was.clone(),
        }
    }

    /// Where a folder of a study has the copy of the original, by which a loss of its second name is mended.
    #[must_use]
    pub fn copy_in(&self, state: &Path) -> PathBuf {
        let name = digest(self.path.as_os_str().as_encoded_bytes());
        state.join(COPIES).join(&name[..16])
    }

    /// Keeps the original, as a second name of the file and as a copy. The journal must know of it before.
    ///
    /// # Errors
    /// If there is one already: another study has not brought it back; or if it cannot be made.
    pub fn keep(&self, state: &Path) -> Result<(), Message> {
        let failed = |error: io::Error| unwritten(&self.path, &error);
        let (Some(was), Some(content)) = (&self.was, self.original()) else {
            // Of a journal: its study has kept it.
            return Ok(());
        };
        let copy = self.copy_in(state);
        write_synced(&copy, content).map_err(|error| unwritten(&copy, &error))?;
        let folder = self.folder()?;
        let (file, kept) = (folder.entry(self.name()), folder.entry(&self.kept_name()));
        let attributes = FileAttributes::of(&file).map_err(failed)?;
        match fs::hard_link(&file, &kept) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(of_another_study(&self.path, &kept_as(&self.path)));
            }
            // A file system without second names, or a file of somebody else's.
            Err(_) => write_anew(&kept, content, &was.file, &attributes).map_err(failed)?,
        }
        folder.sync().map_err(failed)
    }

    /// Looks whether all is as the study left it.
    ///
    /// # Errors
    /// What is not: nothing may be written there any more.
    pub fn check(&self) -> Result<CheckedFile, Message> {
        let failed = |error: io::Error| unwritten(&self.path, &error);
        let folder = self.folder()?;
        let was = self.was.as_ref().map(|was| was.folder);
        if was.is_some() && was != Some(folder.identity().map_err(failed)?) {
            let now = folder_of(&self.path);
            return Err(another_folder(&self.path, &kept_as(&self.path), &now));
        }
        let (_, content) = regular(&self.path, self.seen(&folder, self.name())?)?;
        if !self.is_ours(&content) {
            return Err(not_as_left(&self.path, NotAsLeft::Changed));
        }
        match self.seen(&folder, &self.kept_name())? {
            SeenEntry::Regular(meta, kept) if self.is_original(&meta, &kept) => {
                Ok(CheckedFile { folder, content })
            }
            _ => Err(original_changed(&self.path, &kept_as(&self.path))),
        }
    }

    /// What the journal is told before bytes are written; none where it knows them.
    pub fn about_to_write(&mut self, content: &[u8]) -> Option<Entry> {
        let sha256 = digest(content);
        self.written.insert(sha256.clone()).then(|| Entry::Wrote {
            path: self.path.clone(),
            sha256,
        })
    }

    /// Writes bytes to a file that was looked at just now.
    ///
    /// # Errors
    /// If the system does not take them.
    pub fn write(&self, at: &CheckedFile, content: &[u8]) -> Result<(), Message> {
        let entry = at.folder.entry(self.name());
        replace(&entry, content).map_err(|error| unwritten(&self.path, &error))
    }

    fn name(&self) -> &OsStr {
        name_of(&self.path)
    }

    fn kept_name(&self) -> OsString {
        hidden(&self.path, ORIGINAL)
    }

    fn folder(&self) -> Result<TargetFolder, Message> {
        TargetFolder::of(&self.path).map_err(|error| of_folder(&self.path, error))
    }

    fn seen(&self, folder: &TargetFolder, name: &OsStr) -> Result<SeenEntry, Message> {
        seen(&folder.entry(name)).map_err(|error| unwritten(&self.path, &error))
    }

    /// Whether bytes are those of the original, or some that the study has written.
    fn is_ours(&self, content: &[u8]) -> bool {
        let digest = digest(content);
        let is_original = |was: &OriginalIdentity| was.file.sha256 == digest;
        self.was.as_ref().is_none_or(is_original) || self.written.contains(&digest)
    }

    fn is_original(&self, meta: &fs::Metadata, content: &[u8]) -> bool {
        let was = self.was.as_ref();
        was.is_none_or(|was| was.file.is(meta, content))
    }
}

/// Whether copies of originals lie in a study's folder: of files that were not brought back.
#[must_use]
pub fn has_copies(state: &Path) -> bool {
    fs::read_dir(state.join(COPIES)).is_ok_and(|mut copies| copies.next().is_some())
}

/// Writes a file that only its owner may read; it is on the disk when this returns.
///
/// # Errors
/// If it cannot be written.
pub fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    plimsoll_store::private::folders(&folder)?;
    plimsoll_store::private::write(path, content)?;
    File::open(path)?.sync_all()?;
    File::open(folder)?.sync_all()
}

fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_owned()
}

fn of_folder(path: &Path, error: FolderError) -> Message {
    match error {
        FolderError::Gone => folder_gone(path, &kept_as(path)),
        FolderError::Another(now) => another_folder(path, &kept_as(path), &now),
        FolderError::Io(error) => unwritten(path, &error),
    }
}

/// What stands at a path, if a study may write there.
fn regular(path: &Path, found: SeenEntry) -> Result<(fs::Metadata, Vec<u8>), Message> {
    match found {
        SeenEntry::Regular(meta, content) => Ok((meta, content)),
        SeenEntry::Nothing => Err(not_as_left(path, NotAsLeft::Gone)),
        SeenEntry::Strange { link: true } => Err(not_as_left(path, NotAsLeft::Link)),
        SeenEntry::Strange { link: false } => Err(not_as_left(path, NotAsLeft::NoFile)),
    }
}
