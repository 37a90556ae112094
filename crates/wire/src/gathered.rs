//! What is gathered of a hop from its connections.

use std::collections::{BTreeMap, BTreeSet};

use crate::cached::CacheTally;
use crate::connection::Followed;
use crate::exchanges::{HowSeen, WireExchange, WireMark};
use crate::held::HeldSums;
use crate::in_flight::FlightSteps;
use crate::lookups;
use crate::lookups::SeenLookup;
use crate::owners::Sides;
use crate::protocol::SeenTls;
use crate::queues::MarkedHop;
use crate::relays::{SeenRelays, TimedHop};
use crate::report::WireHop;
use crate::sampled::{SampledHop, SampledLook};
use crate::slowest::HopExchanges;
use crate::times::{times, tls, transit};
use crate::transactions::SeenTransaction;
use crate::transit::{Transit, mean};
use crate::tries::TryTally;

/// So many connections of a hop are numbered.
const MAX_NUMBERED: usize = 128;
/// Requests that are told apart by turns are not, if both sides spoke at once so often.
const MIN_CROSSED: u32 = 3;
/// And once in so many turns.
const TURNS_PER_CROSSED: u32 = 100;
/// The protocol whose responses are read for whether they are failures.
const TELLS_FAILURE: &str = "http1";
/// And the one whose transactions are.
const TELLS_COMMITS: &str = "postgres";
/// A share of all connections says something of a hop of which so many are followed.
const LEAST_FOLLOWED: u64 = 3;

/// What is kept of a hop while its connections are gathered.
pub(crate) struct Gathered {
    pub(crate) hop: WireHop,
    /// Of its connections such a share was followed.
    pub(crate) share: f64,
    pub(crate) steps: FlightSteps,
    /// Connections that wait to be accepted, where that was seen.
    pub(crate) queued: Option<FlightSteps>,
    pub(crate) handshakes: Vec<u64>,
    pub(crate) openings: Vec<u64>,
    pub(crate) tls: Vec<SeenTls>,
    pub(crate) commits: u64,
    pub(crate) cached: CacheTally,
    pub(crate) tries: TryTally,
    pub(crate) lookups: Vec<SeenLookup>,
    /// What client and server held back.
    pub(crate) held: [HeldSums; 2],
    pub(crate) turns: u32,
    pub(crate) crossed: u32,
    pub(crate) exchanges: Vec<WireExchange>,
    /// Those that no request of the client waits for.
    pub(crate) apart: Vec<WireExchange>,
    /// Connections on which requests wait for other clients.
    pub(crate) waiting: u64,
    /// When client and server said something, where requests cannot be told apart.
    pub(crate) times_ns: [Vec<u64>; 2],
    /// What waits for messages that other clients send through the server.
    pub(crate) relays: Option<SeenRelays>,
    pub(crate) transactions: Vec<SeenTransaction>,
    pub(crate) transit: Transit,
    /// The lowest numbers of its connections, where one side is unknown.
    pub(crate) numbers: BTreeSet<u64>,
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
    /// The hops of the connections between two sides, each of one protocol.
    pub(crate) fn all(
        sides: &Sides,
        followed: Vec<Followed>,
        share: f64,
        none: &FlightSteps,
    ) -> Vec<Self> {
        let ways = by_protocol(followed).into_iter();
        ways.map(|(way, connections)| {
            let mut hop = Self::new(sides, way, share, none.clone());
            connections.into_iter().for_each(|one| hop.add(one));
            hop.decide();
            hop
        })
        .collect()
    }

    pub(crate) fn new(
        (client, server): &Sides,
        (protocol, undecided): Way,
        share: f64,
        steps: FlightSteps,
    ) -> Self {
        Self {
            share,
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
    pub(crate) fn sampled(seen: &SampledHop, none: &FlightSteps) -> Self {
        let sides = (seen.client.clone(), seen.server.clone());
        let mut own = Self::new(&sides, ("", !seen.decided), 1.0, none.clone());
        own.queue(&seen.looks, none);
        own.steps.add_looks(&seen.looks, |look| look.in_flight);
        own.hop.protocol.clone_from(&seen.protocol);
        own.hop.sampled = true;
        (own.hop.connections, own.hop.opened, own.hop.closed) =
            (seen.connections, seen.opened, seen.closed);
        own
    }

    /// What looks saw of connections that wait to be accepted.
    pub(crate) fn queue(&mut self, looks: &[SampledLook], none: &FlightSteps) {
        let mut queued = none.clone();
        queued.add_looks(looks, |look| look.queued);
        self.queued = Some(queued);
    }

    pub(crate) fn add(&mut self, mut one: Followed) {
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
    pub(crate) fn number(&mut self, one: &Followed) {
        let (client, server) = (&self.hop.client.process, &self.hop.server.process);
        let is_known = !client.is_empty() && !server.is_empty();
        let Some(number) = one.number.filter(|_| !is_known) else {
            return;
        };
        self.numbers.insert(number);
        if self.numbers.len() > MAX_NUMBERED {
            self.numbers.pop_last();
        }
    }

    /// Who opens a connection waits for that, unless it makes the load and counts that time itself.
    pub(crate) fn opens(&mut self, one: &Followed) {
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
    pub(crate) fn whole(&self) -> impl Iterator<Item = &WireExchange> {
        let all = self.exchanges.iter();
        all.filter(|exchange| exchange.seen == HowSeen::Whole)
    }

    /// From when to when the server has each of some requests, with their packets on the way left out.
    pub(crate) fn at_server<'e>(
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
    pub(crate) fn steps_at_server(&self, none: &FlightSteps) -> FlightSteps {
        if self.transit.is_none() {
            return self.steps.clone();
        }
        let mut steps = none.clone();
        for (from_ns, until_ns) in self.at_server(self.exchanges.iter()) {
            steps.add_stretch(from_ns, until_ns);
        }
        steps
    }

    /// Adds requests under way to those of hops of which such a share was followed; if it is another one, their mean to
    /// what is beside.
    pub(crate) fn add_to(
        &self,
        steps: &FlightSteps,
        share: f64,
        (all, beside): (&mut FlightSteps, &mut f64),
    ) {
        match self.share < share || share < self.share {
            true => *beside += steps.clone().shares().mean / self.share,
            false => all.join(steps),
        }
    }

    /// Requests whose response was complete.
    pub(crate) fn requests(&self) -> u64 {
        let all = self.exchanges.iter();
        all.filter(|exchange| exchange.seen.has_ended()).count() as u64
    }

    /// Takes out the calls that last longer than any request that came to the client: nobody's request waits for them.
    pub(crate) fn take_apart(&mut self, longest_ns: u64) {
        let lasted = |one: &WireExchange| one.done_ns.saturating_sub(one.asked_ns);
        let (apart, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.exchanges)
            .into_iter()
            .partition(|one| lasted(one) > longest_ns);
        apart.iter().for_each(|one| self.steps.remove(one));
        (self.exchanges, self.apart) = (others, apart);
    }

    pub(crate) fn exchanged(&self) -> HopExchanges<'_> {
        HopExchanges {
            client: &self.hop.client.process,
            is_generator: self.hop.client.is_generator,
            server: &self.hop.server.process,
            address: &self.hop.server.address,
            told_apart: self.hop.decided && !self.hop.sampled,
            exchanges: &self.exchanges,
        }
    }

    pub(crate) fn marked(&self) -> MarkedHop<'_> {
        MarkedHop {
            client: &self.hop.client.process,
            server: &self.hop.server.address,
            exchanges: &self.exchanges,
            connections: self.waiting,
        }
    }

    pub(crate) fn timed(&self) -> TimedHop<'_> {
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
    pub(crate) fn decide(&mut self) {
        self.hop.decided &= self.share >= 1.0 || self.hop.connections >= LEAST_FOLLOWED;
        let often = self.crossed.saturating_mul(TURNS_PER_CROSSED) > self.turns;
        self.hop.decided &= self.crossed < MIN_CROSSED || !often;
    }

    pub(crate) fn finish(mut self, lasts_s: f64, until_ns: u64, none: &FlightSteps) -> WireHop {
        let share = self.share;
        let queued = self.queued.take().map(|queued| queued.shares().mean);
        self.hop.accept_queue = queued.map(|mean| mean / share);
        if self.hop.sampled {
            let mut hop = self.hop;
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
