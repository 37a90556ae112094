//! Transactions that wait for rows that others have locked.

use std::collections::BTreeMap;

use plimsoll_stats::names;
use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::at_database::{AtDatabase, SHARE_AT_STATEMENT};
use super::statement::table_or_database;
use super::waiting::WaitingConnections;
use crate::figures::tenths;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// So many transactions must wait.
const LEAST: f64 = 0.5;

/// Databases in which requests wait for row locks.
pub(super) fn find(scene: &Scene<'_>, at: &AtDatabase<'_>) -> Vec<Finding> {
    let databases = scene.things(EntityKind::Database).into_iter();
    let found = databases.filter_map(|database| {
        let all = WaitingConnections::of(scene, &database);
        let waiting = all.rows;
        let waits = scene.of(&database, names::mysql::ROW_LOCK_WAITS).mean()?;
        let share = all.explains(waiting, scene, at);
        if share < SHARE_AT_STATEMENT || waiting < LEAST || waits <= 0.0 {
            return None;
        }
        let (table, shown) = waited_for(scene).unzip();
        let about = table_or_database(table, &database);
        let text = Message::new("exhibit-row-locks")
            .with("waiting", tenths(waiting))
            .with("waits", tenths(waits))
            .with("ms", (waiting / waits * 1e3).round());
        let explains = Explains::new(share, ShareOf::ResponseTime);
        let finding = Finding::new("row_locks", Layer::Cause, about, explains)
            .shows(Exhibit::new(text).series(names::mysql::ROW_LOCK_TIME))
            .shows_all(shown);
        Some(Finding {
            confidence: 0.9,
            source: "Innodb_row_lock_time; Little's law: waiting at once = seconds of wait a second",
            ..finding.advises(Advice::code(Message::new("advice-row-locks")))
        })
    });
    found.collect()
}

/// The table whose rows are waited for most often in InnoDB's status, with the lines of a wait.
fn waited_for(scene: &Scene<'_>) -> Option<(String, Exhibit)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut example = None;
    for capture in scene.captures("innodb_status") {
        let lines: Vec<&str> = capture.text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if !line.contains("FOR THIS LOCK TO BE GRANTED") {
                continue;
            }
            let behind = lines.iter().skip(at).take(4);
            let Some(table) = behind.filter_map(|line| locked_table(line)).next() else {
                continue;
            };
            *counts.entry(table).or_default() += 1;
            let from = at.saturating_sub(3);
            let shown = lines.iter().skip(from).take(6);
            example.get_or_insert_with(|| {
                let shown = shown.map(|line| (*line).to_owned());
                (capture.number, shown.collect::<Vec<_>>())
            });
        }
    }
    let (table, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let (number, lines) = example?;
    let exhibit = Exhibit::new(Message::new("exhibit-lock-waits"));
    Some((table, exhibit.capture(number, lines)))
}

/// ``RECORD LOCKS … index PRIMARY of table `shop`.`users` trx id …``
fn locked_table(line: &str) -> Option<String> {
    let (_, behind) = line.split_once(" of table ")?;
    let name = behind.split_whitespace().next()?;
    let bare = name.rsplit('.').next()?.trim_matches('`');
    Some(bare.to_owned())
}
