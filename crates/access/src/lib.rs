//! What a plan may do on this host beyond sending requests: files, scripts, processes, and the
//! environment's variables; and which hosts it may send to at all ([`Reach`]).
//!
//! Who works on a plan asks its [`Access`] each time, while the plan runs: names of files and
//! texts of scripts are often made only then. By default nothing is allowed. A run on one's own
//! machine has its user's rights ([`Access::of_user`]); a plan from elsewhere has its folder and
//! what was allowed by name ([`Access::within`]). This crate knows messages, and nothing of plans
//! or of who asks: the crates that run plans may open files and start processes by it alone
//! (`clippy.toml` in each of them).

mod folder;
mod reach;
mod refused;
mod resolver;
mod withheld;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use folder::{FileUse, OpenFolder};
pub use reach::Reach;
pub use refused::{Refused, Right, reason};
pub use resolver::{MayLead, RuledResolver};
use withheld::Withheld;

/// What a plan may do on this host. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Access(Arc<Rules>);

#[derive(Debug, Default)]
struct Rules {
    files: FilesAllowed,
    scripts: bool,
    processes: bool,
    environment: AccessEnvironment,
    /// None: any host.
    reach: Option<Reach>,
}

/// Which files may be used.
#[derive(Debug, Default)]
enum FilesAllowed {
    #[default]
    None,
    /// Those below a folder.
    Below(OpenFolder),
    /// Those of the user whom this process belongs to, but for what is withheld.
    OfUser(Withheld),
}

#[derive(Debug)]
enum AccessEnvironment {
    Given(BTreeMap<String, String>),
    OfProcess,
}

impl Default for AccessEnvironment {
    fn default() -> Self {
        Self::Given(BTreeMap::new())
    }
}

impl Access {
    /// All that the user may whom this process belongs to.
    #[must_use]
    pub fn of_user() -> Self {
        Self(Arc::new(Rules {
            files: FilesAllowed::OfUser(Withheld::default()),
            scripts: true,
            processes: true,
            environment: AccessEnvironment::OfProcess,
            reach: None,
        }))
    }

    /// Files below a folder, the rights that are named, and these variables as its environment.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn within(
        folder: &Path,
        rights: &[Right],
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> io::Result<Self> {
        let environment = environment.into_iter().collect();
        Self::ruled(folder, rights, environment, None, &[])
    }

    /// As [`within`](Self::within) without an environment; nothing is sent but to hosts of a list (none: to any),
    /// and what is `withheld` is no file of a plan but for what lies in its folder, whatever rights are named.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn bounded(
        folder: &Path,
        rights: &[Right],
        reach: Option<Reach>,
        withheld: &[PathBuf],
    ) -> io::Result<Self> {
        Self::ruled(folder, rights, BTreeMap::new(), reach, withheld)
    }

    fn ruled(
        folder: &Path,
        rights: &[Right],
        environment: BTreeMap<String, String>,
        reach: Option<Reach>,
        withheld: &[PathBuf],
    ) -> io::Result<Self> {
        let has = |right| rights.contains(&right);
        Ok(Self(Arc::new(Rules {
            files: match has(Right::Files) {
                true => FilesAllowed::OfUser(Withheld::new(withheld, folder)?),
                false => FilesAllowed::Below(OpenFolder::open(folder)?),
            },
            scripts: has(Right::Scripts),
            processes: has(Right::Processes),
            environment: AccessEnvironment::Given(environment),
            reach,
        })))
    }

    /// Whether something may be done; `what` names who wants to, for the refusal.
    ///
    /// # Errors
    /// It may not.
    pub fn ask(&self, right: Right, what: &str) -> Result<(), Refused> {
        let may = match right {
            Right::Files => matches!(self.0.files, FilesAllowed::OfUser(_)),
            Right::Scripts => self.0.scripts,
            Right::Processes => self.0.processes,
        };
        match may {
            true => Ok(()),
            false => Err(Refused::new(right, what)),
        }
    }

    /// The hosts that may be sent to, whatever a plan says; none: any.
    #[must_use]
    pub fn reach(&self) -> Option<&Reach> {
        self.0.reach.as_ref()
    }

    /// A program to start.
    ///
    /// # Errors
    /// Processes may not be started.
    pub fn command(&self, program: &OsStr) -> Result<Command, Refused> {
        self.ask(Right::Processes, &program.to_string_lossy())?;
        Ok(Command::new(program))
    }

    /// A variable of the environment; none: it is not set, or not to be seen.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        match &self.0.environment {
            AccessEnvironment::Given(values) => values.get(name).cloned(),
            AccessEnvironment::OfProcess => std::env::var(name).ok(),
        }
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    /// As the system says, and where the file may not be used ([`Refused::of`]).
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.file(path, FileUse::Read, OpenOptions::new().read(true))
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = self.open(path)?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Opens a file to write it anew. One that a plan makes is for its user alone: it may hold what
    /// was sent and received, as it was. One that is there keeps its rights.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn create(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        // It is emptied once it is open: see `Withheld::file`.
        options.write(true).create(true).truncate(false);
        options.mode(folder::FILE_MODE);
        self.file(path, FileUse::Create, &options)
    }

    /// Opens a file to write at its end; it is made if it is not there.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn append(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(folder::FILE_MODE);
        self.file(path, FileUse::Append, &options)
    }

    /// Opens a file that is there to read and change it.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn change(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        self.file(path, FileUse::Change, &options)
    }

    fn file(&self, path: &Path, use_: FileUse, options: &OpenOptions) -> io::Result<File> {
        match &self.0.files {
            FilesAllowed::OfUser(withheld) => withheld.file(path, use_, |path| options.open(path)),
            FilesAllowed::Below(folder) => folder.file(path, use_),
            FilesAllowed::None => Err(Refused::file(path).into()),
        }
    }

    /// What a folder holds: names, and whether each is a folder; in no order.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn list(&self, path: &Path) -> io::Result<Vec<(OsString, bool)>> {
        match &self.0.files {
            FilesAllowed::OfUser(withheld) => {
                withheld.ask(path)?;
                let entry = |entry: io::Result<fs::DirEntry>| {
                    let entry = entry?;
                    let is_folder = entry.path().is_dir();
                    Ok((entry.file_name(), is_folder))
                };
                fs::read_dir(path)?.map(entry).collect()
            }
            FilesAllowed::Below(folder) => folder.list(path),
            FilesAllowed::None => Err(Refused::file(path).into()),
        }
    }

    /// Makes a folder and those it is in.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn create_folders(&self, path: &Path) -> io::Result<()> {
        match &self.0.files {
            FilesAllowed::OfUser(withheld) => {
                withheld.ask(path)?;
                fs::create_dir_all(path)
            }
            FilesAllowed::Below(folder) => folder.create_folders(path),
            FilesAllowed::None => Err(Refused::file(path).into()),
        }
    }

    /// One name for a file, whatever it is called by, whether or not it exists. Its folder is
    /// made.
    ///
    /// # Errors
    /// As [`Access::open`].
    pub fn place(&self, path: &Path) -> io::Result<PathBuf> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        self.create_folders(parent)?;
        match &self.0.files {
            FilesAllowed::OfUser(_) => {
                let place = parent.canonicalize()?.join(name);
                Ok(place.canonicalize().unwrap_or(place))
            }
            FilesAllowed::Below(folder) => Ok(folder.real(parent)?.join(name)),
            FilesAllowed::None => Err(Refused::file(path).into()),
        }
    }

    /// Whether there is something of this name that may be used.
    #[must_use]
    pub fn exists(&self, path: &Path) -> bool {
        match &self.0.files {
            FilesAllowed::OfUser(withheld) => withheld.ask(path).is_ok() && path.exists(),
            FilesAllowed::Below(folder) => folder.metadata(path).is_ok(),
            FilesAllowed::None => false,
        }
    }

    /// Whether there is a regular file of this name that may be used.
    #[must_use]
    pub fn is_file(&self, path: &Path) -> bool {
        match &self.0.files {
            FilesAllowed::OfUser(withheld) => withheld.ask(path).is_ok() && path.is_file(),
            FilesAllowed::Below(folder) => folder.metadata(path).is_ok_and(|found| found.is_file()),
            FilesAllowed::None => false,
        }
    }
}

#[cfg(test)]
mod tests;
