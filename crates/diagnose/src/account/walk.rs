//! The way of a request from process to process, and how the time that it is in each is split.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};

use super::behind;
use super::model::{AccountBasis, AccountPart, LEAST_FOLLOWED, LONGEST_WAY, PartKind};
use super::parts::Parts;
use super::seen::{Whose, Wire};
use super::states::{self, AwaitedPeer, Doing};
use super::undecided;
use super::wanting::Wanting;
use crate::address;
use crate::processes::{may_have_requests, of_network};
use crate::scene::Scene;

/// Threads of which less waits for work are all taken.
const IDLE: f64 = 0.05;

/// Requests that packets show must be the most of those that are in a process: no more than so many times as many.
const MOST_UNSEEN: f64 = 2.0;
/// Goes the way of the requests.
pub(super) struct Walk<'a> {
    scene: &'a Scene<'a>,
    wire: Option<&'a Wire>,
    /// What one request in flight is of the response time, ms.
    unit_ms: f64,
    response_ms: f64,
    pub parts: Parts,
    /// Processes that were come to, each with how deep it lies and how long requests are there, ms.
    pub way: Vec<(Whose, usize, f64)>,
}

/// A stay of requests in a process.
struct Stay<'a> {
    whose: &'a Whose,
    /// So much of the response time, without waiting for others that the wire tells of.
    ms: f64,
    /// The share of the process' requests that these are.
    share: f64,
    /// What says that the requests are inside.
    seen_by: Option<AccountBasis>,
}

/// What of a stay is standing still for garbage collection. A stop holds up those that would work meanwhile, which are as
/// many as work between stops; who waits for something else waits for that all the same.
fn collecting_ms(doing: &Doing, stay: &Stay<'_>, unit_ms: f64) -> f64 {
    let stopped = doing.collecting;
    let most_ms = stopped * stay.ms;
    if doing.cpu_basis.is_none() || stopped >= 1.0 {
        return most_ms;
    }
    let working = (doing.running + doing.runnable + doing.disk) / (1.0 - stopped);
    most_ms.min(stopped * working * unit_ms)
}

impl<'a> Walk<'a> {
    pub fn new(scene: &'a Scene<'a>, wire: Option<&'a Wire>, unit_ms: f64) -> Self {
        Self {
            scene,
            wire,
            unit_ms,
            response_ms: scene.total().response_time_ms.mean,
            parts: Parts::default(),
            way: Vec::new(),
        }
    }

    fn is_watched(&self, whose: &Whose) -> bool {
        let mut known = self.scene.things(EntityKind::Process).into_iter();
        known.any(|process| process.name == whose.process && process.host == whose.host)
    }

    /// Requests come to a process at that address, and are there for so much of their time.
    pub fn enter(&mut self, whose: &Whose, address: &str, ms: f64, on_way: &[&Whose]) {
        let depth = on_way.len();
        if ms <= 0.0 {
            return;
        }
        let nobody = Whose::default();
        let before = on_way.last().copied().unwrap_or(&nobody);
        let is_little = depth > 0 && ms < LEAST_FOLLOWED * self.response_ms;
        if is_little || !whose.is_known() || on_way.contains(&whose) || depth >= LONGEST_WAY {
            let peer = whose.or_address(address);
            let basis = self.seen_by(whose, address);
            self.parts.add_for(before, peer, ms, basis);
            return;
        }
        match self.way.iter_mut().find(|(known, ..)| known == whose) {
            Some((_, deep, stays_ms)) => {
                *deep = depth.max(*deep);
                *stays_ms += ms;
            }
            None => self.way.push((whose.clone(), depth, ms)),
        }
        let (waiting_ms, share, is_seen) = self.waiting(whose, ms, before);
        let (queued_ms, basis) = self.waiting_to_be_accepted(whose, address, share);
        let queued_ms = queued_ms.min(ms - waiting_ms);
        self.parts
            .add(PartKind::AcceptQueue, whose, queued_ms, basis);
        let stay = Stay {
            whose,
            ms: ms - waiting_ms - queued_ms,
            share,
            seen_by: (is_seen || self.takes_work(whose)).then(|| self.seen_by(whose, address)),
        };
        let way: Vec<&Whose> = on_way.iter().copied().chain([whose]).collect();
        match self.is_watched(whose) {
            true => self.split(&stay, &way),
            false => {
                let peer = whose.process.as_str();
                let basis = self.seen_by(whose, address);
                self.parts.add_for(before, peer, stay.ms, basis);
            }
        }
        self.call(whose, waiting_ms, &way);
    }

    /// How long requests that are so long in a process wait for others, by the wire; the share of
    /// its requests that they are, and whether the wire saw these.
    fn waiting(&self, whose: &Whose, ms: f64, before: &Whose) -> (f64, f64, bool) {
        let Some(wire) = self.wire else {
            return (0.0, 1.0, false);
        };
        let seen = wire.process(whose).map(|seen| {
            let ratio = ms / (seen.in_flight.mean * self.unit_ms).max(1e-9);
            (seen, ratio)
        });
        // Where far more is there than was seen to come, what was seen says nothing of the rest.
        if let Some((seen, ratio)) = seen.filter(|(_, ratio)| *ratio <= MOST_UNSEEN) {
            let waiting = seen.waiting_for_others.min(seen.in_flight.mean);
            return (waiting * self.unit_ms * ratio, ratio.min(1.0), true);
        }
        let calls: f64 = wire
            .waits_for(whose)
            .iter()
            .map(|(.., number)| number)
            .sum();
        let part = wire.part_by(whose, before);
        ((calls * part * self.unit_ms).min(ms), part, false)
    }

    /// Whether a process that serves nobody was seen to take work from a queue: what waits for it is in that, or inside.
    fn takes_work(&self, whose: &Whose) -> bool {
        self.wire.is_some_and(|wire| {
            let own = wire.hops.iter().filter(|hop| hop.client == *whose);
            let mut waits = own.filter_map(|hop| hop.waits.as_ref());
            wire.process(whose).is_none() && waits.any(|waits| waits.requests > 0.0)
        })
    }

    /// Goes on to those that a process calls, each with its share of the waiting.
    fn call(&mut self, whose: &Whose, waiting_ms: f64, way: &[&Whose]) {
        let Some(wire) = self.wire else { return };
        let calls = wire.waits_for(whose);
        let all: f64 = calls.iter().map(|(.., number)| number).sum();
        for (server, address, number) in calls {
            let ms = waiting_ms * number / all.max(1e-9);
            let ms = self.carry(whose, &server, &address, ms);
            self.enter(&server, &address, ms, way);
        }
    }

    /// What of the time of calls is their way, by packets that were seen at both sides; gives the rest.
    pub fn carry(&mut self, client: &Whose, server: &Whose, address: &str, ms: f64) -> f64 {
        let share = self
            .wire
            .map_or(0.0, |wire| wire.share_in_transit(client, server, address));
        let peer = server.or_address(address);
        self.parts.add_between(client, peer, ms * share);
        ms * (1.0 - share)
    }

    /// What tells of the requests that come to a process at that address.
    fn seen_by(&self, whose: &Whose, address: &str) -> AccountBasis {
        match self.wire.is_none() || self.queues(whose, address).next().is_some() {
            true => AccountBasis::Sockets,
            false => AccountBasis::Wire,
        }
    }

    /// Calls that wait to be accepted at that address, of each hop of which that was seen.
    fn queues(&self, whose: &Whose, address: &str) -> impl Iterator<Item = f64> {
        let hops = self.wire.into_iter().flat_map(|wire| &wire.hops);
        let at = hops.filter(move |hop| hop.server == *whose && hop.address == address);
        at.filter_map(|hop| hop.accept_queue)
    }

    /// Requests whose connection nobody has accepted yet, ms, and what says so.
    fn waiting_to_be_accepted(
        &self,
        whose: &Whose,
        address: &str,
        share: f64,
    ) -> (f64, AccountBasis) {
        if let Some(queued) = self.queues(whose, address).reduce(|all, one| all + one) {
            return (queued * self.unit_ms * share, AccountBasis::Sockets);
        }
        let Some(port) = address::port(address) else {
            return (0.0, AccountBasis::Series);
        };
        let process = Entity {
            kind: EntityKind::Process,
            name: whose.process.clone(),
            host: whose.host.clone(),
        };
        let queue = of_network(self.scene, &process, names::host::LISTEN_QUEUE);
        let queue = queue.with(attributes::SERVER_PORT, &port.to_string());
        // Those that wait there all the time are none of the requests that got a response.
        let lengths = queue.track().into_iter().map(|(_, length)| length);
        let least = lengths.reduce(f64::min).unwrap_or(0.0);
        let without = (self.scene.outstanding() - self.scene.in_flight()).min(least);
        let queued = queue.mean().unwrap_or(0.0) - without.max(0.0);
        (queued * self.unit_ms * share, AccountBasis::Series)
    }

    /// Splits a stay by what the process does meanwhile.
    fn split(&mut self, stay: &Stay<'_>, way: &[&Whose]) {
        let doing = states::of(self.scene, stay.whose);
        let unit_ms = self.unit_ms * stay.share;
        let collecting_ms = collecting_ms(&doing, stay, unit_ms);
        let left_ms = stay.ms - collecting_ms;
        let reads = self.unseen_reads(stay.whose, &doing);
        let read: f64 = reads.iter().map(|read| read.number).sum();
        let threads = doing.at_work(read);
        let fits = (left_ms / (threads * unit_ms).max(1e-9)).min(1.0);
        let of = |number: f64| number * unit_ms * fits;
        let cpu = doing.cpu_basis.unwrap_or(AccountBasis::Series);
        let by_threads = AccountBasis::Threads;
        let parts = &mut self.parts;
        parts.add(PartKind::Running, stay.whose, of(doing.running), cpu);
        parts.add(PartKind::CpuWait, stay.whose, of(doing.runnable), cpu);
        parts.add(PartKind::Disk, stay.whose, of(doing.disk), by_threads);
        parts.add(
            PartKind::GarbageCollection,
            stay.whose,
            collecting_ms,
            AccountBasis::Series,
        );
        for (state, number) in &doing.waits {
            parts.add_state(stay.whose, state, of(*number));
        }
        let passed = self.passed_on(stay, &reads, left_ms - of(threads), unit_ms);
        let passed_ms: f64 = passed.iter().map(|(.., ms)| ms).sum();
        let rest_ms = left_ms - of(threads) - passed_ms;
        let (kind, basis) = self.rest(stay, &doing, rest_ms);
        let queued_ms = match kind {
            PartKind::WaitingInside => {
                // Threads that the kernel knows to want one are counted already.
                let wanting = Wanting {
                    whose: stay.whose,
                    stays_ms: stay.ms,
                    threads: doing.running + doing.runnable,
                };
                let beside_ms = wanting.cpu_ms(self.scene) - of(doing.runnable);
                rest_ms.min(beside_ms.max(0.0))
            }
            _ => 0.0,
        };
        self.parts.add(
            PartKind::CpuWait,
            stay.whose,
            queued_ms,
            AccountBasis::Series,
        );
        self.parts.add(kind, stay.whose, rest_ms - queued_ms, basis);
        for read in reads {
            self.read(&read, of(read.number), stay.whose, way);
        }
        for (server, address, ms) in passed {
            self.enter(&server, &address, ms, way);
        }
    }

    /// Calls in which requests cannot be told apart, or, without packets, those of a proxy: each with how much of the rest
    /// of a stay they are beyond those that threads wait for.
    fn passed_on(
        &self,
        stay: &Stay<'_>,
        reads: &[AwaitedPeer],
        rest_ms: f64,
        unit_ms: f64,
    ) -> Vec<(Whose, String, f64)> {
        let mut calls = match self.wire {
            Some(wire) => undecided::calls(self.scene, wire, stay.whose),
            None => behind::calls(self.scene, stay.whose),
        };
        calls.retain(|(server, ..)| self.wire.is_none() || self.is_watched(server));
        for (server, address, number) in &mut calls {
            let own = reads.iter().filter(|read| {
                read.address == *address || server.is_known() && read.process == server.process
            });
            *number = (*number - own.map(|read| read.number).sum::<f64>()).max(0.0);
        }
        let all: f64 = calls.iter().map(|(.., number)| number * unit_ms).sum();
        let fits = (rest_ms.max(0.0) / all.max(1e-9)).min(1.0);
        for (.., number) in &mut calls {
            *number *= unit_ms * fits;
        }
        calls
    }

    /// What threads read from whom the wire does not tell of. Where it knows nothing of an address, that may be another
    /// one of somebody whose calls it tells of (one is translated on the way, or the thread does not say it).
    fn unseen_reads(&self, whose: &Whose, doing: &Doing) -> Vec<AwaitedPeer> {
        let Some(wire) = self.wire else {
            return doing.reads.clone();
        };
        let of_client = || wire.hops.iter().filter(|hop| hop.client == *whose);
        let is_known = |read: &AwaitedPeer| of_client().any(|hop| hop.address == read.address);
        let is_told = |read: &AwaitedPeer| {
            wire.calls(whose)
                .any(|(hop, _)| hop.address == read.address)
        };
        let unknown = || doing.reads.iter().filter(|read| !is_known(read));
        let read: f64 = unknown().map(|read| read.number).sum();
        let beside = wire.calls(whose).filter(|(hop, _)| {
            let mut reads = doing.reads.iter();
            !reads.any(|read| read.address == hop.address)
        });
        let told: f64 = beside.map(|(_, level)| level.mean).sum();
        let left = (read - told).max(0.0) / read.max(1e-9);
        let unseen = doing.reads.iter().filter(|read| !is_told(read));
        let beyond = unseen.map(|read| AwaitedPeer {
            number: read.number * if is_known(read) { 1.0 } else { left },
            ..read.clone()
        });
        beyond.filter(|read| read.number > 0.0).collect()
    }

    /// What the rest of a stay is: the requests are inside, or nobody knows.
    fn rest(&self, stay: &Stay<'_>, doing: &Doing, rest_ms: f64) -> (PartKind, AccountBasis) {
        // No thread waits for work: each has a request, and the others wait for one.
        let in_flight = (stay.ms / self.unit_ms).max(1e-9);
        let all_taken = doing.threads >= 1.0
            && doing.idle <= IDLE * doing.threads
            && doing.threads <= in_flight + doing.idle;
        let calls_unseen = self
            .wire
            .and_then(|wire| wire.process(stay.whose))
            .is_some_and(|seen| seen.calls_undecided);
        // Requests that an event loop has passed on are in no thread.
        let is_told = !calls_unseen || doing.has_threads && !doing.has_loops;
        match stay.seen_by {
            Some(basis) if is_told => (PartKind::WaitingInside, basis),
            _ if all_taken && rest_ms > 0.0 => (PartKind::WaitingInside, AccountBasis::Threads),
            _ => (PartKind::Unaccounted, AccountBasis::Load),
        }
    }

    /// Threads wait for a peer: on to its process, if that is watched.
    fn read(&mut self, read: &AwaitedPeer, ms: f64, before: &Whose, way: &[&Whose]) {
        let there = Whose {
            host: before.host.clone(),
            process: read.process.clone(),
        };
        if there.is_known() && self.is_watched(&there) {
            return self.enter(&there, &read.address, ms, way);
        }
        let peer = there.or_address(&read.address);
        self.parts.add_for(before, peer, ms, AccountBasis::Threads);
    }

    /// Without the wire: what other processes that may have the requests use of the CPU is part of what is waited for,
    /// or of what nobody knows.
    pub fn look_beside(&mut self) {
        for process in self.scene.things(EntityKind::Process) {
            let whose = Whose {
                host: process.host.clone(),
                process: process.name.clone(),
            };
            let is_generator = process.name.starts_with("plimsoll");
            let is_known = self.way.iter().any(|(known, ..)| *known == whose);
            if is_generator || is_known || !may_have_requests(self.scene, &process) {
                continue;
            }
            let doing = states::of(self.scene, &whose);
            for (kind, number) in [
                (PartKind::Running, doing.running),
                (PartKind::CpuWait, doing.runnable),
            ] {
                let open = |part: &AccountPart| {
                    part.kind == PartKind::Unaccounted
                        || part.kind == PartKind::WaitingFor && part.peer.is_empty()
                };
                let ms = self.parts.take(number * self.unit_ms, open);
                self.parts.add(kind, &whose, ms, AccountBasis::Series);
            }
        }
    }
}
