//! Statements that wait for a whole table, or for all of them: a change of its definition that
//! waits for an old transaction holds up all that come after it.

use plimsoll_stats::names;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;
use serde_json::Value;

use super::at_database::{AtDatabase, SHARE_AT_STATEMENT};
use super::statement::{table, table_or_database};
use super::waiting::{WaitingConnections, is_table_lock};
use crate::figures::tenths;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// So many connections must wait.
const LEAST: f64 = 1.0;
/// Lines that are shown of what waits.
const LINES: usize = 6;
/// How statements begin that lock a table, or change what it is.
const LOCKING: &[&str] = &[
    "alter", "drop", "truncate", "rename", "optimize", "create", "lock", "flush", "analyze",
];

/// Databases in which requests wait for tables.
pub(super) fn find(scene: &Scene<'_>, at: &AtDatabase<'_>) -> Vec<Finding> {
    let databases = scene.things(EntityKind::Database).into_iter();
    let found = databases.filter_map(|database| {
        let waiting = WaitingConnections::of(scene, &database);
        let share = waiting.explains(waiting.tables, scene, at);
        if share < SHARE_AT_STATEMENT || waiting.tables < LEAST {
            return None;
        }
        let (table, seen) = seen(scene).unzip();
        let about = table_or_database(table.flatten(), &database);
        let explains = Explains::new(share, ShareOf::ResponseTime);
        let text = Message::new("exhibit-table-locks").with("waiting", tenths(waiting.tables));
        let finding = Finding::new("table_locks", Layer::Cause, about, explains)
            .shows(Exhibit::new(text).series(names::mysql::PROCESSES))
            .shows_all(seen)
            .advises(Advice::code(Message::new("advice-table-locks")));
        Some(Finding {
            confidence: 0.9,
            source: "MySQL 8.0 Reference Manual, 8.11.4 Metadata Locking, General Thread States",
            ..finding
        })
    });
    found.collect()
}

/// The statements that were seen waiting, those first that lock a table themselves; with the table
/// of the first.
fn seen(scene: &Scene<'_>) -> Option<(Option<String>, Exhibit)> {
    let captures: Vec<_> = scene.captures("slow_queries").collect();
    captures.into_iter().rev().find_map(|capture| {
        let report: Value = serde_json::from_str(&capture.text).ok()?;
        let all = report["running"].as_array()?.iter();
        let mut waiting: Vec<(&str, &str, f64)> = all
            .map(|each| {
                let text = |name: &str| each[name].as_str().unwrap_or_default();
                let seconds = each["seconds"].as_f64().unwrap_or(0.0);
                (text("text"), text("state"), seconds)
            })
            .filter(|(_, state, _)| is_table_lock(state))
            .collect();
        waiting.sort_by_key(|(text, ..)| !locks(text));
        let (first, ..) = waiting.first()?;
        let line = |(text, state, seconds): &(&str, &str, f64)| {
            format!("{seconds} s, {state}: {}", shown(text))
        };
        let lines = waiting.iter().take(LINES).map(line).collect();
        let exhibit = Exhibit::new(Message::new("exhibit-table-waits"));
        Some((table(first), exhibit.capture(capture.number, lines)))
    })
}

fn locks(statement: &str) -> bool {
    let word = statement.split_whitespace().next().unwrap_or_default();
    LOCKING.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn shown(statement: &str) -> String {
    let words: Vec<&str> = statement.split_whitespace().collect();
    words.join(" ").chars().take(100).collect()
}
