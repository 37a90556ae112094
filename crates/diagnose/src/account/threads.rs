//! What the threads of a process did, as the watcher's looks at `/proc` say it.

use plimsoll_stats::series::Entity;
use serde::Deserialize;

use crate::scene::Scene;

/// The threads of a process. All numbers are mean numbers of threads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct ThreadStates {
    /// What could not be read.
    pub denied: Vec<String>,
    pub classes: Vec<ThreadClass>,
    pub event_loops: Vec<EventLoopState>,
    /// The capture, by its number in the run.
    #[serde(skip)]
    pub capture: i64,
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

impl ThreadClass {
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

/// The last look at the threads of a process under load, if there is one.
pub(crate) fn read(scene: &Scene<'_>, process: &Entity) -> Option<ThreadStates> {
    let captures = scene.captures("thread_states");
    let own = captures.filter(|capture| {
        capture.entity.name == process.name
            && capture.entity.host == process.host
            && scene.is_under_load(capture.at_ms)
    });
    let read = own.filter_map(|capture| {
        let states: ThreadStates = serde_json::from_str(&capture.text).ok()?;
        Some(ThreadStates {
            capture: capture.number,
            ..states
        })
    });
    read.filter(|states| !states.classes.is_empty()).last()
}
