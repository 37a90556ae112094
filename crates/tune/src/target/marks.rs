//! Processes that a study started, wherever they are now: they carry its mark, and so do their children.
//!
//! The mark stands in their environment, and in the name of a file that they hold open without knowing of it. One
//! of both is enough: servers that set their title (nginx, Redis, PostgreSQL, PHP-FPM) write over their
//! environment, and others close what they do not know.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal};

/// The variable that holds the mark.
pub const VARIABLE: &str = "PLIMSOLL_TUNE";
/// How often it is looked whether something has ended.
const LOOK: Duration = Duration::from_millis(10);
/// All processes are gone through so often at most: there may be many, with many open files.
const LOOK_AT_ALL: Duration = Duration::from_millis(500);

/// What the name of the file begins with.
const FILE: &str = "plimsoll-mark";

/// A file that a child takes along by having it open: nobody finds it by its name any more.
///
/// # Errors
/// If it cannot be made in that folder.
pub fn file(mark: &str, folder: &Path) -> io::Result<File> {
    let path = folder.join(file_name(mark));
    let _ = fs::remove_file(&path);
    let file = plimsoll_store::private::new_file(&path)?;
    fs::remove_file(&path)?;
    fcntl_setfd(&file, FdFlags::empty())?;
    Ok(file)
}

fn file_name(mark: &str) -> String {
    format!("{FILE}.{}", mark.replace('/', "."))
}

/// The processes whose mark begins so.
#[must_use]
pub fn marked(mark: &str) -> Vec<Pid> {
    let variable = format!("{VARIABLE}={mark}");
    let file = format!("/{}", file_name(mark));
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        // Plimsoll has the file, too, until the child has it.
        if u32::try_from(pid) == Ok(own) || is_dead(pid) {
            return None;
        }
        let folder = entry.path();
        let is_marked = has_variable(&folder, &variable) || has_file(&folder, &file);
        Pid::from_raw(pid).filter(|_| is_marked)
    });
    all.collect()
}

fn has_variable(process: &Path, variable: &str) -> bool {
    let environment = fs::read(process.join("environ")).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    variables.any(|known| known.starts_with(variable.as_bytes()))
}

fn has_file(process: &Path, file: &str) -> bool {
    let files = fs::read_dir(process.join("fd"))
        .into_iter()
        .flatten()
        .flatten();
    let mut targets = files.filter_map(|entry| fs::read_link(entry.path()).ok());
    targets.any(|target| target.to_string_lossy().contains(file))
}

/// Whether a process has ended and waits to be asked for.
fn is_dead(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name may hold blanks and brackets.
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_none_or(|state| state.starts_with(['Z', 'X']))
}

/// A child that was started, which leads a group of its own. What another user runs shows no mark, and a child does
/// not stay once it has ended and was asked for.
#[derive(Debug, Default)]
pub struct StartedChild(Option<Child>);

impl StartedChild {
    /// That child.
    #[must_use]
    pub const fn of(child: Child) -> Self {
        Self(Some(child))
    }

    /// Whether it is there still.
    pub fn is_left(&mut self) -> bool {
        let ended = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        if self.0.as_mut().is_some_and(ended) {
            self.0 = None;
        }
        self.0.is_some()
    }

    /// Its group: a number that nobody else has while it was not asked for.
    fn send(&mut self, signal: Signal) {
        let left = self.is_left().then_some(self.0.as_ref()).flatten();
        let group = left.and_then(|child| Pid::from_raw(i32::try_from(child.id()).ok()?));
        if let Some(group) = group {
            // What may not be signalled is told by its still being there.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

/// Waits until none is left; says whether that was so in time.
pub fn wait_for_end(mark: &str, child: &mut StartedChild, within: Duration) -> bool {
    let until = Instant::now() + within;
    loop {
        let is_child_left = child.is_left();
        let left = marked(mark);
        if left.is_empty() && !is_child_left {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        // Of what is left it is cheap to know whether it has ended; only then it is looked for others.
        let again = until.min(Instant::now() + LOOK_AT_ALL);
        let alive = |pid: &Pid| !is_dead(pid.as_raw_nonzero().get());
        while (child.is_left() || left.iter().any(alive)) && Instant::now() < again {
            std::thread::sleep(LOOK);
        }
    }
}

/// Asks all to end, then makes them. Says whether none is left.
pub fn end(mark: &str, child: &mut StartedChild, within: Duration) -> bool {
    send(&marked(mark), Signal::TERM);
    child.send(Signal::TERM);
    if wait_for_end(mark, child, within) {
        return true;
    }
    // One that is stopped, too; one that starts others while it is looked for, again.
    for _ in 0..5 {
        kill(&marked(mark));
        child.send(Signal::KILL);
        if wait_for_end(mark, child, Duration::from_secs(1)) {
            return true;
        }
    }
    false
}

/// The processes that some have started, and that these have started, as far as they are still theirs.
#[must_use]
pub fn descendants(of: &[u32]) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| {
        let child: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // proc(5): behind the name the state and the parent.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
        Some((child, parent.parse().ok()?))
    });
    let all: Vec<(u32, u32)> = all.collect();
    let mut found = of.to_vec();
    let mut at = 0;
    while at < found.len() {
        let own = all.iter().filter(|(_, parent)| *parent == found[at]);
        let own = own.map(|(child, _)| *child);
        let own: Vec<u32> = own.filter(|child| !found.contains(child)).collect();
        found.extend(own);
        at += 1;
    }
    let children = found.into_iter().skip(of.len());
    let pids = children.filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    pids.collect()
}

/// Processes with those that they have started since.
#[must_use]
pub fn with_descendants(pids: &[Pid]) -> Vec<Pid> {
    let raw = pids
        .iter()
        .filter_map(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok());
    let later = descendants(&raw.collect::<Vec<_>>());
    pids.iter().copied().chain(later).collect()
}

/// Ends processes at once.
pub fn kill(pids: &[Pid]) {
    send(pids, Signal::KILL);
}

fn send(pids: &[Pid], signal: Signal) {
    for pid in pids {
        // It may have ended by now.
        let _ = rustix::process::kill_process(*pid, signal);
    }
}

/// A process that carries a mark.
#[derive(Debug, Clone)]
pub struct MarkedProcess {
    /// Its id.
    pub pid: u32,
    /// Its command line.
    pub command: Vec<String>,
    /// Its environment, as it was started with it.
    pub environment: HashMap<String, String>,
}

/// The processes whose mark begins so.
#[must_use]
pub fn seen(mark: &str) -> Vec<MarkedProcess> {
    let words = |bytes: Vec<u8>| -> Vec<String> {
        let words = bytes
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty());
        words
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect()
    };
    let of = |pid: Pid| {
        let folder = format!("/proc/{}", pid.as_raw_nonzero());
        let command = words(fs::read(format!("{folder}/cmdline")).ok()?);
        let environment = words(fs::read(format!("{folder}/environ")).ok()?);
        let pairs = environment.iter().filter_map(|pair| pair.split_once('='));
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Some(MarkedProcess {
            pid: u32::try_from(pid.as_raw_nonzero().get()).ok()?,
            command,
            environment: pairs.collect(),
        })
    };
    marked(mark).into_iter().filter_map(of).collect()
}
