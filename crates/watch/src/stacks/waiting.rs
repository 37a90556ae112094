//! Threads that wait: what the kernel says they are in (`/proc/PID/task/TID/syscall`: the call, the stack
//! pointer and the program counter), and their stack as it lies in memory. Whoever waits does not
//! change it, so that nothing need be stopped; whoever went on meanwhile is left out.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use plimsoll_profile::{CodePlace, Registers};

use super::family::FamilyCode;
use crate::proc::Pid;
use crate::thread_states::call::{CallKind, CallPlace, kind, parse};
use crate::watcher::costs::thread_cpu;

/// Between two looks at all threads, at least; looks may cost this share of a CPU.
const EVERY: Duration = Duration::from_millis(60);
const CPU_SHARE: f64 = 0.02;
/// Of more threads the first are looked at.
const MAX_THREADS: usize = 500;

/// Looks at threads that wait.
pub(super) struct WaitingLooks {
    due: Instant,
    pub(super) looks: u32,
    threads: HashMap<(Pid, Pid), WaitingThread>,
}

/// A thread as it was seen last.
struct WaitingThread {
    /// The call, and how often it has run: the same again is the same wait.
    line: String,
    turns: String,
    seen: Option<WaitingStack>,
}

/// Where a thread waits.
#[derive(Clone)]
pub(super) struct WaitingStack {
    /// For what, as [`CallKind`] is called.
    pub(super) state: &'static str,
    /// The name of its thread without numbers.
    pub(super) thread: String,
    pub(super) stack: Vec<CodePlace>,
}

impl WaitingLooks {
    pub(super) fn begin() -> Self {
        Self {
            due: Instant::now(),
            looks: 0,
            threads: HashMap::new(),
        }
    }

    /// How long until the next look.
    pub(super) fn pause(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Looks at all threads of these processes, if it is time, and hands on those that wait.
    pub(super) fn look(
        &mut self,
        family: &[Pid],
        code: &mut FamilyCode,
        mut waits: impl FnMut(WaitingStack),
    ) {
        if Instant::now() < self.due {
            return;
        }
        self.looks += 1;
        let before = thread_cpu();
        let mut now = HashMap::new();
        'all: for pid in family {
            for tid in threads(*pid) {
                if now.len() >= MAX_THREADS {
                    break 'all;
                }
                if let Some(thread) = self.thread(*pid, tid, code) {
                    thread.seen.iter().cloned().for_each(&mut waits);
                    now.insert((*pid, tid), thread);
                }
            }
        }
        self.threads = now;
        let cost = thread_cpu().saturating_sub(before);
        self.due = Instant::now() + EVERY.max(cost.div_f64(CPU_SHARE));
    }

    /// A thread now; none if it runs or is gone.
    fn thread(&mut self, pid: Pid, tid: Pid, code: &mut FamilyCode) -> Option<WaitingThread> {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/task/{tid}/{name}"));
        let line = read("syscall").ok()?;
        let CallPlace::Call(number, arguments) = parse(&line)? else {
            return None;
        };
        let turns = read("schedstat").unwrap_or_default();
        let known = self.threads.remove(&(pid, tid));
        if let Some(known) = known.filter(|known| known.line == line && known.turns == turns) {
            return Some(known);
        }
        let (sp, pc) = place(&line)?;
        let (code, table) = code.of(pid)?;
        let thread = code.thread_class(tid);
        let from = Registers { pc, sp, fp: 0 };
        let mut stack = Vec::new();
        code.unwind_waiting(tid, from, table, &mut stack);
        // Else it is a stack that has changed while it was read.
        let same = read("schedstat").unwrap_or_default() == turns;
        let seen = WaitingStack {
            state: name(kind(number, &arguments)),
            thread,
            stack,
        };
        Some(WaitingThread {
            line,
            turns,
            seen: same.then_some(seen),
        })
    }
}

fn threads(pid: Pid) -> Vec<Pid> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/task"));
    let names = entries.into_iter().flatten().flatten();
    let tids = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    tids.collect()
}

/// Stack pointer and program counter: the last two words.
fn place(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace().rev();
    let mut hex = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let pc = hex()?;
    Some((hex()?, pc))
}

/// What a wait is called in JSON.
fn name(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Read => "read",
        CallKind::Write => "write",
        CallKind::Connect => "connect",
        CallKind::Accept => "accept",
        CallKind::Sync => "fsync",
        CallKind::Futex => "futex",
        CallKind::Epoll | CallKind::Poll | CallKind::Select | CallKind::Queue => "poll",
        CallKind::Sleep => "sleep",
        CallKind::Child => "child",
        CallKind::FileLock => "lock_file",
        CallKind::Message | CallKind::Memory | CallKind::Other => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_in_the_last_words() {
        let line = "202 0x7f1 0x80 0x0 0x0 0x0 0x0 0x7ffd10 0x7f20\n";
        assert_eq!(place(line), Some((0x7f_fd10, 0x7f20)));
        assert_eq!(place("running\n"), None);
        assert_eq!(place(""), None);
    }
}
