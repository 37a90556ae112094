//! What a process uses: CPU, memory, faults, input and output.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use plimsoll_text::Message;

use super::facts;
use super::subject::{Current, Subject};
use super::totals::MemberTotals;
use crate::collector::{Collector, Look, Pending, Trouble};
use crate::collectors::host::{
    Area, Cgroup, Conntrack, Interfaces, ListenQueues, Out, Queues, Tcp, look_at,
};
use crate::names::process as names;
use crate::proc::stat::{Stat, parse, ticks_to_seconds};
use crate::proc::{KeptFile, Pid, cpus, find};
use crate::sockets::NetSpace;

/// The counters summed over workers: ticks of user, system and ended children, minor and major
/// faults; then the lines of `/proc/PID/io`.
const COUNTERS: usize = 11;
const IO_LINES: [&str; 6] = [
    "rchar",
    "wchar",
    "syscr",
    "syscw",
    "read_bytes",
    "write_bytes",
];

/// Which of the counters are CPU time, and which of these that of ended children.
const CPU_TICKS: std::ops::Range<usize> = 0..3;
const CHILDREN: usize = 2;

/// CPU time of ended children that were no members: a worker that ends puts all that it used on who waits for it.
#[derive(Debug, Default)]
struct StartedPrograms {
    /// Ticks of all ended children at the last look.
    before: Option<f64>,
    ticks: f64,
}

impl StartedPrograms {
    /// Ticks of ended children so far, without members that ended with this look.
    fn ticks(&mut self, children: f64, ended: &[f64; COUNTERS]) -> f64 {
        let came = children - self.before.unwrap_or(children);
        let workers: f64 = ended[CPU_TICKS].iter().sum();
        self.ticks += (came - workers).max(0.0);
        self.before = Some(children);
        self.ticks
    }
}

/// Looks once a second, and looks for the process when it is gone.
pub(super) struct UsageCollector {
    subject: Rc<RefCell<Subject>>,
    running: Option<RunningProcess>,
}

/// What is kept of one process until it ends.
struct RunningProcess {
    pid: Pid,
    start_ticks: u64,
    files: HashMap<Pid, [KeptFile; 2]>,
    totals: MemberTotals<Pid, COUNTERS>,
    programs: StartedPrograms,
    areas: Vec<Box<dyn Area>>,
    /// Start, Unix seconds.
    started_s: f64,
    /// CPUs it may use, and the looks since that was seen.
    cpus: Option<f64>,
    looks: u32,
}

/// What a process may use is seen again after so many looks.
const CPUS_EVERY: u32 = 10;

impl UsageCollector {
    pub(super) fn new(subject: Rc<RefCell<Subject>>) -> Self {
        Self {
            subject,
            running: None,
        }
    }

    fn look(&mut self, look: &mut Look) -> Result<(), Trouble> {
        let current = self.subject.borrow_mut().find(look)?;
        let same = |running: &RunningProcess| {
            running.pid == current.pid && running.start_ticks == current.start_ticks
        };
        if !self.running.as_ref().is_some_and(same) {
            facts::tell(&current, look);
        }
        let running = match self.running.take().filter(same) {
            Some(running) => self.running.insert(running),
            None => self.running.insert(RunningProcess::new(&current)),
        };
        running.look(&current, look)
    }
}

impl Collector for UsageCollector {
    fn about(&self) -> String {
        self.subject.borrow().about()
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        Box::pin(async move { self.look(look) })
    }
}

impl RunningProcess {
    fn new(current: &Current) -> Self {
        let mut areas: Vec<Box<dyn Area>> = vec![Box::new(Cgroup::of(&current.pid.to_string()))];
        let space = NetSpace::of(current.pid);
        if !space.is_own() {
            areas.push(Box::new(Interfaces::new(space.folder(), None)));
            areas.push(Box::new(Tcp::new(space.folder())));
            areas.push(Box::new(Queues::new(space.clone())));
            areas.push(Box::new(Conntrack::of(&space)));
            areas.push(Box::new(ListenQueues::new(space)));
        }
        Self {
            pid: current.pid,
            start_ticks: current.start_ticks,
            files: HashMap::new(),
            totals: MemberTotals::new(),
            programs: StartedPrograms::default(),
            areas,
            started_s: facts::start_unix_s(current.start_ticks),
            cpus: None,
            looks: 0,
        }
    }

    fn look(&mut self, current: &Current, look: &mut Look) -> Result<(), Trouble> {
        self.files.retain(|pid, _| current.members.contains(pid));
        let mut whole = Stat::default();
        let mut seen = 0.0;
        for pid in &current.members {
            let Some((stat, io)) = self.read(*pid) else {
                continue; // it ended just now
            };
            seen += 1.0;
            whole.threads += stat.threads;
            whole.virtual_bytes += stat.virtual_bytes;
            whole.resident_bytes += stat.resident_bytes;
            if io.is_none() {
                let message =
                    Message::new("watch-process-no-io").with("name", current.entity.name.as_str());
                look.missing(&current.entity, message);
            }
            let io = io.unwrap_or_default();
            let mut counters = [0.0; COUNTERS];
            counters[..5].copy_from_slice(&[
                stat.user_ticks,
                stat.system_ticks,
                stat.child_ticks,
                stat.minor_faults,
                stat.major_faults,
            ]);
            counters[5..].copy_from_slice(&io);
            self.totals.set(pid, counters);
        }
        let uptime_s = look.moment_unix_ns() as f64 / 1e9 - self.started_s;
        if self.looks.is_multiple_of(CPUS_EVERY) {
            self.cpus = cpus::available(current.pid);
        }
        self.looks = self.looks.wrapping_add(1);
        let mut out = Out {
            look,
            entity: &current.entity,
        };
        if let Some(cpus) = self.cpus {
            out.value(&names::CPU_AVAILABLE, &[], cpus);
        }
        let mut sums = self.totals.finish();
        sums[CHILDREN] = self.programs.ticks(sums[CHILDREN], self.totals.ended());
        tell_counters(&sums, &mut out);
        out.value(&names::MEMORY, &[], whole.resident_bytes);
        out.value(&names::MEMORY_VIRTUAL, &[], whole.virtual_bytes);
        out.value(&names::THREADS, &[], whole.threads);
        out.value(&names::PROCESSES, &[], seen);
        if uptime_s > 0.0 {
            out.value(&names::UPTIME, &[], uptime_s);
        }
        // Nothing of this is the process itself, and it may end at any moment.
        if let Err(trouble) = look_at(&mut self.areas, &current.entity, look)
            && find::stat_of(current.pid).is_some()
        {
            look.missing(&current.entity, trouble.message);
        }
        Ok(())
    }

    fn read(&mut self, pid: Pid) -> Option<(Stat, Option<[f64; 6]>)> {
        let [stat, io] = self.files.entry(pid).or_insert_with(|| {
            ["stat", "io"].map(|name| KeptFile::new(format!("/proc/{pid}/{name}")))
        });
        let stat = parse(stat.text().ok()?)?;
        Some((stat, io.text().ok().map(parse_io)))
    }
}

fn tell_counters(sums: &[f64; COUNTERS], out: &mut Out<'_>) {
    let [user, system, children, minor, major, io @ ..] = *sums;
    out.value(&names::CHILD_CPU_TIME, &[], ticks_to_seconds(children));
    for (mode, ticks) in [("system", system), ("user", user)] {
        let attributes = [("cpu.mode", mode)];
        out.value(&names::CPU_TIME, &attributes, ticks_to_seconds(ticks));
    }
    for (kind, count) in [("major", major), ("minor", minor)] {
        out.value(&names::FAULTS, &[("system.paging.fault.type", kind)], count);
    }
    // Nothing was read: a process cannot have started without a read call.
    if io[2] == 0.0 {
        return;
    }
    for (metric, [read, write]) in [
        (&names::CALL_IO, [io[0], io[1]]),
        (&names::CALLS, [io[2], io[3]]),
        (&names::DISK_IO, [io[4], io[5]]),
    ] {
        out.value(metric, &[("disk.io.direction", "read")], read);
        out.value(metric, &[("disk.io.direction", "write")], write);
    }
}

/// Lines such as `rchar: 323934931`.
fn parse_io(text: &str) -> [f64; 6] {
    IO_LINES.map(|wanted| {
        let mut lines = text.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(name, _)| *name == wanted);
        found.map_or(0.0, |(_, value)| value.trim().parse().unwrap_or(0.0))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn workers_that_end_are_no_programs_that_were_started() {
        let (mut programs, mut ended) = (StartedPrograms::default(), [0.0; COUNTERS]);
        assert_eq!(programs.ticks(700.0, &ended), 0.0);
        // A program, then a worker with all that it and its own children used.
        assert_eq!(programs.ticks(720.0, &ended), 20.0);
        ended[..3].copy_from_slice(&[400.0, 90.0, 10.0]);
        assert_eq!(programs.ticks(1_223.0, &ended), 23.0);
        // One that nobody waited for puts nothing on anybody.
        assert_eq!(programs.ticks(1_223.0, &ended), 23.0);
        assert_eq!(programs.ticks(1_230.0, &[0.0; COUNTERS]), 30.0);
    }

    #[test]
    fn lines_of_io_are_found_by_name() {
        let text = "rchar: 10\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\n\
            write_bytes: 8192\ncancelled_write_bytes: 1\n";
        assert_eq!(parse_io(text), [10.0, 20.0, 3.0, 4.0, 4096.0, 8192.0]);
        assert_eq!(parse_io("x"), [0.0; 6]);
    }
}
