//! Requests that wait in a queue at a server, and those who take from it, as packets show both.

use super::model::Account;
use super::seen::{SeenWaits, Wire};
use super::wire;
use crate::scene::Scene;

/// Requests of a process that wait in a queue for whoever works on what is in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueuedWork {
    /// Who waits, and the host of both.
    pub process: String,
    pub host: String,
    /// Where the queue is.
    pub server: String,
    /// Who lets them go on.
    pub worker: String,
    /// The worker's message lets them go on, by the times at which messages pass; how it gets its work was not seen.
    pub relayed: bool,
    /// Requests that wait for that, on average.
    pub waiting: f64,
    /// Connections on which the worker takes work, one at a time, and how many of them have some on average; 0
    /// where it does not wait for work there.
    pub takers: f64,
    pub at_work: f64,
    /// Works that it takes a second.
    pub per_s: f64,
}

/// Those of the processes on the way.
pub(crate) fn queued_work(scene: &Scene<'_>, account: &Account) -> Vec<QueuedWork> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for hop in &wire.hops {
        let client = &hop.client;
        let Some(waits) = &hop.waits else { continue };
        // Who serves nobody waits for work.
        if account.depth(&client.host, &client.process).is_none() || wire.process(client).is_none()
        {
            continue;
        }
        for (worker, share) in waits.shares().filter(|(worker, _)| !worker.is_empty()) {
            let (takers, at_work, per_s) = takers(wire, worker, &hop.address);
            found.push(QueuedWork {
                process: client.process.clone(),
                host: client.host.clone(),
                server: hop.called().to_owned(),
                worker: worker.to_owned(),
                relayed: hop.relayed,
                waiting: waits.in_flight * share,
                takers,
                at_work,
                per_s,
            });
        }
    }
    found
}

/// On how many connections a worker takes work at an address, how many have some, and works a second.
fn takers(wire: &Wire, worker: &str, address: &str) -> (f64, f64, f64) {
    let own = wire.hops.iter();
    let own = own.filter(|hop| hop.client.process == worker && hop.address == address);
    let waits = || {
        own.clone()
            .filter_map(|hop| Some((hop, hop.waits.as_ref()?)))
    };
    let sum = |of: fn(&SeenWaits) -> f64| waits().map(|(_, waits)| of(waits)).sum::<f64>();
    let (takers, idle) = (sum(|waits| waits.connections), sum(|waits| waits.in_flight));
    let per_s = waits()
        .map(|(hop, waits)| waits.requests / hop.lasts_s())
        .sum();
    (takers, (takers - idle).max(0.0), per_s)
}
