//! A lock between processes that is polled: requests try to take a key that somebody has, pause and try again. Packets
//! tell it of any client of Redis and memcached.

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::concurrency_limit::waits_at;
use super::own_wait::pause_exhibits;
use super::support::{process_at, processes_of, remark};
use super::{Rule, concurrency_limit, own_wait};
use crate::about::object;
use crate::account::{CallsOfKind, PartKind, SeenTries, calls_by_kind};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "polled_lock";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "tries that succeed, one try for each request, or requests that do not wait inside who tries",
    look,
};

/// Tries for each that succeeds, and those in vain for each request: fewer are no waiting.
const AGAIN: f64 = 1.3;
const IN_VAIN: f64 = 0.2;
/// Where there are no more tries than requests, nobody tries again: that is a mark, and no lock.
const ONCE: f64 = 1.1;
/// So much of the response time must pass between them.
const LEAST: f64 = 0.25;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let calls = calls_by_kind(scene);
    let own = calls.iter().filter_map(|calls| Some((calls, calls.tries?)));
    own.filter_map(|(calls, tries)| finding(scene, calls, tries))
        .collect()
}

fn finding(scene: &Scene<'_>, calls: &CallsOfKind, tries: SeenTries) -> Option<Finding> {
    let account = scene.account()?;
    let taken = (tries.tries_per_s - tries.refused_per_s).max(1e-9);
    let in_vain = calls.of_each(tries.refused_per_s);
    // A request that is refused once and goes away waits for nobody.
    let is_once = tries.tries_per_s <= ONCE * calls.requests_per_s;
    if is_once || tries.tries_per_s < AGAIN * taken || in_vain < IN_VAIN {
        return None;
    }
    let share = account.share(|part| {
        let own = part.process == calls.process && part.host == calls.host;
        own && part.kind == PartKind::WaitingInside
    });
    if share < LEAST {
        return None;
    }
    let keys = if tries.keys > 1.0 { "several" } else { "one" };
    let text = Message::new("exhibit-polled-lock")
        .with("process", calls.process.as_str())
        .with("requests", tenths(calls.requests_per_s))
        .with("tries", tenths(tries.tries_per_s))
        .with("refused", tenths(tries.refused_per_s))
        .with("keys", tries.keys);
    let waits = Message::new("exhibit-polled-wait")
        .with("process", calls.process.as_str())
        .with("ms", tenths(share * account.response_ms))
        .with("of", tenths(account.response_ms));
    let caller = calls.caller();
    let places = places(scene, &caller);
    let about = object("lock", calls.server.as_str(), &caller);
    let why = Message::new("advice-polled-lock").with("keys", keys);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("process", calls.process.as_str())
        .with("count", hundredths(in_vain))
        .with("keys", keys)
        .with("percent", percent(share))
        .shows(Exhibit::new(text))
        .shows(Exhibit::new(waits))
        .shows_all(places)
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.9,
        source: "requests and their calls counted on the wire; Redis, Distributed Locks",
        ..finding
    })
}

/// Where in the code it pauses: by dumps of a JVM, else by its stacks.
fn places(scene: &Scene<'_>, caller: &Entity) -> Vec<Exhibit> {
    let dumped = pause_exhibits(scene, caller);
    if dumped.is_empty() {
        waits_at(scene, (&caller.host, &caller.name))
    } else {
        dumped
    }
}

/// What is a pause, or a limit of its own, without it, is the waiting for the lock.
pub(super) fn settle(found: &mut Vec<Finding>) {
    let polled = processes_of(found, |finding| finding.id == ID);
    found.retain(|finding| finding.id != own_wait::ID || !polled.contains(&process_at(finding)));
    remark(found, concurrency_limit::ID, &polled);
}
