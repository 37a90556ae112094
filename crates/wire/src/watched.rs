//! All connections that are followed.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;

use crate::called::{CalledHops, CalledPair};
use crate::connection::FollowedConnection;
use crate::datagram::{SeenPacket, WireDatagram};
use crate::datagrams::Datagrams;
use crate::ends::{Ends, FollowedShare, PairKey};
use crate::hops;
use crate::limits::WireLimits;
use crate::owners::Owners;
use crate::packet::WirePacket;
use crate::report::WireReport;
use crate::sampled::SampledHop;

/// So many packets are taken between two looks at how much is kept; of long ones, each of which may hold many requests,
/// so many bytes count as one.
const COUNT_EVERY: u64 = 8_192;
const BYTES_AS_ONE: usize = 1_024;

/// What is seen on the wire, so far.
pub struct Wire {
    from_ns: u64,
    listening: BTreeSet<u16>,
    limits: WireLimits,
    share: FollowedShare,
    packets: u64,
    /// Since the last look at how much is kept.
    since_look: u64,
    /// By their ends: the newest with these.
    known: HashMap<PairKey, usize>,
    all: Vec<FollowedConnection>,
    datagrams: Datagrams,
    called: Vec<CalledPair>,
    sampled: Vec<SampledHop>,
}

impl Wire {
    /// Begins to look at a moment (Unix nanoseconds). `listening`: the ports at which this host
    /// listens, which tell who called whom where a connection's beginning was not seen.
    #[must_use]
    pub fn new(from_ns: u64, listening: BTreeSet<u16>, limits: WireLimits) -> Self {
        Self {
            from_ns,
            listening,
            limits,
            share: FollowedShare::ALL,
            packets: 0,
            since_look: 0,
            known: HashMap::new(),
            all: Vec::new(),
            datagrams: Datagrams::default(),
            called: Vec::new(),
            sampled: Vec::new(),
        }
    }

    /// Which connections are followed.
    #[must_use]
    pub fn share(&self) -> FollowedShare {
        self.share
    }

    /// Follows half as many connections from now on, and forgets the others. False: there are too
    /// few for that.
    pub fn halve(&mut self) -> bool {
        let Some(half) = self.share.halved() else {
            return false;
        };
        self.share = half;
        self.datagrams.keep(half);
        self.known.clear();
        self.all.retain(|connection| {
            let ends = connection.ends();
            half.has(ends.client, ends.server)
        });
        for (at, connection) in self.all.iter().enumerate() {
            self.known
                .insert(connection.ends().key(connection.space()), at);
        }
        true
    }

    /// Begins anew at a moment, with the same share of the connections: of what was before nothing
    /// is told.
    pub fn begin_anew(&mut self, from_ns: u64) {
        self.from_ns = from_ns;
        self.packets = 0;
        self.known.clear();
        self.all.clear();
        self.datagrams.clear();
    }

    /// Takes a packet of either protocol.
    pub fn seen(&mut self, packet: &SeenPacket<'_>) {
        match packet {
            SeenPacket::Segment(packet) => self.packet(packet),
            SeenPacket::Datagram(datagram) => self.datagram(datagram),
        }
    }

    /// Takes a datagram.
    pub fn datagram(&mut self, packet: &WireDatagram<'_>) {
        let ends = (packet.datagram.source, packet.datagram.target);
        if self.share.has(ends.0, ends.1) {
            self.count(packet.datagram.bytes.len());
            self.datagrams.take(packet, self.from_ns);
        }
    }

    fn count(&mut self, bytes: usize) {
        self.packets += 1;
        self.since_look += 1 + (bytes / BYTES_AS_ONE) as u64;
        if self.since_look >= COUNT_EVERY {
            self.since_look = 0;
            self.keep_within_limits();
        }
    }

    /// Takes a packet.
    pub fn packet(&mut self, packet: &WirePacket<'_>) {
        let segment = &packet.segment;
        if !self.share.has(segment.source, segment.target) {
            return;
        }
        self.count(segment.bytes.len());
        let ends = Ends {
            client: segment.source,
            server: segment.target,
        };
        let known = self.known.get(&ends.key(packet.space)).copied();
        let opens = segment.begins && segment.acknowledged.is_none();
        let at = match known {
            Some(at) if self.all[at].space() != packet.space => {
                if self.all[at].is_seen_again(packet, opens) {
                    self.all[at].seen_elsewhere(packet);
                    return;
                }
                self.begin(packet, opens)
            }
            Some(at) if !opens || self.all[at].begins_with(packet) => at,
            _ => self.begin(packet, opens),
        };
        self.all[at].packet(packet);
    }

    fn begin(&mut self, packet: &WirePacket<'_>, opens: bool) -> usize {
        let ends = self.ends_of(packet);
        self.known.insert(ends.key(packet.space), self.all.len());
        let connection = FollowedConnection::new(ends, packet.space, self.from_ns, opens);
        self.all.push(connection);
        self.all.len() - 1
    }

    /// Who called whom, as far as it can be told from one packet.
    fn ends_of(&self, packet: &WirePacket<'_>) -> Ends {
        let segment = &packet.segment;
        let (source, target) = (segment.source, segment.target);
        let listens = |end: SocketAddr| self.listening.contains(&end.port());
        let by_ports = Ends::by_ports(source, target);
        let source_called = match (segment.begins, listens(source), listens(target)) {
            // The second packet of a connection acknowledges the first.
            (true, _, _) => segment.acknowledged.is_none(),
            (false, true, false) => false,
            (false, false, true) => true,
            // What this host forwards goes out, too, whoever sent it: ports tell more.
            _ if let Some(ends) = by_ports => return ends,
            // Who is of this host and does not listen has called.
            (false, false, false) if packet.outgoing => true,
            // Servers have the lower port where nothing else is known.
            _ => source.port() > target.port(),
        };
        match source_called {
            true => Ends {
                client: source,
                server: target,
            },
            false => Ends {
                client: target,
                server: source,
            },
        }
    }

    fn connections(&self) -> usize {
        self.all.len() + self.datagrams.len()
    }

    /// What is kept, as so many exchanges.
    fn kept(&self) -> usize {
        let all = self.all.iter().map(FollowedConnection::kept);
        all.sum::<usize>() + self.datagrams.kept()
    }

    fn keep_within_limits(&mut self) {
        while self.connections() > self.limits.connections || self.kept() > self.limits.exchanges {
            if !self.halve() {
                return;
            }
        }
    }

    /// Takes what calls told of hops that no packet crosses, all of it; it ended at the same moment.
    pub fn called(&mut self, hops: CalledHops) {
        self.called.extend(hops.0);
    }

    /// Takes what was seen of a hop that no packet crosses, all of it.
    pub fn sampled(&mut self, hop: SampledHop) {
        self.sampled.push(hop);
    }

    /// Ends the looking at a moment, and tells what was seen. `owners` says whose the ends of
    /// connections are.
    #[must_use]
    pub fn finish(self, until_ns: u64, owners: &dyn Owners) -> WireReport {
        let until_ns = until_ns.max(self.from_ns.saturating_add(1));
        let all = self.all.into_iter();
        let followed = all.map(|connection| connection.finish(until_ns));
        let followed = followed.chain(self.datagrams.finish(until_ns)).collect();
        let within = (self.from_ns, until_ns);
        let share = self.share.number();
        let mut report = hops::report(within, share, followed, self.called, &self.sampled, owners);
        report.packets = self.packets;
        report
    }
}
