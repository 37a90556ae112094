//! What a process does meanwhile: by its threads' states, else by thread dumps, else by series.

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};

use super::model::AccountBasis;
use super::seen::Whose;
use super::threads::{self, ThreadStates};
use crate::processes::{process_of, stacks_of};
use crate::scene::Scene;
use crate::serial::is_runtimes_own;
use crate::stacks::{SeenThread, StackPlace, Stacks};

/// What a process does on average, in threads, which is in requests where each has one.
#[derive(Debug, Clone, Default)]
pub(super) struct Doing {
    /// On a CPU, without what the runtime does for itself.
    pub running: f64,
    /// Wants a CPU.
    pub runnable: f64,
    pub cpu_basis: Option<AccountBasis>,
    /// Reads or writes a disk.
    pub disk: f64,
    /// The share of the time in which all of it stands still for garbage collection.
    pub collecting: f64,
    /// Waits for another process.
    pub reads: Vec<AwaitedPeer>,
    /// Waits for what is known and is no work to come: sleeps, locks of files, children.
    pub waits: Vec<(&'static str, f64)>,
    /// Threads that may serve requests.
    pub threads: f64,
    /// Threads that certainly wait for work.
    pub idle: f64,
    /// Whether event loops serve, which hold requests that are in no thread.
    pub has_loops: bool,
    /// Whether anything but its CPU is known.
    pub has_threads: bool,
}

impl Doing {
    /// Threads that certainly have a request, with so many of those that wait for others.
    pub fn at_work(&self, reads: f64) -> f64 {
        let waits: f64 = self.waits.iter().map(|(_, number)| number).sum();
        self.running + self.runnable + self.disk + waits + reads
    }
}

/// A peer whose response is waited for.
#[derive(Debug, Clone)]
pub(super) struct AwaitedPeer {
    pub address: String,
    /// The process there; empty if it is not known.
    pub process: String,
    pub number: f64,
}

/// What a process did.
pub(super) fn of(scene: &Scene<'_>, whose: &Whose) -> Doing {
    let entity = Entity::new(
        EntityKind::Process,
        whose.process.as_str(),
        whose.host.as_str(),
    );
    let mut doing = by_series(scene, &entity);
    doing.collecting = collecting(scene, &entity);
    if let Some(states) = threads::read(scene, &entity) {
        by_states(&mut doing, &states);
    }
    if let Some(stacks) = stacks_of(scene, &entity).filter(|_| !doing.has_threads) {
        by_dumps(&mut doing, stacks);
    }
    doing
}

fn by_series(scene: &Scene<'_>, process: &Arc<Entity>) -> Doing {
    let rate = |name| scene.of(process, name).mean();
    let groups = scene.of(process, names::process::GROUP_CPU_TIME);
    let own: f64 = groups
        .by(attributes::THREAD_GROUP)
        .into_iter()
        .filter(|(name, _)| is_runtimes_own(name))
        .filter_map(|(_, group)| group.mean())
        .sum();
    let used = rate(names::process::CPU_TIME);
    Doing {
        running: (used.unwrap_or(0.0) - own).max(0.0),
        runnable: rate(names::process::CPU_WAIT).unwrap_or(0.0),
        cpu_basis: used.map(|_| AccountBasis::Series),
        ..Doing::default()
    }
}

/// The share of the time in which a JVM that is this process stood still to collect.
fn collecting(scene: &Scene<'_>, process: &Entity) -> f64 {
    let pauses = scene.series(names::jvm::GC_PAUSE_TIME).by_thing();
    let own = pauses
        .into_iter()
        .filter(|(jvm, _)| process_of(scene, jvm).is_some_and(|its| its == *process));
    let share = own.filter_map(|(_, pauses)| pauses.mean()).next();
    share.unwrap_or(0.0).clamp(0.0, 1.0)
}

fn by_states(doing: &mut Doing, states: &ThreadStates) {
    if !states.denied.iter().any(|denied| denied == "schedstat") {
        doing.running = states.serving().map(|class| class.running).sum();
        doing.runnable = states.serving().map(|class| class.runnable).sum();
        doing.cpu_basis = Some(AccountBasis::Threads);
    }
    doing.has_threads = states.is_told();
    if !doing.has_threads {
        return;
    }
    doing.has_loops = !states.event_loops.is_empty();
    let is_log = states.waits_for_log() > 0.0;
    for class in states.serving() {
        // Processes that are in line for a log that is being synced wait for the disk, too.
        if is_log {
            doing.waits.push(("log", class.futex));
        }
        doing.disk += class.disk + class.fsync;
        doing.waits.extend(class.paused());
        doing.threads += class.threads;
        doing.idle += class.idle();
        doing.reads.extend(class.reads().map(|read| AwaitedPeer {
            address: read.peer.clone(),
            process: read.process.clone(),
            number: read.number,
        }));
    }
}

fn by_dumps(doing: &mut Doing, stacks: &Stacks) {
    let at =
        |holds: &dyn Fn(StackPlace) -> bool| stacks.count(|seen: &SeenThread| holds(seen.place));
    let computing = at(&|place| place == StackPlace::Cpu);
    let peers = at(&|place| matches!(place, StackPlace::Peer(_)));
    doing.has_threads = true;
    doing.threads = stacks.busy();
    doing.disk = at(&|place| place == StackPlace::File);
    // Threads that compute by a dump but used no CPU were stopped there, or call what is not Java.
    let beside = (computing - doing.running - doing.runnable).max(0.0);
    let pools = [StackPlace::DatabasePool, StackPlace::ClientPool];
    doing.waits = vec![
        ("other", beside + at(&|place| place == StackPlace::Wait)),
        ("lock", at(&|place| place == StackPlace::Lock)),
        ("pool", at(&|place| pools.contains(&place))),
        ("sleep", at(&|place| place == StackPlace::Sleep)),
    ];
    if peers > 0.0 {
        doing.reads.push(AwaitedPeer {
            address: String::new(),
            process: String::new(),
            number: peers,
        });
    }
}
