//! Transactions that wait for what others keep locked, as packets show it, and whom those ask meanwhile.

use super::calls::is_call;
use super::model::{Account, PartKind};
use super::seen::{SeenHop, SeenTransactions, Wire};
use super::wire;
use crate::scene::Scene;

/// A call takes so much of the time for which a lock is held to be what it is held for.
const CALLED: f64 = 0.5;
/// Numbers that differ by less may be the same.
const SAME: f64 = 1.3;

/// Transactions of one process at a database; numbers at a time, on average.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LockedRows {
    /// Who makes them, and its host.
    pub process: String,
    pub host: String,
    /// The database.
    pub server: String,
    /// The table that most is waited for at.
    pub table: String,
    /// Writes to it that are under way, and how many of them the database works on: runs, reads a disk.
    pub waiting: f64,
    pub worked_on: Option<f64>,
    /// Transactions that have what they wrote to, and those of them that have no statement under way.
    pub held: f64,
    pub held_outside: f64,
    /// Transactions a second.
    pub per_s: f64,
    /// Whom the process asks while a transaction has its locks.
    pub asks: Option<String>,
}

/// Those of the processes on the way.
pub(crate) fn locked_rows(scene: &Scene<'_>, account: &Account) -> Vec<LockedRows> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let on_way = |hop: &&SeenHop| {
        account
            .depth(&hop.client.host, &hop.client.process)
            .is_some()
    };
    let hops = wire.hops.iter().filter(on_way);
    let seen = hops.filter_map(|hop| Some((hop, hop.transactions.as_ref()?)));
    seen.map(|(hop, seen)| of(wire, account, hop, seen))
        .collect()
}

fn of(wire: &Wire, account: &Account, hop: &SeenHop, seen: &SeenTransactions) -> LockedRows {
    let works = |kind| matches!(kind, PartKind::Running | PartKind::CpuWait | PartKind::Disk);
    let is_watched = account
        .depth(&hop.server.host, &hop.server.process)
        .is_some_and(|_| hop.server.is_known());
    let worked_on = account.share(|part| {
        let own = part.process == hop.server.process && part.host == hop.server.host;
        own && works(part.kind)
    });
    LockedRows {
        process: hop.client.process.clone(),
        host: hop.client.host.clone(),
        server: hop.called().to_owned(),
        table: seen.table.clone(),
        waiting: seen.waiting,
        worked_on: is_watched.then_some(worked_on * account.in_flight),
        held: seen.held,
        held_outside: seen.held_outside,
        per_s: seen.transactions / hop.lasts_s(),
        asks: asks(wire, hop, seen),
    }
}

/// Whom the client asks while it keeps locks: calls as many as transactions, that take no longer than these keep them. Of
/// transactions that wait for long few are seen whole; there may be as many as requests.
fn asks(wire: &Wire, hop: &SeenHop, seen: &SeenTransactions) -> Option<String> {
    let per_s = seen.transactions / hop.lasts_s();
    let requests_per_s = wire
        .process(&hop.client)
        .map_or(per_s, |seen| seen.requests_per_s);
    let alike = |a: f64, b: f64| a <= SAME * b && b <= SAME * a;
    // By the time of each: of what is not seen whole the numbers at a time are too few.
    let each_s = |number: f64| number / per_s.max(1e-9);
    let (held_s, outside_s) = (each_s(seen.held), each_s(seen.held_outside));
    let fits = |call_s: f64| call_s >= CALLED * outside_s && call_s <= SAME * held_s;
    let calls = wire.calls(&hop.client).filter(|(other, level)| {
        let is_other = is_call(other) && other.server != hop.server;
        let is_alike = [per_s, requests_per_s]
            .iter()
            .any(|number| alike(other.requests_per_s, *number));
        is_other && is_alike && fits(level.mean / other.requests_per_s.max(1e-9))
    });
    let most = calls.max_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    most.map(|(other, _)| other.called().to_owned())
}
