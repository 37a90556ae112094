//! Stacks of a process and its workers with names, for a few seconds: what they do on a CPU, as the
//! kernel samples it, and where they wait.

mod family;
mod goroutines;
mod pprof;
mod process;
mod told;
mod v8_profile;
mod waiting;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use plimsoll_profile::{CodePlace, PerfMap, StackCounts};

use crate::perf::Samples;
use crate::perf::shared::{KeptStack, SamplesOf};
use crate::proc::cpus::listed;
use crate::proc::file::read;
use crate::proc::{Pid, find};
use crate::watcher::costs::thread_cpu;

pub(crate) use family::{FamilyCode, FamilyLook};
use process::WatchedCode;
use waiting::WaitingLooks;

pub use goroutines::GoroutineLooks;
pub use plimsoll_profile::{FrameKind, NamedFrame};
pub use told::{FORM, ToldStack, ToldStacks};
pub use v8_profile::V8Profile;

/// Samples are left out where reading them would cost more than this of a CPU; at once so much.
const CPU_SHARE: f64 = 0.03;
const AT_ONCE: Duration = Duration::from_millis(60);
/// Workers come and go.
const LOOKS_FOR_WORKERS: Duration = Duration::from_secs(1);

/// What tells stacks apart beside their calls: what was done, and the name of the thread without
/// numbers.
type StackKey = (&'static str, String);

/// Samples a family of processes.
pub(crate) struct StackSampling {
    root: Pid,
    code: Box<FamilyCode>,
    samples: SamplesOf,
    began: Instant,
    lasts: Duration,
    cost: Duration,
    looks_cost: Duration,
    counts: StackCounts<StackKey>,
    /// Samples that were left out to save CPU, and whose stack was followed to its end.
    skipped: u64,
    whole: u64,
    /// Samples that were counted.
    taken: u64,
    waiting: WaitingLooks,
}

impl StackSampling {
    /// Begins to sample a process and its workers for that long.
    ///
    /// # Errors
    /// The kernel does not allow it.
    pub(crate) fn begin(
        root: Pid,
        mut code: Box<FamilyCode>,
        lasts: Duration,
    ) -> std::io::Result<Self> {
        code.forget_ended();
        Ok(Self {
            root,
            code,
            samples: SamplesOf::begin(&family(root))?,
            began: Instant::now(),
            lasts,
            cost: Duration::ZERO,
            looks_cost: Duration::ZERO,
            counts: StackCounts::default(),
            skipped: 0,
            whole: 0,
            taken: 0,
            waiting: WaitingLooks::begin(),
        })
    }

    /// Samples, to the end.
    pub(crate) fn run(&mut self) {
        let (mut looked_at, mut all) = (self.began, family(self.root));
        while let Some(left) = self.lasts.checked_sub(self.began.elapsed()) {
            if looked_at.elapsed() >= LOOKS_FOR_WORKERS {
                (looked_at, all) = (Instant::now(), family(self.root));
                self.samples.follow(&all);
            }
            let next = self.samples.next(left.min(self.waiting.pause()));
            let before = thread_cpu();
            if let Some(sample) = next {
                self.take(&sample);
            }
            self.cost += thread_cpu().saturating_sub(before);
            self.look(&all);
        }
    }

    /// Looks at the threads that wait, which have a budget of their own.
    fn look(&mut self, all: &[Pid]) {
        let before = thread_cpu();
        let Self {
            waiting,
            code,
            counts,
            ..
        } = self;
        waiting.look(all, code, |seen| {
            counts.add((seen.state, seen.thread), seen.stack, 1);
        });
        self.looks_cost += thread_cpu().saturating_sub(before);
    }

    /// Whether it has cost more than it may so far.
    fn is_dear(&self) -> bool {
        self.cost > self.began.elapsed().mul_f64(CPU_SHARE) + AT_ONCE
    }

    fn take(&mut self, sample: &KeptStack) {
        if self.is_dear() {
            self.skipped += 1;
            return;
        }
        let Some((code, table)) = self.code.of(sample.pid) else {
            self.skipped += 1;
            return;
        };
        let thread = code.thread_class(sample.tid);
        let mut stack: Vec<CodePlace> = sample
            .kernel
            .iter()
            .map(|at| CodePlace::Kernel(*at))
            .collect();
        self.whole += u64::from(code.unwind(sample, table, &mut stack));
        self.taken += 1;
        self.counts.add(("cpu", thread), stack, 1);
    }

    /// Names what was seen, and gives the code for the next time.
    pub(crate) fn finish(mut self) -> (ToldStacks, Box<FamilyCode>) {
        let before = thread_cpu();
        let lasted = self.began.elapsed().min(self.lasts);
        self.name();
        let named = self.counts.named(&self.code.table);
        let stack = |((state, thread), calls, count): (StackKey, Vec<u32>, u64)| ToldStack {
            state: state.to_owned(),
            thread,
            count,
            calls: calls.into_iter().map(|call| call as usize).collect(),
        };
        let cpus = read("/sys/devices/system/cpu/online").map_or(1, |list| listed(&list).len());
        let known = || self.code.processes.values().flatten();
        let told = ToldStacks {
            schema: FORM.to_owned(),
            from_unix_ns: 0,
            lasted_s: lasted.as_secs_f64(),
            pid: self.root,
            processes: known().count(),
            runtime: known().find_map(WatchedCode::runtime),
            cpus,
            samples_per_cpu_and_second: Samples::rate(cpus),
            samples: self.taken,
            looks: self.waiting.looks,
            lost: self.samples.lost() + self.skipped,
            whole: self.whole,
            unnamed_places: self.unnamed(),
            cost_s: (self.cost + self.looks_cost + thread_cpu().saturating_sub(before))
                .as_secs_f64(),
            frames: named.frames,
            stacks: named.stacks.into_iter().map(stack).collect(),
            others: named.others,
        };
        (told, self.code)
    }

    /// Names of the kernel's functions, and of what was compiled while running.
    fn name(&mut self) {
        let (mut kernel, mut made) = (Vec::new(), HashMap::<Pid, Vec<u64>>::new());
        for place in self.counts.places() {
            match place {
                CodePlace::Kernel(at) => kernel.push(at),
                CodePlace::Other { process, address } => {
                    made.entry(process).or_default().push(address)
                }
                CodePlace::Binary { .. } | CodePlace::Interpreted(_) => {}
            }
        }
        kernel.dedup();
        if !kernel.is_empty()
            && let Ok(symbols) = std::fs::read_to_string("/proc/kallsyms")
        {
            self.code.table.name_kernel(&symbols, &mut kernel);
        }
        for (pid, mut places) in made {
            let code = self.code.processes.get(&pid).and_then(Option::as_ref);
            if let Some(text) = code.and_then(WatchedCode::perf_map) {
                let map = PerfMap::read(&text, &mut places);
                self.code.table.name_made(pid, map);
            }
        }
    }

    /// Different places that have no name, for want of a map.
    fn unnamed(&self) -> usize {
        let places = self.counts.places();
        let unnamed = places.filter(|place| self.code.table.is_unnamed(*place));
        unnamed.collect::<std::collections::HashSet<_>>().len()
    }
}

fn family(root: Pid) -> Vec<Pid> {
    let mut all = vec![root];
    all.extend(find::workers(root));
    all
}
