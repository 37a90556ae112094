//! Transactions that keep what they have written locked until they end, and those that wait for it, by the
//! statements of each connection: the first write of a transaction has its locks when its response comes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::exchanges::{HowSeen, WireExchange, WireMark};
use crate::report::WireTransactions;
use crate::table_names::TableNames;

/// A transaction that wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeenTransaction {
    table: Arc<str>,
    /// Its first write begins, has its response, and the transaction ends.
    asked_ns: u64,
    granted_ns: u64,
    ended_ns: u64,
    /// While it had its locks statements of it were under way for so long.
    at_server_ns: u64,
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
    let (mut found, mut open, mut is_open, mut keeps) =
        (Vec::new(), None::<SeenTransaction>, false, false);
    for one in ordered {
        let is_whole = one.seen == HowSeen::Whole;
        if let Some(open) = &mut open {
            open.at_server_ns += one
                .done_ns
                .saturating_sub(one.asked_ns.max(open.granted_ns));
        }
        match one.mark {
            Some(WireMark::Begins) => (open, is_open) = (None, true),
            Some(WireMark::Keeps) => (open, is_open, keeps) = (None, true, true),
            Some(WireMark::Writes { table, begins }) if (is_open || begins) && open.is_none() => {
                is_open = true;
                let table = tables.name(table).filter(|_| is_whole);
                open = table.map(|table| SeenTransaction {
                    table,
                    asked_ns: one.asked_ns,
                    granted_ns: one.done_ns,
                    ended_ns: one.done_ns,
                    at_server_ns: 0,
                });
            }
            Some(WireMark::Ends) => {
                let ended = open.take().filter(|_| is_whole);
                found.extend(ended.map(|open| SeenTransaction {
                    ended_ns: one.done_ns,
                    ..open
                }));
                is_open = keeps;
            }
            _ => {}
        }
    }
    found
}

/// What those of a hop did in a stretch of time, Unix nanoseconds; none where there were none.
pub(crate) fn told(
    all: &[SeenTransaction],
    (from_ns, until_ns): (u64, u64),
) -> Option<WireTransactions> {
    let whole = (until_ns - from_ns).max(1) as f64;
    let mut tables: BTreeMap<&str, u64> = BTreeMap::new();
    let mut told = WireTransactions::default();
    for one in all {
        let waited = one.granted_ns.saturating_sub(one.asked_ns);
        let held = one.ended_ns.saturating_sub(one.granted_ns);
        told.transactions += 1;
        told.waiting += waited as f64 / whole;
        told.held += held as f64 / whole;
        told.held_outside += held.saturating_sub(one.at_server_ns) as f64 / whole;
        *tables.entry(&*one.table).or_default() += waited;
    }
    let most = tables.into_iter().max_by_key(|(_, waited)| *waited);
    told.table = most.map_or_else(String::new, |(table, _)| table.to_owned());
    (told.transactions > 0).then_some(told)
}
