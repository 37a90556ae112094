//! Calls that fail and are asked again: each costs the time of the call and of the pause before the next, and
//! adds to the load of who already fails.

use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::account::{Account, FullPlace, PartKind, RetriedCalls, retried};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "retries";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "calls that are as many as requests need, or failures that are passed on",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let all = retried(scene).into_iter();
    all.map(|calls| finding(account, &calls)).collect()
}

fn finding(account: &Account, calls: &RetriedCalls) -> Finding {
    let failing = calls.failed_per_s / calls.calls_per_s.max(1e-9);
    let about = FindingObject {
        host: calls.host.clone(),
        process: calls.process.clone(),
        ..seen_by_client("hop", format!("{} → {}", calls.process, calls.server))
    };
    let how = match calls.counted_off {
        true => "again",
        false => "otherwise",
    };
    let counted = Message::new("exhibit-retries")
        .with("process", calls.process.as_str())
        .with("requests", tenths(calls.requests_per_s))
        .with("calls", tenths(calls.calls_per_s))
        .with("server", calls.server.as_str())
        .with("failed", tenths(calls.failed_per_s))
        .with("percent", percent(failing));
    let share = lost(account, calls, failing);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("how", how)
        .with("process", calls.process.as_str())
        .with("server", calls.server.as_str())
        .with("percent", percent(failing))
        .with(
            "each",
            hundredths(calls.calls_per_s / calls.requests_per_s.max(1e-9)),
        )
        .shows(Exhibit::new(counted))
        .shows_all(given_up(calls))
        .advises(Advice::code(
            Message::new("advice-retries").with("server", calls.server.as_str()),
        ));
    Finding {
        confidence: if calls.counted_off { 0.85 } else { 0.7 },
        source: "Google, Site Reliability Engineering, chapter 22; requests and their calls counted on the wire",
        ..finding
    }
}

/// Those that got no response in the time that who calls allows.
fn given_up(calls: &RetriedCalls) -> Option<Exhibit> {
    let text = Message::new("exhibit-given-up")
        .with("process", calls.process.as_str())
        .with("number", tenths(calls.given_up_per_s));
    (calls.given_up_per_s > 0.0).then(|| Exhibit::new(text))
}

/// The share of the response time that failures can cost at most: the calls that fail, and what the caller
/// waits between two.
fn lost(account: &Account, calls: &RetriedCalls, failing: f64) -> f64 {
    // Who waits at a full place in the caller does not pause between two tries.
    let mut full = account.full_in(&calls.host, &calls.process);
    let is_full = full.any(|place| place.place != FullPlace::Hop);
    let pauses = account.share(|part| {
        let own = part.process == calls.process && part.host == calls.host;
        own && part.kind == PartKind::WaitingInside && !is_full
    });
    let there = account.share(|part| {
        part.peer == calls.server || part.process == calls.server && part.host == calls.host
    });
    (pauses + failing * there).min(1.0)
}
