//! Connections of a database that wait for locks, among those that have something to do.

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};

use super::at_database::AtDatabase;
use crate::scene::Scene;

/// What a connection does that has a statement to run: by text, or prepared before.
const BUSY: &[&str] = &["Query", "Execute"];
/// Beginnings of the states of those that wait for a table, or for all of them (MySQL and MariaDB,
/// General Thread States).
const TABLE_LOCKS: &[&str] = &[
    "Waiting for table",
    "Waiting for global read lock",
    "Waiting for schema metadata lock",
    "Waiting for commit lock",
    "Waiting for backup lock",
    "Waiting for backup metadata lock",
];
/// Connections are held up by locks where so much of them waits for one, and so many.
const SHARE_HELD_UP: f64 = 0.5;
const LEAST: f64 = 1.5;

/// Connections of one database, so many at once on average.
pub(super) struct WaitingConnections {
    /// That wait for rows.
    pub rows: f64,
    /// That wait for tables.
    pub tables: f64,
    /// That run a statement or wait within one.
    busy: f64,
}

impl WaitingConnections {
    pub(super) fn of(scene: &Scene<'_>, database: &Entity) -> Self {
        let mean = |name: SeriesName| scene.of(database, name).mean().unwrap_or(0.0);
        // A wait counts once it is over; long ones show in how many wait now.
        let rows = mean(names::mysql::ROW_LOCK_TIME).max(mean(names::mysql::ROW_LOCK_CURRENT));
        let processes = scene.of(database, names::mysql::PROCESSES);
        let states = processes.by(attributes::MYSQL_THREAD_STATE).into_iter();
        let tables = states
            .filter(|(state, _)| is_table_lock(state))
            .filter_map(|(_, count)| count.mean())
            .sum();
        let busy = processes
            .with_any(attributes::MYSQL_THREAD_COMMAND, BUSY)
            .mean();
        Self {
            rows,
            tables,
            busy: busy.unwrap_or(0.0),
        }
    }

    /// The share of the requests that is held up because so many connections wait: of those at the
    /// database, which may queue before a pool, as much as of its busy connections; at least those.
    pub(super) fn explains(&self, waiting: f64, scene: &Scene<'_>, at: &AtDatabase<'_>) -> f64 {
        let among_busy = waiting / self.busy.max(waiting).max(1e-9);
        let alone = waiting / scene.in_flight().max(1e-9);
        let behind_pool = if self.busy > 0.0 {
            at.share * among_busy
        } else {
            0.0
        };
        behind_pool.max(alone).min(1.0)
    }
}

pub(super) fn is_table_lock(state: &str) -> bool {
    TABLE_LOCKS.iter().any(|begin| state.starts_with(begin))
}

/// Whether most of the connections of a database wait for locks: more of them would wait, too.
pub(in crate::findings) fn held_up(scene: &Scene<'_>) -> bool {
    scene.things(EntityKind::Database).iter().any(|database| {
        let waiting = WaitingConnections::of(scene, database);
        let locked = waiting.rows + waiting.tables;
        waiting.busy > 0.0 && locked >= LEAST && locked >= SHARE_HELD_UP * waiting.busy
    })
}
