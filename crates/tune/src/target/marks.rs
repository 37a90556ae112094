//! Processes that a study started, wherever they are now: they carry its mark, and so do their children.
//!
//! The mark stands in their environment, and in the name of a file that they hold open without knowing of it. One
//! of both is enough: servers that set their title (nginx, Redis, PostgreSQL, PHP-FPM) write over their
//! environment, and others close what they do not know.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal};

/// The variable that holds the mark.
pub const VARIABLE: &str = "PLIMSOLL_TUNE";
/// How often it is looked whether something has ended.
const LOOK: Duration = Duration::from_millis(10);
/// All processes are gone through so often at most: there may be many, with many open files.
const LOOK_AT_ALL: Duration = Duration::from_millis(500);
/// How often memory is looked at.
const LOOK_AT_MEMORY: Duration = Duration::from_millis(500);

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

/// Waits until none is left; says whether that was so in time. `reap` asks for children that have ended.
pub fn wait_for_end(mark: &str, within: Duration, reap: &mut dyn FnMut()) -> bool {
    let until = Instant::now() + within;
    loop {
        reap();
        let left = marked(mark);
        if left.is_empty() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        // Of what is left it is cheap to know whether it has ended; only then it is looked for others.
        let again = until.min(Instant::now() + LOOK_AT_ALL);
        while left.iter().any(|pid| !is_dead(pid.as_raw_nonzero().get())) && Instant::now() < again
        {
            std::thread::sleep(LOOK);
            reap();
        }
    }
}

/// Asks all to end, then makes them. Says whether none is left.
pub fn end(mark: &str, within: Duration, reap: &mut dyn FnMut()) -> bool {
    send(&marked(mark), Signal::TERM);
    if wait_for_end(mark, within, reap) {
        return true;
    }
    // One that is stopped, too; one that starts others while it is looked for, again.
    for _ in 0..5 {
        kill(&marked(mark));
        if wait_for_end(mark, Duration::from_secs(1), reap) {
            return true;
        }
    }
    false
}

/// The processes that one has started, and that these have started, as far as they are still its.
#[must_use]
pub fn descendants(pid: u32) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| {
        let child: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // proc(5): behind the name the state and the parent.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
        Some((child, parent.parse().ok()?))
    });
    let all: Vec<(u32, u32)> = all.collect();
    let mut found = vec![pid];
    let mut at = 0;
    while at < found.len() {
        let own = all.iter().filter(|(_, parent)| *parent == found[at]);
        let own: Vec<u32> = own.map(|(child, _)| *child).collect();
        found.extend(own);
        at += 1;
    }
    let children = found.into_iter().skip(1);
    let pids = children.filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    pids.collect()
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

/// Resident memory of processes together, bytes; those that have ended hold none.
#[must_use]
pub fn memory(pids: &[Pid]) -> u64 {
    let page = rustix::param::page_size() as u64;
    let resident = |pid: &Pid| {
        let statm = fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).ok()?;
        statm.split(' ').nth(1)?.parse::<u64>().ok()
    };
    pids.iter().filter_map(resident).sum::<u64>() * page
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

/// What processes used while something was done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TargetUse {
    /// The most resident memory, bytes.
    pub memory_bytes: u64,
    /// Processor time, in CPUs: 1.5 is one and a half all the time.
    pub cpus: f64,
}

/// Processor time of a process and of its children that have ended, in ticks of the kernel.
fn ticks(pid: Pid) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let fields = stat.rsplit_once(')')?.1;
    // proc(5): utime, stime, cutime and cstime are the fields 14 to 17, of which the state is the third.
    let four = fields.split_whitespace().skip(11).take(4);
    four.map(|field| field.parse::<u64>().ok()).sum()
}

/// Processor time of processes together, seconds; those that have ended have none.
#[must_use]
pub fn processor_s(pids: &[Pid]) -> f64 {
    let all: u64 = pids.iter().filter_map(|pid| ticks(*pid)).sum();
    all as f64 / rustix::param::clock_ticks_per_second() as f64
}

/// What processes use while something is done.
pub fn with_use<T>(pids: &[Pid], work: impl FnOnce() -> T) -> (T, TargetUse) {
    let over = Arc::new(AtomicBool::new(false));
    let (over_too, pids) = (Arc::clone(&over), pids.to_vec());
    let begun = Instant::now();
    let watcher = std::thread::spawn(move || {
        let before: Vec<u64> = pids.iter().map(|pid| ticks(*pid).unwrap_or(0)).collect();
        let mut now = before.clone();
        let mut most = 0;
        loop {
            let is_over = over_too.load(Ordering::SeqCst);
            most = most.max(memory(&pids));
            for (pid, now) in pids.iter().zip(&mut now) {
                // One that has ended has what it had last.
                *now = ticks(*pid).unwrap_or(*now);
            }
            if is_over {
                let used = now
                    .iter()
                    .zip(&before)
                    .map(|(now, then)| now.saturating_sub(*then));
                return (most, used.sum::<u64>());
            }
            std::thread::park_timeout(LOOK_AT_MEMORY);
        }
    });
    let done = work();
    over.store(true, Ordering::SeqCst);
    watcher.thread().unpark();
    // It does nothing that could panic.
    let (memory_bytes, used) = watcher.join().unwrap_or_default();
    let seconds = begun.elapsed().as_secs_f64().max(1e-3);
    let cpus = used as f64 / rustix::param::clock_ticks_per_second() as f64 / seconds;
    (done, TargetUse { memory_bytes, cpus })
}
