//! A file is brought back, or left as it is.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use plimsoll_knobs::FileAttributes;
use plimsoll_knobs::write::FileRights;
use plimsoll_text::Message;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{FileBack, TargetFile, folder_of, of_folder};
use crate::target::file_messages::{
    another_folder, folder_gone, not_back, original_lost, original_mended, others_kept, unwritten,
};
use crate::target::identity::{OriginalIdentity, digest};
use crate::target::originals::{ORIGINAL, hidden, kept_as, write_anew};
use crate::target::target_folder::{FolderError, SeenEntry, TargetFolder, seen};

/// What stands behind a file's name for what somebody else made of it.
const OTHER: &str = ".plimsoll-other";
/// So many versions of others are kept beside a file.
const OTHERS: u32 = 1_000;

impl TargetFile {
    /// Brings the original back, and takes away what a write that was cut off left beside it. What somebody else made
    /// of the file meanwhile is kept beside it. The copy stays until the journal says that the file is back: whoever is
    /// killed in between brings it back once more.
    ///
    /// # Errors
    /// Why it is not brought back.
    pub fn bring_back(&self, state: &Path) -> Result<FileBack, Message> {
        let folder = match TargetFolder::of(&self.path) {
            Ok(folder) => folder,
            // With its folder all of it is gone, or was moved.
            Err(FolderError::Gone) => {
                return Ok(FileBack {
                    is_gone: true,
                    notes: vec![folder_gone(&self.path, &kept_as(&self.path))],
                    ..FileBack::default()
                });
            }
            Err(error) => return Err(of_folder(&self.path, error)),
        };
        let now = self.seen(&folder, self.name())?;
        if let SeenEntry::Strange { link } = now {
            return Err(not_back(&self.path, &kept_as(&self.path), link));
        }
        let brought = match self.seen(&folder, &self.kept_name())? {
            SeenEntry::Regular(meta, content) if self.is_original(&meta, &content) => self
                .by_second_name(&folder, &now, &meta)
                .map_err(|error| unwritten(&self.path, &error))?,
            kept => self.by_copy(&folder, (&now, &kept), state)?,
        };
        self.settle(&folder)?;
        Ok(brought)
    }

    /// The copy of the original goes: the journal says that the file is back, or that it stays as it is.
    pub fn forget(&self, state: &Path) {
        // What is left there of a copy does no harm, but to say what the file was.
        let _ = fs::remove_file(self.copy_in(state));
    }

    /// Leaves the file as it is now: its original goes.
    ///
    /// # Errors
    /// If the folder does not let it go, or is another one.
    pub fn leave(&self, state: &Path) -> Result<(), Message> {
        let folder = match TargetFolder::of(&self.path) {
            Ok(folder) => folder,
            Err(FolderError::Gone) => return Ok(()),
            Err(error) => return Err(of_folder(&self.path, error)),
        };
        match fs::remove_file(folder.entry(&self.kept_name())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unwritten(&self.path, &error))
            }
            _ => {
                self.forget(state);
                self.settle(&folder)
            }
        }
    }

    fn by_second_name(
        &self,
        folder: &TargetFolder,
        now: &SeenEntry,
        original: &Metadata,
    ) -> io::Result<FileBack> {
        let (file, kept) = (folder.entry(self.name()), folder.entry(&self.kept_name()));
        let mut notes = Vec::new();
        match now {
            SeenEntry::Regular(meta, _) if is_same(meta, original) => {
                // A rename onto itself would leave both names.
                fs::remove_file(&kept)?;
                return Ok(FileBack::default());
            }
            SeenEntry::Regular(_, content) if !self.is_ours(content) => {
                notes.push(self.set_aside(folder, self.name())?);
            }
            _ => {}
        }
        if let Err(error) = fs::rename(&kept, &file) {
            // A file that is mounted can neither be replaced nor brought back: what is as it was needs nothing.
            if !is_as(&file, &kept) {
                return Err(error);
            }
            fs::remove_file(&kept)?;
            return Ok(FileBack::default());
        }
        Ok(FileBack {
            changed: true,
            notes,
            ..FileBack::default()
        })
    }

    /// The second name is not the original any more: its bytes are in memory, or in the study's own folder.
    fn by_copy(
        &self,
        folder: &TargetFolder,
        (now, kept): (&SeenEntry, &SeenEntry),
        state: &Path,
    ) -> Result<FileBack, Message> {
        let failed = |error: io::Error| unwritten(&self.path, &error);
        let nothing_kept = matches!(kept, SeenEntry::Nothing);
        let original = kept_as(&self.path);
        let Some(was) = &self.was else {
            // An older version had not kept it yet, or had brought it back.
            return match nothing_kept {
                true => Ok(FileBack::default()),
                false => Err(original_lost(&self.path, &original)),
            };
        };
        if folder.identity().map_err(failed)?.inode != was.folder.inode {
            return Err(another_folder(
                &self.path,
                &original,
                &folder_of(&self.path),
            ));
        }
        let is_back =
            matches!(now, SeenEntry::Regular(_, content) if digest(content) == was.file.sha256);
        if is_back && nothing_kept {
            // It was not kept yet, or was brought back by one who could not say so any more.
            return Ok(FileBack::default());
        }
        let content = (!is_back).then(|| {
            let held = self.held(was, state);
            held.ok_or_else(|| original_lost(&self.path, &original))
        });
        let content = content.transpose()?;
        // What is there now may be set aside below.
        let attributes = self.attributes(folder, (now, kept)).map_err(failed)?;
        let mut notes = Vec::new();
        if matches!(now, SeenEntry::Regular(_, content) if !self.is_ours(content)) {
            notes.push(self.set_aside(folder, self.name()).map_err(failed)?);
        }
        match (now, kept) {
            (_, SeenEntry::Nothing) => {}
            // It was written to in place while it had both names.
            (SeenEntry::Regular(now, _), SeenEntry::Regular(kept, _)) if is_same(now, kept) => {
                fs::remove_file(folder.entry(&self.kept_name())).map_err(failed)?;
            }
            _ => notes.push(self.set_aside(folder, &self.kept_name()).map_err(failed)?),
        }
        if let Some(content) = content {
            write_anew(&folder.entry(self.name()), &content, &was.file, &attributes)
                .map_err(failed)?;
            notes.push(original_mended(&self.path, &original));
        }
        Ok(FileBack {
            changed: !is_back,
            notes,
            ..FileBack::default()
        })
    }

    /// The attributes of the original: whatever was put in its place was made like it.
    fn attributes(
        &self,
        folder: &TargetFolder,
        (now, kept): (&SeenEntry, &SeenEntry),
    ) -> io::Result<FileAttributes> {
        match (now, kept) {
            (SeenEntry::Regular(..), _) => FileAttributes::of(&folder.entry(self.name())),
            (_, SeenEntry::Regular(..)) => FileAttributes::of(&folder.entry(&self.kept_name())),
            _ => Ok(FileAttributes::default()),
        }
    }

    /// The bytes of the original, where something still has them.
    fn held(&self, was: &OriginalIdentity, state: &Path) -> Option<Vec<u8>> {
        let copied = || match seen(&self.copy_in(state)) {
            Ok(SeenEntry::Regular(_, content)) => Some(content),
            _ => None,
        };
        let held = self.original.clone().or_else(copied)?;
        (digest(&held) == was.file.sha256).then_some(held)
    }

    /// Gives what stands at a name another one beside the file, which nothing has yet; what is said of it.
    fn set_aside(&self, folder: &TargetFolder, name: &OsStr) -> io::Result<Message> {
        let from = folder.entry(name);
        for number in 0..OTHERS {
            let mut other = OsString::from(self.name());
            other.push(OTHER);
            if number > 0 {
                other.push(format!(".{number}"));
            }
            match rename_to_new(&from, &folder.entry(&other)) {
                Ok(()) => return Ok(others_kept(&self.path, &self.path.with_file_name(&other))),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Nothing of the study is left beside the file.
    fn settle(&self, folder: &TargetFolder) -> Result<(), Message> {
        self.clear(folder);
        folder.sync().map_err(|error| unwritten(&self.path, &error))
    }

    /// Takes away what was being written beside the file when the writer was killed.
    fn clear(&self, folder: &TargetFolder) {
        let begin = hidden(&self.path, ".plimsoll-");
        let begin = begin.to_string_lossy();
        let entries = fs::read_dir(folder.entry(OsStr::new("")));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&*begin) && !name.ends_with(ORIGINAL) {
                // What cannot be removed does no harm: nobody reads it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Renames to a name that nothing has.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system can do that.
        Err(Errno::INVAL | Errno::NOSYS) => match fs::symlink_metadata(to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::rename(from, to),
            Err(error) => Err(error),
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        },
        renamed => Ok(renamed?),
    }
}

/// Whether two files have the same bytes, mode and owner.
fn is_as(path: &Path, other: &Path) -> bool {
    let of = |path: &Path| match seen(path) {
        Ok(SeenEntry::Regular(meta, content)) => Some((FileRights::from(&meta), content)),
        _ => None,
    };
    of(path).is_some_and(|own| of(other) == Some(own))
}
