//! Responses that wait for a message which another client sends through a server (a broker, a queue in a table with
//! a notification): requests cannot be told apart on the connections to it, but who let a response go on is told by
//! the times at which messages pass.

use std::collections::BTreeMap;

use crate::exchanges::{HowSeen, WireExchange};
use crate::queues::named;
use crate::report::{WireRelease, WireWaits};

/// A message that lets something go on is followed by it within so much, …
const AT_ONCE_NS: u64 = 10_000_000;
/// … and within this share of the time between two of them: else it is chance.
const OF_SPACING: u64 = 4;
/// So much of the responses must follow so, and so many. Less is chance, which makes a quarter at most; where requests
/// come at any time, some of them hide others' messages.
const LEAST_FOLLOWED: f64 = 0.6;
const LEAST: u64 = 10;

/// Messages of one process to another, by when they passed, Unix nanoseconds in order.
pub(crate) struct TimedHop<'h> {
    pub(crate) client: &'h str,
    pub(crate) server: &'h str,
    /// The server's process; empty: not known.
    pub(crate) server_process: &'h str,
    /// Whether the client makes the load or only watches.
    pub(crate) is_generator: bool,
    /// Whether requests could be told apart.
    pub(crate) decided: bool,
    pub(crate) connections: u64,
    /// From the client; of a hop that is decided, its requests.
    pub(crate) said: Vec<u64>,
    /// From the server; of a hop that is not decided alone.
    pub(crate) heard: Vec<u64>,
    pub(crate) exchanges: &'h [WireExchange],
}

/// What waits at a hop for others, and from when to when each of it did.
pub(crate) struct SeenRelays {
    pub(crate) waits: WireWaits,
    pub(crate) stretches: Vec<(u64, u64)>,
}

/// For each hop what waits there for messages of others; none where nothing does.
pub(crate) fn of(hops: &[TimedHop<'_>], stretch: (u64, u64)) -> Vec<Option<SeenRelays>> {
    let each = hops.iter();
    each.map(|hop| relays(hop, hops, stretch)).collect()
}

fn relays(hop: &TimedHop<'_>, all: &[TimedHop<'_>], stretch: (u64, u64)) -> Option<SeenRelays> {
    if hop.decided || hop.client.is_empty() || hop.is_generator {
        return None;
    }
    let at_once_ns = at_once_ns(&hop.heard)?;
    let givers = Givers::of(hop, all);
    let (from_ns, until_ns) = stretch;
    let whole = (until_ns - from_ns).max(1) as f64;
    let mut by: BTreeMap<&str, WireRelease> = BTreeMap::new();
    let (mut stretches, mut came) = (Vec::new(), 0.0);
    for exchange in requests_to(hop.client, all) {
        came += 1.0;
        let responded_ns = exchange.began_ns.unwrap_or(exchange.done_ns);
        let heard_ns = last_before(&hop.heard, responded_ns, at_once_ns);
        let Some(heard_ns) = heard_ns.filter(|at_ns| *at_ns >= exchange.asked_ns) else {
            continue;
        };
        if let Some(client) = givers.before(heard_ns, at_once_ns) {
            let release = by.entry(client).or_default();
            release.requests += 1;
            release.in_flight += (heard_ns - exchange.asked_ns) as f64 / whole;
            stretches.push((exchange.asked_ns, heard_ns));
        }
    }
    let requests = stretches.len() as u64;
    (requests >= LEAST && requests as f64 >= LEAST_FOLLOWED * came).then(|| SeenRelays {
        waits: waits(hop.connections, requests, by),
        stretches,
    })
}

/// The requests that came to a process, those of which all was seen.
fn requests_to<'h>(
    process: &'h str,
    all: &'h [TimedHop<'_>],
) -> impl Iterator<Item = &'h WireExchange> {
    let own = all.iter();
    let own = own.filter(move |one| one.decided && one.server_process == process);
    let requests = own.flat_map(|one| one.exchanges);
    requests.filter(|one| one.seen == HowSeen::Whole)
}

fn waits(connections: u64, requests: u64, by: BTreeMap<&str, WireRelease>) -> WireWaits {
    let released_by = named(by);
    WireWaits {
        connections,
        requests,
        in_flight: released_by.iter().map(|one| one.in_flight).sum(),
        released_by,
    }
}

/// Who says something to the server that a client waits at.
struct Givers<'a> {
    /// The client itself: what it has just asked, the server responds to.
    own: Vec<&'a [u64]>,
    /// The others, each with how soon what it lets go on must follow.
    others: Vec<(&'a str, &'a [u64], u64)>,
}

impl<'a> Givers<'a> {
    fn of(hop: &TimedHop<'_>, all: &'a [TimedHop<'a>]) -> Self {
        let here = || all.iter().filter(|one| one.server == hop.server);
        let own = here().filter(|one| one.client == hop.client);
        let others = here()
            .filter(|one| one.client != hop.client && !one.client.is_empty() && !one.is_generator);
        let timed =
            |one: &'a TimedHop<'a>| Some((one.client, one.said.as_slice(), at_once_ns(&one.said)?));
        Self {
            own: own.map(|one| one.said.as_slice()).collect(),
            others: others.filter_map(timed).collect(),
        }
    }

    /// Who spoke last before a moment, if that was no longer before and none of the client itself.
    fn before(&self, at_ns: u64, near_ns: u64) -> Option<&'a str> {
        let last = |(client, said, own_ns): &(&'a str, &'a [u64], u64)| {
            Some((last_before(said, at_ns, near_ns.min(*own_ns))?, *client))
        };
        let (given_ns, client) = self.others.iter().filter_map(last).max()?;
        let mut own = self.own.iter();
        let is_first =
            own.all(|said| last_before(said, at_ns, near_ns).is_none_or(|at| at < given_ns));
        is_first.then_some(client)
    }
}

/// Within how much of a message what it lets go on must follow; none where there are too few to say.
fn at_once_ns(heard: &[u64]) -> Option<u64> {
    let (first, last) = (heard.first()?, heard.last()?);
    let count = heard.len() as u64;
    (count >= LEAST).then(|| AT_ONCE_NS.min((last - first) / (count - 1) / OF_SPACING))
}

/// The last of some times that is at that moment or before, if it is near.
fn last_before(times: &[u64], at_ns: u64, near_ns: u64) -> Option<u64> {
    let behind = times.partition_point(|time| *time <= at_ns);
    let last = *times.get(behind.checked_sub(1)?)?;
    (at_ns - last <= near_ns).then_some(last)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Requests at a front, each of which waits for a message through a broker, so long after it was asked.
    struct Front {
        exchanges: Vec<WireExchange>,
        heard: Vec<u64>,
        given: Vec<u64>,
    }

    fn front(spacing_ms: u64, waits_ms: u64, count: u64) -> Front {
        let heard: Vec<u64> = (0..count).map(|n| (500 + n * spacing_ms) * MS).collect();
        let exchange = |heard_ns: &u64| WireExchange {
            seen: HowSeen::Whole,
            asked_ns: heard_ns - waits_ms * MS,
            began_ns: Some(heard_ns + MS / 5),
            done_ns: heard_ns + MS / 5,
            failed: false,
            mark: None,
        };
        Front {
            exchanges: heard.iter().map(exchange).collect(),
            given: heard.iter().map(|at_ns| at_ns - MS / 10).collect(),
            heard,
        }
    }

    fn relays_of(front: &Front, worker: &[u64]) -> Option<WireWaits> {
        let hop = |client, server, decided| TimedHop {
            client,
            server,
            server_process: "front",
            is_generator: false,
            decided,
            connections: 1,
            said: Vec::new(),
            heard: Vec::new(),
            exchanges: &[],
        };
        let hops = [
            TimedHop {
                exchanges: &front.exchanges,
                ..hop("load", "10.0.0.1:80", true)
            },
            TimedHop {
                heard: front.heard.clone(),
                said: front.exchanges.iter().map(|one| one.asked_ns).collect(),
                ..hop("front", "10.0.0.2:4222", false)
            },
            TimedHop {
                said: worker.to_vec(),
                ..hop("worker", "10.0.0.2:4222", false)
            },
        ];
        let mut all = of(&hops, (0, 3_000 * MS));
        assert!(all[0].is_none() && all[2].is_none());
        all.swap_remove(1).map(|relays| relays.waits)
    }

    #[test]
    fn who_lets_a_response_go_on_is_told_with_how_long_it_is_waited_for() {
        for (spacing_ms, waits_ms) in [(22, 400), (100, 98), (5, 478)] {
            let front = front(spacing_ms, waits_ms, 20);
            let waits = relays_of(&front, &front.given).unwrap();
            assert_eq!((waits.requests, waits.released_by.len()), (20, 1));
            assert_eq!(waits.released_by[0].process, "worker");
            let expected = 20.0 * waits_ms as f64 / 3_000.0;
            assert!((waits.in_flight - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn what_passes_by_chance_lets_nothing_go_on() {
        let front = front(22, 400, 20);
        // Nobody gives; somebody says something long before; there are too few to say.
        assert_eq!(relays_of(&front, &[]), None);
        let early: Vec<u64> = front.given.iter().map(|at_ns| at_ns - 8 * MS).collect();
        assert_eq!(relays_of(&front, &early), None);
        let few = self::front(22, 400, 9);
        assert_eq!(relays_of(&few, &few.given), None);
        // Responses that come at other times than messages.
        let mut late = self::front(22, 400, 20);
        for one in &mut late.exchanges {
            one.began_ns = one.began_ns.map(|at_ns| at_ns + 9 * MS);
        }
        assert_eq!(relays_of(&late, &late.given), None);
    }

    #[test]
    fn what_the_client_has_just_asked_is_what_the_server_responds_to() {
        // Another client always asks the same server shortly before.
        let mut front = front(22, 2, 20);
        for one in &mut front.exchanges {
            one.asked_ns += 2 * MS - MS / 20;
        }
        assert_eq!(relays_of(&front, &front.given), None);
    }
}
