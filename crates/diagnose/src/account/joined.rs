//! Hops that two hosts have seen, each its own side of them: by the addresses and ports of their connections they are one,
//! and what calls take longer for the caller than for the server is the way.

use super::seen::{SeenHop, SeenTransit, Wire};

/// Both sides have seen the same calls if one counts no fewer and no more than so many times what the other does.
const ALIKE: std::ops::Range<f64> = 0.8..1.25;
/// And if they have this share of the connections in common.
const MOSTLY: f64 = 0.8;
/// They were looked at together for this share of the time.
const TOGETHER: f64 = 0.5;

/// Joins them: whom a caller calls is who serves there, whatever the address, and the server's side is no hop of its own.
/// Response times of both sides are of clocks of their own: only their lengths are compared.
pub(super) fn join(wire: &mut Wire) {
    let mut told = vec![false; wire.hops.len()];
    for (at, is_told) in told.iter_mut().enumerate() {
        let served = &wire.hops[at];
        if !is_side_of_server(served) {
            continue;
        }
        let calling: Vec<usize> = (0..wire.hops.len())
            .filter(|other| is_side_of_caller(&wire.hops[*other], served))
            .collect();
        // Connections of others come from there, too, or the hosts were looked at at different times.
        let together = calling
            .iter()
            .all(|at| is_same_time(&wire.hops[*at], served));
        *is_told = together && ALIKE.contains(&part_seen(wire, &calling, served));
        let transit = match *is_told {
            true => way(wire, &calling, served),
            false => None,
        };
        let server = served.server.clone();
        for at in calling {
            let hop = &mut wire.hops[at];
            hop.server.clone_from(&server);
            hop.talk.transit = hop.talk.transit.take().or_else(|| transit.clone());
        }
    }
    let mut told = told.into_iter();
    wire.hops.retain(|_| told.next() != Some(true));
}

fn is_side_of_server(hop: &SeenHop) -> bool {
    hop.server.is_known() && !hop.client.is_known() && !hop.ends.is_empty()
}

fn is_side_of_caller(hop: &SeenHop, served: &SeenHop) -> bool {
    hop.client.is_known()
        && hop.client.host != served.server.host
        && share_of_connections(hop, served) >= MOSTLY
}

/// The share of a caller's connections that the server has, too, of those that both would have numbered.
#[expect(clippy::cast_precision_loss, reason = "numbers of a few connections")]
fn share_of_connections(hop: &SeenHop, served: &SeenHop) -> f64 {
    let highest = served.ends.last().copied().unwrap_or_default();
    let numbered = hop.ends.iter().take_while(|end| **end <= highest).count();
    let common = hop
        .ends
        .iter()
        .filter(|end| served.ends.binary_search(end).is_ok());
    common.count() as f64 / numbered.max(1) as f64
}

/// Whether both were looked at mostly at the same time.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of captures")]
fn is_same_time(hop: &SeenHop, served: &SeenHop) -> bool {
    let (own, other) = (hop.stretch_ms, served.stretch_ms);
    let common = (own.1.min(other.1) - own.0.max(other.0)) as f64;
    let longer = (own.1 - own.0).max(other.1 - other.0) as f64;
    common >= TOGETHER * longer
}

/// How much of what the server's side has seen the callers' sides have, in requests, else in connections.
fn part_seen(wire: &Wire, calling: &[usize], served: &SeenHop) -> f64 {
    let mut hops = calling.iter().map(|at| &wire.hops[*at]).chain([served]);
    let decided = hops.all(|hop| hop.requests_per_s > 0.0);
    let amount = |hop: &SeenHop| match decided {
        true => hop.requests_per_s,
        false => hop.connections,
    };
    let called: f64 = calling.iter().map(|at| amount(&wire.hops[*at])).sum();
    called / amount(served)
}

/// How much longer calls take for the callers than at the server.
fn way(wire: &Wire, calling: &[usize], served: &SeenHop) -> Option<SeenTransit> {
    let (mut requests, mut mean_ms, mut median_ms, mut again) = (0.0, 0.0, 0.0, 0.0_f64);
    for hop in calling.iter().map(|at| &wire.hops[*at]) {
        let per_s = hop.requests_per_s;
        requests += per_s;
        mean_ms += per_s * hop.response_ms?;
        median_ms += per_s * hop.talk.median_ms;
        again += per_s * hop.talk.sent_again;
    }
    let mean_ms = mean_ms / requests - served.response_ms?;
    (mean_ms > 0.0).then(|| SeenTransit {
        mean_ms,
        median_ms: (median_ms / requests - served.talk.median_ms).max(0.0),
        ways_ms: None,
        sent_again: (again / requests).max(served.talk.sent_again),
    })
}
