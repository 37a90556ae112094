//! What the threads of a process did, as the watcher's looks at `/proc` say it.

use std::collections::BTreeMap;

use plimsoll_stats::series::Entity;
use serde::Deserialize;

use super::calls::in_flight_at;
use super::moment::captures_of;
use crate::evidence::CapturedText;
use crate::scene::Scene;
use crate::serial::is_runtimes_own;

/// Folders of the write-ahead log of PostgreSQL, now and before version 10.
const LOGS: [&str; 2] = ["/pg_wal/", "/pg_xlog/"];

/// Of looks that lasted so many times as long as requests take, a thread that has requests is seen between them.
const LASTED: f64 = 2.0;
/// Threads that were still in a wait may have requests where so many as a share of them came to it and left it.
const ALIKE: f64 = 0.1;

/// Of workers, one that waits for nearly the whole time leads the others.
const LEADER: std::ops::Range<f64> = 0.95..1.05;

/// The threads of a process. All numbers are mean numbers of threads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ThreadStates {
    /// How long they were looked at.
    pub lasts_ms: f64,
    /// What could not be read.
    pub denied: Vec<String>,
    pub classes: Vec<ThreadClass>,
    pub event_loops: Vec<EventLoopState>,
    /// Files that threads were seen to wait for a disk for.
    pub files: Vec<WaitedFile>,
    /// Who else used the CPUs that it may use, watched or not, the most first.
    pub neighbours: Vec<CpuNeighbour>,
    /// What the workers of a server say of themselves in their titles, the mean number of each.
    pub titles: BTreeMap<String, f64>,
    /// The capture, by its number in the run.
    #[serde(skip)]
    pub capture: i64,
}

/// A file, and how often a thread was seen to wait for a disk for it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct WaitedFile {
    pub path: String,
    pub waits: u64,
}

/// A process beside another, and the CPUs that it used.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct CpuNeighbour {
    pub process: String,
    /// What it runs, if it is an interpreter.
    pub script: String,
    pub cpu: f64,
}

/// Threads of one name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ThreadClass {
    pub name: String,
    pub threads: f64,
    pub running: f64,
    pub runnable: f64,
    pub disk: f64,
    pub fsync: f64,
    pub futex: f64,
    pub poll: f64,
    pub accept: f64,
    pub sleep: f64,
    pub write: f64,
    pub pipe: f64,
    pub child: f64,
    pub lock_file: f64,
    pub other: f64,
    pub read: Vec<PeerRead>,
    /// Of what is no read, what threads did that did nothing else from the first look to the last.
    pub still: Option<BTreeMap<String, f64>>,
}

/// Threads that wait for bytes of a peer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct PeerRead {
    pub peer: String,
    /// The process there, if it is on this host.
    pub process: String,
    pub number: f64,
    /// Of these, threads that did nothing else from the first look to the last.
    pub still: f64,
    /// The peer is a client: the connection is idle, or the request comes slowly.
    pub is_client: bool,
}

/// A thread that serves many connections.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct EventLoopState {
    pub thread: String,
    pub running: f64,
    pub runnable: f64,
    pub polling: f64,
    pub blocked: f64,
    pub blocked_in: String,
}

impl CpuNeighbour {
    /// Its name, with what it runs.
    pub fn told(&self) -> String {
        match self.script.as_str() {
            "" => self.process.clone(),
            script => format!("{} ({script})", self.process),
        }
    }
}

impl ThreadStates {
    /// Whether it could be read what threads wait in.
    pub fn is_told(&self) -> bool {
        !self.denied.iter().any(|denied| denied == "syscall")
    }

    /// Threads that may serve requests.
    pub fn serving(&self) -> impl Iterator<Item = &ThreadClass> {
        let all = self.classes.iter();
        all.filter(|class| !is_runtimes_own(&class.name) && !class.leads())
    }

    /// How many backends of PostgreSQL wait for its write-ahead log: in a sync, or in line for one that another does
    /// (its processes wait in a futex for nothing but locks of shared memory, of which that of the log is the one
    /// that a disk is behind).
    pub fn waits_for_log(&self) -> f64 {
        let is_log = |file: &WaitedFile| LOGS.iter().any(|log| file.path.contains(log));
        match self.files.iter().any(is_log) {
            true => self.serving().map(|class| class.futex + class.fsync).sum(),
            false => 0.0,
        }
    }

    /// The files that are waited for most, a line for each.
    pub fn files(&self) -> Vec<String> {
        let told = self.files.iter().filter(|file| !file.path.is_empty());
        told.map(|file| format!("{} ({})", file.path, file.waits))
            .collect()
    }

    /// The one thread of a program that has no other: all that it serves waits for it, whatever
    /// it waits for itself.
    fn only_thread(&self) -> Option<EventLoopState> {
        let mut serving = self.serving();
        let (only, none) = (serving.next()?, serving.next().is_none());
        let led = self.classes.iter().any(ThreadClass::leads);
        let is_known = !self.event_loops.is_empty();
        if !none || led || is_known || !(0.5..1.5).contains(&only.threads) {
            return None;
        }
        let most = only.waits().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(EventLoopState {
            thread: only.name.clone(),
            running: only.running,
            runnable: only.runnable,
            polling: only.idle(),
            blocked: only.waits().map(|(_, number)| number).sum(),
            blocked_in: most.0.to_owned(),
        })
    }

    /// Leaves out threads that do something for the process itself, of one that has so many requests: whoever has
    /// requests comes from one wait to another between them. Of threads that were still no more have requests than
    /// there are beyond those that others can have.
    fn leave_out_still(&mut self, in_flight: f64) {
        let still = self.still();
        let all: f64 = still.values().sum();
        let others: f64 = self
            .serving()
            .map(|class| class.threads - class.idle())
            .sum();
        let kept = (in_flight - (others - all).max(0.0)).clamp(0.0, all);
        if all <= 0.0 {
            return;
        }
        let share = 1.0 - kept / all;
        for class in &mut self.classes {
            let own = class.still.clone().unwrap_or_default();
            for (wait, number) in own.iter().filter(|(wait, _)| still.contains_key(*wait)) {
                class.take(wait, number * share);
            }
            for read in class.read.iter_mut().filter(|read| !read.is_client) {
                if still.contains_key(&read.peer) {
                    class.threads -= read.still * share;
                    read.number -= read.still * share;
                }
            }
        }
    }

    /// Threads that were still, by what they wait for that is no work to come (of reads, the peer), where hardly one
    /// came to such a wait and left it.
    fn still(&self) -> BTreeMap<String, f64> {
        let mut found: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        let mut add = |wait: &str, number: f64, still: f64| {
            let (all_still, moved) = found.entry(wait.to_owned()).or_default();
            *all_still += still;
            *moved += (number - still).max(0.0);
        };
        for class in self.serving() {
            for (wait, number) in class.paused() {
                add(wait, number, class.still_in(wait).unwrap_or(0.0));
            }
            for read in class.reads() {
                add(&read.peer, read.number, read.still);
            }
        }
        let alone = |(still, moved): (f64, f64)| Some(still).filter(|_| moved < ALIKE * still);
        let found = found.into_iter();
        found
            .filter_map(|(wait, seen)| Some((wait, alone(seen)?)))
            .collect()
    }
}

impl ThreadClass {
    /// Waits in which a thread may have a request, beside reads and what a disk or a lock is waited for in.
    pub(super) fn paused(&self) -> [(&'static str, f64); 5] {
        [
            ("sleep", self.sleep),
            ("write", self.write),
            ("pipe", self.pipe),
            ("child", self.child),
            ("lock_file", self.lock_file),
        ]
    }

    /// Threads that did nothing but wait so; none where that was not looked at.
    fn still_in(&self, wait: &str) -> Option<f64> {
        let still = self.still.as_ref()?;
        Some(still.get(wait).copied().unwrap_or(0.0))
    }

    /// Whether one of several waits for work all the time, as one does that leads the others, and no other waits.
    pub fn has_leader(&self) -> bool {
        let one = |number: f64| LEADER.contains(&number);
        let still = ["poll", "accept"].map(|wait| self.still_in(wait));
        let led = still.into_iter().flatten().reduce(|all, one| all + one);
        self.threads >= 2.0 && one(self.idle()) && led.is_none_or(one)
    }

    /// So many threads less that pause so.
    fn take(&mut self, wait: &str, number: f64) {
        let of = match wait {
            "sleep" => &mut self.sleep,
            "write" => &mut self.write,
            "pipe" => &mut self.pipe,
            "child" => &mut self.child,
            "lock_file" => &mut self.lock_file,
            _ => return,
        };
        *of -= number;
        self.threads -= number;
    }

    /// What its threads wait for that is no work to come.
    fn waits(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let reads = self.reads().map(|read| read.number).sum();
        let others = [
            ("read", reads),
            ("disk", self.disk),
            ("fsync", self.fsync),
            ("futex", self.futex),
        ];
        others.into_iter().chain(self.paused())
    }

    /// Whether these lead workers, and serve nobody themselves.
    pub fn leads(&self) -> bool {
        self.name.ends_with(" (master)")
    }

    /// Threads that wait for a peer that is no client.
    pub fn reads(&self) -> impl Iterator<Item = &PeerRead> {
        self.read.iter().filter(|read| !read.is_client)
    }

    /// Threads that certainly do something, or wait for what is no work to come.
    pub fn busy(&self) -> f64 {
        let reads: f64 = self.reads().map(|read| read.number).sum();
        let works = self.running + self.runnable + self.disk + self.fsync;
        let pauses: f64 = self.paused().iter().map(|(_, number)| number).sum();
        works + reads + pauses
    }

    /// Threads that certainly wait for work.
    pub fn idle(&self) -> f64 {
        let clients = self.read.iter().filter(|read| read.is_client);
        self.poll + self.accept + clients.map(|read| read.number).sum::<f64>()
    }
}

impl EventLoopState {
    /// The share of the time in which it does not wait for events.
    pub fn busy(&self) -> f64 {
        self.running + self.runnable + self.blocked
    }
}

/// Whether a look could read what threads wait in.
pub(super) fn is_told(capture: &CapturedText) -> bool {
    let read = serde_json::from_str::<ThreadStates>(&capture.text);
    read.is_ok_and(|states| states.is_told())
}

/// The look that stands for the stretch at the threads of a process under load, if there is one.
pub(crate) fn read(scene: &Scene<'_>, process: &Entity) -> Option<ThreadStates> {
    let own = captures_of(scene, "thread_states", process);
    let read = own.filter_map(|capture| {
        let states: ThreadStates = serde_json::from_str(&capture.text).ok()?;
        Some(ThreadStates {
            capture: capture.number,
            ..states
        })
    });
    let mut looks: Vec<ThreadStates> = read.filter(|states| !states.classes.is_empty()).collect();
    let mut last = looks.pop()?;
    if last.event_loops.is_empty() {
        // A loop that never waits for events may be told in one look and not in the next.
        let told = looks.pop().map(|before| before.event_loops);
        last.event_loops = told.unwrap_or_default();
    }
    let only = last.only_thread();
    last.event_loops.extend(only);
    if last.lasts_ms >= LASTED * scene.service_s() * 1e3 {
        last.leave_out_still(in_flight_at(scene, Some(process)));
    }
    Some(last)
}
