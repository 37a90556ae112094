//! Requests that wait at a server for a value which another client puts there: the server does nothing for them
//! meanwhile, and they wait for that client.

use std::collections::{BTreeMap, HashMap};

use crate::exchanges::{WireExchange, WireMark};
use crate::report::{WireRelease, WireWaits};

/// Calls of one process to another, for who waits there for whom.
pub(crate) struct MarkedHop<'h> {
    pub(crate) client: &'h str,
    pub(crate) server: &'h str,
    pub(crate) exchanges: &'h [WireExchange],
    /// Connections on which anything waited.
    pub(crate) connections: u64,
}

/// Who put what under a key, and when, in the order of time.
type Given<'h> = HashMap<(&'h str, u64), Vec<(u64, &'h str)>>;

/// For each hop what waits there; none where nothing does. `stretch`: of time, Unix nanoseconds.
pub(crate) fn of(hops: &[MarkedHop<'_>], stretch: (u64, u64)) -> Vec<Option<WireWaits>> {
    let mut given: Given<'_> = HashMap::new();
    for hop in hops {
        for exchange in hop.exchanges {
            if let Some(WireMark::Gives(key)) = exchange.mark {
                let puts = given.entry((hop.server, key)).or_default();
                puts.push((exchange.asked_ns, hop.client));
            }
        }
    }
    given.values_mut().for_each(|puts| puts.sort_unstable());
    hops.iter().map(|hop| waits(hop, &given, stretch)).collect()
}

fn waits(
    hop: &MarkedHop<'_>,
    given: &Given<'_>,
    (from_ns, until_ns): (u64, u64),
) -> Option<WireWaits> {
    let whole = (until_ns - from_ns).max(1) as f64;
    let mut told = WireWaits {
        connections: hop.connections,
        ..WireWaits::default()
    };
    let mut by: BTreeMap<&str, WireRelease> = BTreeMap::new();
    for exchange in hop.exchanges {
        let Some(WireMark::Waits(key)) = exchange.mark else {
            continue;
        };
        let within = |at_ns: u64| at_ns.clamp(from_ns, until_ns);
        let lasted = within(exchange.done_ns).saturating_sub(within(exchange.asked_ns));
        let share = lasted as f64 / whole;
        told.in_flight += share;
        if !exchange.seen.has_ended() {
            continue;
        }
        told.requests += 1;
        let puts = given.get(&(hop.server, key));
        let Some(client) = puts.and_then(|puts| released(puts, exchange)) else {
            continue;
        };
        let release = by.entry(client).or_default();
        release.requests += 1;
        release.in_flight += share;
    }
    told.released_by = named(by);
    (told.in_flight > 0.0).then_some(told)
}

/// Who lets others go on, those first for whom there is the most waiting.
pub(crate) fn named(by: BTreeMap<&str, WireRelease>) -> Vec<WireRelease> {
    let with_name = |(process, release): (&str, WireRelease)| WireRelease {
        process: process.to_owned(),
        ..release
    };
    let mut all: Vec<WireRelease> = by.into_iter().map(with_name).collect();
    all.sort_by(|a, b| b.in_flight.total_cmp(&a.in_flight));
    all
}

/// Who put the value there that ended the wait: the last before its response, and since it began. What was
/// there before made nobody wait.
fn released<'h>(puts: &[(u64, &'h str)], waited: &WireExchange) -> Option<&'h str> {
    let responded_ns = waited.began_ns.unwrap_or(waited.done_ns);
    let behind = puts.partition_point(|(at_ns, _)| *at_ns <= responded_ns);
    let (at_ns, client) = puts.get(behind.checked_sub(1)?)?;
    (*at_ns >= waited.asked_ns).then_some(client)
}
