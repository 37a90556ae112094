//! Names that are looked up for each request: by the packets of the lookups, whatever the runtime, and whether or
//! not a thread waits for them.

use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::account::{Account, CallsOfKind, PartKind, SeenNames, calls_by_kind};
use crate::figures::{counted, hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "name_lookups";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "few lookups for a request, or quick ones that find their name",
    look,
};

/// The name of the protocol in what was seen of packets.
const DNS: &str = "dns";
/// So many lookups for each request; fewer are those of a cache that renews itself.
const OF_EACH: f64 = 0.1;
/// Less of the time that a request is in the process says nothing.
const LEAST: f64 = 0.05;
/// So much of the lookups has no response, or is of names that there are not: that is why they take long.
const MOSTLY: f64 = 0.3;
/// A name that is kept is not looked up so often, nor is a lookup under way so much of the time.
const AGAIN_PER_S: f64 = 2.0;
const BUSY: f64 = 0.3;
/// So many names are shown.
const SHOWN: usize = 5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let all = calls_by_kind(scene).into_iter();
    let often = all.filter(|calls| {
        let for_each = calls.of_each(calls.calls_per_s) >= OF_EACH && calls.share() >= LEAST;
        calls.protocol == DNS && (for_each || is_shared(calls))
    });
    often.filter_map(|calls| finding(scene, &calls)).collect()
}

/// Whether one name is looked up again and again, with a lookup under way much of the time: several requests wait
/// for each (Go's resolver makes one of lookups of one name that meet).
fn is_shared(calls: &CallsOfKind) -> bool {
    let all: f64 = calls.lookups.iter().map(|one| one.count).sum();
    let most = calls.lookups.first().map_or(0.0, |one| one.count);
    let again_per_s = calls.calls_per_s * most / all.max(1e-9);
    again_per_s >= AGAIN_PER_S && calls.busy >= BUSY
}

/// The share of the response time that requests wait for lookups: their own, or those that they share.
fn waiting(account: &Account, calls: &CallsOfKind) -> f64 {
    let own = calls.in_flight / account.in_flight.max(1e-9);
    let inside = account.share(|part| {
        let waits = [PartKind::WaitingInside, PartKind::Unaccounted].contains(&part.kind);
        waits && part.state.is_empty() && part.process == calls.process && part.host == calls.host
    });
    let is_for_each = calls.of_each(calls.calls_per_s) >= OF_EACH;
    let shared = if is_shared(calls) && !is_for_each {
        calls.busy * inside
    } else {
        0.0
    };
    (own + shared).min(1.0)
}

/// What is the matter with lookups beside how long they take.
fn how(lookups: &[SeenNames]) -> &'static str {
    let count = |holds: &dyn Fn(&SeenNames) -> bool| -> f64 {
        let held = lookups.iter().filter(|one| holds(one));
        held.map(|one| one.count).sum()
    };
    let all = count(&|_| true).max(1e-9);
    let outcome = |one: &SeenNames, wanted: &str| one.outcome.as_deref() == Some(wanted);
    if count(&|one| one.outcome.is_none()) >= LEAST * all {
        "lost"
    } else if count(&|one| outcome(one, "NXDOMAIN")) >= MOSTLY * all {
        "searched"
    } else {
        "slow"
    }
}

fn finding(scene: &Scene<'_>, calls: &CallsOfKind) -> Option<Finding> {
    let account = scene.account()?;
    let each = calls.of_each(calls.calls_per_s);
    let each_ms = calls.in_flight / calls.calls_per_s.max(1e-9) * 1e3;
    let share = waiting(account, calls);
    let about = FindingObject {
        host: calls.host.clone(),
        process: calls.process.clone(),
        ..seen_by_client("hop", format!("{} → {}", calls.process, calls.server))
    };
    let shows = Message::new("exhibit-lookups")
        .with("process", calls.process.as_str())
        .with("rate", tenths(calls.calls_per_s))
        .with("requests", tenths(calls.requests_per_s))
        .with("server", calls.server.as_str())
        .with("ms", tenths(each_ms))
        .with("percent", percent(share));
    let how = match how(&calls.lookups) {
        "slow" if each < OF_EACH => "shared",
        how => how,
    };
    let why = Message::new("advice-name-lookups")
        .with("how", how)
        .with("server", calls.server.as_str());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("how", how)
        .with("process", calls.process.as_str())
        .with("server", calls.server.as_str())
        .with("each", hundredths(each))
        .with("rate", tenths(calls.calls_per_s))
        .with("ms", tenths(each_ms))
        .shows(Exhibit::new(shows))
        .shows_all(calls.lookups.iter().take(SHOWN).map(name))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.95,
        source: "requests and their calls counted on the wire; RFC 1035; resolv.conf(5)",
        ..finding
    })
}

fn name(seen: &SeenNames) -> Exhibit {
    let outcome = seen.outcome.as_deref().unwrap_or("none");
    let text = Message::new("exhibit-lookup")
        .with("name", seen.name.as_str())
        .with("record", seen.record.as_str())
        .with("outcome", outcome)
        .with("count", counted(seen.count))
        .with("ms", tenths(seen.mean_ms.unwrap_or(0.0)));
    Exhibit::new(text)
}
