//! What packets say of connections that a process does not keep: it opens one for nearly every call.

use std::collections::BTreeMap;

use super::calls::is_call;
use super::wire::{self, Whose};
use crate::scene::Scene;

/// So many of the calls, or of the requests where calls are not told apart, come over a connection of their own.
const MADE_ANEW: f64 = 0.7;
/// Fewer a second may be a pool that grows.
const LEAST_PER_S: f64 = 2.0;

/// Connections of one process to another that are opened and not kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenedConnections {
    /// Who opens them, and its host.
    pub process: String,
    pub host: String,
    /// To whom: its name, else its address.
    pub server: String,
    /// So many a second.
    pub per_s: f64,
    /// So many for each request of who opens them; none where its requests are not told apart.
    pub each: Option<f64>,
    /// Handshakes of TLS a second.
    pub tls_per_s: f64,
    /// What making one takes, ms.
    pub set_up_ms: Option<f64>,
}

/// The connections of one process to another, added up.
#[derive(Default)]
struct OpenedSums {
    opened_per_s: f64,
    tls_per_s: f64,
    calls_per_s: f64,
    undecided: bool,
    set_up_per_s: f64,
}

/// Whom processes call over connections that they do not keep.
pub(crate) fn opened_each_time(scene: &Scene<'_>) -> Vec<OpenedConnections> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let mut sums: BTreeMap<(Whose, String), OpenedSums> = BTreeMap::new();
    for hop in wire.hops.iter().filter(|hop| is_call(hop)) {
        let server = match hop.server.is_known() {
            true => hop.server.process.clone(),
            false => hop.address.clone(),
        };
        let sum = sums.entry((hop.client.clone(), server)).or_default();
        sum.opened_per_s += hop.opened_per_s;
        sum.tls_per_s += hop.tls_per_s;
        sum.calls_per_s += hop.requests_per_s;
        sum.undecided |= hop.in_flight.is_none();
        sum.set_up_per_s += hop.opened_per_s * hop.set_up_ms.unwrap_or(0.0);
    }
    let of = |((client, server), sum): ((Whose, String), OpenedSums)| {
        let requests = wire.process(&client).map(|seen| seen.requests_per_s);
        // Where some of its requests are not told apart, how many there are is not known.
        let mut comes_in = wire.hops.iter().filter(|hop| hop.server == client);
        let are_known = comes_in.all(|hop| hop.in_flight.is_some());
        let each = requests
            .filter(|_| are_known)
            .filter(|per_s| *per_s > 0.0)
            .map(|per_s| sum.opened_per_s / per_s);
        let of_calls = match sum.undecided {
            true => each?,
            false => sum.opened_per_s / sum.calls_per_s.max(1e-9),
        };
        let set_up_ms = sum.set_up_per_s / sum.opened_per_s.max(1e-9);
        let is_anew = of_calls >= MADE_ANEW && sum.opened_per_s >= LEAST_PER_S;
        is_anew.then(|| OpenedConnections {
            process: client.process,
            host: client.host,
            server,
            per_s: sum.opened_per_s,
            each,
            tls_per_s: sum.tls_per_s,
            set_up_ms: (set_up_ms > 0.0).then_some(set_up_ms),
        })
    };
    sums.into_iter().filter_map(of).collect()
}
