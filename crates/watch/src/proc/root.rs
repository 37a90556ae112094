//! Files of a watched process: opened below its own root, with its own rights.
//!
//! What a process says of itself (title, arguments, links, the contents of its files) is data
//! of whoever runs it. A path from there is therefore resolved by the kernel inside the
//! process's root (`openat2` with `RESOLVE_IN_ROOT`, no magic links) on a thread that has only
//! the rights of the process's user, and only regular files that are not the kernel's are opened
//! (no FIFO, device or socket), in bounded time. Where the kernel has no `openat2` (before 5.6, or
//! forbidden), a path is walked folder by folder, and no link is followed at all.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

use super::owner::Owner;
use super::{Pid, find};

/// Whatever is asked of a process's files takes no longer: a file system of its own may hang.
const LIMIT: Duration = Duration::from_secs(3);
/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 10_000;
/// The kernel's own files: what `/proc/self` says there would be of this program.
const PROC: u64 = 0x9fa0;

/// The root folder of a process, as it sees it.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    files: Arc<RootFiles>,
    /// A look at these files did not end in time: no other is begun.
    stuck: Arc<AtomicBool>,
}

/// The files below it. Only a thread with the rights of the process's user has them.
#[derive(Debug)]
pub(crate) struct RootFiles {
    pid: Pid,
    started_ticks: Option<u64>,
    folder: OwnedFd,
    /// The same folder as this program sees it: what links in `/proc` begin with.
    outer: PathBuf,
    owner: Owner,
}

impl Root {
    /// That of a process.
    ///
    /// # Errors
    /// It is gone, or this user may not look into it.
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        let started = || find::stat_of(pid).map(|stat| stat.start_ticks);
        let before = started();
        let path = format!("/proc/{pid}/root");
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let files = RootFiles {
            pid,
            started_ticks: before,
            folder: rustix::fs::open(&path, flags, Mode::empty())?,
            outer: std::fs::read_link(&path)?,
            owner: Owner::of(pid)?,
        };
        // Else these could be two processes with one number.
        if before.is_none() || before != started() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Self {
            files: Arc::new(files),
            stuck: Arc::default(),
        })
    }

    /// Whether both are of one process.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let of = |root: &Self| (root.files.pid, root.files.started_ticks);
        of(self) == of(other)
    }

    /// A path that a link in `/proc` leads to, as the process sees it.
    pub(crate) fn inner(&self, outer: &Path) -> Option<PathBuf> {
        let below = outer.strip_prefix(&self.files.outer).ok()?;
        Some(Path::new("/").join(below))
    }

    /// Gives the calling thread, and only this one, the rights of the process's user; it must end
    /// soon.
    pub(crate) fn take_rights(&self) -> io::Result<()> {
        self.files.owner.take_rights()
    }

    /// Does something with the files, with the rights of the process's user.
    ///
    /// # Errors
    /// Those of the work; these rights cannot be had; it takes too long.
    pub(crate) fn visit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&RootFiles) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        if self.stuck.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let (tell, told) = mpsc::sync_channel(1);
        let files = Arc::clone(&self.files);
        std::thread::Builder::new()
            .name("files".to_owned())
            .spawn(move || {
                let done = files.owner.take_rights().and_then(|()| work(&files));
                let _ = tell.send(done);
            })?;
        told.recv_timeout(LIMIT).unwrap_or_else(|error| {
            if error == mpsc::RecvTimeoutError::Timeout {
                self.stuck.store(true, Ordering::Relaxed);
            }
            Err(io::ErrorKind::TimedOut.into())
        })
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// It is none, or not to be read by the process's user.
    pub(crate) fn open(&self, path: impl Into<PathBuf>) -> io::Result<File> {
        let path = path.into();
        self.visit(move |files| files.open(&path))
    }
}

impl RootFiles {
    /// What there is at a path, not yet opened for anything.
    fn find(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let flags = flags | OFlags::CLOEXEC;
        match rustix::fs::openat2(&self.folder, path, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => walk(&self.folder, path, flags),
            found => Ok(found?),
        }
    }

    /// What is known of a regular file.
    pub(crate) fn stat(&self, path: &Path) -> io::Result<Stat> {
        regular(&self.find(path, OFlags::PATH)?)
    }

    /// Opens a regular file to be read.
    pub(crate) fn open(&self, path: &Path) -> io::Result<File> {
        let found = self.find(path, OFlags::PATH)?;
        regular(&found)?;
        reopen(&found)
    }

    /// Opens a regular file of that user to be read; it may not be a link.
    pub(crate) fn open_own(&self, path: &Path, uid: u32) -> io::Result<File> {
        let found = self.find(path, OFlags::PATH | OFlags::NOFOLLOW)?;
        if regular(&found)?.st_uid != uid {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        reopen(&found)
    }

    /// A socket of that user, to be connected to by [`fd_path`]; it may not be a link.
    pub(crate) fn socket(&self, path: &Path, uid: u32) -> io::Result<OwnedFd> {
        let found = self.find(path, OFlags::PATH | OFlags::NOFOLLOW)?;
        let stat = rustix::fs::fstat(&found)?;
        let socket = FileType::from_raw_mode(stat.st_mode) == FileType::Socket;
        match socket && stat.st_uid == uid {
            true => Ok(found),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// Connects to a Unix socket, and does not wait for room in its queue: the connection does not
    /// block.
    pub(crate) fn connect(&self, path: &Path) -> io::Result<UnixStream> {
        let found = self.find(path, OFlags::PATH)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(fd_path(&found))?)?;
        Ok(UnixStream::from(socket))
    }

    /// The text of a regular file that is no longer than that.
    pub(crate) fn text(&self, path: &Path, max_bytes: usize) -> io::Result<String> {
        let mut bytes = Vec::new();
        let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
        let file = self.open(path)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() > max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A folder.
    pub(crate) fn folder(&self, path: &Path) -> io::Result<RootFolder> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NONBLOCK;
        Ok(RootFolder(self.find(path, flags)?))
    }

    /// The names in a folder, without order.
    pub(crate) fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.folder(path)?.list()
    }
}

/// A folder that stays the same one, whatever its name comes to mean.
#[derive(Debug)]
pub(crate) struct RootFolder(OwnedFd);

impl RootFolder {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)?.take(MAX_ENTRIES) {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn open_at(&self, name: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let mode = Mode::RUSR | Mode::WUSR;
        let mode = if flags.contains(OFlags::CREATE) {
            mode
        } else {
            Mode::empty()
        };
        match rustix::fs::openat2(&self.0, name, flags, mode, resolve) {
            Err(Errno::NOSYS | Errno::PERM) if is_plain(name.as_ref()) => {
                Ok(rustix::fs::openat(&self.0, name, flags, mode)?)
            }
            found => Ok(found?),
        }
    }

    /// Makes an empty file in it that is the process's user's; there may be none of that name.
    pub(crate) fn touch(&self, name: &str) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.open_at(name, flags).map(drop)
    }

    /// Makes a folder in it that only the process's user may look into.
    pub(crate) fn make(&self, name: &str) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.0, name, Mode::RWXU)?;
        let made = self.open_at(name, OFlags::DIRECTORY | OFlags::RDONLY)?;
        Ok(Self(made))
    }

    /// Opens a regular file in it, of that user.
    pub(crate) fn open(&self, name: &str, uid: u32) -> io::Result<File> {
        let found = self.open_at(name, OFlags::PATH)?;
        if regular(&found)?.st_uid != uid {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        reopen(&found)
    }

    /// Removes a file from it; no link is followed.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes a folder from it with the files that are there.
    pub(crate) fn remove_folder(&self, name: &str, folder: &Self) -> io::Result<()> {
        for file in folder.list()? {
            folder.remove(&file)?;
        }
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

/// What there is at a path below a folder, on the way to which no link is followed.
fn walk(root: &OwnedFd, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let names = path.components().filter_map(|part| match part {
        Component::RootDir | Component::CurDir => None,
        Component::Normal(name) => Some(Ok(name)),
        Component::ParentDir | Component::Prefix(_) => {
            Some(Err(io::Error::from(io::ErrorKind::InvalidInput)))
        }
    });
    let names: Vec<&OsStr> = names.collect::<io::Result<_>>()?;
    let open = |folder: &OwnedFd, name: &OsStr, flags: OFlags| {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(folder, name, flags, Mode::empty())
    };
    let way = OFlags::PATH | OFlags::DIRECTORY;
    let Some((last, folders)) = names.split_last() else {
        return Ok(open(root, OsStr::new("."), flags)?);
    };
    let mut folder = open(root, OsStr::new("."), way)?;
    for name in folders {
        folder = open(&folder, name, way)?;
    }
    Ok(open(&folder, last, flags)?)
}

/// Whether a name is that of an entry of a folder.
fn is_plain(name: &Path) -> bool {
    let mut parts = name.components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(one)), None) if one == name)
}

/// Whether that is a file whose reading does nothing but read.
fn regular(found: &OwnedFd) -> io::Result<Stat> {
    let stat = rustix::fs::fstat(found)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let system = rustix::fs::fstatfs(found)?.f_type;
    if u64::try_from(system).is_ok_and(|system| system == PROC) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(stat)
}

/// Opens to be read what was found: this very file, whatever its path means by now.
fn reopen(found: &OwnedFd) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(fd_path(found), flags, Mode::empty())?;
    Ok(File::from(file))
}

/// A path that leads to what a descriptor is of.
pub(crate) fn fd_path(found: &impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", found.as_fd().as_raw_fd()))
}

/// Opens the regular file that a user of this program named.
///
/// # Errors
/// It is none, or cannot be read.
pub(crate) fn open_named(path: &Path) -> io::Result<File> {
    let found = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    regular(&found)?;
    reopen(&found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn opened(path: &Path) -> OwnedFd {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).unwrap()
    }

    #[test]
    fn without_the_kernels_help_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        std::fs::create_dir_all(home.join("a/b")).unwrap();
        std::fs::write(home.join("a/b/file"), "x").unwrap();
        symlink("b", home.join("a/link")).unwrap();
        symlink("/etc/passwd", home.join("a/out")).unwrap();
        let root = opened(home);
        let regular_at = |path: &str| {
            let found = walk(&root, Path::new(path), OFlags::PATH);
            found.and_then(|found| regular(&found)).is_ok()
        };
        assert!(regular_at("/a/b/file"));
        assert!(regular_at("a/./b/file"));
        for wrong in ["/a/link/file", "/a/out", "/a/../a/b/file", "/a/b", "/", ""] {
            assert!(!regular_at(wrong), "{wrong}");
        }
        assert!(walk(&root, Path::new("/a/b"), OFlags::DIRECTORY | OFlags::RDONLY).is_ok());
        for (name, plain) in [("x", true), ("..", false), ("a/b", false), ("", false)] {
            assert_eq!(is_plain(name.as_ref()), plain, "{name}");
        }
    }
}
