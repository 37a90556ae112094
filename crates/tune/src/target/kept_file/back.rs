//! A file is brought back, or left as it is.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use plimsoll_knobs::write::{FileRights, put_back};
use plimsoll_text::Message;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{KeptFile, folder_of, of_folder};
use crate::target::file_messages::{
    another_folder, folder_gone, not_back, original_lost, original_mended, others_kept, unwritten,
};
use crate::target::held_folder::{FolderError, HeldFolder, Seen, seen};
use crate::target::identity::{FileIdentity, OriginalIdentity, digest};
use crate::target::originals::{ORIGINAL, hidden, kept_as};

/// What stands behind a file's name for what somebody else made of it.
const OTHER: &str = ".plimsoll-other";
/// So many versions of others are kept beside a file.
const OTHERS: u32 = 1_000;

/// What bringing a file back did.
#[derive(Debug, Default, PartialEq)]
pub struct Brought {
    /// It was changed, and is as it was.
    pub changed: bool,
    /// What somebody must know of it.
    pub notes: Vec<Message>,
}

impl KeptFile {
    /// Brings the original back, and takes away what a write that was cut off left beside it. What somebody else made
    /// of the file meanwhile is kept beside it.
    ///
    /// # Errors
    /// Why it is not brought back.
    pub fn bring_back(&self, state: &Path) -> Result<Brought, Message> {
        let folder = match HeldFolder::of(&self.path) {
            Ok(folder) => folder,
            // With its folder all of it is gone, or was moved.
            Err(FolderError::Gone) => {
                return Ok(Brought {
                    changed: false,
                    notes: vec![folder_gone(&self.path, &kept_as(&self.path))],
                });
            }
            Err(error) => return Err(of_folder(&self.path, error)),
        };
        let now = self.seen(&folder, self.name())?;
        if let Seen::Strange { link } = now {
            return Err(not_back(&self.path, &kept_as(&self.path), link));
        }
        let brought = match self.seen(&folder, &self.kept_name())? {
            Seen::Regular(meta, content) if self.is_original(&meta, &content) => self
                .by_second_name(&folder, &now, &meta)
                .map_err(|error| unwritten(&self.path, &error))?,
            kept => self.by_copy(&folder, (&now, &kept), state)?,
        };
        self.settle(&folder, state)?;
        Ok(brought)
    }

    /// Leaves the file as it is now: its original goes.
    ///
    /// # Errors
    /// If the folder does not let it go, or is another one.
    pub fn leave(&self, state: &Path) -> Result<(), Message> {
        let folder = match HeldFolder::of(&self.path) {
            Ok(folder) => folder,
            Err(FolderError::Gone) => return Ok(()),
            Err(error) => return Err(of_folder(&self.path, error)),
        };
        match fs::remove_file(folder.entry(&self.kept_name())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unwritten(&self.path, &error))
            }
            _ => self.settle(&folder, state),
        }
    }

    fn by_second_name(
        &self,
        folder: &HeldFolder,
        now: &Seen,
        original: &Metadata,
    ) -> io::Result<Brought> {
        let (file, kept) = (folder.entry(self.name()), folder.entry(&self.kept_name()));
        let mut notes = Vec::new();
        match now {
            Seen::Regular(meta, _) if is_same(meta, original) => {
                // A rename onto itself would leave both names.
                fs::remove_file(&kept)?;
                return Ok(Brought::default());
            }
            Seen::Regular(_, content) if !self.is_ours(content) => {
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
            return Ok(Brought::default());
        }
        let changed = true;
        Ok(Brought { changed, notes })
    }

    /// The second name is not the original any more: its bytes are in memory, or in the study's own folder.
    fn by_copy(
        &self,
        folder: &HeldFolder,
        (now, kept): (&Seen, &Seen),
        state: &Path,
    ) -> Result<Brought, Message> {
        let failed = |error: io::Error| unwritten(&self.path, &error);
        let nothing_kept = matches!(kept, Seen::Nothing);
        let original = kept_as(&self.path);
        let Some(was) = &self.was else {
            // An older version had not kept it yet, or had brought it back.
            return match nothing_kept {
                true => Ok(Brought::default()),
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
            matches!(now, Seen::Regular(_, content) if digest(content) == was.file.sha256);
        if is_back && nothing_kept {
            // It was not kept yet, or was brought back by one who could not say so any more.
            return Ok(Brought::default());
        }
        let content = self.held(was, state);
        let content = content.ok_or_else(|| original_lost(&self.path, &original))?;
        let mut notes = Vec::new();
        if matches!(now, Seen::Regular(_, content) if !self.is_ours(content)) {
            notes.push(self.set_aside(folder, self.name()).map_err(failed)?);
        }
        match (now, kept) {
            (_, Seen::Nothing) => {}
            // It was written to in place while it had both names.
            (Seen::Regular(now, _), Seen::Regular(kept, _)) if is_same(now, kept) => {
                fs::remove_file(folder.entry(&self.kept_name())).map_err(failed)?;
            }
            _ => notes.push(self.set_aside(folder, &self.kept_name()).map_err(failed)?),
        }
        if !is_back {
            write_back(&folder.entry(self.name()), &content, &was.file).map_err(failed)?;
            notes.push(original_mended(&self.path, &original));
        }
        let changed = !is_back;
        Ok(Brought { changed, notes })
    }

    /// The bytes of the original, where something still has them.
    fn held(&self, was: &OriginalIdentity, state: &Path) -> Option<Vec<u8>> {
        let copied = || match seen(&self.copy_in(state)) {
            Ok(Seen::Regular(_, content)) => Some(content),
            _ => None,
        };
        let held = self.original.clone().or_else(copied)?;
        (digest(&held) == was.file.sha256).then_some(held)
    }

    /// Gives what stands at a name another one beside the file, which nothing has yet; what is said of it.
    fn set_aside(&self, folder: &HeldFolder, name: &OsStr) -> io::Result<Message> {
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

    /// Nothing of the study is left beside the file, nor its copy.
    fn settle(&self, folder: &HeldFolder, state: &Path) -> Result<(), Message> {
        // What is left there of a copy does no harm, but to say what the file was.
        let _ = fs::remove_file(self.copy_in(state));
        self.clear(folder);
        folder.sync().map_err(|error| unwritten(&self.path, &error))
    }

    /// Takes away what was being written beside the file when the writer was killed.
    fn clear(&self, folder: &HeldFolder) {
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

/// Writes an original anew, as it was.
fn write_back(path: &Path, content: &[u8], was: &FileIdentity) -> io::Result<()> {
    put_back(path, content, was.rights())?;
    let seconds = u64::try_from(was.changed_s).unwrap_or_default();
    let nanoseconds = u64::try_from(was.changed_ns).unwrap_or_default();
    let since = Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds);
    let changed = SystemTime::UNIX_EPOCH + since;
    // A time that the file system does not take is not worth the bytes.
    let _ = File::open(path).and_then(|file| file.set_modified(changed));
    Ok(())
}

/// Whether two files have the same bytes, mode and owner.
fn is_as(path: &Path, other: &Path) -> bool {
    let of = |path: &Path| match seen(path) {
        Ok(Seen::Regular(meta, content)) => Some((FileRights::from(&meta), content)),
        _ => None,
    };
    of(path).is_some_and(|own| of(other) == Some(own))
}
