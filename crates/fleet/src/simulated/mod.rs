//! Whole runs on a virtual clock: the controller and the workers as they are, over the link within
//! a process, with shares that count what they send to a target.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod beginning;
mod clock;
mod faults;
mod share;
mod steering;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use plimsoll_stats::{LabelId, LabelInfo, LabelInterval};
use plimsoll_text::Message;
use tokio::sync::watch;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::Instant;

use self::clock::{S, since_ns};
use self::share::SimEngine;
use crate::controller::conduct::Conducted;
use crate::controller::{
    Desk, FleetError, Note, Results, RunPackage, Settings, Stop, StoredRun, begin, choose, conduct,
    discover,
};
use crate::link::Link;
use crate::link::local::{Hub, LocalLink};
use crate::merge::Merged;
use crate::wire::Change;
use crate::worker::{self, serve};

/// The clocks of the hosts begin at different times.
const CONTROLLER_NS: u64 = 5_000 * S;

/// A worker and its way to the others.
struct Host {
    link: LocalLink,
    task: JoinHandle<()>,
    /// It ends when this says so.
    _ending: watch::Sender<bool>,
}

impl Host {
    /// Ends it as `kill -9` does.
    async fn kill(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

/// Hosts, and the target that all load.
struct World {
    hub: Hub,
    begun: Instant,
    desk: Desk,
    hosts: BTreeMap<String, Host>,
    /// Requests that the target has had.
    target: Arc<AtomicU64>,
    setups: Arc<AtomicU64>,
    /// Changes of the load that the controller is to pass on.
    wanted: Rc<RefCell<Vec<Change>>>,
    folder: tempfile::TempDir,
}

/// Does something in a world of its own; the tasks of the workers live in it.
async fn world<T>(work: impl AsyncFnOnce(&mut World) -> T) -> T {
    let hosts = LocalSet::new();
    hosts
        .run_until(async { work(&mut World::new()).await })
        .await
}

impl World {
    fn new() -> Self {
        let hub = Hub::new();
        let (link, begun) = (hub.link(), Instant::now());
        let desk = Desk {
            link: Arc::new(link),
            now: Arc::new(move || CONTROLLER_NS + since_ns(begun)),
        };
        Self {
            hub,
            begun,
            desk,
            hosts: BTreeMap::new(),
            target: Arc::default(),
            setups: Arc::default(),
            wanted: Rc::default(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Starts a worker with a clock of its own, and waits until it can be found.
    async fn worker(&mut self, name: &str, clock_ns: u64) {
        let link = self.hub.link();
        let engine = SimEngine {
            begun: self.begun,
            clock_ns,
            target: Arc::clone(&self.target),
            setups: Arc::clone(&self.setups),
        };
        let settings = worker::WorkerSettings {
            name: name.to_owned(),
            instance: format!("{name}-life"),
            labels: BTreeMap::new(),
            folder: self.folder.path().to_owned(),
        };
        let (end, ending) = watch::channel(false);
        let own: Arc<dyn Link> = Arc::new(link.clone());
        let task = spawn_local(async move {
            serve(own, Arc::new(engine), settings, ending, &|_| {})
                .await
                .unwrap();
        });
        let host = Host {
            link,
            task,
            _ending: end,
        };
        self.hosts.insert(name.to_owned(), host);
        // The name was asked for, and the orders are subscribed to.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }

    /// Starts workers whose clocks are 1,000 s apart.
    async fn workers(&mut self, names: &[&str]) {
        for (number, name) in (1..).zip(names) {
            self.worker(name, number * 1_000 * S).await;
        }
    }

    fn host(&mut self, name: &str) -> &mut Host {
        self.hosts.get_mut(name).unwrap()
    }

    /// Has the workers that are there begin.
    async fn begin(&self, settings: &Settings) -> Result<StoredRun, FleetError> {
        let found = discover(&*self.desk.link, "asker", Duration::from_secs(1)).await?;
        let workers = choose(&found, settings)?;
        let package = RunPackage {
            bundle: Bytes::from_static(b"plan"),
            seal: Box::new(|_| Ok("key".to_owned())),
        };
        begin(&self.desk, settings, workers, &package, 0).await
    }

    /// A run over the workers that are there; `meanwhile` goes on beside it.
    async fn run(
        &mut self,
        settings: &Settings,
        meanwhile: impl AsyncFnOnce(&mut World),
    ) -> (Conducted, Outcome) {
        let run = self.begin(settings).await.unwrap();
        let desk = self.desk.clone();
        let mut outcome = Outcome {
            wanted: Rc::clone(&self.wanted),
            ..Outcome::default()
        };
        let conducted = spawn_local(async move {
            let conducted = conduct(&desk, run, None, 0, &mut outcome, &|_, _| None).await;
            let conducted = conducted.unwrap();
            (conducted, outcome)
        });
        meanwhile(self).await;
        conducted.await.unwrap()
    }

    /// Requests that the target has had.
    fn count(&self) -> u64 {
        self.target.load(Ordering::Relaxed)
    }
}

/// Settings of a run over so many workers.
fn settings(workers: usize) -> Settings {
    Settings {
        run: "r".to_owned(),
        workers,
        with: BTreeMap::new(),
        each: false,
        seed: 0,
        lease_ns: 10 * S,
        give_up_ns: 600 * S,
        clock_error_ns: S / 20,
        load_end_ns: Some(share::LOAD_S * S),
        may_move: true,
        sets_up: false,
        tears_down: false,
        version: "1".to_owned(),
    }
}

async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// What came out of a run.
#[derive(Default)]
struct Outcome {
    merged: u64,
    events: Vec<(u64, String)>,
    notes: Rc<RefCell<BTreeMap<String, String>>>,
    wanted: Rc<RefCell<Vec<Change>>>,
}

impl Outcome {
    /// When something was told, on the run's clock.
    fn told(&self, id: &str) -> Vec<u64> {
        let told = self.events.iter().filter(|(_, told)| told == id);
        told.map(|(at_ns, _)| *at_ns).collect()
    }
}

impl Results for Outcome {
    fn begins_in(&mut self, _: Duration) {}

    fn labels(&mut self, _: &[LabelInfo]) {}

    fn second(&mut self, merged: &Merged, notes: &[Note]) -> Result<(), String> {
        let samples = merged.labels.get(LabelId(0)).map(LabelInterval::samples);
        self.merged += samples.unwrap_or_default();
        self.note(notes)
    }

    fn note(&mut self, notes: &[Note]) -> Result<(), String> {
        self.notes.borrow_mut().extend(notes.iter().cloned());
        Ok(())
    }

    fn event(&mut self, at_ns: u64, message: &Message, _: bool) {
        self.events.push((at_ns, message.id.clone()));
    }

    fn stop(&self) -> Stop {
        Stop::Running
    }

    fn changes(&mut self) -> (Vec<Change>, Option<u64>) {
        (self.wanted.take(), None)
    }
}
