//! Processes that serve, by the hops that lead to them and from them.

use std::collections::BTreeSet;

use crate::gathered::Gathered;
use crate::in_flight::FlightSteps;
use crate::report::{InFlightShares, WireProcess};
use crate::together::{done_together, times_by_number};

/// The processes of this host that serve. `whole`: the share of the connections by packets that was followed, and
/// whether all of all hops were.
pub(crate) fn processes(
    hops: &[Gathered],
    whole: (f64, bool),
    lasts_s: f64,
    none: &FlightSteps,
) -> Vec<WireProcess> {
    let decided = hops.iter().filter(|hop| hop.hop.decided);
    let serving = decided.map(|hop| hop.hop.server.process.as_str());
    let names: BTreeSet<&str> = serving.filter(|process| !process.is_empty()).collect();
    let names = names.into_iter();
    names
        .map(|process| serves(process, hops, whole, lasts_s, none))
        .collect()
}

/// What came to a process, and how much of it waits for its own calls.
fn serves(
    process: &str,
    hops: &[Gathered],
    (share, is_whole): (f64, bool),
    lasts_s: f64,
    none: &FlightSteps,
) -> WireProcess {
    let (mut came, mut calls, mut requests) = (none.clone(), none.clone(), 0.0);
    let mut stays = Vec::new();
    // What was followed in another share is added to what is made of all by this one.
    let (mut beside_came, mut beside_calls) = (0.0, 0.0);
    for hop in hops.iter().filter(|hop| hop.hop.decided) {
        if hop.hop.client.process == process {
            hop.add_to(&hop.steps, share, (&mut calls, &mut beside_calls));
        }
        if hop.hop.server.process == process {
            hop.add_to(
                &hop.steps_at_server(none),
                share,
                (&mut came, &mut beside_came),
            );
            requests += hop.requests() as f64 / hop.share;
            stays.extend(hop.at_server(hop.whole()));
        }
    }
    let own = || hops.iter().filter(|hop| hop.hop.client.process == process);
    let relays = own().filter_map(|hop| hop.relays.as_ref());
    for (from_ns, until_ns) in relays.flat_map(|relays| &relays.stretches) {
        calls.add_stretch(*from_ns, *until_ns);
    }
    let mut in_flight = came.clone().shares().scaled(share);
    let (times_by_number, done_together) = match is_whole {
        true => (times_by_number(came.clone(), &stays), done_together(&stays)),
        false => (Vec::new(), None),
    };
    let (waiting, inside) = came.less(calls);
    in_flight.mean += beside_came;
    let waiting = (waiting / share + beside_calls).min(in_flight.mean);
    let mut inside = inside.scaled(share);
    if !is_whole {
        inside.mean = in_flight.mean - waiting;
    }
    if beside_came > 0.0 || beside_calls > 0.0 {
        [&mut in_flight, &mut inside]
            .into_iter()
            .for_each(InFlightShares::only_mean);
    }
    WireProcess {
        process: process.to_owned(),
        requests_per_s: requests / lasts_s,
        in_flight,
        waiting_for_others: waiting,
        inside,
        times_by_number,
        done_together,
        calls_undecided: own().any(is_undecided),
    }
}

/// Whether a client may wait at a hop at which its requests are not told apart: where the server says nothing nobody
/// waits for it.
fn is_undecided(hop: &Gathered) -> bool {
    let may_wait = !hop.hop.decided && (hop.hop.sampled || hop.hop.bytes_received > 0);
    may_wait && hop.relays.is_none()
}
