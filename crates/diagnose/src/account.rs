//! The account of the response time: where it went, in parts that add up to it.
//!
//! One currency, requests in flight (Little's law: N = X · R). Where packets tell how many requests
//! each process has at a time and how many of these wait for others, the way of a request is gone
//! from process to process, and what is left in each is split by what its threads do. Where nobody
//! looked at packets, threads and series alone are asked, and more is not accounted for.

mod behind;
mod calls;
mod curve;
mod door;
mod elsewhere;
mod full;
mod joined;
mod model;
mod moment;
mod parts;
mod passed;
mod queues;
mod replicas;
mod seen;
mod serial_calls;
mod shown;
mod slow;
mod slowest;
mod states;
mod strangers;
mod talk;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
mod threads;
mod together;
mod transactions;
mod transit;
mod undecided;
mod walk;
mod wanting;
mod wire;

pub(crate) use calls::{
    RetriedCalls, SlowReplica, calls_of_each, in_flight_at, moved_per_s, open_connections, retried,
    slow_replicas, stay_s,
};
pub(crate) use queues::{QueuedWork, queued_work};
pub(crate) use replicas::{Replica, Replicas, replicas};
pub(crate) use seen::{HeldCalls, SeenCache, SeenNames, SeenTries, Wire};
pub(crate) use serial_calls::{SerialCalls, serial_calls};
pub(crate) use shown::{PAUSES, Shown, shown};
pub(crate) use talk::{CallsOfKind, calls_by_kind};
pub(crate) use threads::{
    CpuNeighbour, EventLoopState, ThreadClass, ThreadStates, read as thread_states,
};
pub(crate) use transactions::{LockedRows, locked_rows};
pub(crate) use transit::transit_of;

pub use model::{
    Account, AccountBasis, AccountPart, AccountPlateau, FullPlace, PartKind, TimesTogether,
    Together, WorkedAtOnce,
};
pub use slow::{SlowestKind, SlowestPart, SlowestRequests};

use crate::address;
use crate::scene::Scene;
use behind::loaded;
use door::{AtDoor, LoadThen, Outside, load_then, outside};
use elsewhere::Elsewhere;
use passed::Passed;
use seen::{SeenHop, Whose};
use walk::Walk;

/// So many more requests come in at the doors where they are not the load's alone.
const MORE_AT_DOOR: f64 = 1.2;
/// A hop that the load comes in by has at least so much of it.
const LEAST_SHARE: f64 = 0.05;

impl Scene<'_> {
    /// The account of the response time; none without any.
    pub fn account(&self) -> Option<&Account> {
        self.account.get_or_init(|| of(self)).as_ref()
    }
}

fn of(scene: &Scene<'_>) -> Option<Account> {
    let per_s = scene.throughput_per_s();
    if per_s <= 0.0 || scene.service_s() <= 0.0 {
        return None;
    }
    let wire = wire::read(scene);
    let doors = wire.map_or_else(Vec::new, |wire| doors(scene, wire));
    let held: f64 = doors.iter().map(|(_, held)| held).sum();
    let elsewhere = Elsewhere::of(scene);
    let then = wire.and_then(|wire| load_then(scene, wire));
    let here = elsewhere.share_here();
    let at_door = at_door((per_s, here), wire.zip(then), &doors, held);
    let outside = outside(scene, at_door, &elsewhere);
    let unit_ms = match outside.basis {
        AccountBasis::Wire => outside.inside_ms / held.max(1e-9),
        _ => 1e3 / per_s,
    };
    let mut walk = Walk::new(scene, wire, unit_ms);
    add_outside(&mut walk, &outside);
    for (origin, ms) in elsewhere.parts() {
        let nobody = Whose::default();
        walk.parts.add_for(&nobody, origin, ms, AccountBasis::Load);
    }
    enter(&mut walk, scene, &doors, outside.inside_ms);
    if wire.is_none() {
        walk.look_beside();
    }
    let response_ms = scene.total().response_time_ms.mean.max(0.0);
    let parts = walk.parts.of(response_ms);
    let together = together::of(scene, wire, &doors);
    let places = {
        let way = passed(&walk.way, &parts, unit_ms);
        full::places(scene, wire, &together, &way)
    };
    Some(Account {
        response_ms,
        requests_per_s: per_s,
        in_flight: per_s * response_ms / 1e3,
        slowest: slowest::of(scene, &parts),
        parts,
        plateaus: places,
        together,
        is_by_packets: wire.is_some(),
        way: walk
            .way
            .into_iter()
            .map(|(whose, depth, _)| (whose.host, whose.process, depth))
            .collect(),
    })
}

/// Goes in by the doors, by each with its part of the requests that are in the target for so long; where none is known to
/// have any, to the process that the load comes to.
fn enter(walk: &mut Walk<'_>, scene: &Scene<'_>, doors: &[(&SeenHop, f64)], inside_ms: f64) {
    let held: f64 = doors.iter().map(|(_, held)| held).sum();
    if held <= 0.0 {
        let seen = || doors.first().map(|(hop, _)| hop.server.clone());
        if let Some(whose) = loaded(scene).or_else(seen) {
            walk.enter(&whose, &scene.load().target, inside_ms, &[]);
        }
        return;
    }
    for (hop, own) in doors {
        let ms = inside_ms * own / held;
        let ms = walk.carry(&hop.client, &hop.server, &hop.address, ms);
        walk.enter(&hop.server, &hop.address, ms, &[]);
    }
}

/// What the doors say of how long the target has a request.
fn at_door(
    (per_s, here): (f64, f64),
    seen: Option<(&Wire, LoadThen)>,
    doors: &[(&SeenHop, f64)],
    held: f64,
) -> Option<AtDoor> {
    // Where requests are not counted they are as many as the load's.
    let came = doors.iter().map(|(hop, _)| match hop.sampled {
        true => per_s * here,
        false => hop.requests_per_s,
    });
    let came_per_s: f64 = came.sum();
    let knows = |(hop, _): &(&SeenHop, f64)| hop.is_generator && hop.client.is_known();
    let (wire, then) = seen.filter(|_| came_per_s > 0.0)?;
    // One request of the load may be several there (redirects); what others ask there, too, is each a request of its
    // own. Both are of some seconds, in which there are a few more or less by chance.
    let first = doors.first().map(|(hop, _)| &hop.client_address);
    let is_load =
        |(hop, _): &(&SeenHop, f64)| hop.is_generator || Some(&hop.client_address) == first;
    let are_more = came_per_s > MORE_AT_DOOR * then.per_s * here;
    let asked_per_s = match are_more && doors.iter().all(is_load) {
        true => then.per_s * here,
        false => came_per_s,
    };
    Some(AtDoor {
        then,
        lasts_ms: wire.lasts_s() * 1e3,
        has_ms: held / asked_per_s.max(1e-9) * 1e3,
        knows_generator: doors.iter().all(knows),
    })
}

/// The processes on the way, with the requests that are in them and wait there.
fn passed<'w>(
    way: &'w [(Whose, usize, f64)],
    parts: &[AccountPart],
    unit_ms: f64,
) -> Vec<Passed<'w>> {
    let in_process = |(whose, depth, stays_ms): &'w (Whose, usize, f64)| {
        let waits = |part: &&AccountPart| {
            let own = part.process == whose.process && part.host == whose.host;
            let kinds = [
                PartKind::AcceptQueue,
                PartKind::WaitingInside,
                PartKind::Unaccounted,
            ];
            own && kinds.contains(&part.kind)
        };
        let waiting_ms: f64 = parts.iter().filter(waits).map(|part| part.ms).sum();
        Passed {
            whose,
            depth: *depth,
            in_flight: stays_ms / unit_ms,
            waiting: waiting_ms / unit_ms,
        }
    };
    way.iter().map(in_process).collect()
}

/// The hops by which the load comes in, with their requests in flight.
fn doors<'w>(scene: &Scene<'_>, wire: &'w Wire) -> Vec<(&'w SeenHop, f64)> {
    let port = address::port(&scene.load().target);
    let decided = || {
        let hops = wire.hops.iter().filter(|hop| hop.server.is_known());
        hops.filter_map(|hop| Some((hop, hop.in_flight.as_ref()?.mean)))
    };
    let elsewhere = scene.load().elsewhere.iter();
    let elsewhere = elsewhere.map(|one| address::port(&one.origin));
    let ports: Vec<u16> = elsewhere.chain([port]).flatten().collect();
    let is_target =
        |hop: &SeenHop| address::port(&hop.address).is_some_and(|port| ports.contains(&port));
    let generated = || decided().filter(|(hop, _)| hop.is_generator);
    let known: Vec<_> = generated().filter(|(hop, _)| is_target(hop)).collect();
    if !known.is_empty() {
        return known;
    }
    // By way of a proxy, say. What watches asks services, too.
    let least_per_s = LEAST_SHARE * scene.throughput_per_s();
    let is_load = |hop: &SeenHop| !hop.sampled && hop.requests_per_s >= least_per_s;
    let generated: Vec<_> = generated().filter(|(hop, _)| is_load(hop)).collect();
    if !generated.is_empty() {
        return generated;
    }
    let from_outside = |hop: &SeenHop| {
        !hop.client.is_known() && port.is_some() && address::port(&hop.address) == port
    };
    let found: Vec<_> = decided().filter(|(hop, _)| from_outside(hop)).collect();
    first_of_chain(scene, found)
}

/// The doors without those that are behind others: whom the load comes to through another server has all of its requests,
/// too, and for less time.
fn first_of_chain<'w>(
    scene: &Scene<'_>,
    doors: Vec<(&'w SeenHop, f64)>,
) -> Vec<(&'w SeenHop, f64)> {
    let all_per_s = scene.throughput_per_s();
    let of = |server: &Whose| {
        let own = doors.iter().filter(|(hop, _)| hop.server == *server);
        own.fold((0.0, 0.0), |(per_s, held), (hop, own)| {
            (per_s + hop.requests_per_s, held + own)
        })
    };
    let has_all = |server: &Whose| of(server).0 * MORE_AT_DOOR >= all_per_s;
    let whole = doors.iter().map(|(hop, _)| &hop.server);
    let whole = whole.filter(|server| has_all(server));
    let first = whole.max_by(|a, b| of(a).1.total_cmp(&of(b).1)).cloned();
    let mut found = doors.clone();
    found.retain(|(hop, _)| first.as_ref() == Some(&hop.server) || !has_all(&hop.server));
    found
}

fn add_outside(walk: &mut Walk<'_>, outside: &Outside) {
    let nobody = Whose::default();
    for (kind, ms, basis) in [
        (PartKind::Generator, outside.generator_ms, outside.basis),
        (PartKind::Network, outside.connecting_ms, AccountBasis::Load),
        (PartKind::Network, outside.network_ms, outside.basis),
    ] {
        walk.parts.add(kind, &nobody, ms, basis);
    }
}
