//! What the packets of the connections between processes say: how many requests each hop and each
//! process has at a time. Captures of several hosts are one picture.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_watch::agent::is_this_host;
use serde::Deserialize;

use super::joined;
use super::moment::captures;
use super::seen::{
    DoneTogether, HeldCalls, Level, SeenCache, SeenHop, SeenNames, SeenProcess, SeenTalk,
    SeenTransactions, SeenTransit, SeenTries, SeenWaits, TimesByNumber, Whose, Wire, lasts_s,
};
use super::strangers;
use crate::address;
use crate::evidence::CapturedText;
use crate::scene::Scene;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CaptureJson {
    lasts_ms: f64,
    hops: Vec<HopJson>,
    processes: Vec<ProcessJson>,
}

impl CaptureJson {
    /// When, ms from the run's start.
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds of a capture")]
    fn stretch_ms(&self, capture: &CapturedText) -> (i64, i64) {
        let lasts_ms = self.lasts_ms.clamp(0.0, 60_000.0) as i64;
        (capture.at_ms, capture.at_ms + lasts_ms)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HopJson {
    accept_queue: Option<f64>,
    sampled: bool,
    ends: Vec<u64>,
    client: EndJson,
    server: EndJson,
    protocol: String,
    decided: bool,
    opening_ms: Option<TimesJson>,
    tls: Option<TlsJson>,
    commits: Option<f64>,
    cache: Option<CacheJson>,
    tries: Option<TriesJson>,
    lookups: Vec<SeenNames>,
    requests_held: Option<HeldJson>,
    responses_held: Option<HeldJson>,
    requests_per_s: f64,
    failed: Option<f64>,
    unfinished: f64,
    connections: f64,
    opened: f64,
    bytes_sent: f64,
    bytes_received: f64,
    retransmissions: f64,
    requests: f64,
    transit: Option<TransitJson>,
    response_ms: Option<TimesJson>,
    in_flight: Option<Level>,
    waits: Option<SeenWaits>,
    transactions: Option<SeenTransactions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TimesJson {
    mean: f64,
    p50: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HeldJson {
    pieces: f64,
    mean_ms: f64,
}

impl HeldJson {
    /// The same a second, of a stretch that lasted so long.
    fn calls(&self, lasts_s: f64) -> HeldCalls {
        let per_s = self.pieces / lasts_s;
        HeldCalls {
            per_s,
            waiting: per_s * self.mean_ms / 1e3,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CacheJson {
    found: f64,
    missed: f64,
    taken: f64,
    refused: f64,
    why: Option<String>,
    lost: f64,
    lost_after_ms: Option<f64>,
}

impl CacheJson {
    /// The same a second, of a stretch that lasted so long.
    fn seen(self, lasts_s: f64) -> SeenCache {
        SeenCache {
            found_per_s: self.found / lasts_s,
            missed_per_s: self.missed / lasts_s,
            taken_per_s: self.taken / lasts_s,
            refused_per_s: self.refused / lasts_s,
            why: self.why,
            lost_per_s: self.lost / lasts_s,
            lost_after_ms: self.lost_after_ms,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TriesJson {
    tries: f64,
    refused: f64,
    keys: f64,
}

impl TriesJson {
    /// The same a second, of a stretch that lasted so long.
    fn seen(&self, lasts_s: f64) -> SeenTries {
        SeenTries {
            tries_per_s: self.tries / lasts_s,
            refused_per_s: self.refused / lasts_s,
            keys: self.keys,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TlsJson {
    handshakes: f64,
    resumed: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TransitJson {
    to_server_ms: Option<TimesJson>,
    to_client_ms: Option<TimesJson>,
}

impl TransitJson {
    /// The same with so many packets sent again for each request.
    fn seen(self, sent_again: f64) -> SeenTransit {
        let to_server = self.to_server_ms.unwrap_or_default();
        let to_client = self.to_client_ms.unwrap_or_default();
        SeenTransit {
            mean_ms: to_server.mean + to_client.mean,
            ways_ms: Some((to_server.mean, to_client.mean)),
            median_ms: to_server.p50 + to_client.p50,
            sent_again,
        }
    }
}

impl HopJson {
    /// What is known of its calls; a stretch that lasted so long.
    fn talk(&mut self, lasts_s: f64) -> SeenTalk {
        let tls = self.tls.take().unwrap_or_default();
        let held = [&self.requests_held, &self.responses_held];
        let sent_again = self.retransmissions / self.requests.max(1.0);
        SeenTalk {
            held: held.map(|held| {
                held.as_ref()
                    .map_or_else(HeldCalls::default, |it| it.calls(lasts_s))
            }),
            opened_per_s: self.opened / lasts_s,
            opening_ms: self.opening_ms.as_ref().map(|times| times.mean),
            tls_per_s: tls.handshakes / lasts_s,
            resumed_per_s: tls.resumed / lasts_s,
            cache: self.cache.take().map(|cache| cache.seen(lasts_s)),
            tries: self.tries.take().map(|tries| tries.seen(lasts_s)),
            commits_per_s: self.commits.map(|count| count / lasts_s),
            median_ms: self.response_ms.as_ref().map_or(0.0, |times| times.p50),
            sent_again,
            lookups: std::mem::take(&mut self.lookups),
            transit: self.transit.take().map(|seen| seen.seen(sent_again)),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EndJson {
    process: String,
    address: String,
    is_generator: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProcessJson {
    process: String,
    requests_per_s: f64,
    in_flight: Level,
    waiting_for_others: f64,
    times_by_number: Vec<TimesByNumber>,
    done_together: Option<DoneTogether>,
    calls_undecided: bool,
}

/// What the captures say that stand for the stretch, one of each host; none if nobody looked.
pub(super) fn read<'s>(scene: &'s Scene<'_>) -> Option<&'s Wire> {
    scene.wire.get_or_init(|| read_once(scene)).as_ref()
}

/// A look, and what it says.
type Look<'s> = (&'s CapturedText, CaptureJson);

/// The best looks, one of each host, all of one moment: of moments that stand for the stretch alike the one in which most
/// hosts were looked at.
fn looks<'s>(scene: &Scene<'s>) -> Vec<Look<'s>> {
    let read = captures(scene, "wire").into_iter().filter_map(|capture| {
        let read = serde_json::from_str::<CaptureJson>(&capture.text).ok()?;
        (!read.hops.is_empty()).then_some((capture, read))
    });
    let mut all: Vec<Look<'_>> = read.collect();
    let is_inside = |(capture, _): &Look<'_>| scene.is_under_load(capture.at_ms);
    if all.last().is_some_and(is_inside) {
        all.retain(is_inside);
    }
    // Of several the last is the best.
    let most = (0..all.len()).max_by_key(|at| at_once(&all, *at).len());
    let chosen = most.map_or_else(BTreeSet::new, |at| at_once(&all, at));
    let mut at = 0..;
    all.retain(|_| at.next().is_some_and(|at| chosen.contains(&at)));
    all
}

/// Of each host the best look that was taken while one was.
fn at_once(all: &[Look<'_>], at: usize) -> BTreeSet<usize> {
    let (first, its) = &all[at];
    let (from, to) = its.stretch_ms(first);
    let mut by_host = BTreeMap::from([(&first.entity.host, at)]);
    for (other, (capture, read)) in all.iter().enumerate() {
        let (begins, ends) = read.stretch_ms(capture);
        if begins <= to && from <= ends && capture.entity.host != first.entity.host {
            by_host.insert(&capture.entity.host, other);
        }
    }
    by_host.into_values().collect()
}

fn read_once(scene: &Scene<'_>) -> Option<Wire> {
    let mut wire = Wire {
        stretch_ms: (i64::MAX, i64::MIN),
        ..Wire::default()
    };
    for (capture, read) in looks(scene) {
        wire.add(capture, read);
    }
    wire.resolve();
    joined::join(&mut wire);
    strangers::leave_out(&mut wire);
    wire.leave_out_waits();
    (!wire.hops.is_empty()).then_some(wire)
}

impl Wire {
    fn add(&mut self, capture: &CapturedText, read: CaptureJson) {
        let host = &capture.entity.host;
        let stretch_ms = read.stretch_ms(capture);
        let (from, to) = self.stretch_ms;
        self.stretch_ms = (from.min(stretch_ms.0), to.max(stretch_ms.1));
        let whose = |process: String| Whose {
            host: host.clone(),
            process,
        };
        let lasts_s = read.lasts_ms.max(1.0) / 1e3;
        self.hops.extend(read.hops.into_iter().map(|mut hop| {
            let talk = hop.talk(lasts_s);
            let ever = hop
                .in_flight
                .as_ref()
                .map_or(f64::INFINITY, |level| level.max);
            let given_up = match ever > 0.0 && hop.decided {
                true => (hop.unfinished - ever).max(0.0),
                false => 0.0,
            };
            let per_s = |count: f64| count * 1e3 / read.lasts_ms.max(1.0);
            SeenHop {
                connections: hop.connections,
                opened: hop.opened,
                given_up_per_s: per_s(given_up),
                client: whose(hop.client.process),
                client_address: hop.client.address,
                server: whose(hop.server.process),
                address: hop.server.address,
                ends: hop.ends,
                stretch_ms,
                protocol: hop.protocol,
                talk,
                accept_queue: hop.accept_queue,
                sampled: hop.sampled,
                is_generator: hop.client.is_generator,
                requests_per_s: hop.requests_per_s,
                failed_per_s: hop.failed.map(per_s),
                bytes_per_s: per_s(hop.bytes_sent + hop.bytes_received),
                response_ms: hop.response_ms.map(|times| times.mean),
                in_flight: match hop.decided {
                    true => hop.in_flight,
                    false => hop.waits.as_ref().map(SeenWaits::level),
                },
                relayed: !hop.decided && hop.waits.is_some(),
                waits: hop.waits,
                transactions: hop.transactions,
            }
        }));
        self.processes
            .extend(read.processes.into_iter().map(|process| SeenProcess {
                whose: whose(process.process),
                requests_per_s: process.requests_per_s,
                in_flight: process.in_flight,
                waiting_for_others: process.waiting_for_others,
                times_by_number: process.times_by_number,
                done_together: process.done_together,
                calls_undecided: process.calls_undecided,
            }));
    }

    /// Names servers on other hosts as they are named there.
    fn resolve(&mut self) {
        let known: Vec<(String, Whose)> = self
            .hops
            .iter()
            .filter(|hop| hop.server.is_known())
            .map(|hop| (hop.address.clone(), hop.server.clone()))
            .collect();
        for hop in self.hops.iter_mut().filter(|hop| !hop.server.is_known()) {
            // A loopback address is each host's own.
            let host = address::host(&hop.address);
            let is_own = is_this_host(host.trim_matches(['[', ']']));
            let mut there = known.iter().filter(|(address, server)| {
                *address == hop.address && (!is_own || server.host == hop.client.host)
            });
            if let Some((_, server)) = there.next() {
                hop.server = server.clone();
            }
        }
    }

    /// How long packets were looked at, s.
    pub fn lasts_s(&self) -> f64 {
        lasts_s(self.stretch_ms)
    }

    /// Requests that wait at a server for its other clients are not in its work.
    fn leave_out_waits(&mut self) {
        for seen in &mut self.processes {
            let own = self.hops.iter();
            let own = own.filter(|hop| hop.server == seen.whose && !hop.relayed);
            let waits: f64 = own
                .filter_map(|hop| Some(hop.waits.as_ref()?.in_flight))
                .sum();
            seen.in_flight.mean = (seen.in_flight.mean - waits).max(0.0);
        }
    }

    /// Whom a process waits for in its calls, with the address and how many wait: where a request waits at a
    /// server for another client of it, that client. One that serves nobody waits so for work, and for no
    /// request.
    pub fn waits_for(&self, client: &Whose) -> Vec<(Whose, String, f64)> {
        let serves = self.process(client).is_some();
        let mut found = Vec::new();
        for (hop, level) in self.calls(client) {
            let waits = hop.waits.as_ref();
            let waiting = waits.map_or(0.0, |waits| waits.in_flight.min(level.mean));
            let others = waits.filter(|_| serves).into_iter();
            let others: Vec<_> = others.flat_map(SeenWaits::shares).collect();
            let told: f64 = others.iter().map(|(_, share)| share).sum();
            // Whoever was not seen to be waited for is behind the server.
            let at_server = match serves {
                true => level.mean - waiting * told,
                false => level.mean - waiting,
            };
            found.push((hop.server.clone(), hop.address.clone(), at_server));
            for (process, share) in others {
                let process = Whose {
                    host: client.host.clone(),
                    process: process.to_owned(),
                };
                // Who puts values for itself waits at the server.
                let whose = match process.is_known() && process != *client {
                    true => process,
                    false => hop.server.clone(),
                };
                found.push((whose, hop.address.clone(), waiting * share));
            }
        }
        found.retain(|(.., number)| *number > 0.0);
        found
    }

    /// The part of what comes to a process that one client's calls are, or the load's where that is nobody; all of it
    /// where that is not known.
    pub fn part_by(&self, server: &Whose, client: &Whose) -> f64 {
        let came = || self.hops.iter().filter(|hop| hop.server == *server);
        let is_counted = came().all(|hop| hop.in_flight.is_some());
        let number = |hop: &SeenHop| match &hop.in_flight {
            Some(level) if is_counted => level.mean,
            _ => hop.bytes_per_s,
        };
        let is_own = |hop: &&SeenHop| match client.is_known() {
            true => hop.client == *client,
            false => hop.is_generator || !hop.client.is_known(),
        };
        let own: f64 = came().filter(is_own).map(number).sum();
        let all: f64 = came().map(number).sum();
        if own > 0.0 { own / all } else { 1.0 }
    }

    /// The process as a server, if its requests could be told apart.
    pub fn process(&self, whose: &Whose) -> Option<&SeenProcess> {
        self.processes
            .iter()
            .find(|process| process.whose == *whose && process.in_flight.mean > 0.0)
    }

    /// The calls of a process whose requests could be told apart.
    pub fn calls(&self, client: &Whose) -> impl Iterator<Item = (&SeenHop, &Level)> {
        let calls = self.hops.iter();
        let of_client = calls.filter(move |hop| hop.client == *client && !hop.is_generator);
        of_client.filter_map(|hop| Some((hop, hop.in_flight.as_ref()?)))
    }
}
