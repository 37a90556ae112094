//! Threads that wait in one place of the code for whoever is past it, in any runtime: by the place, since
//! each may wait for another lock.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::support::full_cpu_of;
use crate::about::object;
use crate::account::{Account, PartKind, thread_states};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::stacks_of;
use crate::scene::Scene;
use crate::stacks::WaitPlace;

pub const RULE: Rule = Rule {
    ids: &["blocked_place"],
    refuted_by: "threads in that place that hold nothing up: few of them, or none past it",
    look,
};

/// So much of the requests must wait there, and so many threads.
const LEAST_SHARE_WAITING: f64 = 0.25;
const LEAST: f64 = 1.5;
/// Ways to wait for another thread or process of the same code; who sleeps does so only where it takes a lock, which
/// it tries again and again.
const FOR_OTHERS: [&str; 3] = ["futex", "lock_file", ASLEEP];
const ASLEEP: &str = "sleep";
/// Threads that wait there and serve nobody are more than requests wait inside.
const AS_MANY: f64 = 1.3;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let way = account.way.iter();
    way.filter_map(|(host, process, _)| {
        let process = Entity::new(EntityKind::Process, process.as_str(), host.as_str());
        of_process(scene, account, &process)
    })
    .collect()
}

fn of_process(scene: &Scene<'_>, account: &Account, process: &Entity) -> Option<Finding> {
    // Dumps of a JVM say more.
    if stacks_of(scene, process).is_some() {
        return None;
    }
    let inside = account.share(|part| {
        let own = part.process == process.name && part.host == process.host;
        own && matches!(
            part.kind,
            PartKind::WaitingInside | PartKind::AcceptQueue | PartKind::Unaccounted
        )
    });
    // Threads that wait for work may be more than those that wait for a lock.
    let places = scene.wait_places_in((&process.host, &process.name), &FOR_OTHERS);
    places.into_iter().find_map(|place| {
        let waiting = place.threads / account.in_flight.max(1e-9);
        let share = waiting.min(inside);
        let is_seen = place.is_lock || place.past.is_some() && place.state != ASLEEP;
        let is_much = share >= LEAST_SHARE_WAITING && place.threads >= LEAST;
        let is_theirs = waiting <= AS_MANY * inside;
        (is_seen && is_much && is_theirs).then(|| finding(scene, process, &place, share))
    })
}

fn finding(scene: &Scene<'_>, process: &Entity, place: &WaitPlace, share: f64) -> Finding {
    let waits = Message::new("exhibit-waits-at")
        .with("who", place.who)
        .with("state", place.state.as_str())
        .with("threads", tenths(place.threads))
        .with("code", place.code.as_str())
        .with("call", place.call.as_str());
    let (past, state, holders) = place.past.clone().unwrap_or_default();
    let holds = Message::new("exhibit-is-past")
        .with("state", state.as_str())
        .with("threads", hundredths(holders))
        .with("code", past.as_str());
    let holds = (!past.is_empty()).then(|| Exhibit::new(holds).capture(place.capture, Vec::new()));
    let how = match state.as_str() {
        "read" | "connect" | "poll" => "call",
        ASLEEP | "child" | "pipe" => "pause",
        "fsync" | "disk" => "disk",
        "cpu" | "running" => "cpu",
        _ => "other",
    };
    // Where the CPU is full whoever holds it waits for one.
    let full = full_cpu_of(scene, process).is_some();
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let about = object("method", place.code.as_str(), process);
    let why = Message::new("advice-blocked-place")
        .with("how", how)
        .with("code", past);
    let finding = Finding::new("blocked_place", Layer::cause_if(!full), about, explains)
        .with("how", how)
        .with("threads", tenths(place.threads))
        .with("holders", hundredths(holders))
        .with("percent", percent(share))
        .shows(Exhibit::new(waits).capture(place.capture, Vec::new()))
        .shows_all(holds)
        .shows_all((how == "disk").then(|| files(scene, process)).flatten())
        .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "Little's law over stacks of waiting threads",
        ..finding
    }
}

/// The files for which its threads were seen to wait for the disk.
fn files(scene: &Scene<'_>, process: &Entity) -> Option<Exhibit> {
    let states = thread_states(scene, process)?;
    let files = states.files();
    let shown = Exhibit::new(Message::new("exhibit-files-waited-for"));
    (!files.is_empty()).then(|| shown.capture(states.capture, files))
}
