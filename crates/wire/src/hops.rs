//! Connections as hops between processes.

use std::collections::BTreeMap;

use crate::called::CalledPair;
use crate::connection::Addressed;
use crate::exchanges::WireExchange;
use crate::gathered::Gathered;
use crate::in_flight::FlightSteps;
use crate::owners::{Owners, by_sides};
use crate::queues::{self, MarkedHop};
use crate::relays::{self, TimedHop};
use crate::report::{WireHop, WireReport};
use crate::sampled::SampledHop;
use crate::serving::processes;
use crate::slowest::{self};
use crate::transactions::{self};

/// So many hops are listed.
const MAX_HOPS: usize = 200;
/// The form of reports.
const VERSION: u32 = 1;
/// Tells what was seen in a stretch of time (Unix nanoseconds) of a share of all connections.
pub(crate) fn report(
    (from_ns, until_ns): (u64, u64),
    share: f64,
    seen: Vec<Addressed>,
    called: Vec<CalledPair>,
    sampled: &[SampledHop],
    owners: &dyn Owners,
) -> WireReport {
    let none = FlightSteps::new(from_ns, until_ns);
    let mut gathered: Vec<Gathered> = Vec::new();
    for (sides, followed) in by_sides(seen, owners) {
        gathered.extend(Gathered::all(&sides, followed, share, &none));
    }
    for pair in called {
        let mut hops = Gathered::all(&pair.sides, pair.followed, pair.share, &none);
        if let (Some(first), false) = (hops.first_mut(), pair.looks.is_empty()) {
            first.queue(&pair.looks, &none);
        }
        gathered.append(&mut hops);
    }
    gathered.extend(sampled.iter().map(|hop| Gathered::sampled(hop, &none)));
    let lasts_s = (until_ns - from_ns) as f64 / 1e9;
    // Of a share of the connections requests and calls are missing.
    let is_whole = share >= 1.0 && gathered.iter().all(|hop| hop.share >= 1.0);
    if is_whole {
        tell_relays(&mut gathered, (from_ns, until_ns));
        take_apart(&mut gathered, until_ns - from_ns);
    }
    let processes = processes(&gathered, (share, is_whole), lasts_s, &none);
    if is_whole {
        tell_waits(&mut gathered, (from_ns, until_ns));
    }
    let slowest = is_whole
        .then(|| slowest::of(&gathered.iter().map(Gathered::exchanged).collect::<Vec<_>>()));
    let mut hops: Vec<WireHop> = gathered
        .into_iter()
        .map(|hop| hop.finish(lasts_s, until_ns, &none))
        .collect();
    hops.sort_by_key(|hop| std::cmp::Reverse((hop.requests, hop.connections)));
    let left_out = hops.len().saturating_sub(MAX_HOPS);
    hops.truncate(MAX_HOPS);
    WireReport {
        version: VERSION,
        from_unix_ns: from_ns,
        lasts_ms: lasts_s * 1e3,
        connections_share: share,
        hops,
        hops_left_out: left_out as u64,
        slowest: slowest.flatten(),
        processes,
        ..WireReport::default()
    }
}

/// Requests that last so much of the stretch may be longer than was seen.
const SHORT: f64 = 0.8;

/// Takes calls out that are longer than any request of who makes them, as far as all its requests are known: what is read
/// from a queue all the time, or a stream that is kept open, is waited for by no request.
fn take_apart(gathered: &mut [Gathered], lasts_ns: u64) {
    let mut longest: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for hop in gathered.iter() {
        let own = hop.hop.server.process.as_str();
        if own.is_empty() {
            continue;
        }
        let lasted = |one: &WireExchange| one.done_ns.saturating_sub(one.asked_ns);
        let most = hop.exchanges.iter().map(lasted).max().unwrap_or(0);
        let is_known = hop.hop.decided && !hop.hop.sampled;
        let most = Some(most).filter(|most| is_known && (*most as f64) < SHORT * lasts_ns as f64);
        let all = longest.entry(own.to_owned()).or_insert(Some(0));
        *all = all.zip(most).map(|(all, most)| all.max(most));
    }
    for hop in gathered.iter_mut().filter(|hop| hop.hop.decided) {
        let of_client = longest.get(&hop.hop.client.process).copied().flatten();
        if let Some(longest_ns) = of_client.filter(|longest| *longest > 0) {
            hop.take_apart(longest_ns);
        }
    }
}

/// Tells of each hop what waits there for others.
fn tell_waits(gathered: &mut [Gathered], stretch: (u64, u64)) {
    for hop in gathered.iter_mut() {
        hop.hop.transactions = transactions::told(&hop.transactions, stretch);
        hop.hop.waits = hop.relays.take().map(|relays| relays.waits);
    }
    if gathered.iter().all(|hop| hop.waiting == 0) {
        return;
    }
    let marked: Vec<MarkedHop<'_>> = gathered.iter().map(Gathered::marked).collect();
    let waits = queues::of(&marked, stretch);
    for (hop, waits) in gathered.iter_mut().zip(waits) {
        hop.hop.waits = waits.or(hop.hop.waits.take());
    }
}

/// Finds what waits at hops, whose requests cannot be told apart, for messages of others.
fn tell_relays(gathered: &mut [Gathered], stretch: (u64, u64)) {
    if gathered.iter().all(|hop| hop.hop.decided) {
        return;
    }
    let timed: Vec<TimedHop<'_>> = gathered.iter().map(Gathered::timed).collect();
    let relays = relays::of(&timed, stretch);
    for (hop, relays) in gathered.iter_mut().zip(relays) {
        hop.relays = relays;
    }
}
