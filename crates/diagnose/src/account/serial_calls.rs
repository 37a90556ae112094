//! Calls that a process makes one after the other for each of its requests, as packets show it: at no moment
//! are more calls under way than requests, and together they last as long as the requests do.

use std::collections::BTreeMap;

use super::calls::is_call;
use super::model::Account;
use super::seen::{SeenProcess, Wire};
use super::wire;
use crate::scene::Scene;

/// Calls last so much of the requests' time at least, and one of them so much that it counts.
const LEAST: f64 = 0.75;
const COUNTS: f64 = 0.05;
/// Calls at the same time would be more than requests at so many moments; less may be packets that came late.
const SAME_TIME: f64 = 0.01;
/// Two servers' calls are made for the same requests where one has not so many times as many.
const ALIKE: f64 = 1.5;

/// Calls of one process to several, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SerialCalls {
    /// Who calls, and its host.
    pub process: String,
    pub host: String,
    /// Requests that it has at a time, and how long it has one, ms.
    pub in_flight: f64,
    pub stay_ms: f64,
    /// Whom it calls, with calls for each request and their time together, ms of each request; the longest first.
    pub called: Vec<(String, f64, f64)>,
}

impl SerialCalls {
    /// The time of all calls for a request, ms.
    pub fn all_ms(&self) -> f64 {
        self.called.iter().map(|(.., ms)| ms).sum()
    }

    /// The time that is saved where those of all servers are made at the same time, ms.
    pub fn saved_ms(&self) -> f64 {
        let longest = self.called.first().map_or(0.0, |(.., ms)| *ms);
        self.all_ms() - longest
    }
}

/// Those of the processes on the way.
pub(crate) fn serial_calls(scene: &Scene<'_>, account: &Account) -> Vec<SerialCalls> {
    let Some(wire) = wire::read(scene) else {
        return Vec::new();
    };
    let on_way = |seen: &&SeenProcess| {
        let whose = &seen.whose;
        account.depth(&whose.host, &whose.process).is_some()
    };
    let seen = wire.processes.iter().filter(on_way);
    seen.filter_map(|seen| of(wire, seen)).collect()
}

fn of(wire: &Wire, seen: &SeenProcess) -> Option<SerialCalls> {
    let stays = seen.in_flight.mean;
    let rate = seen.requests_per_s;
    if seen.calls_undecided || stays <= 0.0 || rate <= 0.0 {
        return None;
    }
    let mut by_server: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (hop, level) in wire.calls(&seen.whose).filter(|(hop, _)| is_call(hop)) {
        let server = wire.called(hop).to_owned();
        let (number, calls) = by_server.entry(server).or_default();
        *number += level.mean;
        *calls += hop.requests_per_s;
    }
    let all: f64 = by_server.values().map(|(number, _)| number).sum();
    // Of each moment the wire counts what waits: never more than there are requests.
    let beyond = all - seen.waiting_for_others;
    if all < LEAST * stays || beyond > SAME_TIME * stays {
        return None;
    }
    let counts = by_server
        .into_iter()
        .filter(|(_, (number, calls))| *number >= COUNTS * stays && *calls * ALIKE >= rate);
    let mut called: Vec<(String, f64, f64)> = counts
        .map(|(server, (number, calls))| (server, calls / rate, number / rate * 1e3))
        .collect();
    called.sort_by(|a, b| b.2.total_cmp(&a.2));
    (called.len() > 1).then(|| SerialCalls {
        process: seen.whose.process.clone(),
        host: seen.whose.host.clone(),
        in_flight: stays,
        stay_ms: stays / rate * 1e3,
        called,
    })
}
