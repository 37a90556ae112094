//! One connection of TCP: both directions in order, and what is said on it.

use crate::cached::CacheTally;
use crate::ends::Ends;
use crate::exchanges::WireExchange;
use crate::held::{HeldBack, HeldSums};
use crate::lookups::SeenLookup;
use crate::order::{Arrival, ByteOrder};
use crate::packet::WirePacket;
use crate::protocol::{SeenTls, Speaker};
use crate::spoken::SpokenTimes;
use crate::talk::{Talk, TalkTold};
use crate::transactions::{self, SeenTransaction};
use crate::transit::{SeenPlaces, Transit};
use crate::tries::TryTally;

/// So much of what else is kept counts as an exchange.
pub(crate) const EXCHANGE_BYTES: usize = size_of::<WireExchange>();

/// One direction.
#[derive(Default)]
struct DirectionOrder {
    order: ByteOrder,
    /// The interface at which it was seen first: at others the same packets are seen again.
    interface: Option<u32>,
    bytes: u64,
    held: HeldBack,
    /// When it said something, where requests cannot be told apart.
    times: SpokenTimes,
}

/// A connection that is followed.
pub(crate) struct FollowedConnection {
    ends: Ends,
    /// The network namespace in which it was seen first: in others the same packets are seen again.
    space: u32,
    /// Since when it is looked at.
    from_ns: u64,
    /// The numbers with which client and server began, or were seen first.
    marks: [Option<u32>; 2],
    client: DirectionOrder,
    server: DirectionOrder,
    places: SeenPlaces,
    talk: Talk,
    began_ns: Option<u64>,
    handshake_ns: Option<u64>,
    closed: bool,
    /// When the server said that it ends, until all has come that it said before.
    ends_ns: Option<u64>,
    refused: bool,
    retransmissions: u64,
}

/// A connection over the network, with its addresses.
pub(crate) struct Addressed {
    pub(crate) ends: Ends,
    /// The network namespace whose loopback it crossed; else 0.
    pub(crate) space: u32,
    /// The numbers with which client and server began, or others that are the same before and behind whoever changes
    /// addresses on the way.
    pub(crate) marks: Option<[u32; 2]>,
    /// It is no connection, but datagrams between two ends.
    pub(crate) datagrams: bool,
    pub(crate) followed: Followed,
}

/// What was seen of a connection.
#[derive(Default)]
pub(crate) struct Followed {
    /// Its number, the same on each host that sees it; none: no other host does.
    pub(crate) number: Option<u64>,
    pub(crate) told: TalkTold,
    pub(crate) exchanges: Vec<WireExchange>,
    pub(crate) transactions: Vec<SeenTransaction>,
    /// How long what was said was on its way, where both sides were seen.
    pub(crate) transit: Option<Transit>,
    pub(crate) handshake_ns: Option<u64>,
    /// It came about while anybody looked.
    pub(crate) passing: bool,
    /// From its first packet on until requests may be sent, if that was seen.
    pub(crate) opening: Option<(u64, u64)>,
    pub(crate) tls: Option<SeenTls>,
    /// Transactions that were committed with something written, as far as the protocol's reader knows.
    pub(crate) commits: u64,
    /// What a cache said.
    pub(crate) cached: CacheTally,
    pub(crate) tries: TryTally,
    /// Questions to a name server.
    pub(crate) lookups: Vec<SeenLookup>,
    pub(crate) closed: bool,
    pub(crate) refused: bool,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    pub(crate) retransmissions: u64,
    /// What client and server held back.
    pub(crate) held: [HeldSums; 2],
    /// When client and server said something, where requests cannot be told apart.
    pub(crate) times_ns: [Vec<u64>; 2],
}

impl FollowedConnection {
    /// One that is looked at from then on in a network namespace; `whole`: from its first packet.
    pub(crate) fn new(ends: Ends, space: u32, from_ns: u64, whole: bool) -> Self {
        Self {
            ends,
            space,
            from_ns,
            marks: [None; 2],
            client: DirectionOrder::default(),
            server: DirectionOrder::default(),
            places: SeenPlaces::default(),
            talk: Talk::new(from_ns, whole),
            began_ns: None,
            handshake_ns: None,
            closed: false,
            ends_ns: None,
            refused: false,
            retransmissions: 0,
        }
    }

    pub(crate) fn ends(&self) -> Ends {
        self.ends
    }

    pub(crate) fn space(&self) -> u32 {
        self.space
    }

    /// Whether a packet of another network namespace is of this connection all the same, which was seen
    /// already; else it is over, and the packet begins another.
    pub(crate) fn is_seen_again(&self, packet: &WirePacket<'_>, opens: bool) -> bool {
        !(self.is_over() && opens) || self.marks[0] == Some(packet.segment.sequence)
    }

    /// Whether it is over, so that the same ends may begin another.
    pub(crate) fn is_over(&self) -> bool {
        self.closed || self.refused
    }

    /// Whether this packet, which begins a connection, begins this one.
    pub(crate) fn begins_with(&self, packet: &WirePacket<'_>) -> bool {
        let next = packet.segment.sequence.wrapping_add(1);
        self.began_ns.is_some() && !self.is_over() && self.client.order.next() == Some(next)
    }

    /// A packet of this connection came by in another network namespace, too.
    pub(crate) fn seen_elsewhere(&mut self, packet: &WirePacket<'_>) {
        let segment = &packet.segment;
        let end = segment.sequence.wrapping_add(segment.length);
        let end = (segment.length > 0).then_some(end);
        let by = self.speaker(packet);
        self.places
            .see_elsewhere(packet.space, by, end, packet.at_ns);
    }

    fn speaker(&self, packet: &WirePacket<'_>) -> Speaker {
        match packet.segment.source == self.ends.client {
            true => Speaker::Client,
            false => Speaker::Server,
        }
    }

    /// What is kept, as so many exchanges.
    pub(crate) fn kept(&self) -> usize {
        let sides = [&self.client, &self.server];
        let sides = sides.map(|side| side.order.kept() + side.times.bytes());
        let bytes = sides.iter().sum::<usize>() + self.places.kept();
        self.talk.kept() + bytes / EXCHANGE_BYTES
    }

    /// Takes a packet of this connection.
    pub(crate) fn packet(&mut self, packet: &WirePacket<'_>) {
        let (segment, at_ns) = (&packet.segment, packet.at_ns);
        let by = self.speaker(packet);
        let own = match by {
            Speaker::Client => &mut self.client,
            Speaker::Server => &mut self.server,
        };
        if *own.interface.get_or_insert(packet.interface) != packet.interface {
            return;
        }
        self.marks[usize::from(by == Speaker::Server)].get_or_insert(segment.sequence);
        own.bytes += u64::from(segment.length);
        if segment.breaks {
            self.refused |= self.began_ns.is_some() && self.handshake_ns.is_none();
            self.closed = true;
            return self.talk.close(at_ns);
        }
        if segment.begins {
            match (by, self.began_ns) {
                (Speaker::Client, None) => self.began_ns = Some(at_ns),
                (Speaker::Server, Some(began_ns)) if self.handshake_ns.is_none() => {
                    self.handshake_ns = Some(at_ns.saturating_sub(began_ns));
                }
                _ => {
                    self.retransmissions += 1;
                    return;
                }
            }
            return own.order.begin(segment.sequence);
        }
        self.content(by, packet);
    }

    /// Takes what a packet carries, and what it acknowledges.
    fn content(&mut self, by: Speaker, packet: &WirePacket<'_>) {
        let (segment, at_ns) = (&packet.segment, packet.at_ns);
        let (own, other) = match by {
            Speaker::Client => (&mut self.client, &mut self.server),
            Speaker::Server => (&mut self.server, &mut self.client),
        };
        let talk = &mut self.talk;
        if let Some(number) = segment.acknowledged {
            let other_by = match by {
                Speaker::Client => Speaker::Server,
                Speaker::Server => Speaker::Client,
            };
            let mut hear = |stretch: crate::order::OrderedBytes<'_>| {
                talk.hear(other_by, stretch, at_ns, false);
            };
            other.order.acknowledged(number, &mut hear);
        }
        let behind = segment.acknowledged != other.order.next();
        let crossed = behind && other.order.next().is_some();
        let place = (segment.sequence, segment.length);
        let arrival = own.order.segment(place, segment.bytes, &mut |stretch| {
            talk.hear(by, stretch, at_ns, crossed);
        });
        self.retransmissions += u64::from(arrival == Arrival::Again);
        // Nothing on a loopback has another side.
        if !self.ends.is_loopback() {
            let end = place.0.wrapping_add(place.1);
            match arrival {
                Arrival::New => self.places.see(by, end, at_ns),
                Arrival::Again => {}
                Arrival::Empty => self.places.acknowledges(by, at_ns),
            }
        }
        if arrival == Arrival::New {
            own.held.sends(at_ns, place);
            if self.talk.may_be_undecided() {
                own.times.keep(at_ns);
            }
        }
        other
            .held
            .hears(at_ns, segment.acknowledged, segment.length);
        if segment.ends {
            own.order.end(segment.sequence, segment.length);
            self.closed = true;
            if by == Speaker::Server {
                self.ends_ns.get_or_insert(at_ns);
            }
        }
        // Its end may be seen before what it said last.
        if self.ends_ns.is_some() && self.server.order.is_over() {
            self.ends_ns = None;
            self.talk.close(at_ns);
        }
    }

    /// The looking ends.
    pub(crate) fn finish(mut self, at_ns: u64) -> Addressed {
        if let Some(ends_ns) = self.ends_ns {
            self.talk.close(ends_ns);
        }
        let (mut told, mut exchanges, tls) = self.talk.finish();
        let only_takes = told.only_takes(self.client.bytes, &self.server.times);
        let opened_ns = match tls {
            Some(tls) => tls.secured_ns,
            None => self
                .began_ns
                .zip(self.handshake_ns)
                .map(|(at, took)| at + took),
        };
        let whole = self.began_ns.filter(|_| self.handshake_ns.is_some());
        let commits = exchanges.commits();
        let tables = std::mem::take(&mut exchanges.tables);
        let times_ns = told.times([self.client.times, self.server.times]);
        let (cached, tries) = exchanges.cached(at_ns);
        let mut exchanges = match only_takes {
            true => Vec::new(),
            false => exchanges.finish(at_ns),
        };
        let transit = self.places.transit();
        if let Some(transit) = &transit {
            transit.as_client_sees(&mut exchanges, self.from_ns);
        }
        let [client, server] = self.marks;
        let followed = Followed {
            told,
            transactions: transactions::of(&exchanges, &tables),
            exchanges,
            transit,
            handshake_ns: self.handshake_ns,
            passing: self.handshake_ns.is_some(),
            opening: whole.zip(opened_ns),
            tls,
            commits,
            cached,
            tries,
            closed: self.closed,
            refused: self.refused,
            bytes_sent: self.client.bytes,
            bytes_received: self.server.bytes,
            retransmissions: self.retransmissions,
            held: [self.client.held.sums, self.server.held.sums],
            times_ns,
            ..Followed::default()
        };
        Addressed {
            ends: self.ends,
            space: if self.ends.is_loopback() {
                self.space
            } else {
                0
            },
            marks: client.zip(server).map(|(client, server)| [client, server]),
            datagrams: false,
            followed,
        }
    }
}
