//! Datagrams between two ends: questions and their responses. The domain name system is known by its
//! messages, which are numbered; of all else a datagram asks and the next one back responds.

use std::collections::HashMap;
use std::net::SocketAddr;

use crate::cached::CacheTally;
use crate::connection::Followed;
use crate::datagram::WireDatagram;
use crate::dns::DnsMessage;
use crate::ends::{Ends, FollowedShare, PairKey};
use crate::exchanges::Exchanges;
use crate::held::HeldSums;
use crate::lookups::SeenLookup;
use crate::talk::TalkTold;
use crate::tries::TryTally;

/// From this port on the kernel gives out ports to whoever does not care which (`ip_local_port_range`).
const GIVEN_OUT: u16 = 32_768;
/// The first byte and the versions of the long headers of QUIC (RFC 9000, 9369), whose requests overlap.
const LONG_HEADER: u8 = 0xc0;
const QUIC_VERSIONS: [[u8; 4]; 2] = [[0, 0, 0, 1], [0x6b, 0x33, 0x43, 0xcf]];

/// What two ends send each other.
struct DatagramFlow {
    ends: Ends,
    space: u32,
    /// The interface at which each side was seen first: at others the same is seen again.
    interfaces: [Option<u32>; 2],
    bytes: [u64; 2],
    exchanges: Exchanges,
    lookups: Vec<SeenLookup>,
    /// Lookups without a response, by their numbers.
    open: HashMap<u16, usize>,
    name: &'static str,
    responded: bool,
    turns: u32,
    /// How often a side spoke out of turn.
    crossed: u32,
    /// Questions that were sent again, and the length of the last datagram.
    again: u64,
    last: Option<u32>,
}

impl DatagramFlow {
    fn new(packet: &WireDatagram<'_>, message: Option<&DnsMessage>, from_ns: u64) -> Self {
        let (source, target) = (packet.datagram.source, packet.datagram.target);
        let asks = match message {
            Some(message) => !message.is_response,
            None => !(source.port() < GIVEN_OUT && target.port() >= GIVEN_OUT),
        };
        let (client, server) = if asks {
            (source, target)
        } else {
            (target, source)
        };
        Self {
            ends: Ends { client, server },
            space: packet.space,
            interfaces: [None; 2],
            bytes: [0; 2],
            exchanges: Exchanges::new(from_ns, asks),
            lookups: Vec::new(),
            open: HashMap::new(),
            name: if message.is_some() { "dns" } else { "udp" },
            responded: false,
            turns: 0,
            crossed: 0,
            again: 0,
            last: None,
        }
    }

    fn take(&mut self, packet: &WireDatagram<'_>, message: Option<DnsMessage>) {
        let datagram = &packet.datagram;
        let side = usize::from(datagram.source != self.ends.client);
        if *self.interfaces[side].get_or_insert(packet.interface) != packet.interface {
            return;
        }
        self.bytes[side] += u64::from(datagram.length);
        if let ("dns", Some(message)) = (self.name, message) {
            return self.lookup(message, packet.at_ns);
        }
        if is_quic(datagram.bytes) {
            self.name = "quic";
        }
        match side {
            0 => self.ask(datagram.length, packet.at_ns),
            _ => self.respond(packet.at_ns),
        }
    }

    fn lookup(&mut self, message: DnsMessage, at_ns: u64) {
        let id = u32::from(message.id);
        let open = self.open.get(&message.id).copied();
        match (message.is_response, open) {
            (false, Some(at)) if self.lookups[at].question == message.question => self.again += 1,
            (false, _) => {
                if open.is_some() {
                    self.exchanges.dropped(id, at_ns);
                }
                self.open.insert(message.id, self.lookups.len());
                self.exchanges.asked_as(id, at_ns);
                self.turns += 1;
                self.lookups.push(SeenLookup {
                    question: message.question,
                    asked_ns: at_ns,
                    done: None,
                });
            }
            (true, Some(at)) => {
                self.open.remove(&message.id);
                self.responded = true;
                self.lookups[at].done = Some((at_ns, message.code));
                self.exchanges.ended_as(id, at_ns);
            }
            // The first that was seen at all: it was asked before anybody looked.
            (true, None) if self.lookups.is_empty() && !self.responded => {
                self.responded = true;
                self.exchanges.ended_as(id, at_ns);
                self.exchanges.settle();
            }
            (true, None) => {}
        }
    }

    fn ask(&mut self, length: u32, at_ns: u64) {
        match self.exchanges.outstanding() {
            0 => {
                self.turns += 1;
                self.exchanges.asked(at_ns);
            }
            _ if self.last == Some(length) => self.again += 1,
            _ => self.crossed += 1,
        }
        self.last = Some(length);
    }

    fn respond(&mut self, at_ns: u64) {
        self.responded = true;
        if self.exchanges.outstanding() > 0 || self.turns == 0 {
            self.exchanges.began(at_ns);
            self.exchanges.ended(at_ns);
            self.exchanges.settle();
        }
        self.last = None;
    }

    fn kept(&self) -> usize {
        self.exchanges.len() + self.lookups.len()
    }

    /// The looking ends; none where nobody ever responds (statistics, logs): nobody waits there.
    fn finish(self, at_ns: u64) -> Option<Followed> {
        if !self.responded && self.name != "dns" {
            return None;
        }
        let is_quic = self.name == "quic";
        Some(Followed {
            ends: self.ends,
            space: if self.ends.is_loopback() {
                self.space
            } else {
                0
            },
            marks: None,
            told: TalkTold {
                protocol: Some(self.name),
                undecided: is_quic,
                turns: self.turns,
                crossed: self.crossed,
            },
            exchanges: match is_quic {
                true => Vec::new(),
                false => self.exchanges.finish(at_ns),
            },
            transit: None,
            transactions: Vec::new(),
            handshake_ns: None,
            passing: true,
            datagrams: true,
            opening: None,
            tls: None,
            commits: 0,
            cached: CacheTally::default(),
            tries: TryTally::default(),
            lookups: self.lookups,
            closed: false,
            refused: false,
            bytes_sent: self.bytes[0],
            bytes_received: self.bytes[1],
            retransmissions: self.again,
            held: <[HeldSums; 2]>::default(),
            times_ns: <[Vec<u64>; 2]>::default(),
        })
    }
}

fn is_quic(bytes: &[u8]) -> bool {
    let version = bytes.get(1..5);
    bytes
        .first()
        .is_some_and(|first| first & LONG_HEADER == LONG_HEADER)
        && QUIC_VERSIONS.iter().any(|known| version == Some(known))
}

/// All of them.
#[derive(Default)]
pub(crate) struct Datagrams {
    known: HashMap<PairKey, usize>,
    all: Vec<DatagramFlow>,
}

impl Datagrams {
    /// Takes a datagram; what began before `from_ns` was not looked at.
    pub(crate) fn take(&mut self, packet: &WireDatagram<'_>, from_ns: u64) {
        let datagram = &packet.datagram;
        if datagram.is_for_many() {
            return;
        }
        let ends = |client: SocketAddr, server: SocketAddr| Ends { client, server };
        let key = ends(datagram.source, datagram.target).key(packet.space);
        let message = DnsMessage::read(datagram.bytes);
        let at = *self.known.entry(key).or_insert_with(|| {
            let flow = DatagramFlow::new(packet, message.as_ref(), from_ns);
            self.all.push(flow);
            self.all.len() - 1
        });
        let flow = &mut self.all[at];
        // In another network namespace the same is seen again.
        if flow.space == packet.space {
            flow.take(packet, message);
        }
    }

    /// Forgets those that are not of a share.
    pub(crate) fn keep(&mut self, share: FollowedShare) {
        self.all
            .retain(|flow| share.has(flow.ends.client, flow.ends.server));
        let all = self.all.iter().enumerate();
        self.known = all
            .map(|(at, flow)| (flow.ends.key(flow.space), at))
            .collect();
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.all.clear();
    }

    /// How many pairs of ends there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// How many exchanges are kept.
    pub(crate) fn kept(&self) -> usize {
        self.all.iter().map(DatagramFlow::kept).sum()
    }

    /// The looking ends.
    pub(crate) fn finish(self, at_ns: u64) -> impl Iterator<Item = Followed> {
        let all = self.all.into_iter();
        all.filter_map(move |flow| flow.finish(at_ns))
    }
}
