//! What the threads of a process did, as the watcher's looks at `/proc` say it.

use std::collections::BTreeMap;

use plimsoll_stats::series::Entity;
use serde::Deserialize;

use super::moment::captures_of;
use crate::scene::Scene;
use crate::serial::is_runtimes_own;

/// Folders of the write-ahead log of PostgreSQL, now and before version 10.
const LOGS: [&str; 2] = ["/pg_wal/", "/pg_xlog/"];

/// The threads of a process. All numbers are mean numbers of threads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ThreadStates {
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
}

/// Threads that wait for bytes of a peer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct PeerRead {
    pub peer: String,
    /// The process there, if it is on this host.
    pub process: String,
    pub number: f64,
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
        let waits = only.waits();
        let most = waits.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(EventLoopState {
            thread: only.name.clone(),
            running: only.running,
            runnable: only.runnable,
            polling: only.idle(),
            blocked: waits.iter().map(|(_, number)| number).sum(),
            blocked_in: most.0.to_owned(),
        })
    }
}

impl ThreadClass {
    /// What its threads wait for that is no work to come.
    fn waits(&self) -> [(&'static str, f64); 9] {
        [
            ("read", self.reads().map(|read| read.number).sum()),
            ("disk", self.disk),
            ("fsync", self.fsync),
            ("futex", self.futex),
            ("sleep", self.sleep),
            ("write", self.write),
            ("pipe", self.pipe),
            ("child", self.child),
            ("lock_file", self.lock_file),
        ]
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
        works + reads + self.sleep + self.write + self.pipe + self.child + self.lock_file
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
    Some(last)
}
