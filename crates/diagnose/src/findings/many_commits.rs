//! Several commits for each request: each waits until what it wrote is on a disk, and all of them for one log.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::account::{Account, CallsOfKind, ThreadStates, calls_by_kind, thread_states};
use crate::figures::{hundredths, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "many_commits";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "one commit for each request, or none that waits",
    look,
};

/// So many commits for a request are more than it needs.
const MANY: f64 = 2.0;
/// What backends say that they do, of commands that write; and where they are in a transaction.
const WRITES: [&str; 4] = ["INSERT", "UPDATE", "DELETE", "MERGE"];
const IN_TRANSACTION: [&str; 2] = ["COMMIT", "idle in transaction"];
/// Statements that write are so much of the work.
const MOSTLY: f64 = 0.5;
/// The protocol whose commits are known, and the program.
const PROTOCOL: &str = "postgres";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let all = calls_by_kind(scene).into_iter();
    let own = all.filter(|calls| calls.protocol == PROTOCOL);
    own.filter_map(|calls| of(scene, account, &calls)).collect()
}

fn of(scene: &Scene<'_>, account: &Account, calls: &CallsOfKind) -> Option<Finding> {
    let server = Entity::new(
        EntityKind::Process,
        calls.server.as_str(),
        calls.host.as_str(),
    );
    let states = thread_states(scene, &server);
    let counted = calls.commits_per_s;
    let commits_per_s = counted.or_else(|| by_titles(calls, states.as_ref()?))?;
    let each = calls.of_each(commits_per_s);
    if each < MANY {
        return None;
    }
    let log = states.as_ref().map_or(0.0, ThreadStates::waits_for_log);
    let explains = Explains::new(
        (log / account.in_flight.max(1e-9)).min(1.0),
        ShareOf::ResponseTime,
    );
    let shows = Message::new("exhibit-commits")
        .with(
            "how",
            if counted.is_some() {
                "counted"
            } else {
                "titles"
            },
        )
        .with("process", calls.process.as_str())
        .with("requests", tenths(calls.requests_per_s))
        .with("statements", tenths(calls.calls_per_s))
        .with("commits", tenths(commits_per_s));
    let files = states.as_ref().map_or_else(Vec::new, ThreadStates::files);
    let waits = states.as_ref().filter(|_| log > 0.0).map(|states| {
        let text = Message::new("exhibit-log-flush")
            .with("process", calls.server.as_str())
            .with("threads", hundredths(log))
            .with(
                "syncing",
                hundredths(states.serving().map(|class| class.fsync).sum::<f64>()),
            );
        Exhibit::new(text).capture(states.capture, files)
    });
    let about = object("database", calls.server.as_str(), &server);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("count", tenths(each))
        .with("process", calls.process.as_str())
        .shows(Exhibit::new(shows))
        .shows_all(waits)
        .advises(Advice::code(Message::new("advice-many-commits")));
    Some(Finding {
        confidence: if counted.is_some() { 0.9 } else { 0.75 },
        source: "requests and their calls counted on the wire; PostgreSQL, WAL Configuration",
        ..finding
    })
}

/// Statements that write while no backend is in a transaction of the client's commit each for itself.
fn by_titles(calls: &CallsOfKind, states: &ThreadStates) -> Option<f64> {
    let sum = |of: &[&str]| -> f64 {
        let own = states
            .titles
            .iter()
            .filter(|(title, _)| of.contains(&title.as_str()));
        own.map(|(_, number)| number).sum()
    };
    let active: f64 = states.titles.values().sum::<f64>() - sum(&["idle"]);
    let writes = sum(&WRITES) / active.max(1e-9);
    let alone = writes >= MOSTLY && sum(&IN_TRANSACTION) <= 0.1 * active;
    alone.then_some(calls.calls_per_s * writes)
}
