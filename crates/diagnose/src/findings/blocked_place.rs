//! Threads that wait in one place of the code for whoever is past it, in any runtime: by the place, since
//! each may wait for another lock.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::support::full_cpu_of;
use crate::about::object;
use crate::account::{Account, PartKind};
use crate::figures::{percent, tenths};
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
/// Ways to wait for another thread or process of the same code.
const FOR_OTHERS: [&str; 2] = ["futex", "lock_file"];
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
    let place = scene.wait_place_in(&process.name, &FOR_OTHERS)?;
    let (past, state, holders) = place.past.clone()?;
    let inside = account.share(|part| {
        let own = part.process == process.name && part.host == process.host;
        own && matches!(
            part.kind,
            PartKind::WaitingInside | PartKind::AcceptQueue | PartKind::Unaccounted
        )
    });
    let waiting = place.threads / account.in_flight.max(1e-9);
    let share = waiting.min(inside);
    if share < LEAST_SHARE_WAITING || place.threads < LEAST || waiting > AS_MANY * inside {
        return None;
    }
    Some(finding(
        scene,
        process,
        &place,
        (past, state, holders),
        share,
    ))
}

fn finding(
    scene: &Scene<'_>,
    process: &Entity,
    place: &WaitPlace,
    (past, state, holders): (String, String, f64),
    share: f64,
) -> Finding {
    let waits = Message::new("exhibit-waits-at")
        .with("state", place.state.as_str())
        .with("threads", tenths(place.threads))
        .with("code", place.code.as_str())
        .with("call", place.call.as_str());
    let holds = Message::new("exhibit-is-past")
        .with("state", state.as_str())
        .with("threads", tenths(holders))
        .with("code", past.as_str());
    let how = match state.as_str() {
        "read" | "connect" | "poll" => "call",
        "sleep" | "child" | "pipe" => "pause",
        "fsync" | "disk" => "disk",
        "cpu" => "cpu",
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
        .with("threads", tenths(place.threads))
        .with("holders", tenths(holders))
        .with("percent", percent(share))
        .shows(Exhibit::new(waits).capture(place.capture, Vec::new()))
        .shows(Exhibit::new(holds).capture(place.capture, Vec::new()))
        .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "Little's law over stacks of waiting threads",
        ..finding
    }
}
