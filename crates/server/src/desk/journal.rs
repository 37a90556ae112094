//! What this process has begun, on disk: who comes after one that was killed says what was cut short. And the
//! folder is one server's.

use crate::now::since_epoch;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_store::{Run, RunState, private};
use plimsoll_text::Message;

/// The workbench's own folder among the runs; names with a dot are no runs.
pub(crate) const WORKBENCH_FOLDER: &str = ".workbench";
/// A longer file is not ours.
const MOST_BYTES: u64 = 1 << 20;

/// The server's own folder.
pub(crate) struct DeskJournal {
    folder: PathBuf,
    begun: Mutex<Vec<String>>,
    cut_short: Vec<String>,
    /// Locked as long as this server lives.
    lock: Mutex<File>,
    /// Folders of plans whose runs wait or go on.
    held: Arc<Mutex<HashSet<PathBuf>>>,
}

/// The folder of a plan that was sent; as long as this lives it is not cleared away.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    path: PathBuf,
    held: Arc<Mutex<HashSet<PathBuf>>>,
}

impl HeldFolder {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A message as who sent the plan knows its files: names from its folder, which is `.`.
    pub fn hide(&self, message: &mut Message) {
        let whole = std::path::absolute(&self.path);
        // The longer one first: it ends with the other.
        for path in [whole.as_ref().unwrap_or(&self.path), &self.path] {
            let path = path.display().to_string();
            message.replace_in_texts(&format!("{path}/"), "");
            message.replace_in_texts(&path, ".");
        }
    }
}

impl Drop for HeldFolder {
    fn drop(&mut self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.remove(&self.path);
    }
}

impl DeskJournal {
    /// Takes a folder of runs for this server.
    ///
    /// # Errors
    /// Another server has it, which is named; or it cannot be written.
    pub fn open(root: &Path) -> Result<Self, Message> {
        let folder = root.join(WORKBENCH_FOLDER);
        let failed = |error: io::Error| {
            Message::new("run-file-failed")
                .with("path", folder.display().to_string())
                .with("reason", error.to_string())
        };
        private::folders(&folder).map_err(failed)?;
        let mut lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join("lock"))
            .map_err(failed)?;
        if lock.try_lock().is_err() {
            let mut by = String::new();
            // What cannot be read names nobody.
            let _ = io::Read::by_ref(&mut lock)
                .take(MOST_BYTES)
                .read_to_string(&mut by);
            return Err(Message::new("server-folder-taken")
                .with("path", root.display().to_string())
                .with("by", by.trim()));
        }
        let before = read_names(&folder.join("begun.json"));
        let is_cut = |name: &String| {
            let run = Run::open(&root.join(name));
            run.is_ok_and(|run| matches!(run.state(), Ok(RunState::CutShort)))
        };
        let journal = Self {
            folder,
            begun: Mutex::default(),
            cut_short: before.into_iter().filter(is_cut).collect(),
            lock: Mutex::new(lock),
            held: Arc::default(),
        };
        journal.keep(&[]);
        Ok(journal)
    }

    /// Says where this server is, for one that comes and finds the folder taken.
    pub fn tell(&self, address: &str) {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let text = format!("{address} (PID {})\n", std::process::id());
        // It is told to people alone.
        let _ = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(text.as_bytes()));
    }

    /// Runs that were begun by a server that was killed.
    pub fn cut_short(&self) -> &[String] {
        &self.cut_short
    }

    /// One of the server's own folders; it is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join(name);
        private::folders(&folder)?;
        Ok(folder)
    }

    /// The server's own folder.
    pub fn own_folder(&self) -> &Path {
        &self.folder
    }

    /// A folder of its own, among those of a kind, for a plan or a study that was sent.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn plan_folder(&self, kind: &str) -> io::Result<HeldFolder> {
        let folder = self.folder(kind)?;
        let mut number = since_epoch().as_nanos();
        // Two that come at once have a folder each.
        let path = loop {
            let path = folder.join(number.to_string());
            match private::folder(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => break made.map(|()| path)?,
            }
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(path.clone());
        Ok(HeldFolder {
            path,
            held: Arc::clone(&self.held),
        })
    }

    /// Whether a folder is that of a plan whose run waits or goes on.
    pub fn is_held(&self, folder: &Path) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.contains(folder)
    }

    /// A run begins.
    pub fn begun(&self, name: &str) {
        self.change(|begun| begun.push(name.to_owned()));
    }

    /// A run has ended.
    pub fn ended(&self, name: &str) {
        self.change(|begun| begun.retain(|known| known != name));
    }

    fn change(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut begun);
        self.keep(&begun);
    }

    fn keep(&self, begun: &[String]) {
        // Where nothing can be written any more the runs say so themselves.
        let _ = serde_json::to_vec(begun)
            .map_err(io::Error::from)
            .and_then(|json| private::write(&self.folder.join("begun.json"), &json));
    }
}

fn read_names(path: &Path) -> Vec<String> {
    let short = std::fs::metadata(path).is_ok_and(|known| known.len() <= MOST_BYTES);
    let bytes = short.then(|| std::fs::read(path).ok()).flatten();
    let names: Option<Vec<String>> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut names = names.unwrap_or_default();
    names.retain(|name| !name.contains(['/', '\\']) && !name.starts_with('.'));
    names
}
