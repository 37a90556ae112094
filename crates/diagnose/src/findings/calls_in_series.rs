//! The time is that of calls to several systems, made one after the other, none of which is full.

use plimsoll_text::Message;

use super::Rule;
use crate::account::{Account, SerialCalls, serial_calls};
use crate::figures::{counted, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::plateau;
use crate::rank::LEAST_SHARE;
use crate::scene::Scene;

const ID: &str = "calls_in_series";

pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "calls of one request that overlap, or one of them that takes most of the time",
    look,
};

/// So much of the response time is saved where they are made at the same time, else one of them is the matter.
const LEAST_SAVED: f64 = 0.35;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    // What is full is lifted first: those that wait for it wait for as long at the same time.
    let has_no_plateau = account.plateaus.is_empty() && plateau::of(scene).is_none();
    let has_room = has_no_plateau && !account.is_queue();
    let found = serial_calls(scene, account).into_iter();
    found
        .filter_map(|calls| finding(account, &calls, has_room))
        .collect()
}

fn finding(account: &Account, calls: &SerialCalls, has_room: bool) -> Option<Finding> {
    // Of a process that only some requests come to, so much less.
    let saved = calls.saved_ms() / calls.stay_ms.max(1e-9);
    let stays = (calls.in_flight / account.in_flight.max(1e-9)).min(1.0);
    let share = saved * stays;
    if share < LEAST_SAVED {
        return None;
    }
    // The time passes behind it.
    let about = FindingObject {
        kind: "hop",
        name: calls.process.clone(),
        host: calls.host.clone(),
        process: calls.process.clone(),
    };
    let called = calls.called.iter();
    let lines = called
        .map(|(server, each, ms)| format!("{server}: {} ms ({}×)", tenths(*ms), counted(*each)));
    let names: Vec<&str> = calls
        .called
        .iter()
        .map(|(name, ..)| name.as_str())
        .collect();
    let longest = names.first().copied().unwrap_or_default();
    let sum = Message::new("exhibit-calls-in-series")
        .with("process", calls.process.as_str())
        .with("all", tenths(calls.all_ms()))
        .with("stay", tenths(calls.stay_ms))
        .with("called", lines.collect::<Vec<_>>().join(", "));
    let bound = Message::new("exhibit-calls-at-once")
        .with("ms", tenths(account.response_ms))
        .with("left", tenths((1.0 - share) * account.response_ms));
    let why = Message::new("advice-calls-in-series").with("longest", longest);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::cause_if(has_room), about, explains)
        .with("count", names.len())
        .with("names", names.join(", "))
        .with("percent", percent(calls.all_ms() / calls.stay_ms.max(1e-9)))
        .shows(Exhibit::new(sum))
        .shows(Exhibit::new(bound))
        .shows(Exhibit::new(Message::new("exhibit-never-at-once")))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.85,
        // Nothing is exhausted.
        healthy: has_room,
        source: "Little's law over requests in flight",
        ..finding
    })
}

/// Whatever else limits comes first: the sum of the calls is how long it takes where nothing does.
pub(super) fn settle(found: &mut [Finding]) {
    let limits = |other: &Finding| {
        matches!(other.layer, Layer::Cause | Layer::Resource)
            && other.id != ID
            && other.explains.share >= LEAST_SHARE
            && other.explains.of == ShareOf::ResponseTime
    };
    if found.iter().any(limits) {
        for own in found.iter_mut().filter(|finding| finding.id == ID) {
            own.layer = Layer::Hint;
        }
    }
}
