//! What packets say of the calls of one process to another by one protocol, counted off against the requests of
//! who calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use super::calls::is_call;
use super::seen::{HeldCalls, SeenCache, SeenHop, SeenNames, SeenTalk, SeenTries, Whose, Wire};
use super::wire;
use crate::scene::Scene;

/// Calls of a process to one server by one protocol.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallsOfKind {
    /// Who calls, and its host.
    pub process: String,
    pub host: String,
    /// Whom: its name, else its address.
    pub server: String,
    pub protocol: String,
    /// Requests a second of who calls, and how many it has at a time.
    pub requests_per_s: f64,
    pub requests_in_flight: f64,
    /// Calls a second, how many are under way at a time, and the median of their times, ms.
    pub calls_per_s: f64,
    pub in_flight: f64,
    pub median_ms: f64,
    /// The share of the time in which at least one is under way.
    pub busy: f64,
    /// Connections a second that were opened, and the mean time of that, ms, where it was seen.
    pub opened_per_s: f64,
    pub opening_ms: Option<f64>,
    /// Handshakes of TLS a second, and those of them that went on with an earlier session.
    pub tls_per_s: f64,
    pub resumed_per_s: f64,
    /// Transactions a second that wrote something and were committed, where that is read.
    pub commits_per_s: Option<f64>,
    /// What a cache said of keys, where that is read.
    pub cache: Option<SeenCache>,
    /// Tries to take keys that nobody has, where that is read.
    pub tries: Option<SeenTries>,
    /// Names that are looked up, the most lookups first.
    pub lookups: Vec<SeenNames>,
    /// What of requests and of responses was held back until it was acknowledged.
    pub held: [HeldCalls; 2],
}

impl CallsOfKind {
    /// So many of something a second, for each request of who calls.
    pub fn of_each(&self, per_s: f64) -> f64 {
        per_s / self.requests_per_s.max(1e-9)
    }

    /// The share of the time that a request is in who calls and such calls are under way: no more than all.
    pub fn share(&self) -> f64 {
        (self.in_flight / self.requests_in_flight.max(1e-9)).min(1.0)
    }

    /// Who is called, where that is a process on the same host.
    pub fn callee(&self) -> Arc<Entity> {
        Entity::new(
            EntityKind::Process,
            self.server.as_str(),
            self.host.as_str(),
        )
    }

    /// Who calls.
    pub fn caller(&self) -> Arc<Entity> {
        Entity::new(
            EntityKind::Process,
            self.process.as_str(),
            self.host.as_str(),
        )
    }

    /// Where what the calls cost is felt: at who is called, if that is on the way of the requests, else at who calls.
    pub fn place<'c>(&'c self, scene: &Scene<'_>) -> &'c str {
        let account = scene.account();
        let depth = account.and_then(|account| account.depth(&self.host, &self.server));
        match depth {
            Some(_) => &self.server,
            None => &self.process,
        }
    }

    fn add(&mut self, hop: &SeenHop) {
        let SeenTalk {
            opened_per_s,
            opening_ms,
            ..
        } = hop.talk;
        let level = hop.in_flight.as_ref().map_or(0.0, |level| level.mean);
        // Of several hops the one with more calls says how long they take.
        if hop.requests_per_s >= self.calls_per_s {
            self.median_ms = hop.talk.median_ms;
            self.opening_ms = opening_ms.or(self.opening_ms);
        }
        self.calls_per_s += hop.requests_per_s + hop.given_up_per_s;
        self.in_flight += level;
        let busy = hop
            .in_flight
            .as_ref()
            .map_or(0.0, |level| level.share_from(1.0));
        self.busy = self.busy.max(busy);
        self.opened_per_s += opened_per_s;
        self.tls_per_s += hop.talk.tls_per_s;
        self.resumed_per_s += hop.talk.resumed_per_s;
        if let Some(commits) = hop.talk.commits_per_s {
            *self.commits_per_s.get_or_insert(0.0) += commits;
        }
        if let Some(cache) = &hop.talk.cache {
            self.cache.get_or_insert_default().add(cache);
        }
        if let Some(tries) = hop.talk.tries {
            self.tries.get_or_insert_default().add(tries);
        }
        self.lookups.extend(hop.talk.lookups.iter().cloned());
        for (sum, held) in self.held.iter_mut().zip(hop.talk.held) {
            sum.per_s += held.per_s;
            sum.waiting += held.waiting;
        }
    }
}

/// The requests a second of a process, and how many it has at a time: by its packets, else, if it is on the
/// way of the load's requests, by these.
fn requests(scene: &Scene<'_>, wire: &Wire, whose: &Whose) -> Option<(f64, f64)> {
    if let Some(seen) = wire.process(whose).filter(|seen| seen.requests_per_s > 0.0) {
        return Some((seen.requests_per_s, seen.in_flight.mean));
    }
    let account = scene.account()?;
    account.depth(&whose.host, &whose.process)?;
    Some((account.requests_per_s, account.in_flight))
}

/// All calls that processes which serve make, by whom they call and how; nothing where nobody saw packets.
pub(crate) fn calls_by_kind(scene: &Scene<'_>) -> Vec<CallsOfKind> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let mut sums: BTreeMap<(Whose, String, String), CallsOfKind> = BTreeMap::new();
    for hop in wire.hops.iter().filter(|hop| is_call(hop)) {
        let server = wire.called(hop).to_owned();
        let key = (hop.client.clone(), server, hop.protocol.clone());
        sums.entry(key).or_default().add(hop);
    }
    let of = |((client, server, protocol), sum): ((Whose, String, String), CallsOfKind)| {
        let (requests_per_s, requests_in_flight) = requests(scene, wire, &client)?;
        let mut lookups = sum.lookups;
        lookups.sort_by(|a, b| b.count.total_cmp(&a.count));
        Some(CallsOfKind {
            lookups,
            process: client.process,
            host: client.host,
            server,
            protocol,
            requests_per_s,
            requests_in_flight,
            ..sum
        })
    };
    let all = sums.into_iter().filter_map(of);
    all.filter(|calls| calls.requests_per_s > 0.0).collect()
}
