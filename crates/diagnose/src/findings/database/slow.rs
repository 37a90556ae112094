//! Statements that take long although the database has room, and databases of which no more is
//! known than that threads wait for them.

use plimsoll_stats::names;
use plimsoll_text::Message;

use super::at_database::AtDatabase;
use super::full_scan::scans;
use super::plans;
use super::statement::StatementUse;
use crate::about::object;
use crate::figures::percent;
use crate::findings::support::{cpu_of, full_database, with_example};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{Peer, SeenThread, StackPlace, Stacks};

/// So much of the requests must be at one statement.
const SHARE_AT_ONE_STATEMENT: f64 = 0.4;
/// Shorter statements are not slow.
const LEAST_MS: f64 = 10.0;
/// A statement that waits for rows is the row lock's finding.
const LOCKED: f64 = 0.5;

/// The statement that takes most of the response time, while the database's CPU has room.
pub(super) fn statement(
    scene: &Scene<'_>,
    statements: &[StatementUse],
    at: &AtDatabase<'_>,
) -> Option<Finding> {
    let slowest = statements.first()?;
    let share = at.because_of(slowest);
    let row_waits = scene
        .series(names::mysql::ROW_LOCK_TIME)
        .mean()
        .unwrap_or(0.0);
    let other_cause =
        scans(slowest) || full_database(scene).is_some() || row_waits >= LOCKED * slowest.running;
    // Of all requests in flight, so many must really run it at once.
    let runs = slowest.running / scene.in_flight().max(1e-9);
    if other_cause
        || share < SHARE_AT_ONE_STATEMENT
        || runs < SHARE_AT_ONE_STATEMENT / 2.0
        || slowest.mean_ms() < LEAST_MS
    {
        return None;
    }
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new("slow_statement", Layer::Cause, slowest.object(), explains)
        .with("ms", slowest.mean_ms().round())
        .shows(slowest.exhibit())
        .shows_all(plans::plan(scene, slowest));
    let finding = at.with_code(finding);
    Some(Finding {
        confidence: 0.85,
        source: "Little's law: connections busy = rate × time",
        ..finding.advises(at.advice("advice-slow-statement"))
    })
}

/// Threads that wait for the response of a database that was not watched.
pub(super) fn database(scene: &Scene<'_>) -> Option<Finding> {
    let waits = |seen: &SeenThread| seen.place == StackPlace::Peer(Peer::Database);
    let waiting = |stacks: &Stacks| stacks.share(waits);
    let mut all = scene.stacks().iter();
    let stacks = all.find(|stacks| waiting(stacks) >= 0.5 && stacks.count(waits) >= 1.0)?;
    let own_full = cpu_of(scene, &stacks.jvm).is_some_and(|cpu| cpu.is_full());
    if own_full || full_database(scene).is_some() {
        return None;
    }
    let share = waiting(stacks);
    let code = stacks.code(waits).unwrap_or_default();
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let text = Message::new("exhibit-database-waits")
        .with("percent", percent(share))
        .with("code", code.as_str());
    let exhibit = with_example(Exhibit::new(text), stacks, waits);
    let about = object("method", code.as_str(), &stacks.jvm);
    let finding = Finding::new("slow_database", Layer::Cause, about, explains).shows(exhibit);
    let why = Message::new("advice-slow-database").with("code", code);
    Some(Finding {
        confidence: 0.7,
        source: "Little's law over thread dumps",
        ..finding.advises(Advice::code(why))
    })
}
