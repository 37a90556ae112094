//! What processes use of memory and processors, also those that come while they are watched.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::marks;

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How often it is looked for marked processes that are nobody's children any more: all of the host are gone through.
const LOOK_FOR_OTHERS: Duration = Duration::from_secs(5);

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

/// Processor time of a process and of its children that have ended, in ticks of the kernel, and its parent.
fn ticks(pid: Pid) -> Option<(i64, i32)> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    // proc(5): the parent is the field behind the state; utime, stime, cutime and cstime are the fields 14 to 17, of
    // which the state is the third.
    let parent = fields.nth(1)?.parse().ok()?;
    let four = fields.skip(9).take(4);
    let used = four
        .map(|field| field.parse::<i64>().ok())
        .sum::<Option<i64>>()?;
    Some((used, parent))
}

/// Processor time of processes together, seconds; those that have ended have none.
#[must_use]
pub fn processor_s(pids: &[Pid]) -> f64 {
    let all: i64 = pids.iter().filter_map(|pid| Some(ticks(*pid)?.0)).sum();
    all as f64 / rustix::param::clock_ticks_per_second() as f64
}

/// What processes used while something was done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TargetUse {
    /// The most resident memory, bytes.
    pub memory_bytes: u64,
    /// Processor time, in CPUs: 1.5 is one and a half all the time.
    pub cpus: f64,
}

/// The processor time of one process.
#[derive(Debug, Clone, Copy)]
struct SeenTicks {
    before: i64,
    now: i64,
    parent: i32,
}

fn is_there(pid: i32) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap_or(false)
}

/// The processes that are watched.
#[derive(Debug, Default)]
struct UseWatch {
    seen: BTreeMap<i32, SeenTicks>,
    most_memory: u64,
}

impl UseWatch {
    /// Looks at processes; at the first look they begin, later ones have used all of theirs since.
    fn look(&mut self, pids: &[Pid], is_first: bool) {
        self.most_memory = self.most_memory.max(memory(pids));
        for pid in pids {
            let Some((now, parent)) = ticks(*pid) else {
                continue;
            };
            let before = if is_first { now } else { 0 };
            let seen = self.seen.entry(pid.as_raw_nonzero().get());
            let seen = seen.or_insert(SeenTicks {
                before,
                now,
                parent,
            });
            (seen.now, seen.parent) = (now, parent);
        }
        self.hand_over(pids);
    }

    /// What a process that has ended used is its parent's, as the kernel counts it, where that is watched, too; else
    /// it has what it had last.
    fn hand_over(&mut self, pids: &[Pid]) {
        let watched: Vec<i32> = pids.iter().map(|pid| pid.as_raw_nonzero().get()).collect();
        for (pid, seen) in &mut self.seen {
            if seen.now != 0 && watched.contains(&seen.parent) && !is_there(*pid) {
                seen.now = 0;
            }
        }
    }

    fn used(&self) -> i64 {
        let all = self.seen.values().map(|seen| seen.now - seen.before);
        all.sum::<i64>().max(0)
    }
}

/// What the processes of some marks use while something is done, and what they start meanwhile.
pub fn with_use<T>(marks: &[String], work: impl FnOnce() -> T) -> (T, TargetUse) {
    let over = Arc::new(AtomicBool::new(false));
    let (over_too, marks) = (Arc::clone(&over), marks.to_vec());
    let begun = Instant::now();
    let marked =
        move || -> Vec<Pid> { marks.iter().flat_map(|mark| marks::marked(mark)).collect() };
    let mut pids = marked();
    let mut watch = UseWatch::default();
    watch.look(&pids, true);
    let watcher = std::thread::spawn(move || {
        let mut listed = Instant::now();
        loop {
            let is_over = over_too.load(Ordering::SeqCst);
            if is_over || listed.elapsed() >= LOOK_FOR_OTHERS {
                pids.extend(marked());
                listed = Instant::now();
            }
            // The number of one that has ended may be given to a stranger.
            pids.retain(|pid| is_there(pid.as_raw_nonzero().get()));
            pids = marks::with_descendants(&pids);
            pids.sort_unstable_by_key(|pid| pid.as_raw_nonzero());
            pids.dedup();
            watch.look(&pids, false);
            if is_over {
                return (watch.most_memory, watch.used());
            }
            std::thread::park_timeout(LOOK);
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Child, Command, Stdio};

    use super::*;

    const MIB: u64 = 1 << 20;

    /// A process with a mark that does what it is told by lines, and says when it is done.
    fn parent(mark: &str) -> Child {
        // What it starts holds 64 MiB and works for a while, then stays or ends.
        const SCRIPT: &str = "
import subprocess, sys, time
work = 'held = b\\'x\\' * (64 << 20)\\nimport time\\nwhile time.process_time() < 0.5: pass\\nprint(1, flush=True)'
for line in sys.stdin:
    stays = '\\ninput()' if 'stay' in line else ''
    child = subprocess.Popen([sys.executable, '-c', work + stays], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    if not stays:
        child.wait()
    print('done', flush=True)
";
        let mut command = Command::new("python3");
        let command = command.args(["-c", SCRIPT]).env(marks::VARIABLE, mark);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // What is ended in the middle complains of that.
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn what_is_started_under_load_is_counted_once() {
        for (line, most_mib) in [("stay\n", 64), ("end\n", 0)] {
            let mark = format!("{:016x}/", fastrand::u64(..));
            let mut parent = parent(&mark);
            let mut input = parent.stdin.take().unwrap();
            let mut output = BufReader::new(parent.stdout.take().unwrap());
            let begun = Instant::now();
            let ((), used) = with_use(std::slice::from_ref(&mark), || {
                input.write_all(line.as_bytes()).unwrap();
                let mut done = String::new();
                output.read_line(&mut done).unwrap();
            });
            let seconds = begun.elapsed().as_secs_f64();
            assert!(used.memory_bytes >= most_mib * MIB, "{used:?}");
            // Half a second of work, and what it takes to begin; twice that were counted twice.
            let cpu_s = used.cpus * seconds;
            assert!((0.4..1.1).contains(&cpu_s), "{line}{cpu_s} s, {used:?}");
            marks::kill(&marks::marked(&mark));
            parent.wait().unwrap();
        }
    }
}
