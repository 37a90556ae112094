//! Threads: CPU by name as in `top -H`, context switches, waiting for a CPU.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use plimsoll_text::Message;
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Dir, Mode, OFlags, openat};

use super::subject::{Current, Subject};
use super::totals::MemberTotals;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::host::Out;
use crate::names::process as names;
use crate::proc::Pid;
use crate::proc::file::fill;
use crate::proc::stat::{parse, parse_times, ticks_to_seconds};
use crate::proc::thread_name::group;

/// Threads that used less are not told of one by one, s.
const WORTH_TELLING_S: f64 = 0.02;
/// So many threads are told of one by one; their groups always are.
const MAX_TOLD: usize = 512;
/// And so many groups.
const MAX_GROUPS: usize = 200;

/// What is known of one thread.
#[derive(Debug, Clone)]
struct ThreadCpu {
    name: String,
    group: String,
    cpu_s: f64,
    /// CPU time that its group has not got yet.
    unsummed_s: f64,
    wait_s: f64,
    voluntary: f64,
    involuntary: f64,
    told: bool,
    look: u64,
}

/// Threads of one kind. Their CPU time is summed as it is used, since a thread may change
/// its name.
#[derive(Debug, Default)]
struct ThreadGroup {
    cpu_s: f64,
    threads: u32,
}

/// Looks at all threads every 5 s.
pub(super) struct Threads {
    subject: Rc<RefCell<Subject>>,
    pid: Pid,
    start_ticks: u64,
    look: u64,
    threads: HashMap<(Pid, Pid), ThreadCpu>,
    /// Wait, voluntary and involuntary switches.
    totals: MemberTotals<(Pid, Pid), 3>,
    groups: BTreeMap<String, ThreadGroup>,
    told: usize,
    bytes: Vec<u8>,
}

impl Threads {
    pub(super) fn new(subject: Rc<RefCell<Subject>>) -> Self {
        Self {
            subject,
            pid: 0,
            start_ticks: 0,
            look: 0,
            threads: HashMap::new(),
            totals: MemberTotals::new(),
            groups: BTreeMap::new(),
            told: 0,
            bytes: Vec::new(),
        }
    }

    fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        // Who is away is told of by the collector that looks for it.
        let Some(current) = self.subject.borrow().current() else {
            return Ok(());
        };
        if (self.pid, self.start_ticks) != (current.pid, current.start_ticks) {
            *self = Self::new(Rc::clone(&self.subject));
            (self.pid, self.start_ticks) = (current.pid, current.start_ticks);
        }
        self.look += 1;
        for pid in &current.members {
            if let Err(error) = self.scan(*pid)
                && error.kind() == io::ErrorKind::PermissionDenied
            {
                let name = current.entity.name.as_str();
                let message = Message::new("watch-process-no-threads").with("name", name);
                return Err(Trouble::new(message));
            }
        }
        let this = self.look;
        self.threads.retain(|_, thread| thread.look == this);
        self.tell(&current, look);
        Ok(())
    }

    /// Reads the threads of one process.
    fn scan(&mut self, pid: Pid) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, format!("/proc/{pid}/task"), flags, Mode::empty())?;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_str().unwrap_or_default();
            if let Ok(tid) = name.parse::<Pid>() {
                // One that ended just now.
                let _ = self.thread(&folder, pid, tid);
            }
        }
        Ok(())
    }

    /// Reads one thread; of one that has not run since the last look, only that.
    fn thread(&mut self, folder: &OwnedFd, pid: Pid, tid: Pid) -> io::Result<()> {
        let bytes = &mut self.bytes;
        let times = read(folder, &format!("{tid}/schedstat"), bytes)
            .ok()
            .and_then(parse_times);
        if let (Some((cpu_s, wait_s)), Some(known)) = (times, self.threads.get_mut(&(pid, tid)))
            && known.cpu_s.to_bits() == cpu_s.to_bits()
        {
            (known.wait_s, known.look) = (wait_s, self.look);
            return Ok(());
        }
        let stat = parse(read(folder, &format!("{tid}/stat"), bytes)?)
            .ok_or(io::ErrorKind::InvalidData)?;
        let ticks = ticks_to_seconds(stat.user_ticks + stat.system_ticks);
        let (cpu_s, wait_s) = times.unwrap_or((ticks, f64::NAN));
        let status = read(folder, &format!("{tid}/status"), bytes)?;
        let (voluntary, involuntary) = parse_switches(status);
        // A lower time is another thread's with the same number.
        let known = self.threads.get(&(pid, tid));
        let known = known.filter(|known| known.cpu_s <= cpu_s);
        let thread = ThreadCpu {
            told: known.is_some_and(|known| known.told),
            unsummed_s: cpu_s - known.map_or(0.0, |known| known.cpu_s - known.unsummed_s),
            group: group(&stat.name),
            name: stat.name,
            cpu_s,
            wait_s,
            voluntary,
            involuntary,
            look: self.look,
        };
        self.threads.insert((pid, tid), thread);
        Ok(())
    }

    fn tell(&mut self, current: &Current, look: &mut Look) {
        let mut out = Out {
            look,
            entity: &current.entity,
        };
        for ((pid, tid), thread) in &mut self.threads {
            let key = (*pid, *tid);
            let counters = [thread.wait_s, thread.voluntary, thread.involuntary];
            self.totals.set(&key, counters);
            let group = group_of(&mut self.groups, &thread.group);
            group.cpu_s += std::mem::take(&mut thread.unsummed_s);
            group.threads += 1;
            if !thread.told && thread.cpu_s >= WORTH_TELLING_S && self.told < MAX_TOLD {
                thread.told = true;
                self.told += 1;
            }
            if thread.told {
                let id = tid.to_string();
                let attributes = [("thread.id", id.as_str()), ("thread.name", &thread.name)];
                out.value(&names::THREAD_CPU_TIME, &attributes, thread.cpu_s);
            }
        }
        let [wait_s, voluntary, involuntary] = self.totals.finish();
        out.value(&names::CPU_WAIT, &[], wait_s);
        for (kind, count) in [("involuntary", involuntary), ("voluntary", voluntary)] {
            let attributes = [("process.context_switch.type", kind)];
            out.value(&names::CONTEXT_SWITCHES, &attributes, count);
        }
        for (name, group) in &mut self.groups {
            let attributes = [("thread.group", name.as_str())];
            out.value(&names::GROUP_CPU_TIME, &attributes, group.cpu_s);
            let threads = f64::from(std::mem::take(&mut group.threads));
            out.value(&names::GROUP_THREADS, &attributes, threads);
        }
    }
}

/// The group of that name; groups beyond [`MAX_GROUPS`] are one.
fn group_of<'a>(groups: &'a mut BTreeMap<String, ThreadGroup>, name: &str) -> &'a mut ThreadGroup {
    let full = groups.len() >= MAX_GROUPS;
    let name = if full && !groups.contains_key(name) {
        "other"
    } else {
        name
    };
    groups.entry(name.to_owned()).or_default()
}

impl Collector for Threads {
    fn about(&self) -> String {
        format!("threads of {}", self.subject.borrow().about())
    }

    fn period(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { self.look(look) })
    }
}

/// Reads a file below an open folder: quicker than by its whole path.
fn read<'a>(folder: &OwnedFd, path: &str, bytes: &'a mut Vec<u8>) -> io::Result<&'a str> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(folder, path, flags, Mode::empty())?;
    fill(bytes, |buffer, offset| {
        Ok(rustix::io::pread(&file, buffer, offset)?)
    })?;
    Ok(crate::proc::file::text(bytes))
}

fn parse_switches(status: &str) -> (f64, f64) {
    let of = |line: &str| {
        let value = status.lines().find_map(|text| text.strip_prefix(line));
        value
            .and_then(|value| value.trim().parse().ok())
            .unwrap_or(0.0)
    };
    (
        of("voluntary_ctxt_switches:"),
        of("nonvoluntary_ctxt_switches:"),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_bounded() {
        let mut groups = BTreeMap::new();
        for n in 0..MAX_GROUPS + 50 {
            group_of(&mut groups, &format!("g{n}")).threads += 1;
        }
        assert_eq!(groups.len(), MAX_GROUPS + 1);
        assert_eq!((groups["other"].threads, groups["g7"].threads), (50, 1));
    }

    #[test]
    fn switches_are_told_apart() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(parse_switches(status), (12.0, 3.0));
    }
}
