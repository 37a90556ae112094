//! Files that a JVM writes on request: into a folder made for them, read, and removed, all of
//! it with the rights of the JVM's user: then the folder is theirs from the beginning, and what
//! they put in its place can do no more than they can.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use plimsoll_text::Message;

use crate::clock::now_unix_ns;
use crate::collector::Trouble;
use crate::collectors::jvm::target::JvmProcess;
use crate::proc::root::{Root, RootFolder as Open};

/// A folder in the JVM's `/tmp` that only its user can look into. Dropped, it is removed.
pub(crate) struct PrivateFolder {
    root: Root,
    made: Arc<MadeFolder>,
    name: String,
    uid: u32,
}

/// The JVM's `/tmp`, and the folder in it.
struct MadeFolder {
    parent: Open,
    folder: Open,
}

/// The file that was written.
pub(crate) enum WrittenFile {
    /// All of it.
    Whole(Vec<u8>),
    /// Its beginning: it was longer than is kept.
    Cut(Vec<u8>),
}

impl PrivateFolder {
    /// Makes the folder.
    ///
    /// # Errors
    /// The JVM's `/tmp` cannot be written.
    pub(crate) fn new(process: &JvmProcess) -> Result<Self, Trouble> {
        let name = format!("plimsoll-{}-{}", std::process::id(), now_unix_ns());
        let made = || {
            let root = process.root()?;
            let called = name.clone();
            let made = root.visit(move |files| {
                let parent = files.folder(Path::new("/tmp"))?;
                let folder = parent.make(&called)?;
                Ok(MadeFolder { parent, folder })
            })?;
            Ok((root, made))
        };
        let (root, made) = made().map_err(|error| unreadable(&name, &error))?;
        Ok(Self {
            root,
            made: Arc::new(made),
            name,
            uid: process.uid,
        })
    }

    /// The path of a file in it, as the JVM sees it.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("/tmp/{}/{name}", self.name)
    }

    /// Reads a file that the JVM wrote into it.
    ///
    /// # Errors
    /// There is none, or it is not the JVM's.
    pub(crate) fn read(&self, name: &str, max_bytes: usize) -> Result<WrittenFile, Trouble> {
        let (made, uid, file) = (Arc::clone(&self.made), self.uid, name.to_owned());
        let read = self.root.visit(move |_| {
            let file = made.folder.open(&file, uid)?;
            let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
            let length = file.metadata()?.len();
            let mut bytes = Vec::new();
            file.take(limit).read_to_end(&mut bytes)?;
            Ok(match length > limit {
                true => WrittenFile::Cut(bytes),
                false => WrittenFile::Whole(bytes),
            })
        });
        read.map_err(|error| unreadable(&self.name, &error))
    }
}

fn unreadable(name: &str, error: &io::Error) -> Trouble {
    Trouble::new(
        Message::new("watch-jvm-denied")
            .with("path", format!("/tmp/{name}"))
            .with("reason", error.to_string()),
    )
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let (made, name) = (Arc::clone(&self.made), self.name.clone());
        // What cannot be removed is left to the system's own cleaning of /tmp.
        let _ = self
            .root
            .visit(move |_| made.parent.remove_folder(&name, &made.folder));
    }
}
