//! Threads that stand still for a disk: they read or write a file, or wait until it is safe on the disk.

use plimsoll_text::Message;

use plimsoll_stats::series::{Entity, EntityKind};

use super::Rule;
use crate::about::object;
use crate::account::{Account, AccountPart, PartKind, ThreadClass, thread_states};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["blocked_io"],
    refuted_by: "threads that wait for a disk for less of the time than requests are in flight there",
    look,
};

/// So much of the response time must pass so.
const LEAST: f64 = 0.2;
/// What threads do at a place in the code while they stand still for a disk.
const STATES: [&str; 1] = ["fsync"];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let on_disk = account
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Disk);
    let much = on_disk.filter(|part| part.ms >= LEAST * account.response_ms);
    much.map(|part| finding(scene, account, part)).collect()
}

fn finding(scene: &Scene<'_>, account: &Account, part: &AccountPart) -> Finding {
    let share = part.ms / account.response_ms.max(1e-9);
    let process = Entity::new(
        EntityKind::Process,
        part.process.as_str(),
        part.host.as_str(),
    );
    let states = thread_states(scene, &process);
    let (syncs, waits, files) = states.as_ref().map_or((0.0, 0.0, Vec::new()), |states| {
        let sum = |of: fn(&ThreadClass) -> f64| states.serving().map(of).sum();
        (
            sum(|class| class.fsync),
            sum(|class| class.disk),
            states.files(),
        )
    });
    let how = if syncs > waits { "sync" } else { "file" };
    let shows = Message::new("exhibit-blocked-io")
        .with("ms", tenths(part.ms))
        .with("of", tenths(account.response_ms))
        .with("percent", percent(share))
        .with("syncs", hundredths(syncs))
        .with("waits", hundredths(waits));
    let capture = states.map(|states| states.capture);
    let mut shown = Exhibit::new(shows);
    if let Some(number) = capture {
        shown = shown.capture(number, files.clone());
    }
    let place = scene.wait_place_in((&part.host, &part.process), &STATES);
    let at = place.map(|place| {
        let text = Message::new("exhibit-blocked-io-at")
            .with("threads", tenths(place.threads))
            .with("code", place.code.as_str())
            .with("call", place.call.as_str());
        Exhibit::new(text).capture(place.capture, Vec::new())
    });
    let why = Message::new("advice-blocked-io").with("how", how);
    let explains = Explains::new(share.min(1.0), ShareOf::ResponseTime);
    let about = object("process", part.process.as_str(), &process);
    let finding = Finding::new("blocked_io", Layer::Resource, about, explains)
        .with("how", how)
        .shows(shown)
        .shows_all(at)
        .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "proc(5): state D, syscall; USE method, Gregg 2012",
        ..finding
    }
}
