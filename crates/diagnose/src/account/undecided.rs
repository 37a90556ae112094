//! Calls in which requests cannot be told apart: at least as many are under way as threads of who is called
//! are at work.

use super::seen::{SeenHop, Whose, Wire};
use super::states;
use crate::scene::Scene;

/// Whom a process calls so, where that listens, and how many calls are there at least.
pub(super) fn calls(scene: &Scene<'_>, wire: &Wire, client: &Whose) -> Vec<(Whose, String, f64)> {
    let undecided = |hop: &&SeenHop| {
        let no_times = hop.in_flight.is_none() && !hop.sampled;
        no_times && hop.client == *client && hop.server.is_known() && hop.server != *client
    };
    let of_client = wire.hops.iter().filter(undecided);
    let found = of_client.filter_map(|hop| {
        let beside = wire.hops.iter().filter(|other| other.server == hop.server);
        let all: f64 = beside.map(|other| other.bytes_per_s).sum();
        let own = hop.bytes_per_s / all.max(1e-9);
        let doing = states::of(scene, &hop.server);
        let reads = doing.reads.iter().map(|read| read.number).sum();
        let number = doing.at_work(reads) * own;
        (number > 0.0).then(|| (hop.server.clone(), hop.address.clone(), number))
    });
    found.collect()
}
