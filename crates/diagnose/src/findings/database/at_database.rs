//! Requests that are at a database.

use plimsoll_stats::names::{self, attributes};
use plimsoll_text::Message;

use super::statement::StatementUse;
use crate::figures::percent;
use crate::findings::support::{most_in, with_example};
use crate::model::{Advice, Exhibit, Finding};
use crate::scene::Scene;
use crate::stacks::{Peer, SeenThread, Stacks, frames};

/// So much of the requests in flight must be at a statement.
pub(super) const SHARE_AT_STATEMENT: f64 = 0.2;

/// How many of the requests in flight are at a database, or wait for a connection to it.
pub(super) struct AtDatabase<'a> {
    /// From 0 to 1; at least that, where only the database's side is known.
    pub share: f64,
    /// The JVM that has most of them, if thread dumps tell.
    stacks: Option<&'a Stacks>,
    /// Statements that run at once on average.
    pub running: f64,
    /// Statements a second.
    pub rate_per_s: f64,
}

impl<'a> AtDatabase<'a> {
    pub(super) fn new(scene: &'a Scene<'_>, statements: &[StatementUse]) -> Self {
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
    pub(super) fn because_of(&self, statement: &StatementUse) -> f64 {
        self.share * statement.running / self.running.max(1e-9)
    }

    /// The application's code that calls the database most.
    fn code(&self) -> Option<String> {
        self.stacks?.code(calls_database)
    }

    /// The finding with the code that calls the database.
    pub(super) fn with_code(&self, finding: Finding) -> Finding {
        let (Some(stacks), Some(code)) = (self.stacks, self.code()) else {
            return finding;
        };
        let text = Message::new("exhibit-database-code")
            .with("percent", percent(self.share))
            .with("code", code);
        finding.shows(with_example(Exhibit::new(text), stacks, calls_database))
    }

    /// What to change in the code that calls the database.
    pub(super) fn advice(&self, id: &str) -> Advice {
        let code = self.code().unwrap_or_default();
        Advice::code(Message::new(id).with("code", code))
    }
}

/// Whether a thread is in a call to a database, be it at work, waiting, or before a pool.
fn calls_database(seen: &SeenThread) -> bool {
    frames::calls(&seen.thread, Peer::Database)
}

/// Connections in use, and requests that wait for one, over all pools.
fn pooled(scene: &Scene<'_>) -> Option<f64> {
    let used = scene
        .series(names::pool::CONNECTIONS)
        .with(attributes::DB_CLIENT_CONNECTION_STATE, "used");
    let pending = scene.series(names::pool::PENDING);
    Some(used.mean()? + pending.mean().unwrap_or(0.0))
}
