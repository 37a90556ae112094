//! Most of the response time passes in a system that nobody watches.

use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::account::{Account, AccountPart, PartKind};
use crate::figures::tenths;
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["waits_elsewhere"],
    refuted_by: "time that is accounted for in processes that are watched",
    look,
};

/// So much of the response time must pass there.
const LEAST_SHARE_ELSEWHERE: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let waits = account
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::WaitingFor && !part.peer.is_empty());
    let largest = waits.max_by(|a, b| a.ms.total_cmp(&b.ms));
    let found = largest.filter(|part| part.ms >= LEAST_SHARE_ELSEWHERE * account.response_ms);
    found
        .map(|part| finding(account, part))
        .into_iter()
        .collect()
}

fn finding(account: &Account, part: &AccountPart) -> Finding {
    let share = part.ms / account.response_ms.max(1e-9);
    let about = FindingObject {
        host: part.host.clone(),
        process: part.process.clone(),
        ..seen_by_client("hop", part.peer.as_str())
    };
    let shows = Message::new("exhibit-waits-elsewhere")
        .with("ms", tenths(part.ms))
        .with("of", tenths(account.response_ms))
        .with("peer", part.peer.as_str())
        .with("basis", part.basis());
    let process = match part.process.as_str() {
        "" => "none",
        process => process,
    };
    let why = Message::new("advice-waits-elsewhere")
        .with("peer", part.peer.as_str())
        .with("process", process);
    let finding = Finding::new(
        "waits_elsewhere",
        Layer::Cause,
        about,
        Explains::new(share, ShareOf::ResponseTime),
    )
    .with("peer", part.peer.as_str())
    .with("process", process)
    .shows(Exhibit::new(shows))
    .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "Little's law over requests in flight",
        ..finding
    }
}
