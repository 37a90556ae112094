//! What no plan uses although it may use its user's files: what the program that runs it keeps itself.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use crate::folder::FileUse;
use crate::refused::Refused;

/// Files that are withheld, without links; and the folder among them that a plan has.
#[derive(Debug, Default)]
pub(crate) struct Withheld {
    places: Vec<PathBuf>,
    own: PathBuf,
}

impl Withheld {
    /// Places, all that is below them, and what tells of this process.
    ///
    /// # Errors
    /// The plan's folder cannot be found.
    pub fn new(places: &[PathBuf], own: &Path) -> io::Result<Self> {
        let mut places: Vec<PathBuf> = places.iter().map(|place| real(place)).collect();
        if !places.is_empty() {
            // Its memory and its environment are there.
            places.push("/proc".into());
        }
        Ok(Self {
            places,
            own: own.canonicalize()?,
        })
    }

    fn has(&self, real: &Path) -> bool {
        !real.starts_with(&self.own) && self.places.iter().any(|place| real.starts_with(place))
    }

    /// Whether a name leads to what is not withheld.
    ///
    /// # Errors
    /// It is withheld.
    pub fn ask(&self, path: &Path) -> io::Result<()> {
        match !self.places.is_empty() && self.has(&real(path)) {
            true => Err(Refused::withheld(path).into()),
            false => Ok(()),
        }
    }

    /// Opens a file. It is asked before, so that none is made where none may be, and of what was opened, since
    /// links may change meanwhile; nothing is cut off before that.
    ///
    /// # Errors
    /// As the system says, or it is withheld.
    pub fn file(
        &self,
        path: &Path,
        use_: FileUse,
        open: impl FnOnce(&Path) -> io::Result<File>,
    ) -> io::Result<File> {
        self.ask(path)?;
        let file = open(path)?;
        if self.places.is_empty() {
            return emptied(file, use_);
        }
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        match self.has(&opened) {
            true => Err(Refused::withheld(path).into()),
            false => emptied(file, use_),
        }
    }
}

fn emptied(file: File, use_: FileUse) -> io::Result<File> {
    // What is no regular file has no length.
    if use_ == FileUse::Create && file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = Vec::new();
    let mut known = path.as_path();
    loop {
        if let Ok(real) = known.canonicalize() {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        match (known.parent(), known.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                known = parent;
            }
            _ => return path,
        }
    }
}
