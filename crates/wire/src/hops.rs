//! Connections as hops between processes.

use std::collections::{BTreeMap, BTreeSet};

use crate::cached::CacheTally;
use crate::connection::Followed;
use crate::exchanges::{HowSeen, WireExchange, WireMark};
use crate::held::HeldSums;
use crate::in_flight::FlightSteps;
use crate::lookups;
use crate::lookups::SeenLookup;
use crate::owners::{Owners, Sides, by_sides};
use crate::protocol::SeenTls;
use crate::queues::{self, MarkedHop};
use crate::relays::{self, SeenRelays, TimedHop};
use crate::report::{WireHop, WireProcess, WireReport};
use crate::sampled::SampledHop;
use crate::slowest::{self, HopExchanges};
use crate::times::{times, tls, transit};
use crate::together::{done_together, times_by_number};
use crate::transactions::{self, SeenTransaction};
use crate::transit::{Transit, mean};
use crate::tries::TryTally;

/// So many hops are listed.
const MAX_HOPS: usize = 200;
/// So many connections of a hop are numbered.
const MAX_NUMBERED: usize = 128;
/// The form of reports.
const VERSION: u32 = 1;
/// Requests that are told apart by turns are not, if both sides spoke at once so often.
const MIN_CROSSED: u32 = 3;
/// And once in so many turns.
const TURNS_PER_CROSSED: u32 = 100;
/// The protocol whose responses are read for whether they are failures.
const TELLS_FAILURE: &str = "http1";
/// And the one whose transactions are.
const TELLS_COMMITS: &str = "postgres";
/// What is kept of a hop while its connections are gathered.
struct Gathered {
    hop: WireHop,
    steps: FlightSteps,
    /// Connections that wait to be accepted, where that was seen.
    queued: Option<FlightSteps>,
    handshakes: Vec<u64>,
    openings: Vec<u64>,
    tls: Vec<SeenTls>,
    commits: u64,
    cached: CacheTally,
    tries: TryTally,
    lookups: Vec<SeenLookup>,
    /// What client and server held back.
    held: [HeldSums; 2],
    turns: u32,
    crossed: u32,
    exchanges: Vec<WireExchange>,
    /// Those that no request of the client waits for.
    apart: Vec<WireExchange>,
    /// Connections on which requests wait for other clients.
    waiting: u64,
    /// When client and server said something, where requests cannot be told apart.
    times_ns: [Vec<u64>; 2],
    /// What waits for messages that other clients send through the server.
    relays: Option<SeenRelays>,
    transactions: Vec<SeenTransaction>,
    transit: Transit,
    /// The lowest numbers of its connections, where one side is unknown.
    numbers: BTreeSet<u64>,
}

/// Tells what was seen in a stretch of time (Unix nanoseconds) of a share of all connections.
pub(crate) fn report(
    (from_ns, until_ns): (u64, u64),
    share: f64,
    followed: Vec<Followed>,
    sampled: &[SampledHop],
    owners: &dyn Owners,
) -> WireReport {
    let mut gathered: Vec<Gathered> = Vec::new();
    for (sides, followed) in by_sides(followed, owners) {
        for (way, connections) in by_protocol(followed) {
            let mut hop = Gathered::new(&sides, way, FlightSteps::new(from_ns, until_ns));
            connections.into_iter().for_each(|one| hop.add(one));
            hop.decide(share);
            gathered.push(hop);
        }
    }
    let sampled = sampled.iter();
    gathered
        .extend(sampled.map(|hop| Gathered::sampled(hop, &FlightSteps::new(from_ns, until_ns))));
    let lasts_s = (until_ns - from_ns) as f64 / 1e9;
    if share >= 1.0 {
        tell_relays(&mut gathered, (from_ns, until_ns));
    }
    let none = FlightSteps::new(from_ns, until_ns);
    // Of a share of the connections requests are missing.
    if share >= 1.0 {
        take_apart(&mut gathered, until_ns - from_ns);
    }
    let processes = processes(&gathered, share, lasts_s, &none);
    if share >= 1.0 {
        tell_waits(&mut gathered, (from_ns, until_ns));
    }
    // Of a share of the connections calls are missing.
    let slowest = (share >= 1.0)
        .then(|| slowest::of(&gathered.iter().map(Gathered::exchanged).collect::<Vec<_>>()));
    let mut hops: Vec<WireHop> = gathered
        .into_iter()
        .map(|hop| hop.finish(share, lasts_s, until_ns, &none))
        .collect();
    hops.sort_by_key(|hop| std::cmp::Reverse((hop.requests, hop.connections)));
    let left_out = hops.len().saturating_sub(MAX_HOPS);
    hops.truncate(MAX_HOPS);
    WireReport {
        version: VERSION,
        from_unix_ns: from_ns,
        lasts_ms: lasts_s * 1e3,
        connections_share: share,
        hops,
        hops_left_out: left_out as u64,
        slowest: slowest.flatten(),
        processes,
        ..WireReport::default()
    }
}

/// A share of all connections says something of a hop of which so many are followed.
const LEAST_FOLLOWED: u64 = 3;
/// Requests that last so much of the stretch may be longer than was seen.
const SHORT: f64 = 0.8;

/// Takes calls out that are longer than any request of who makes them, as far as all its requests are known: what is read
/// from a queue all the time, or a stream that is kept open, is waited for by no request.
fn take_apart(gathered: &mut [Gathered], lasts_ns: u64) {
    let mut longest: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for hop in gathered.iter() {
        let own = hop.hop.server.process.as_str();
        if own.is_empty() {
            continue;
        }
        let lasted = |one: &WireExchange| one.done_ns.saturating_sub(one.asked_ns);
        let most = hop.exchanges.iter().map(lasted).max().unwrap_or(0);
        let is_known = hop.hop.decided && hop.queued.is_none();
        let most = Some(most).filter(|most| is_known && (*most as f64) < SHORT * lasts_ns as f64);
        let all = longest.entry(own.to_owned()).or_insert(Some(0));
        *all = all.zip(most).map(|(all, most)| all.max(most));
    }
    for hop in gathered.iter_mut().filter(|hop| hop.hop.decided) {
        let of_client = longest.get(&hop.hop.client.process).copied().flatten();
        if let Some(longest_ns) = of_client.filter(|longest| *longest > 0) {
            hop.take_apart(longest_ns);
        }
    }
}

/// Tells of each hop what waits there for others.
fn tell_waits(gathered: &mut [Gathered], stretch: (u64, u64)) {
    for hop in gathered.iter_mut() {
        hop.hop.transactions = transactions::told(&hop.transactions, stretch);
        hop.hop.waits = hop.relays.take().map(|relays| relays.waits);
    }
    if gathered.iter().all(|hop| hop.waiting == 0) {
        return;
    }
    let marked: Vec<MarkedHop<'_>> = gathered.iter().map(Gathered::marked).collect();
    let waits = queues::of(&marked, stretch);
    for (hop, waits) in gathered.iter_mut().zip(waits) {
        hop.hop.waits = waits.or(hop.hop.waits.take());
    }
}

/// Finds what waits at hops, whose requests cannot be told apart, for messages of others.
fn tell_relays(gathered: &mut [Gathered], stretch: (u64, u64)) {
    if gathered.iter().all(|hop| hop.hop.decided) {
        return;
    }
    let timed: Vec<TimedHop<'_>> = gathered.iter().map(Gathered::timed).collect();
    let relays = relays::of(&timed, stretch);
    for (hop, relays) in gathered.iter_mut().zip(relays) {
        hop.relays = relays;
    }
}

/// How requests are sent, and whether that can be told apart.
type Way = (&'static str, bool);

/// The same by protocol; those that said nothing go with the most.
fn by_protocol(followed: Vec<Followed>) -> BTreeMap<Way, Vec<Followed>> {
    let mut ways: BTreeMap<Way, Vec<Followed>> = BTreeMap::new();
    let mut silent = Vec::new();
    for one in followed {
        match one.told.protocol {
            None if one.exchanges.is_empty() && !one.told.undecided => silent.push(one),
            name => {
                let way = (name.unwrap_or("unknown"), one.told.undecided);
                ways.entry(way).or_default().push(one);
            }
        }
    }
    let most = ways.iter().max_by_key(|(_, all)| all.len());
    let most = most.map_or(("unknown", false), |(way, _)| *way);
    if !silent.is_empty() {
        ways.entry(most).or_default().extend(silent);
    }
    ways
}

impl Gathered {
    fn new((client, server): &Sides, (protocol, undecided): Way, steps: FlightSteps) -> Self {
        Self {
            hop: WireHop {
                client: client.clone(),
                server: server.clone(),
                protocol: protocol.to_owned(),
                decided: !undecided,
                ..WireHop::default()
            },
            steps,
            queued: None,
            handshakes: Vec::new(),
            openings: Vec::new(),
            tls: Vec::new(),
            commits: 0,
            cached: CacheTally::default(),
            tries: TryTally::default(),
            lookups: Vec::new(),
            held: <[HeldSums; 2]>::default(),
            turns: 0,
            crossed: 0,
            exchanges: Vec::new(),
            apart: Vec::new(),
            waiting: 0,
            times_ns: <[Vec<u64>; 2]>::default(),
            relays: None,
            transactions: Vec::new(),
            transit: Transit::default(),
            numbers: BTreeSet::new(),
        }
    }

    /// A hop that was looked at in other ways.
    fn sampled(seen: &SampledHop, none: &FlightSteps) -> Self {
        let sides = (seen.client.clone(), seen.server.clone());
        let mut own = Self::new(&sides, ("", !seen.decided), none.clone());
        let mut queued = none.clone();
        queued.add_looks(&seen.looks, |look| look.queued);
        own.queued = Some(queued);
        own.steps.add_looks(&seen.looks, |look| look.in_flight);
        own.hop.protocol.clone_from(&seen.protocol);
        own.hop.sampled = true;
        (own.hop.connections, own.hop.opened, own.hop.closed) =
            (seen.connections, seen.opened, seen.closed);
        own
    }

    fn add(&mut self, mut one: Followed) {
        let hop = &mut self.hop;
        hop.connections += 1;
        hop.opened += u64::from(one.passing);
        hop.closed += u64::from(one.closed && !one.refused);
        hop.refused += u64::from(one.refused);
        hop.bytes_sent += one.bytes_sent;
        hop.bytes_received += one.bytes_received;
        hop.retransmissions += one.retransmissions;
        self.handshakes.extend(one.handshake_ns);
        self.number(&one);
        self.opens(&one);
        self.commits += one.commits;
        self.cached.join(std::mem::take(&mut one.cached));
        self.tries.join(std::mem::take(&mut one.tries));
        self.lookups.append(&mut one.lookups);
        for (sums, held) in self.held.iter_mut().zip(one.held) {
            sums.add(held);
        }
        self.turns += one.told.turns;
        self.crossed += one.told.crossed;
        one.exchanges
            .iter()
            .for_each(|exchange| self.steps.add(exchange));
        let waits = |one: &WireExchange| matches!(one.mark, Some(WireMark::Waits(_)));
        self.waiting += u64::from(one.exchanges.iter().any(waits));
        self.transactions.append(&mut one.transactions);
        self.exchanges.append(&mut one.exchanges);
        self.transit.join(one.transit.unwrap_or_default());
        for (all, own) in self.times_ns.iter_mut().zip(&mut one.times_ns) {
            all.append(own);
        }
    }

    /// Another host may know the side that is unknown here.
    fn number(&mut self, one: &Followed) {
        let (client, server) = (&self.hop.client.process, &self.hop.server.process);
        let is_known = !client.is_empty() && !server.is_empty();
        if is_known || one.datagrams || one.ends.is_loopback() {
            return;
        }
        self.numbers.insert(one.ends.number());
        if self.numbers.len() > MAX_NUMBERED {
            self.numbers.pop_last();
        }
    }

    /// Who opens a connection waits for that, unless it makes the load and counts that time itself.
    fn opens(&mut self, one: &Followed) {
        self.tls.extend(one.tls);
        let Some((from_ns, until_ns)) = one.opening else {
            return;
        };
        self.openings.push(until_ns.saturating_sub(from_ns));
        let client = &self.hop.client;
        if !client.process.is_empty() && !client.is_generator {
            self.steps.add_stretch(from_ns, until_ns);
        }
    }

    /// Requests of which all was seen.
    fn whole(&self) -> impl Iterator<Item = &WireExchange> {
        let all = self.exchanges.iter();
        all.filter(|exchange| exchange.seen == HowSeen::Whole)
    }

    /// From when to when the server has each of some requests, with their packets on the way left out.
    fn at_server<'e>(
        &self,
        exchanges: impl Iterator<Item = &'e WireExchange>,
    ) -> impl Iterator<Item = (u64, u64)> {
        let there_ns = mean(&self.transit.to_server_ns);
        let back_ns = mean(&self.transit.to_client_ns);
        exchanges.map(move |one| {
            let until_ns = match one.seen.has_ended() {
                true => one.done_ns.saturating_sub(back_ns),
                false => one.done_ns,
            };
            (until_ns.min(one.asked_ns + there_ns), until_ns)
        })
    }

    /// Requests that the server has.
    fn steps_at_server(&self, none: &FlightSteps) -> FlightSteps {
        if self.transit.is_none() {
            return self.steps.clone();
        }
        let mut steps = none.clone();
        for (from_ns, until_ns) in self.at_server(self.exchanges.iter()) {
            steps.add_stretch(from_ns, until_ns);
        }
        steps
    }

    /// Requests whose response was complete.
    fn requests(&self) -> u64 {
        let all = self.exchanges.iter();
        all.filter(|exchange| exchange.seen.has_ended()).count() as u64
    }

    /// Takes out the calls that last longer than any request that came to the client: nobody's request waits for them.
    fn take_apart(&mut self, longest_ns: u64) {
        let lasted = |one: &WireExchange| one.done_ns.saturating_sub(one.asked_ns);
        let (apart, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.exchanges)
            .into_iter()
            .partition(|one| lasted(one) > longest_ns);
        apart.iter().for_each(|one| self.steps.remove(one));
        (self.exchanges, self.apart) = (others, apart);
    }

    fn exchanged(&self) -> HopExchanges<'_> {
        HopExchanges {
            client: &self.hop.client.process,
            is_generator: self.hop.client.is_generator,
            server: &self.hop.server.process,
            address: &self.hop.server.address,
            told_apart: self.hop.decided && !self.hop.sampled,
            exchanges: &self.exchanges,
        }
    }

    fn marked(&self) -> MarkedHop<'_> {
        MarkedHop {
            client: &self.hop.client.process,
            server: &self.hop.server.address,
            exchanges: &self.exchanges,
            connections: self.waiting,
        }
    }

    fn timed(&self) -> TimedHop<'_> {
        let in_order = |times: &[u64]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            times
        };
        let [said, heard] = &self.times_ns;
        let asked: Vec<u64> = self.exchanges.iter().map(|one| one.asked_ns).collect();
        TimedHop {
            client: &self.hop.client.process,
            server: &self.hop.server.address,
            server_process: &self.hop.server.process,
            is_generator: self.hop.client.is_generator,
            decided: self.hop.decided,
            connections: self.hop.connections,
            said: in_order(if self.hop.decided { &asked } else { said }),
            heard: in_order(heard),
            exchanges: &self.exchanges,
        }
    }

    /// Whether what was told apart by turns was told apart rightly. Of a share of all connections one or two stand for
    /// any number.
    fn decide(&mut self, share: f64) {
        self.hop.decided &= share >= 1.0 || self.hop.connections >= LEAST_FOLLOWED;
        let often = self.crossed.saturating_mul(TURNS_PER_CROSSED) > self.turns;
        self.hop.decided &= self.crossed < MIN_CROSSED || !often;
    }

    fn finish(self, share: f64, lasts_s: f64, until_ns: u64, none: &FlightSteps) -> WireHop {
        if let Some(queued) = self.queued {
            let mut hop = self.hop;
            hop.accept_queue = Some(queued.shares().mean);
            hop.in_flight = hop.decided.then(|| self.steps.shares());
            return hop;
        }
        let of_all = |count: u64| (count as f64 / share).round() as u64;
        let requests = self.requests();
        let open = |one: &&WireExchange| one.seen == HowSeen::Beginning;
        let unfinished = self.exchanges.iter().filter(open).count() as u64;
        let took_ns = |exchange: &WireExchange| exchange.done_ns - exchange.asked_ns;
        let response_ms = times(self.whole().map(took_ns).collect());
        let first_byte_ns = |exchange: &WireExchange| Some(exchange.began_ns? - exchange.asked_ns);
        let first_byte_ms = times(self.whole().filter_map(first_byte_ns).collect());
        let failed = self.exchanges.iter().filter(|one| one.failed).count() as u64;
        let mut hop = self.hop;
        for count in [
            &mut hop.connections,
            &mut hop.opened,
            &mut hop.closed,
            &mut hop.refused,
            &mut hop.bytes_sent,
            &mut hop.bytes_received,
            &mut hop.retransmissions,
        ] {
            *count = of_all(*count);
        }
        hop.ends = self.numbers.into_iter().collect();
        hop.handshake_ms = times(self.handshakes);
        hop.opening_ms = times(self.openings);
        hop.tls = tls(&self.tls, share);
        hop.transit = transit(self.transit);
        [hop.requests_held, hop.responses_held] = self.held.map(|sums| sums.told(share));
        hop.lookups = lookups::told(&self.lookups, share, until_ns);
        hop.cache = self.cached.told(share);
        hop.tries = self.tries.told(share);
        hop.commits = (hop.protocol == TELLS_COMMITS).then(|| of_all(self.commits));
        if hop.decided {
            hop.requests = Some(of_all(requests));
            hop.requests_per_s = Some(requests as f64 / share / lasts_s);
            hop.unfinished = Some(of_all(unfinished));
            hop.failed = (hop.protocol == TELLS_FAILURE).then(|| of_all(failed));
            hop.response_ms = response_ms;
            hop.first_byte_ms = first_byte_ms;
            hop.in_flight = Some(self.steps.shares().scaled(share));
            hop.apart = (!self.apart.is_empty()).then(|| {
                let mut apart = none.clone();
                self.apart.iter().for_each(|one| apart.add(one));
                apart.shares().mean
            });
        }
        hop
    }
}

/// The processes of this host that serve.
fn processes(hops: &[Gathered], share: f64, lasts_s: f64, none: &FlightSteps) -> Vec<WireProcess> {
    let decided = hops.iter().filter(|hop| hop.hop.decided);
    let serving = decided.map(|hop| hop.hop.server.process.as_str());
    let names: BTreeSet<&str> = serving.filter(|process| !process.is_empty()).collect();
    let names = names.into_iter();
    names
        .map(|process| serves(process, hops, share, lasts_s, none))
        .collect()
}

/// What came to a process, and how much of it waits for its own calls.
fn serves(
    process: &str,
    hops: &[Gathered],
    share: f64,
    lasts_s: f64,
    none: &FlightSteps,
) -> WireProcess {
    let (mut came, mut calls, mut requests) = (none.clone(), none.clone(), 0);
    let mut stays = Vec::new();
    // Of hops by packets only a share may be known: others are added to what that makes of all.
    let (mut beside_came, mut beside_calls) = (0.0, 0.0);
    for hop in hops.iter().filter(|hop| hop.hop.decided) {
        let is_beside = share < 1.0 && hop.queued.is_some();
        if hop.hop.client.process == process {
            match is_beside {
                true => beside_calls += hop.steps.clone().shares().mean,
                false => calls.join(&hop.steps),
            }
        }
        if hop.hop.server.process == process {
            match is_beside {
                true => beside_came += hop.steps.clone().shares().mean,
                false => came.join(&hop.steps_at_server(none)),
            }
            requests += hop.requests();
            stays.extend(hop.at_server(hop.whole()));
        }
    }
    let own = || hops.iter().filter(|hop| hop.hop.client.process == process);
    let relays = own().filter_map(|hop| hop.relays.as_ref());
    for (from_ns, until_ns) in relays.flat_map(|relays| &relays.stretches) {
        calls.add_stretch(*from_ns, *until_ns);
    }
    // Where the server says nothing nobody waits for it.
    let may_wait =
        |hop: &Gathered| !hop.hop.decided && (hop.hop.sampled || hop.hop.bytes_received > 0);
    let calls_undecided = own().any(|hop| may_wait(hop) && hop.relays.is_none());
    let mut in_flight = came.clone().shares().scaled(share);
    let (times_by_number, done_together) = match share < 1.0 {
        true => (Vec::new(), None),
        false => (times_by_number(came.clone(), &stays), done_together(&stays)),
    };
    let (waiting, inside) = came.less(calls);
    in_flight.mean += beside_came;
    let waiting = (waiting / share + beside_calls).min(in_flight.mean);
    let mut inside = inside.scaled(share);
    if share < 1.0 {
        inside.mean = in_flight.mean - waiting;
    }
    WireProcess {
        process: process.to_owned(),
        requests_per_s: requests as f64 / share / lasts_s,
        in_flight,
        waiting_for_others: waiting,
        inside,
        times_by_number,
        done_together,
        calls_undecided,
    }
}
