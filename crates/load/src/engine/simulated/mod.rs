//! The engine on a simulated driver: whole runs of plans whose times are exact.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod ends;
mod exchanges;
mod loads;
mod pieces;
mod together;
mod tunnels;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use plimsoll_access::Access;
use plimsoll_plan::compile::{CompileOptions, compile};
use plimsoll_plan::parse_yaml;
use plimsoll_plan::program::Program;
use plimsoll_stats::LabelInfo;

use super::{Ended, Event, Observer, Options, Second, run};
use crate::clock::Clock;
use crate::driver::Driver;
use crate::driver::simulated::{Act, Deed, HttpPeer, HttpRequest, World, response};
use crate::recorder::LoggedSample;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;
/// What connecting takes in a world of peers.
const CONNECT_NS: u64 = 100 * US;
/// What a request and its response take at least on their ways.
const WAYS_NS: u64 = 2 * US;

/// What a run told.
#[derive(Default)]
struct Heard {
    samples: Vec<LoggedSample>,
    labels: Vec<LabelInfo>,
    seconds: Vec<u64>,
    events: Vec<Event>,
    begin_unix_ns: u64,
    resent: u64,
    cut_off: u64,
    dropped: u64,
    after_load: u64,
    lateness_max_ns: u64,
    lag_max_ns: u64,
}

impl Observer for Heard {
    fn started(&mut self, clock: Clock) {
        self.begin_unix_ns = clock.unix_ns(0);
    }

    fn labels(&mut self, labels: &[LabelInfo]) {
        self.labels.extend_from_slice(labels);
    }

    fn second(&mut self, second: &Second<'_>) {
        self.seconds.push(second.second);
        self.samples.extend_from_slice(second.samples);
        if second.after_load {
            self.after_load += second.samples.len() as u64;
        }
        self.lateness_max_ns = self.lateness_max_ns.max(second.lateness.max_ns());
        self.lag_max_ns = self.lag_max_ns.max(second.receive_lag.max_ns());
        for (_, interval) in second.labels.iter() {
            self.resent += interval.resent;
            self.cut_off += interval.cut_off;
            self.dropped += interval.dropped_iterations;
        }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
}

impl Heard {
    /// When samples began, since the load did.
    fn starts(&self) -> Vec<u64> {
        let starts = self.samples.iter().map(|sample| sample.start_unix_ns);
        starts.map(|start| start - self.begin_unix_ns).collect()
    }

    /// How long they took.
    fn times(&self) -> Vec<u64> {
        self.samples.iter().map(|one| one.service_ns).collect()
    }

    /// Why they failed.
    fn errors(&self) -> Vec<&'static str> {
        let kinds = self.samples.iter().filter_map(|sample| sample.error);
        kinds.map(|kind| kind.name()).collect()
    }
}

fn program(yaml: &str) -> Arc<Program> {
    let yaml = format!("target: http://192.0.2.1:80\n{yaml}");
    let (plan, _) = parse_yaml(&yaml, "p.yaml").unwrap_or_else(|problems| panic!("{problems:?}"));
    let compiled = compile(&plan, &CompileOptions::default());
    Arc::new(compiled.unwrap_or_else(|problems| panic!("{problems:?}")))
}

fn simulate_with(yaml: &str, world: World, options: Options) -> (Heard, Ended) {
    let options = Options {
        driver: Driver::Simulated(world),
        access: Access::of_user(),
        log_samples: true,
        timed_every: 1,
        seed: 7,
        ..options
    };
    let mut heard = Heard::default();
    let ended = run(&program(yaml), &options, &mut heard).unwrap();
    heard.samples.sort_by_key(|sample| sample.start_unix_ns);
    (heard, ended)
}

/// A run of a plan in a world.
fn simulate(yaml: &str, world: World) -> (Heard, Ended) {
    simulate_with(yaml, world, Options::default())
}

/// Says a response after a time.
fn after(after_ns: u64, bytes: Vec<u8>) -> Vec<Act> {
    vec![Act::after(after_ns, Deed::Say(bytes))]
}

/// A world of servers that say the same to all requests after the same time.
fn steady(after_ns: u64) -> World {
    respond(move |_, _| after(after_ns, response(200, "", b"hello")))
}

/// A world of servers that respond by the number of the connection and by the request.
fn respond(
    respond: impl Fn(u64, &HttpRequest) -> Vec<Act> + Send + Sync + Clone + 'static,
) -> World {
    World::of_peers(move |connection| {
        let respond = respond.clone();
        HttpPeer::new(move |request| respond(connection, request))
    })
}

/// Something that servers count.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU64>);

impl Count {
    /// One more; how many were before.
    fn add(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What servers heard, in its order.
#[derive(Clone, Default)]
struct Noted(Arc<Mutex<Vec<String>>>);

impl Noted {
    fn note(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
