//! What packets say of the calls that a process makes for a request: those that fail and are made up for, and
//! servers beside each other of which one is slower.

use std::collections::BTreeMap;

use plimsoll_stats::series::Entity;

use super::behind;
use super::seen::{SeenHop, SeenProcess, Whose, Wire};
use super::wire;
use crate::scene::Scene;

/// So much of the calls must fail.
const FAILS: f64 = 0.05;
/// Of calls that cannot be counted off against the requests, so much.
const FAILS_CLEARLY: f64 = 0.1;
/// Who calls passes on less than this share of the failures.
const PASSED_ON: f64 = 0.25;
/// Fewer failed calls a second may be chance.
const LEAST_PER_S: f64 = 1.0;
/// Calls that succeed are as many as requests, give or take.
const SAME: f64 = 0.1;
/// So many more calls than are needed.
const MORE: f64 = 1.05;
/// A request does not call for the same thing more often, for all that can be counted off.
const MOST_CALLS: f64 = 5.0;
/// Servers beside each other have calls of that proportion at most, and one is so many times slower.
const BESIDE: f64 = 4.0;
const SLOWER: f64 = 3.0;
/// So many calls a second at least of a server that is compared.
const LEAST_COMPARED_PER_S: f64 = 2.0;

/// Calls of one process to another of which a part fails, while who calls does not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RetriedCalls {
    /// Who calls, and its host.
    pub process: String,
    pub host: String,
    /// Whom: its name, else its address.
    pub server: String,
    /// Calls a second, those of them that fail, and those of these that got no response before who calls gave up.
    pub calls_per_s: f64,
    pub failed_per_s: f64,
    pub given_up_per_s: f64,
    /// Requests a second of who calls.
    pub requests_per_s: f64,
    /// Whether those that succeed are as many as requests need: each that fails is asked again.
    pub counted_off: bool,
}

/// Servers that one process calls alike, of which one takes longer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SlowReplica {
    /// Who calls, and its host.
    pub process: String,
    pub host: String,
    /// The slow one, with its mean response time, ms.
    pub server: String,
    pub ms: f64,
    /// How many others there are, with their mean.
    pub others: usize,
    pub others_ms: f64,
    /// The share of the calls that come to it, and the share of all their time that it takes too much.
    pub share: f64,
    pub lost: f64,
}

/// Calls of a process to one server.
#[derive(Default)]
struct CallSums {
    per_s: f64,
    failed_per_s: Option<f64>,
    given_up_per_s: f64,
    time_per_s: f64,
}

fn by_server(wire: &Wire) -> BTreeMap<(Whose, String), CallSums> {
    let mut sums: BTreeMap<(Whose, String), CallSums> = BTreeMap::new();
    for hop in wire.hops.iter().filter(|hop| is_call(hop)) {
        let server = wire.called(hop).to_owned();
        let sum = sums.entry((hop.client.clone(), server)).or_default();
        sum.per_s += hop.requests_per_s + hop.given_up_per_s;
        sum.given_up_per_s += hop.given_up_per_s;
        // By Little's law: calls that are given up have no response time, and are under way as long as others.
        sum.time_per_s += match &hop.in_flight {
            Some(level) => level.mean * 1e3,
            None => hop.requests_per_s * hop.response_ms.unwrap_or(0.0),
        };
        let failed = hop.failed_per_s;
        let given_up = Some(hop.given_up_per_s).filter(|number| *number > 0.0);
        for number in failed.into_iter().chain(given_up) {
            *sum.failed_per_s.get_or_insert(0.0) += number;
        }
    }
    sums
}

pub(super) fn is_call(hop: &SeenHop) -> bool {
    hop.client.is_known() && !hop.is_generator && !hop.sampled
}

/// Bytes a second that the processes which are watched move in requests and responses; 0 where nobody saw
/// packets.
pub(crate) fn moved_per_s(scene: &Scene<'_>) -> f64 {
    let wire = wire::read(scene);
    let hops = wire.iter().flat_map(|wire| &wire.hops);
    hops.map(|hop| hop.bytes_per_s).sum()
}

/// Whom a process calls, and how often for each of its requests; nothing where nobody saw packets.
pub(crate) fn calls_of_each(scene: &Scene<'_>, host: &str, process: &str) -> Vec<(String, f64)> {
    let whose = Whose {
        host: host.to_owned(),
        process: process.to_owned(),
    };
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let requests = wire.process(&whose).map_or(0.0, |seen| seen.requests_per_s);
    let calls = by_server(wire).into_iter();
    let own = calls.filter(|((client, _), _)| *client == whose && requests > 0.0);
    own.map(|((_, server), sums)| (server, sums.per_s / requests))
        .collect()
}

/// How long a request stays in a process, s; none where nobody saw packets of it.
pub(crate) fn stay_s(scene: &Scene<'_>, host: &str, process: &str) -> Option<f64> {
    let wire = wire::read(scene)?;
    let whose = Whose {
        host: host.to_owned(),
        process: process.to_owned(),
    };
    let seen = wire.process(&whose)?;
    (seen.requests_per_s > 0.0).then(|| seen.in_flight.mean / seen.requests_per_s)
}

/// A process that gets less than this of the requests in flight has its own part of them alone.
const A_PART: f64 = 0.8;

/// What packets show of a process that gets a part of the requests in flight alone, as one of several instances does.
pub(super) fn with_a_part<'w>(
    scene: &Scene<'_>,
    wire: &'w Wire,
    whose: &Whose,
) -> Option<&'w SeenProcess> {
    let seen = wire.process(whose)?;
    let is_part = seen.requests_per_s > 0.0 && seen.in_flight.mean < A_PART * scene.in_flight();
    is_part.then_some(seen)
}

/// Requests in flight that are in a process or wait before it, on average: all of them, or where packets show that it
/// gets a part, as one of several instances does, that part.
pub(crate) fn in_flight_at(scene: &Scene<'_>, process: Option<&Entity>) -> f64 {
    let whose = process.map(|process| Whose {
        host: process.host.clone(),
        process: process.name.clone(),
    });
    let seen = whose.and_then(|whose| match wire::read(scene) {
        Some(wire) => Some(with_a_part(scene, wire, &whose)?.in_flight.mean),
        None => behind_a_proxy(scene, &whose),
    });
    seen.unwrap_or_else(|| scene.in_flight())
}

/// Without packets: of the requests that a proxy passes on to several, no more are at one of them than there are
/// connections to it.
fn behind_a_proxy(scene: &Scene<'_>, whose: &Whose) -> Option<f64> {
    let proxy = behind::loaded(scene).filter(|proxy| proxy != whose)?;
    let calls = behind::calls(scene, &proxy);
    let own = calls.iter().filter(|(server, ..)| server == whose);
    let own: f64 = own.map(|(.., open)| open).sum();
    let is_one_of = calls.iter().any(|(server, ..)| server != whose);
    (is_one_of && own > 0.0).then(|| own.min(scene.in_flight()))
}

/// Whom a process calls over connections that it keeps, and how many; none was opened while packets were looked at.
pub(crate) fn open_connections(scene: &Scene<'_>, host: &str, process: &str) -> Vec<(String, f64)> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let of_client = |hop: &&SeenHop| hop.client.process == process && hop.client.host == host;
    let own = wire
        .hops
        .iter()
        .filter(|hop| is_call(hop))
        .filter(of_client);
    let mut kept: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for hop in own {
        let server = wire.called(hop).to_owned();
        let (connections, opened) = kept.entry(server).or_default();
        *connections += hop.connections;
        *opened += hop.opened;
    }
    let kept = kept.into_iter();
    kept.filter(|(_, (connections, opened))| *connections >= 1.0 && *opened < 1.0)
        .map(|(server, (connections, _))| (server, connections))
        .collect()
}

/// Calls that fail and are made up for.
pub(crate) fn retried(scene: &Scene<'_>) -> Vec<RetriedCalls> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let of = |((client, server), calls): ((Whose, String), CallSums)| {
        let failed = calls.failed_per_s?;
        let share = failed / calls.per_s.max(1e-9);
        let requests = wire.process(&client)?.requests_per_s;
        let passed_on = failures_of(wire, &client);
        if failed < LEAST_PER_S || share < FAILS || requests <= 0.0 {
            return None;
        }
        let ended = (calls.per_s - failed + passed_on) / requests;
        let needed = ended.round().max(1.0);
        let fits = (ended / needed - 1.0).abs() <= SAME && needed <= MOST_CALLS;
        let counted_off = fits && calls.per_s >= MORE * needed * requests;
        let made_up = share >= FAILS_CLEARLY && passed_on / requests <= PASSED_ON * share;
        (counted_off || made_up).then_some(RetriedCalls {
            process: client.process,
            host: client.host,
            server,
            calls_per_s: calls.per_s,
            failed_per_s: failed,
            given_up_per_s: calls.given_up_per_s,
            requests_per_s: requests,
            counted_off,
        })
    };
    by_server(wire).into_iter().filter_map(of).collect()
}

/// Requests a second to a process that it fails itself.
fn failures_of(wire: &Wire, whose: &Whose) -> f64 {
    let own = wire.hops.iter().filter(|hop| hop.server == *whose);
    own.filter_map(|hop| hop.failed_per_s).sum()
}

/// Of servers that a process calls alike, the one that takes much longer than the others.
pub(crate) fn slow_replicas(scene: &Scene<'_>) -> Vec<SlowReplica> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let mut called: BTreeMap<(Whose, String), Vec<(String, CallSums)>> = BTreeMap::new();
    for ((client, server), sums) in by_server(wire) {
        if sums.per_s >= LEAST_COMPARED_PER_S && sums.time_per_s > 0.0 {
            let kind = program(&server).to_owned();
            let of_client = called.entry((client, kind)).or_default();
            of_client.push((server, sums));
        }
    }
    let all = called.into_iter();
    all.filter_map(|((client, _), servers)| slow_one(client, servers))
        .collect()
}

/// What a server is called without its port: replicas are of one program, or are known by address alone.
fn program(server: &str) -> &str {
    let name = server.split('[').next().unwrap_or(server);
    match name.contains(':') {
        true => "",
        false => name,
    }
}

fn slow_one(client: Whose, servers: Vec<(String, CallSums)>) -> Option<SlowReplica> {
    let mean = |sums: &CallSums| sums.time_per_s / sums.per_s.max(1e-9);
    let slowest = servers
        .iter()
        .max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)))?;
    let is_beside = |sums: &CallSums| {
        let ratio = sums.per_s / slowest.1.per_s.max(1e-9);
        (1.0 / BESIDE..=BESIDE).contains(&ratio)
    };
    let others: Vec<&CallSums> = servers
        .iter()
        .filter(|(name, sums)| *name != slowest.0 && is_beside(sums))
        .map(|(_, sums)| sums)
        .collect();
    // Two may do different things; of three or more most are as they should be.
    if others.len() < 2 {
        return None;
    }
    let per_s: f64 = others.iter().map(|sums| sums.per_s).sum();
    let time_per_s: f64 = others.iter().map(|sums| sums.time_per_s).sum();
    let (ms, others_ms) = (mean(&slowest.1), time_per_s / per_s.max(1e-9));
    let alike = others.iter().all(|sums| mean(sums) * SLOWER <= ms);
    alike.then(|| SlowReplica {
        process: client.process,
        host: client.host,
        server: slowest.0.clone(),
        ms,
        others: others.len(),
        others_ms,
        share: slowest.1.per_s / (slowest.1.per_s + per_s),
        lost: slowest.1.per_s * (ms - others_ms) / (slowest.1.time_per_s + time_per_s),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;
    use serde_json::{Value, json};

    use super::slow_replicas;
    use crate::testing::{Made, thing};

    /// Calls to one of three servers: ended a second, so long each, and how many are under way that never end.
    fn called(at: usize, per_s: f64, ms: f64, hang: f64) -> Value {
        let in_flight = per_s * ms / 1e3 + hang;
        json!({
            "client": {"process": "shop[8000]", "address": "127.0.0.1"},
            "server": {"process": format!("price[{}]", 8_001 + at), "address": format!("127.0.0.1:{}", 8_001 + at)},
            "decided": true, "requests_per_s": per_s, "response_ms": {"mean": ms},
            "in_flight": {"mean": in_flight, "max": in_flight, "shares": [[in_flight, 1.0]]},
            "unfinished": in_flight + hang * 3.0,
        })
    }

    #[test]
    fn a_server_that_hangs_is_the_slow_one_however_quick_its_responses_are() {
        for (ended_per_s, hang, slow) in [(1.0, 10.0, true), (20.0, 30.0, true), (50.0, 0.0, false)]
        {
            let hops = [
                called(0, 30.0, 10.0, 0.0),
                called(1, 30.0, 10.0, 0.0),
                called(2, ended_per_s, 2.0, hang),
            ];
            let wire = json!({"version": 1, "lasts_ms": 3000.0, "hops": hops, "processes": []});
            let host = thing(EntityKind::Host, "");
            let made = Made::load(100.0, 100.0).capture(&host, "wire", "steady", &wire.to_string());
            let found = slow_replicas(&made.scene());
            let told: Vec<&str> = found.iter().map(|one| &*one.server).collect();
            let wanted: &[&str] = if slow { &["price[8003]"] } else { &[] };
            assert_eq!(told, wanted, "{ended_per_s} {hang}");
        }
    }
}
