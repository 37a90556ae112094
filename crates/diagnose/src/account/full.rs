//! Places on the way that let so many requests work at a time, while more wait before them. A limit
//! shows as that, whatever the product and its setting are called.

use plimsoll_stats::names;
use plimsoll_stats::series::{Entity, EntityKind};

use super::curve;
use super::model::{AccountPlateau, FullPlace, Together};
use super::passed::{Passed, place};
use super::seen::{Level, SeenHop, Wire};
use super::threads::{self, ThreadClass, ThreadStates};
use crate::cpu;
use crate::scene::Scene;
use crate::serial;

/// An event loop is full where it is busy for this share of the time.
const FULL: f64 = 0.85;
/// Calls are as many as ever may be where they are that many for the first share of the time, and
/// on average the second share of that many. On a busy host the next one comes a while after one
/// ended.
const HELD: [(f64, f64); 2] = [(0.5, 0.85), (0.65, 0.7)];
/// Threads that serve requests do so much of the process' work.
const WORKS: f64 = 0.3;
/// Threads are all taken from this share on.
const ALL: f64 = 0.93;
/// So much of the requests in flight must wait before a place that leads.
const LEAST_WAITING: f64 = 0.1;
/// The full places of the processes on the way, the deepest first.
pub(super) fn places(
    scene: &Scene<'_>,
    wire: Option<&Wire>,
    together: &Together,
    way: &[Passed<'_>],
) -> Vec<AccountPlateau> {
    let mut found: Vec<(usize, AccountPlateau)> = Vec::new();
    for passed in way {
        let whose = passed.whose;
        let entity = Entity::new(
            EntityKind::Process,
            whose.process.as_str(),
            whose.host.as_str(),
        );
        let mut here = Vec::new();
        if let Some(states) = threads::read(scene, &entity) {
            here.extend(classes(scene, passed, &entity, &states));
            here.extend(loops(passed, &states));
        }
        if let Some(wire) = wire {
            let calls = wire.calls(whose);
            let full =
                calls.filter_map(|(hop, level)| called(passed, wire.called(hop), hop, level));
            here.extend(full);
        }
        here = without_their_calls(here);
        here.extend(cpus(scene, passed, &entity));
        found.extend(here.into_iter().map(|place| (passed.depth, place)));
    }
    if found.is_empty() {
        found.extend(curve::inside(scene, wire, together, way).map(|place| (0, place)));
    }
    // Behind a full place the next one limits; in one process, what is nearer to the work. Where hardly anybody waits is
    // no limit, however deep it lies.
    let least = LEAST_WAITING * scene.in_flight();
    let is_much = |place: &AccountPlateau| place.waiting >= least;
    found.sort_by(|(a_depth, a), (b_depth, b)| {
        (is_much(b), b_depth, b.place)
            .cmp(&(is_much(a), a_depth, a.place))
            .then(b.waiting.total_cmp(&a.waiting))
    });
    let mut places: Vec<AccountPlateau> = found.into_iter().map(|(_, place)| place).collect();
    if let Some(first) = places.first_mut() {
        first.deepest = true;
    }
    places
}

/// Where as many calls are under way as there are threads, all taken, the threads limit: each makes one at a time.
fn without_their_calls(mut places: Vec<AccountPlateau>) -> Vec<AccountPlateau> {
    let are_threads =
        |place: &&AccountPlateau| matches!(place.place, FullPlace::Threads | FullPlace::Children);
    let threads: Vec<f64> = places
        .iter()
        .filter(are_threads)
        .map(|place| place.number)
        .collect();
    let is_one_each = |number: f64| threads.iter().any(|threads| (threads - number).abs() < 0.5);
    places.retain(|place| place.place != FullPlace::Hop || !is_one_each(place.number));
    places
}

/// Calls to another process, as many as ever are: connections or permits.
fn called(passed: &Passed<'_>, peer: &str, hop: &SeenHop, level: &Level) -> Option<AccountPlateau> {
    let held = level.share_from(level.max);
    // Those that wait for what others send there are no work of the server.
    let waits = hop.waits.as_ref().map_or(0.0, |waits| waits.in_flight);
    let (most, number) = (level.max - waits, level.mean - waits);
    let mut kinds = HELD.iter();
    let is_full = kinds.any(|(time, mean)| held >= *time && number >= mean * most);
    let found = place(passed, (FullPlace::Hop, peer), (most, held), passed.waiting);
    found.filter(|_| is_full)
}

/// Threads of one name of which none waits for work; those of several processes are workers.
fn classes(
    scene: &Scene<'_>,
    passed: &Passed<'_>,
    process: &Entity,
    states: &ThreadStates,
) -> Vec<AccountPlateau> {
    let workers = scene.of(process, names::process::PROCESSES).last();
    let several = workers.is_some_and(|count| count >= 2.0);
    let is_loop = |class: &ThreadClass| {
        let mut loops = states.event_loops.iter();
        loops.any(|one| one.thread.starts_with(class.name.as_str()))
    };
    // Threads that do none of the work may wait for anything.
    let runs: f64 = states.serving().map(|class| class.running).sum();
    let works = |class: &&ThreadClass| class.running > 0.0 && class.running >= WORKS * runs;
    let serving = states.serving().filter(works);
    let serving = serving.filter(|class| !is_loop(class));
    let full = serving.filter_map(|class| {
        let number = class.threads - f64::from(u8::from(several && class.has_leader()));
        let busy = class.busy();
        let kind = match several {
            true => FullPlace::Children,
            false => FullPlace::Threads,
        };
        let waiting = passed.in_flight - number;
        let full = busy >= ALL * number && busy > 0.0;
        let share = busy / number.max(1.0);
        let at = (kind, class.name.as_str());
        place(passed, at, (number, share), waiting).filter(|_| full)
    });
    full.collect()
}

/// Event loops that are busy or stopped all the time.
fn loops(passed: &Passed<'_>, states: &ThreadStates) -> Option<AccountPlateau> {
    let full: Vec<_> = states
        .event_loops
        .iter()
        .filter(|one| one.busy() >= FULL)
        .collect();
    let first = full.first()?;
    #[expect(clippy::cast_precision_loss, reason = "event loops of a process")]
    let number = full.len() as f64;
    let busy = full.iter().map(|one| one.busy()).sum::<f64>() / number;
    let at = (FullPlace::EventLoop, first.thread.as_str());
    place(passed, at, (number, busy), passed.waiting)
}

/// CPUs that a process may or can use, all of them in use.
fn cpus(scene: &Scene<'_>, passed: &Passed<'_>, process: &Entity) -> Option<AccountPlateau> {
    let used = cpu::of(scene, process)?;
    let (number, share) = match serial::of(scene, &used) {
        Some(serial) => (serial.cpus, serial.used / serial.cpus.max(1e-9)),
        None if used.is_full() => (used.limit, used.utilization()),
        None => return None,
    };
    let waiting = passed.waiting.max(used.waits);
    place(passed, (FullPlace::Cpu, ""), (number, share), waiting)
}
