//! The files of threads in `/proc`, read with as few system calls as it takes.

use std::collections::BTreeSet;
use std::io;

use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Dir, Mode, OFlags, openat};

use super::account::CpuTimes;
use super::call::{self, CallPlace};
use crate::proc::Pid;
use crate::proc::file::{fill, numbers, text};
use crate::proc::stat::{Stat, parse, ticks_to_seconds};

/// The threads of one process.
pub(super) struct ThreadFiles {
    folder: OwnedFd,
    bytes: Vec<u8>,
    /// Threads that wait nowhere, as it is told: none does, so it is not to be seen.
    nowhere: u32,
}

/// Threads of which the kernel must say so: one may have been woken just then.
const MIN_NOWHERE: u32 = 3;

/// What `schedstat` says: it changes as soon as a thread runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SchedStat {
    pub(super) times: CpuTimes,
    /// How often it got a CPU.
    pub(super) turns: f64,
}

/// Files that could not be read, by name.
pub(super) type Denied = BTreeSet<&'static str>;

impl ThreadFiles {
    /// Opens those of a process.
    pub(super) fn of(pid: Pid) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            folder: openat(CWD, format!("/proc/{pid}/task"), flags, Mode::empty())?,
            bytes: Vec::new(),
            nowhere: 0,
        })
    }

    /// The numbers of its threads now.
    pub(super) fn list(&self) -> io::Result<Vec<Pid>> {
        let entries = Dir::read_from(&self.folder)?;
        let number = |entry: rustix::io::Result<rustix::fs::DirEntry>| {
            let entry = entry.ok()?;
            entry.file_name().to_str().ok()?.parse().ok()
        };
        Ok(entries.filter_map(number).collect())
    }

    fn read(&mut self, tid: Pid, name: &str) -> io::Result<&str> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = openat(&self.folder, format!("{tid}/{name}"), flags, Mode::empty())?;
        fill(&mut self.bytes, |buffer, offset| {
            Ok(rustix::io::pread(&file, buffer, offset)?)
        })?;
        Ok(text(&mut self.bytes))
    }

    /// The kernel's count of a thread's times; none where it keeps none.
    pub(super) fn sched_stat(&mut self, tid: Pid) -> Option<SchedStat> {
        parse_sched_stat(self.read(tid, "schedstat").ok()?)
    }

    /// The line of a thread; none if it has ended.
    pub(super) fn stat(&mut self, tid: Pid) -> Option<Stat> {
        parse(self.read(tid, "stat").ok()?)
    }

    /// Where a thread is; none where that is not to be seen.
    pub(super) fn place(&mut self, tid: Pid, denied: &mut Denied) -> Option<CallPlace> {
        if denied.contains("syscall") {
            return None;
        }
        match self.read(tid, "syscall") {
            Ok(line) => call::parse(line),
            Err(error) => {
                if is_denied(&error) {
                    denied.insert("syscall");
                }
                None
            }
        }
    }

    /// The kernel's function in which a thread waits; empty where that is not to be seen.
    pub(super) fn wchan(&mut self, tid: Pid, denied: &mut Denied) -> &str {
        if denied.contains("wchan") {
            return "";
        }
        // Who may not know is told 0, as of a thread that does not wait.
        let is_known = self.read(tid, "wchan").is_ok_and(|known| known != "0");
        if is_known {
            self.nowhere = 0;
            return text(&mut self.bytes);
        }
        self.nowhere += 1;
        if self.nowhere >= MIN_NOWHERE && denied.contains("syscall") {
            denied.insert("wchan");
        }
        ""
    }
}

/// What cannot be read of any thread: not allowed, or the kernel has no such file. That a thread
/// has ended is another error (`ESRCH`).
fn is_denied(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
    )
}

/// The times that `stat` has, in ticks.
pub(super) fn times_of(stat: &Stat) -> CpuTimes {
    CpuTimes {
        ran_s: ticks_to_seconds(stat.user_ticks + stat.system_ticks),
        ready_s: None,
    }
}

fn parse_sched_stat(line: &str) -> Option<SchedStat> {
    let mut numbers = numbers(line);
    let (ran_ns, ready_ns) = (numbers.next()?, numbers.next()?);
    let times = CpuTimes {
        ran_s: ran_ns / 1e9,
        ready_s: Some(ready_ns / 1e9),
    };
    let turns = numbers.next()?;
    Some(SchedStat { times, turns })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_kernels_count_is_in_nanoseconds() {
        let read = parse_sched_stat("1500000000 2000 3\n").unwrap();
        assert_eq!((read.times.ran_s, read.times.ready_s), (1.5, Some(2e-6)));
        assert_eq!(read.turns, 3.0);
        assert!(parse_sched_stat("1 2").is_none());
        // The idle kernel's line without the count.
        assert!(parse_sched_stat("").is_none());
    }

    #[test]
    fn this_thread_is_seen_and_one_that_never_was_is_not() {
        let own = std::process::id();
        let mut files = ThreadFiles::of(own).unwrap();
        let all = files.list().unwrap();
        assert!(all.contains(&own));
        assert!(files.stat(own).is_some());
        let mut denied = Denied::new();
        assert!(files.stat(u32::MAX).is_none());
        assert!(files.place(u32::MAX, &mut denied).is_none());
        assert_eq!(files.wchan(u32::MAX, &mut denied), "");
        assert!(denied.is_empty(), "that one is gone is no want of rights");
        assert!(ThreadFiles::of(u32::MAX).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(line in "([0-9]{1,25}|-|[.]| |nan|inf|.){0,12}") {
            let _ = parse_sched_stat(&line);
        }
    }
}
