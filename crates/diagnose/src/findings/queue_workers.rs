//! Requests wait in a queue for those who take from it: all of them have work, or what they send through a broker is
//! what lets a response go on.

use plimsoll_text::Message;

use super::Rule;
use crate::account::{Account, QueuedWork, queued_work};
use crate::figures::{counted, hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["queue_workers"],
    refuted_by: "a worker that waits for work at times, or few that wait in the queue",
    look,
};

/// So much of the response time must pass so.
const LEAST: f64 = 0.3;
/// Those who take work are full where they have some for this share of the time.
const FULL: f64 = 0.8;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let found = queued_work(scene, account).into_iter();
    let found = found.filter_map(|work| match work.relayed {
        true => behind_broker(account, &work),
        false => full(account, &work),
    });
    found.collect()
}

/// A worker that takes work one by one, all of whose takers have some.
fn full(account: &Account, work: &QueuedWork) -> Option<Finding> {
    // Of those that wait some are worked on.
    let in_queue = (work.waiting - work.at_work).max(0.0) / account.in_flight.max(1e-9);
    let share = in_queue.min(1.0);
    let is_full = work.takers >= 1.0 && work.at_work >= FULL * work.takers;
    if share < LEAST || !is_full {
        return None;
    }
    let each_ms = work.at_work / work.per_s.max(1e-9) * 1e3;
    let takes = Message::new("exhibit-queue-takers")
        .with("worker", work.worker.as_str())
        .with("takers", counted(work.takers))
        .with("busy", hundredths(work.at_work))
        .with("rate", tenths(work.per_s))
        .with("each", tenths(each_ms));
    let bound = Message::new("exhibit-without-waiting")
        .with("waiting", tenths(share * account.response_ms))
        .with("ms", tenths(account.response_ms))
        .with("left", tenths((1.0 - share) * account.response_ms));
    let finding = finding(work, "takes", share, work.waiting - work.at_work);
    Some(Finding {
        confidence: 0.9,
        ..finding
            .shows(Exhibit::new(takes))
            .shows(Exhibit::new(bound))
    })
}

/// A worker whose messages let responses go on; how many of them it works on at a time was not seen.
fn behind_broker(account: &Account, work: &QueuedWork) -> Option<Finding> {
    let share = (work.waiting / account.in_flight.max(1e-9)).min(1.0);
    let finding = finding(work, "relays", share, work.waiting);
    (share >= LEAST).then_some(Finding {
        confidence: 0.8,
        ..finding
    })
}

fn finding(work: &QueuedWork, how: &'static str, share: f64, waiting: f64) -> Finding {
    let about = FindingObject {
        kind: "process",
        name: work.worker.clone(),
        host: work.host.clone(),
        process: work.worker.clone(),
    };
    let waits = Message::new("exhibit-waits-in-queue")
        .with("how", how)
        .with("process", work.process.as_str())
        .with("server", work.server.as_str())
        .with("worker", work.worker.as_str())
        .with("waiting", tenths(work.waiting));
    let why = Message::new("advice-queue-workers")
        .with("how", how)
        .with("worker", work.worker.as_str())
        .with("takers", counted(work.takers));
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new("queue_workers", Layer::Cause, about, explains)
        .with("how", how)
        .with("takers", counted(work.takers))
        .with("server", work.server.as_str())
        .with("process", work.process.as_str())
        .with("waiting", tenths(waiting))
        .with("percent", percent(share))
        .shows(Exhibit::new(waits))
        .advises(Advice::code(why));
    Finding {
        source: "Little's law over requests in flight",
        ..finding
    }
}
