//! Databases: statements that read whole tables, that are sent again and again for one request,
//! that wait for locks or simply take long.

mod full_scan;
mod many_queries;
mod plans;
mod row_locks;
mod slow;
mod statement;
mod table_locks;
mod waiting;

use super::Rule;
use super::support::most_in;
use crate::about::object;
use crate::cpu::{CpuUse, of_processes};
use crate::model::{Finding, Object};
use crate::processes::is_database;
use crate::scene::Scene;
use crate::stacks::{Peer, Seen, Stacks, frames};

use statement::Statement;
pub(super) use waiting::held_up;

pub const RULE: Rule = Rule {
    ids: &[
        "full_scan",
        "many_queries",
        "row_locks",
        "table_locks",
        "slow_statement",
        "slow_database",
    ],
    look,
};

/// So much of the requests in flight must be at a statement.
const MUCH: f64 = 0.2;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let statements = statement::all(scene);
    let at = AtDatabase::new(scene, &statements);
    let mut found = full_scan::find(scene, &statements, &at);
    found.extend(many_queries::find(scene, &statements, &at));
    found.extend(row_locks::find(scene, &at));
    found.extend(table_locks::find(scene, &at));
    found.extend(slow::statement(scene, &statements, &at));
    if found.is_empty() && statements.is_empty() {
        found.extend(slow::database(scene));
    }
    found
}

/// How many of the requests in flight are at a database, or wait for a connection to it.
struct AtDatabase<'a> {
    /// From 0 to 1; at least that, where only the database's side is known.
    share: f64,
    /// The JVM that has most of them, if thread dumps tell.
    stacks: Option<&'a Stacks>,
    /// Statements that run at once on average.
    running: f64,
    /// Statements a second.
    rate_per_s: f64,
}

impl<'a> AtDatabase<'a> {
    fn new(scene: &'a Scene<'_>, statements: &[Statement]) -> Self {
        let in_flight = scene.in_flight().max(1e-9);
        let running: f64 = statements.iter().map(|each| each.running).sum();
        let rate_per_s = statements.iter().map(|each| each.rate_per_s).sum();
        let threads = most_in(scene, calls_database);
        let share = match threads {
            Some((_, share)) => share,
            None => pooled(scene).unwrap_or(running).max(running) / in_flight,
        };
        Self {
            share: share.min(1.0),
            stacks: threads.map(|(stacks, _)| stacks),
            running,
            rate_per_s,
        }
    }

    /// The share of the requests that is there because of a statement, by its time.
    fn because_of(&self, statement: &Statement) -> f64 {
        self.share * statement.running / self.running.max(1e-9)
    }

    /// The application's code that calls the database most.
    fn code(&self) -> Option<String> {
        self.stacks?.code(calls_database)
    }
}

/// Whether a thread is in a call to a database, be it at work, waiting, or before a pool.
fn calls_database(seen: &Seen) -> bool {
    frames::calls(&seen.thread, Peer::Database)
}

/// Connections in use, and requests that wait for one, over all pools.
fn pooled(scene: &Scene<'_>) -> Option<f64> {
    let used = scene
        .series("db.client.connection.count")
        .with("db.client.connection.state", "used");
    let pending = scene.series("db.client.connection.pending_requests");
    Some(used.mean()? + pending.mean().unwrap_or(0.0))
}

/// The database process that is out of CPU, if one is.
fn full_database(scene: &Scene<'_>) -> Option<CpuUse> {
    let full = of_processes(scene).into_iter().filter(CpuUse::is_full);
    full.into_iter().find(|cpu| is_database(&cpu.process.name))
}

/// What a finding about a statement is about: its table, else its text.
fn object_of(statement: &Statement) -> Object {
    let (kind, name) = match statement.table() {
        Some(table) => ("table", table),
        None => ("statement", statement.shown(60)),
    };
    object(kind, name, &statement.database)
}

#[cfg(test)]
mod tests;
