//! A place that lets so many requests work at a time, while more wait before it: connections or
//! permits, threads, worker processes, or a limit inside a process that nobody sees. What its setting is called does not
//! matter.

use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::account::{
    Account, AccountPlateau, FullPlace, ThreadClass, open_connections, thread_states,
};
use crate::cpu;
use crate::figures::{counted, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::processes::runtime_of;
use crate::scene::Scene;

pub(super) const ID: &str = "concurrency_limit";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a number in work that rises when more wait, or holders that wait at a fuller place behind",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let limits = |place: &&AccountPlateau| {
        place.deepest && !matches!(place.place, FullPlace::Cpu | FullPlace::EventLoop)
    };
    let found = account.plateaus.iter().filter(limits);
    found.map(|place| finding(scene, account, place)).collect()
}

fn finding(scene: &Scene<'_>, account: &Account, place: &AccountPlateau) -> Finding {
    let share = account.share_waiting(place);
    let name = match (place.place, place.peer.as_str()) {
        (FullPlace::Hop, peer) => format!("{} → {peer}", place.process),
        _ => place.process.clone(),
    };
    let about = FindingObject {
        host: place.host.clone(),
        process: place.process.clone(),
        ..seen_by_client(ID, name)
    };
    let kind = place.place.name();
    let bound = Message::new("exhibit-without-waiting")
        .with("waiting", tenths(share * account.response_ms))
        .with("ms", tenths(account.response_ms))
        .with("left", tenths((1.0 - share) * account.response_ms));
    let holders = holders(scene, place);
    let computes = wanting_cpu(scene, place, holders.as_ref());
    let held_up = holders.as_ref().and_then(HeldUp::of).filter(|_| !computes);
    let pool = pool(scene, place);
    let behind = account.plateaus.iter().filter(|other| !other.deepest);
    let finding = Finding::new(
        ID,
        Layer::Cause,
        about,
        Explains::new(share, ShareOf::ResponseTime),
    )
    .with("place", kind)
    .with("process", place.process.as_str())
    .with("peer", place.peer.as_str())
    .with("number", counted(place.number))
    .with("waiting", tenths(place.waiting))
    .with("held-up", held_up.as_ref().map_or("none", |one| one.by))
    .shows(Exhibit::new(place.message()))
    .shows(Exhibit::new(bound))
    .shows_all(behind.map(|other| {
        Exhibit::new(Message::new("exhibit-full-before").with("text", other.message()))
    }))
    .shows_all(holders.as_ref().filter(|_| computes).map(cpu_exhibit))
    .shows_all(held_up.as_ref().map(HeldUp::exhibit))
    .shows_all(
        waits_at(scene, (&place.host, &place.process))
            .into_iter()
            .filter(|_| !computes),
    )
    .advises(advice(place, computes, held_up.as_ref()));
    let finding = match pool {
        Some((server, connections)) => of_pool(finding, place, &server, connections),
        None => finding,
    };
    Finding {
        confidence: match place.place {
            FullPlace::Inside => 0.7,
            _ => 0.85,
        },
        source: "Little's law over requests in flight",
        ..finding
    }
}

fn advice(place: &AccountPlateau, computes: bool, held_up: Option<&HeldUp>) -> Advice {
    let why = match (computes, held_up) {
        (true, _) => "advice-concurrency-cpu",
        (false, Some(_)) => "advice-concurrency-held-up",
        (false, None) => "advice-concurrency-limit",
    };
    let why = Message::new(why)
        .with("what", held_up.map_or("", |one| one.by))
        .with("place", place.place.name())
        .with("process", place.process.as_str())
        .with("peer", place.peer.as_str())
        .with("number", counted(place.number));
    Advice::code(why)
}

/// So much of what threads do is computing, or wanting a CPU for it.
const COMPUTES: f64 = 0.7;
/// A CPU that is used to this share has hardly any room for more threads.
const NO_ROOM: f64 = 0.85;

/// The threads of a full place, or of its workers.
fn holders(scene: &Scene<'_>, place: &AccountPlateau) -> Option<ThreadClass> {
    let states = thread_states(scene, &process(place))?;
    let class = match place.place {
        FullPlace::Threads => states.classes.iter().find(|class| class.name == place.peer),
        // Worker processes are of one name, their parent of another.
        FullPlace::Children => states
            .serving()
            .max_by(|a, b| a.threads.total_cmp(&b.threads)),
        _ => None,
    };
    class.cloned()
}

fn process(place: &AccountPlateau) -> Arc<Entity> {
    Entity::new(
        EntityKind::Process,
        place.process.as_str(),
        place.host.as_str(),
    )
}

/// So much of the time that threads or workers are taken they wait for what all of them share.
const HELD_UP: f64 = 0.7;

/// What keeps threads or workers that are taken: more of them would wait for it, too.
struct HeldUp {
    by: &'static str,
    waiting: f64,
    threads: f64,
}

impl HeldUp {
    fn of(class: &ThreadClass) -> Option<Self> {
        let kinds = [
            ("lock-file", class.lock_file),
            ("disk", class.disk + class.fsync),
        ];
        let (by, waiting) = kinds.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        (waiting >= HELD_UP * class.threads).then_some(Self {
            by,
            waiting,
            threads: class.threads,
        })
    }

    fn exhibit(&self) -> Exhibit {
        let text = Message::new("exhibit-held-up")
            .with("what", self.by)
            .with("waiting", tenths(self.waiting))
            .with("threads", tenths(self.threads));
        Exhibit::new(text)
    }
}

/// Whether threads are all taken since they have no CPU: more of them would wait for it, too.
fn wanting_cpu(scene: &Scene<'_>, place: &AccountPlateau, holders: Option<&ThreadClass>) -> bool {
    let is_used = cpu::of(scene, &process(place))
        .is_some_and(|cpu| cpu.utilization().max(cpu.host_used) >= NO_ROOM);
    let computes = |class: &ThreadClass| class.running + class.runnable >= COMPUTES * class.busy();
    is_used && holders.is_some_and(computes)
}

fn cpu_exhibit(class: &ThreadClass) -> Exhibit {
    let text = Message::new("exhibit-threads-want-cpu")
        .with("threads", tenths(class.threads))
        .with("running", tenths(class.running))
        .with("wanting", tenths(class.runnable));
    Exhibit::new(text)
}

/// Numbers of connections and of requests at work that differ by less are the same.
const SAME: f64 = 0.15;
const SAME_NUMBER: f64 = 0.6;

/// The connections that the process keeps to one server, if they are as many as requests work at a time: its pool.
fn pool(scene: &Scene<'_>, place: &AccountPlateau) -> Option<(String, f64)> {
    if !matches!(place.place, FullPlace::Hop | FullPlace::Inside) {
        return None;
    }
    let apart = |connections: f64| (connections - place.number).abs();
    let kept = open_connections(scene, &place.host, &place.process).into_iter();
    let own = kept.filter(|(server, connections)| {
        let is_peer = place.peer.is_empty() || *server == place.peer;
        is_peer && apart(*connections) <= SAME_NUMBER.max(SAME * place.number)
    });
    own.min_by(|a, b| apart(a.1).total_cmp(&apart(b.1)))
}

/// What names the pool, and its setting in the words of the runtime.
fn of_pool(finding: Finding, place: &AccountPlateau, server: &str, connections: f64) -> Finding {
    let shows = Message::new("exhibit-all-connections")
        .with("process", place.process.as_str())
        .with("number", counted(connections))
        .with("peer", server);
    let why = Message::new("advice-pool-setting").with("runtime", runtime(&place.process));
    finding
        .shows(Exhibit::new(shows))
        .advises(Advice::code(why))
}

/// Programs that pass on what they are asked have settings of their own.
const PRODUCTS: [&str; 3] = ["pgbouncer", "haproxy", "envoy"];

fn runtime(process: &str) -> &'static str {
    let mut products = PRODUCTS.into_iter();
    let product = || products.find(|product| process.starts_with(product));
    runtime_of(process).or_else(product).unwrap_or("other")
}

/// Where in its own code the process waits, and who has passed that place: what names the limit, where
/// it is named at all.
pub(super) fn waits_at(scene: &Scene<'_>, (host, process): (&str, &str)) -> Vec<Exhibit> {
    let Some(found) = scene.wait_place(host, process) else {
        return Vec::new();
    };
    let text = Message::new("exhibit-waits-at")
        .with("who", found.who)
        .with("state", found.state.as_str())
        .with("threads", tenths(found.threads))
        .with("code", found.code.as_str())
        .with("call", found.call.as_str());
    let mut shown = vec![Exhibit::new(text).capture(found.capture, Vec::new())];
    if let Some((code, state, threads)) = found.past {
        let text = Message::new("exhibit-is-past")
            .with("state", state)
            .with("threads", tenths(threads))
            .with("code", code);
        shown.push(Exhibit::new(text).capture(found.capture, Vec::new()));
    }
    shown
}
