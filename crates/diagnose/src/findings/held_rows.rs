//! Transactions wait for rows that one of them keeps locked, by the statements that packets show: no login to
//! the database is needed.

use plimsoll_text::Message;

use super::Rule;
use crate::account::{Account, LockedRows, locked_rows};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["held_row_locks"],
    refuted_by: "writes that the database works on while they wait, or transactions that are not open all the time",
    look,
};

/// So much of the response time must pass so.
const LEAST: f64 = 0.25;
/// The database works on so much of the waiting writes at most; else they are slow themselves.
const WORKED_ON: f64 = 0.3;
/// Somebody has the lock for so much of the time.
const HELD: f64 = 0.5;
/// So much of it is spent outside the database where that is what is to be changed.
const OUTSIDE: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let found = locked_rows(scene, account).into_iter();
    found.filter_map(|rows| finding(account, &rows)).collect()
}

fn finding(account: &Account, rows: &LockedRows) -> Option<Finding> {
    let share = (rows.waiting / account.in_flight.max(1e-9)).min(1.0);
    let is_work = rows
        .worked_on
        .is_some_and(|worked| worked > WORKED_ON * rows.waiting);
    // Each that has the lock makes others wait: fewer have it than wait for it.
    let is_queue = rows.held >= HELD && rows.waiting >= rows.held;
    if share < LEAST || is_work || !is_queue {
        return None;
    }
    let about = FindingObject {
        kind: "table",
        name: rows.table.clone(),
        host: rows.host.clone(),
        process: rows.server.clone(),
    };
    let outside = rows.held_outside / rows.held.max(1e-9);
    let asks = rows.asks.as_deref().filter(|_| outside >= OUTSIDE);
    let how = match (asks, outside >= OUTSIDE) {
        (Some(_), _) => "call",
        (None, true) => "client",
        _ => "database",
    };
    let why = Message::new("advice-held-row-locks")
        .with("how", how)
        .with("peer", asks.unwrap_or_default())
        .with("process", rows.process.as_str());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    // Where nobody looks into the database, the writes may be slow themselves.
    let layer = Layer::cause_if(rows.worked_on.is_some());
    let finding = Finding::new("held_row_locks", layer, about, explains)
        .with("how", how)
        .with("peer", asks.unwrap_or_default())
        .with("server", rows.server.as_str())
        .with("process", rows.process.as_str())
        .with("waiting", tenths(rows.waiting))
        .with("percent", percent(share))
        .shows(Exhibit::new(waits(rows)))
        .shows(Exhibit::new(held(rows)))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.85,
        source: "Little's law over requests in flight",
        ..finding
    })
}

fn waits(rows: &LockedRows) -> Message {
    let known = if rows.worked_on.is_some() {
        "yes"
    } else {
        "no"
    };
    Message::new("exhibit-rows-waited-for")
        .with("waiting", tenths(rows.waiting))
        .with("process", rows.process.as_str())
        .with("table", rows.table.as_str())
        .with("wait", each_ms(rows, rows.waiting))
        .with("known", known)
        .with("worked", hundredths(rows.worked_on.unwrap_or(0.0)))
}

fn held(rows: &LockedRows) -> Message {
    Message::new("exhibit-rows-held")
        .with("held", hundredths(rows.held))
        .with("each", each_ms(rows, rows.held))
        .with("outside", each_ms(rows, rows.held_outside))
        .with("rate", tenths(rows.per_s))
}

/// What so many in flight mean for each, ms.
fn each_ms(rows: &LockedRows, in_flight: f64) -> f64 {
    tenths(in_flight / rows.per_s.max(1e-9) * 1e3)
}
