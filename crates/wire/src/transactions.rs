//! Transactions that keep what they have written locked until they end, and those that wait for it, by the
//! statements of each connection: a write has its locks when its response comes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::exchanges::{HowSeen, WireExchange, WireMark};
use crate::report::WireTransactions;
use crate::table_names::TableNames;

/// A transaction that wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SeenTransaction {
    /// Of each table that it wrote to the write that took longest.
    writes: Vec<LockingWrite>,
    ended_ns: u64,
}

/// A write: its rows are locked from its response on until its transaction ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LockingWrite {
    table: Arc<str>,
    asked_ns: u64,
    granted_ns: u64,
    /// While it had its locks statements of its transaction were under way for so long.
    at_server_ns: u64,
}

impl LockingWrite {
    fn waited_ns(&self) -> u64 {
        self.granted_ns.saturating_sub(self.asked_ns)
    }
}

/// Tables of a transaction that are told apart.
const MAX_TABLES: usize = 16;

impl SeenTransaction {
    fn wrote(&mut self, write: LockingWrite) {
        let known = self.writes.iter().position(|one| one.table == write.table);
        match known {
            Some(at) if self.writes[at].waited_ns() < write.waited_ns() => self.writes[at] = write,
            None if self.writes.len() < MAX_TABLES => self.writes.push(write),
            _ => {}
        }
    }

    /// Another statement of it.
    fn asks(&mut self, asked_ns: u64, done_ns: u64) {
        for write in &mut self.writes {
            write.at_server_ns += done_ns.saturating_sub(asked_ns.max(write.granted_ns));
        }
    }
}

/// Those of one connection, whose requests come one after the other.
pub(crate) fn of(exchanges: &[WireExchange], tables: &TableNames) -> Vec<SeenTransaction> {
    if !exchanges
        .iter()
        .any(|one| matches!(one.mark, Some(WireMark::Ends)))
    {
        return Vec::new();
    }
    let mut ordered: Vec<&WireExchange> = exchanges.iter().collect();
    ordered.sort_by_key(|one| one.asked_ns);
    let (mut found, mut is_open, mut keeps) = (Vec::new(), false, false);
    let mut open = SeenTransaction::default();
    for one in ordered {
        let is_whole = one.seen == HowSeen::Whole;
        open.asks(one.asked_ns, one.done_ns);
        match one.mark {
            Some(WireMark::Begins) => (open, is_open) = (SeenTransaction::default(), true),
            Some(WireMark::Keeps) => {
                (open, is_open, keeps) = (SeenTransaction::default(), true, true);
            }
            Some(WireMark::Writes { table, begins }) if is_open || begins => {
                is_open = true;
                let table = tables.name(table).filter(|_| is_whole);
                if let Some(table) = table {
                    open.wrote(LockingWrite {
                        table,
                        asked_ns: one.asked_ns,
                        granted_ns: one.done_ns,
                        at_server_ns: 0,
                    });
                }
            }
            Some(WireMark::Ends) => {
                let ended = std::mem::take(&mut open);
                if is_whole && !ended.writes.is_empty() {
                    found.push(SeenTransaction {
                        ended_ns: one.done_ns,
                        ..ended
                    });
                }
                is_open = keeps;
            }
            _ => {}
        }
    }
    found
}

/// What those of a hop did in a stretch of time, Unix nanoseconds, with the table that they wait for most; none where
/// there were none.
pub(crate) fn told(
    all: &[SeenTransaction],
    (from_ns, until_ns): (u64, u64),
) -> Option<WireTransactions> {
    let whole = (until_ns - from_ns).max(1) as f64;
    let mut tables: BTreeMap<&str, WireTransactions> = BTreeMap::new();
    for one in all {
        for write in &one.writes {
            let told = tables.entry(&*write.table).or_default();
            let held = one.ended_ns.saturating_sub(write.granted_ns);
            told.transactions += 1;
            told.waiting += write.waited_ns() as f64 / whole;
            told.held += held as f64 / whole;
            told.held_outside += held.saturating_sub(write.at_server_ns) as f64 / whole;
        }
    }
    let most = tables
        .into_iter()
        .max_by(|a, b| a.1.waiting.total_cmp(&b.1.waiting));
    most.map(|(table, told)| WireTransactions {
        table: table.to_owned(),
        ..told
    })
}
