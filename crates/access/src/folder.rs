//! Files below one folder. Each name is resolved by the kernel from the folder's own descriptor,
//! so that neither `..` nor a link leads out of it, also while somebody changes what is in it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, mkdirat, open, openat2};
use rustix::io::Errno;

use crate::refused::{MOST_BYTES, Refused};

/// Files and folders that a plan makes in it at most.
const MOST_FILES: usize = 10_000;
/// How long what was counted holds.
const COUNTED: Duration = Duration::from_millis(100);

/// A folder, open.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    root: OwnedFd,
    /// As much as may be in it: what came with the plan, and what it may write.
    most: FolderSize,
    /// When it was looked at last whether it is full, and whether it was.
    full: Mutex<Option<(Instant, bool)>>,
    /// As it was named, and without links.
    names: [PathBuf; 2],
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileUse {
    Read,
    /// It is written anew, and made if it is not there.
    Create,
    /// The same, but what it holds stays.
    Append,
    /// It is read and changed.
    Change,
}

/// What is in a folder, and below it.
#[derive(Debug, Clone, Copy, Default)]
struct FolderSize {
    bytes: u64,
    files: usize,
}

impl FolderSize {
    /// Counts until it is beyond `most`. Links are not followed.
    fn of(folder: &Path, most: Self) -> Self {
        let mut size = Self::default();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                size.files += 1;
                match entry.metadata() {
                    Ok(found) if found.is_dir() => folders.push(entry.path()),
                    Ok(found) => size.bytes = size.bytes.saturating_add(found.len()),
                    Err(_) => {}
                }
                if !size.is_below(most) {
                    return size;
                }
            }
        }
        size
    }

    fn is_below(self, most: Self) -> bool {
        self.bytes < most.bytes && self.files <= most.files
    }
}

/// The kernel gives up when folders are moved meanwhile (openat2(2), EAGAIN).
const ATTEMPTS: u32 = 100;

/// Files and folders are the user's own.
pub const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

impl OpenFolder {
    pub fn open(path: &Path) -> io::Result<Self> {
        let real = path.canonicalize()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let any = FolderSize {
            bytes: u64::MAX,
            files: usize::MAX,
        };
        let came = FolderSize::of(&real, any);
        Ok(Self {
            root: open(&real, flags, Mode::empty())?,
            most: FolderSize {
                bytes: came.bytes.saturating_add(MOST_BYTES),
                files: came.files.saturating_add(MOST_FILES),
            },
            full: Mutex::default(),
            names: [std::path::absolute(path)?, real],
        })
    }

    /// A name as it is from the folder; relative ones are meant from there.
    fn below<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        let below = match path.is_absolute() {
            true => {
                let mut names = self.names.iter();
                names.find_map(|name| path.strip_prefix(name).ok())
            }
            false => Some(path),
        };
        let below = below.ok_or_else(|| Refused::file(path))?;
        Ok(match below.as_os_str().is_empty() {
            true => Path::new("."),
            false => below,
        })
    }

    fn open_at(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let below = self.below(path)?;
        resolved(self.root.as_fd(), below, flags).map_err(|error| told(error, path))
    }

    /// Whether what is in it is as much as may be: a plan of others must not fill the disk.
    fn is_full(&self) -> bool {
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((at, is_full)) = *full
            && now.saturating_duration_since(at) < COUNTED
        {
            return is_full;
        }
        let [_, real] = &self.names;
        let is_full = !FolderSize::of(real, self.most).is_below(self.most);
        *full = Some((now, is_full));
        is_full
    }

    pub fn file(&self, path: &Path, use_: FileUse) -> io::Result<File> {
        if use_ != FileUse::Read && self.is_full() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let flags = match use_ {
            FileUse::Read => OFlags::RDONLY,
            FileUse::Create => OFlags::WRONLY | OFlags::CREATE,
            FileUse::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
            FileUse::Change => OFlags::RDWR,
        };
        // What is no regular file is found out before anybody waits for it or changes it.
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(self.open_at(path, flags)?);
        let found = file.metadata()?;
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !found.is_file() {
            return Err(Refused::file(path).into());
        }
        if use_ == FileUse::Create {
            file.set_len(0)?;
        }
        Ok(file)
    }

    pub fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        File::from(self.open_at(path, OFlags::PATH)?).metadata()
    }

    /// What a folder holds: names, and whether each is a folder.
    pub fn list(&self, path: &Path) -> io::Result<Vec<(OsString, bool)>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let folder = self.open_at(path, flags)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                let is_folder = match entry.file_type() {
                    FileType::Directory => true,
                    // Where it leads is looked at as any file is.
                    FileType::Symlink | FileType::Unknown => {
                        self.metadata(&path.join(name)).is_ok_and(|it| it.is_dir())
                    }
                    _ => false,
                };
                entries.push((name.to_owned(), is_folder));
            }
        }
        Ok(entries)
    }

    pub fn create_folders(&self, path: &Path) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut made = PathBuf::new();
        for part in self.below(path)?.components() {
            made.push(part);
            let parent = made
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty());
            if let Component::Normal(name) = part {
                let parent = self.open_at(parent.unwrap_or(Path::new(".")), flags)?;
                match mkdirat(&parent, name, Mode::from_raw_mode(FOLDER_MODE)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(told(error, path)),
                }
            }
            self.open_at(&made, flags)?;
        }
        Ok(())
    }

    /// A folder that is there, by one name.
    pub fn real(&self, path: &Path) -> io::Result<PathBuf> {
        let [_, real] = &self.names;
        let mut place = real.clone();
        // There are no links in it, so that `..` is what is written before.
        for part in self.below(path)?.components() {
            match part {
                Component::Normal(name) => place.push(name),
                Component::ParentDir => _ = place.pop(),
                _ => {}
            }
        }
        match place.starts_with(real) {
            true => Ok(place),
            false => Err(Refused::file(path).into()),
        }
    }
}

fn resolved(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // The system refuses a mode for what is not made.
    let mode = match flags.contains(OFlags::CREATE) {
        true => Mode::from_raw_mode(FILE_MODE),
        false => Mode::empty(),
    };
    let flags = flags | OFlags::CLOEXEC;
    for _ in 1..ATTEMPTS {
        match openat2(root, path, flags, mode, how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            other => return other,
        }
    }
    openat2(root, path, flags, mode, how)
}

/// What leads out of the folder is refused, and so is what is no file.
fn told(error: Errno, path: &Path) -> io::Error {
    match error {
        Errno::XDEV | Errno::LOOP | Errno::NXIO => Refused::file(path).into(),
        // A kernel without it (before 5.6), or one that forbids it.
        Errno::NOSYS => io::Error::other(format!("openat2: {error}")),
        other => other.into(),
    }
}
