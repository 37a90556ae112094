//! What a study has done, so that it can be undone and gone on with: a line of JSON each, on the disk before the
//! thing itself is done.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll_text::Message;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use super::identity::OriginalIdentity;
use super::originals::NO_FILE;
use super::trusted::is_trusted;
use crate::engine::Record;

/// Version of what a journal means for going on.
pub const JOURNAL_VERSION: u32 = 1;
/// Below the folder of the runs, for what studies keep.
const STATE_FOLDER: &str = ".tune";
/// A journal that is longer is none of ours.
const MOST_BYTES: u64 = 256 << 20;
/// As much of that is left for what brings the target back.
const FOR_THE_END: u64 = 1 << 20;
/// So often it is tried to have a journal that another process has,
const LOCK_ATTEMPTS: u32 = 10;
/// with such pauses.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// What is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Entry {
    /// A study begins, or goes on.
    Begun {
        /// Version of the journal's form.
        version: u32,
        /// Its mark: processes that it starts carry it.
        mark: String,
        /// The study's file.
        study: PathBuf,
        /// What its paths start from; none: its file's folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<PathBuf>,
        /// The fingerprint of what decides which trials are made.
        fingerprint: String,
        /// The seed of its search.
        seed: u64,
        /// It goes on with the trials before it.
        resumed: bool,
        /// An agent's: for whom it changes this host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_by: Option<AskedBy>,
    },
    /// The original of this file is about to be kept.
    Kept {
        /// The file, without links.
        path: PathBuf,
        /// What it is known again by; journals of older versions do not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<OriginalIdentity>,
    },
    /// Bytes are about to be written to a file: what is there later with other ones is somebody else's.
    Wrote {
        /// The file, without links.
        path: PathBuf,
        /// Their digest.
        sha256: String,
    },
    /// A command is about to set a knob that had this value.
    Set {
        /// The knob.
        knob: String,
        /// What it was.
        was: String,
        /// The kernel's file that is written for it: no command of the study is needed to bring it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<KernelText>,
    },
    /// A component that Plimsoll did not start is about to take new values.
    Touched {
        /// The component.
        component: String,
    },
    /// A configuration stands in the files and is to stay there: the originals go.
    Left,
    /// This file is as it was: what stands there from now on is not the study's.
    FileIsBack {
        /// The file, without links.
        path: PathBuf,
    },
    /// A knob that was set has again what it was.
    KnobIsBack {
        /// The knob.
        knob: String,
    },
    /// A component that Plimsoll did not start has taken again what stands in its files.
    ComponentIsBack {
        /// The component.
        component: String,
    },
    /// A trial is over.
    Trial(Box<Record>),
    /// All is as it was, or as the study's result wants it.
    Restored,
    /// A line that nobody can read any more; it is never written.
    #[serde(skip)]
    Unreadable {
        /// Its number, from 1.
        line: usize,
    },
}

/// Who has an agent change its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedBy {
    /// The study.
    pub study: String,
    /// Who makes it, as they say, and where they are.
    pub by: String,
}

/// A file of the kernel, and what is to be written into it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelText {
    /// The file.
    pub path: PathBuf,
    /// As the kernel takes it.
    pub text: String,
}

/// Why there is no journal.
#[derive(Debug)]
pub enum JournalError {
    /// Another process has it: its study goes on.
    Busy,
    /// Somebody else may write to it: what it says is not to be trusted.
    NotOurs(PathBuf),
    /// The system does not let it be.
    Io(io::Error),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A journal that cannot be had.
#[must_use]
pub fn journal_failed(folder: &Path, error: JournalError) -> Message {
    match error {
        JournalError::Busy => Message::new("tune-busy").with("path", folder.display().to_string()),
        JournalError::NotOurs(path) => {
            Message::new("tune-journal-not-ours").with("path", path.display().to_string())
        }
        JournalError::Io(error) => Message::new("tune-journal-unusable")
            .with("path", folder.display().to_string())
            .with("reason", error.to_string()),
    }
}

/// Where a study keeps what it must know later, below the folder of the runs.
#[must_use]
pub fn state_folder(runs: &Path, study: &str) -> PathBuf {
    let safe = |c: char| {
        if c.is_alphanumeric() || "-_".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = study.chars().take(100).map(safe).collect();
    runs.join(STATE_FOLDER).join(name)
}

/// The studies that have left something to know below a folder of runs.
#[must_use]
pub fn studies(runs: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(runs.join(STATE_FOLDER))
        .into_iter()
        .flatten()
        .flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Who only looks holds the lock for a moment.
fn lock(file: &File) -> Result<(), JournalError> {
    for _ in 0..LOCK_ATTEMPTS {
        if rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Ok(());
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    Err(JournalError::Busy)
}

fn open_of(entries: &[Entry]) -> &[Entry] {
    let last = entries.iter().rposition(|entry| *entry == Entry::Restored);
    &entries[last.map_or(0, |at| at + 1)..]
}

/// A journal, as one who does not write it sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeekedJournal {
    /// A process has it: its study goes on, or is brought back.
    pub goes_on: bool,
    /// Something is left to be brought back.
    pub is_open: bool,
}

/// Looks at the journal of a folder. One that cannot be read has nothing left.
#[must_use]
pub fn peeked(folder: &Path) -> PeekedJournal {
    let mut text = Vec::new();
    let mut goes_on = false;
    if let Ok(file) = File::open(folder.join("journal.jsonl")) {
        goes_on = rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared).is_err();
        // With the file the lock goes at the latest.
        let _ = rustix::fs::flock(&file, FlockOperation::Unlock);
        let _ = file.take(MOST_BYTES).read_to_end(&mut text);
    }
    PeekedJournal {
        goes_on,
        is_open: !open_of(&read(&text).0).is_empty(),
    }
}

/// A journal that this process writes.
pub struct Journal {
    file: File,
    folder: PathBuf,
    entries: Vec<Entry>,
    most_bytes: u64,
}

impl Journal {
    /// Opens the journal of a folder, which is made where it is missing. A last line that is not whole was being
    /// written when its writer was killed: what it says had not been done. Other lines that cannot be read are entries
    /// of their own, so that the rest is brought back.
    ///
    /// # Errors
    /// If another process has it open, or it cannot be read or written.
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        plimsoll_store::private::folders(folder)?;
        let path = folder.join("journal.jsonl");
        let all = folder.parent().filter(|it| it.ends_with(STATE_FOLDER));
        for path in all.into_iter().chain([folder, path.as_path()]) {
            if !is_trusted(path)? {
                return Err(JournalError::NotOurs(path.to_owned()));
            }
        }
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true).mode(0o600);
        let options = options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        let mut file = options.open(&path)?;
        lock(&file)?;
        if !file.metadata()?.is_file() {
            // What a pipe gives may never come.
            return Err(io::Error::new(io::ErrorKind::InvalidInput, NO_FILE).into());
        }
        if file.metadata()?.len() > MOST_BYTES {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge).into());
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let (entries, whole) = read(&text);
        if whole < text.len() {
            file.set_len(whole as u64)?;
        } else if text.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n")?;
        }
        file.sync_all()?;
        File::open(folder)?.sync_all()?;
        Ok(Self {
            file,
            folder: folder.to_owned(),
            entries,
            most_bytes: MOST_BYTES,
        })
    }

    /// The folder that it lies in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All since the last study that was brought back.
    #[must_use]
    pub fn open_entries(&self) -> &[Entry] {
        open_of(&self.entries)
    }

    /// All that was ever written down.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Writes something down; it is on the disk when this returns.
    ///
    /// # Errors
    /// If it is not. Then what it says must not be done.
    pub fn write(&mut self, entry: Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        let meta = self.file.metadata()?;
        // What is written to a file that was removed brings nothing back.
        if meta.nlink() == 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        let before = meta.len();
        let most = match entry {
            Entry::Trial(_) => self.most_bytes - FOR_THE_END,
            _ => self.most_bytes,
        };
        // One that is longer could not be opened any more, and nothing be brought back.
        if before + line.len() as u64 > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write_all(&line);
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            // What comes later must not stand behind half a line.
            self.file.set_len(before)?;
            return Err(error);
        }
        self.entries.push(entry);
        Ok(())
    }
}

/// The entries of a journal, and how many of its bytes are to stay: all but a last line that was cut off.
fn read(text: &[u8]) -> (Vec<Entry>, usize) {
    let (mut entries, mut whole) = (Vec::new(), 0);
    for (at, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_cut = !line.ends_with(b"\n") && (line.starts_with(b"{") || line[0] == 0);
        if is_cut {
            break;
        }
        let understood = serde_json::from_slice(line);
        entries.push(understood.unwrap_or(Entry::Unreadable { line: at + 1 }));
        whole += line.len();
    }
    (entries, whole)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::space::Configuration;
    use crate::trial::{FailedTrial, Reason, TrialEnd};

    fn kept(name: &str) -> Entry {
        Entry::Kept {
            path: PathBuf::from(name),
            was: None,
        }
    }

    fn trial(detail: usize) -> Entry {
        Entry::Trial(Box::new(Record {
            number: 1,
            why: Reason::Baseline,
            configuration: Configuration::unchanged(0),
            seconds: 1.0,
            result: TrialEnd::Failed {
                what: FailedTrial::Died,
                detail: "x".repeat(detail),
            },
        }))
    }

    #[test]
    fn a_journal_that_is_full_takes_what_brings_the_target_back() {
        for detail in [10, 1_000, 50_000] {
            let folder = tempfile::tempdir().unwrap();
            let mut journal = Journal::open(folder.path()).unwrap();
            journal.most_bytes = FOR_THE_END + 200_000;
            let full = loop {
                if let Err(error) = journal.write(trial(detail)) {
                    break error;
                }
            };
            assert_eq!(full.kind(), io::ErrorKind::FileTooLarge);
            journal.write(kept("a")).unwrap();
            journal.write(Entry::Restored).unwrap();
            let length = journal.file.metadata().unwrap().len();
            assert!(
                length <= journal.most_bytes - FOR_THE_END + 1_000,
                "{length}"
            );
            drop(journal);
            let journal = Journal::open(folder.path()).unwrap();
            assert_eq!(journal.entries().last(), Some(&Entry::Restored));
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::open(folder.path()).unwrap();
        for name in ["a", "b", "c"] {
            journal.write(kept(name)).unwrap();
        }
        drop(journal);
        let lines = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
        for bad in [
            b"{\"what\":\"unheard_of\"}\n".as_slice(),
            b"\0\xff\n",
            b"\n",
        ] {
            for line in 0..lines.len() {
                let mut text = lines.clone();
                text[line] = bad;
                std::fs::write(&path, text.concat()).unwrap();
                let journal = Journal::open(folder.path()).unwrap();
                let mut wanted = [kept("a"), kept("b"), kept("c")];
                wanted[line] = Entry::Unreadable { line: line + 1 };
                assert_eq!(journal.open_entries(), wanted);
            }
        }
        std::fs::write(&path, "garbage").unwrap();
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.write(kept("d")).unwrap();
        drop(journal);
        let journal = Journal::open(folder.path()).unwrap();
        assert_eq!(
            journal.entries(),
            [Entry::Unreadable { line: 1 }, kept("d")]
        );
    }

    #[test]
    fn a_line_that_was_cut_off_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path()).unwrap();
        journal.write(kept("a")).unwrap();
        journal.write(Entry::Restored).unwrap();
        journal.write(kept("b")).unwrap();
        drop(journal);
        let path = folder.path().join("journal.jsonl");
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut journal = Journal::open(folder.path()).unwrap();
            journal.write(kept("c")).unwrap();
            assert_eq!(journal.open_entries().last(), Some(&kept("c")));
            drop(journal);
            let again = Journal::open(folder.path()).unwrap();
            assert_eq!(again.entries().last(), Some(&kept("c")), "{cut}");
        }
        std::fs::write(&path, &whole).unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        assert_eq!(journal.open_entries(), [kept("b")]);
        assert!(matches!(
            Journal::open(folder.path()),
            Err(JournalError::Busy)
        ));
    }
}
