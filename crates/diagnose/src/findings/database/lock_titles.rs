//! Backends of PostgreSQL that wait for a lock, by the titles of their processes: no login is needed to see that.

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::at_database::SHARE_AT_STATEMENT;
use super::statement::table;
use crate::about::object;
use crate::account::{ThreadStates, thread_states};
use crate::figures::tenths;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::process_of;
use crate::scene::Scene;

/// So many must wait at a time.
const LEAST: f64 = 0.5;
/// The end of the title of a backend that waits for a lock of its server.
const WAITING: &str = " waiting";
/// Commands that lock whole tables.
const OF_TABLES: [&str; 7] = [
    "ALTER", "LOCK", "TRUNCATE", "DROP", "CREATE", "REINDEX", "VACUUM",
];

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let servers = scene.things(EntityKind::Process).into_iter();
    let servers = servers.filter(|process| process.name.starts_with("postgres"));
    let found = servers.filter_map(|process| of_server(scene, &process));
    found.collect()
}

fn of_server(scene: &Scene<'_>, process: &Arc<Entity>) -> Option<Finding> {
    let states = thread_states(scene, process)?;
    let waits = states
        .titles
        .iter()
        .filter(|(title, _)| title.ends_with(WAITING));
    let waiting: f64 = waits.clone().map(|(_, number)| number).sum();
    let share = waiting / scene.in_flight().max(1e-9);
    if waiting < LEAST || share < SHARE_AT_STATEMENT {
        return None;
    }
    let (most, _) = waits.max_by(|a, b| a.1.total_cmp(b.1))?;
    let of_tables = OF_TABLES.iter().any(|command| most.starts_with(command));
    // A new row is nobody's: what an INSERT waits for is a row of another table, or a value.
    let inserts = most.starts_with("INSERT");
    let (id, why) = match (of_tables, inserts) {
        (true, _) => ("table_locks", "advice-table-locks-postgresql"),
        (false, true) => ("row_locks", "advice-row-locks-insert"),
        (false, false) => ("row_locks", "advice-row-locks"),
    };
    let holder = holder(scene, process);
    let named = holder.as_ref().filter(|_| !inserts);
    let about = match named.and_then(|(text, _)| table(text)) {
        Some(table) => object("table", table, process),
        None => object("database", process.name.as_str(), process),
    };
    let explains = Explains::new(share.min(1.0), ShareOf::ResponseTime);
    let finding = Finding::new(id, Layer::Cause, about, explains)
        .shows(Exhibit::new(shown(&states, waiting)).capture(states.capture, Vec::new()))
        .shows_all(holder.map(|(text, held_up)| {
            let shows = Message::new("exhibit-lock-holder").with("number", tenths(held_up));
            Exhibit::new(shows.with("text", text))
        }));
    Some(Finding {
        confidence: 0.85,
        source: "PostgreSQL manual, Standard Unix Tools (update_process_title)",
        ..finding.advises(Advice::code(Message::new(why)))
    })
}

fn shown(states: &ThreadStates, waiting: f64) -> Message {
    let all: Vec<String> = states
        .titles
        .iter()
        .filter(|(_, number)| **number >= 0.05)
        .map(|(title, number)| format!("{title}: {}", tenths(*number)))
        .collect();
    Message::new("exhibit-lock-titles")
        .with("waiting", tenths(waiting))
        .with("all", all.join(", "))
}

/// The statement that holds up most connections, where its server tells.
fn holder(scene: &Scene<'_>, process: &Entity) -> Option<(String, f64)> {
    let databases = scene.things(EntityKind::Database).into_iter();
    let mut own =
        databases.filter(|database| process_of(scene, database).as_ref() == Some(process));
    let database = own.next()?;
    let held = scene.of(&database, names::postgresql::HELD_UP);
    let holders = held.by(attributes::POSTGRESQL_HOLDER).into_iter();
    let counted = holders.filter_map(|(id, number)| Some((id, number.mean()?)));
    let (id, number) = counted.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let text = scene.fact(&database, &format!("postgresql.holder.{id}"))?;
    Some((text.to_owned(), number))
}
