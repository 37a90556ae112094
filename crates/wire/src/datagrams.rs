//! Datagrams between two ends: questions and their responses. The domain name system is known by its
//! messages, which are numbered; of all else a datagram asks and the next one back responds.

use std::collections::HashMap;
use std::net::SocketAddr;

use crate::connection::{Addressed, EXCHANGE_BYTES, Followed};
use crate::datagram::WireDatagram;
use crate::dns::DnsMessage;
use crate::ends::{Ends, FollowedShare, PairKey};
use crate::exchanges::Exchanges;
use crate::lookups::{SeenLookup, are_among};
use crate::talk::TalkTold;

/// The first byte and the versions of the long headers of QUIC (RFC 9000, 9369), whose requests overlap.
const LONG_HEADER: u8 = 0xc0;
const QUIC_VERSIONS: [[u8; 4]; 2] = [[0, 0, 0, 1], [0x6b, 0x33, 0x43, 0xcf]];

/// Of so many flows of one client's end it is asked whether they are the same.
const MAX_SAME: usize = 64;

/// What two ends send each other.
struct DatagramFlow {
    ends: Ends,
    space: u32,
    /// The interface at which each side was seen first: at others the same is seen again.
    interfaces: [Option<u32>; 2],
    bytes: [u64; 2],
    exchanges: Exchanges,
    lookups: Vec<SeenLookup>,
    /// So many bytes all their names have.
    names: usize,
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
            None => Ends::by_ports(source, target).is_none_or(|ends| ends.client == source),
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
            names: 0,
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
                let question = message.question.as_ref();
                self.names += question.map_or(0, |question| question.name.len());
                self.lookups.push(SeenLookup {
                    id: message.id,
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

    /// Whether a response has its query here.
    fn has_asked(&self, response: &DnsMessage) -> bool {
        let open = self.open.get(&response.id);
        open.is_some_and(|at| self.lookups[*at].question == response.question)
    }

    /// Whether it is the same as another flow, behind whoever changes the server's address: what one client asks several
    /// servers at once is seen where it is.
    fn is_same(&self, other: &Self) -> bool {
        let place = |flow: &Self| (flow.space, flow.interfaces[0]);
        let (these, others) = (&self.lookups, &other.lookups);
        place(self) != place(other) && (are_among(these, others) || are_among(others, these))
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
        self.exchanges.len() + self.lookups.len() + self.names / EXCHANGE_BYTES
    }

    /// The looking ends; none where nobody ever responds (statistics, logs): nobody waits there.
    fn finish(self, at_ns: u64, marks: Option<[u32; 2]>) -> Option<Addressed> {
        if !self.responded && self.name != "dns" {
            return None;
        }
        let is_quic = self.name == "quic";
        let followed = Followed {
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
            passing: true,
            lookups: self.lookups,
            bytes_sent: self.bytes[0],
            bytes_received: self.bytes[1],
            retransmissions: self.again,
            ..Followed::default()
        };
        Some(Addressed {
            ends: self.ends,
            space: if self.ends.is_loopback() {
                self.space
            } else {
                0
            },
            marks,
            datagrams: true,
            followed,
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
    /// Those of names by their clients' ends.
    clients: HashMap<ClientKey, Vec<usize>>,
    all: Vec<DatagramFlow>,
}

/// The end of a client; on a loopback with the network namespace that it is of.
type ClientKey = (u32, SocketAddr);

fn client_key(ends: &Ends, space: u32) -> ClientKey {
    let (space, ..) = ends.key(space);
    (space, ends.client)
}

impl Datagrams {
    /// Takes a datagram; what began before `from_ns` was not looked at.
    pub(crate) fn take(&mut self, packet: &WireDatagram<'_>, from_ns: u64) {
        let datagram = &packet.datagram;
        if datagram.is_for_many() {
            return;
        }
        let ends = Ends {
            client: datagram.source,
            server: datagram.target,
        };
        let key = ends.key(packet.space);
        let message = DnsMessage::read(datagram.bytes);
        let known = self.known.get(&key).copied();
        // Where no query was seen, it may have gone to another address, which is changed on the way.
        let has_queries = known.is_some_and(|at| !self.all[at].lookups.is_empty());
        let elsewhere = match &message {
            Some(message) if message.is_response && !has_queries => self.asked(packet, message),
            _ => None,
        };
        let at = elsewhere.or(known).unwrap_or_else(|| {
            let flow = DatagramFlow::new(packet, message.as_ref(), from_ns);
            if message.is_some() {
                let of_client = self.clients.entry(client_key(&flow.ends, flow.space));
                of_client.or_default().push(self.all.len());
            }
            self.all.push(flow);
            self.all.len() - 1
        });
        self.known.insert(key, at);
        let flow = &mut self.all[at];
        if elsewhere.is_some() {
            flow.ends.server = datagram.source;
        }
        // In another network namespace the same is seen again.
        if flow.space == packet.space {
            flow.take(packet, message);
        }
    }

    /// The flow in which was asked what a response without a query responds to.
    fn asked(&self, packet: &WireDatagram<'_>, response: &DnsMessage) -> Option<usize> {
        let ends = Ends {
            client: packet.datagram.target,
            server: packet.datagram.source,
        };
        let flows = self.clients.get(&client_key(&ends, packet.space))?.iter();
        let mut flows = flows.filter(|at| {
            let flow = &self.all[**at];
            flow.space == packet.space && flow.has_asked(response)
        });
        flows.next().copied()
    }

    /// Forgets those that are not of a share.
    pub(crate) fn keep(&mut self, share: FollowedShare) {
        let has = |flow: &DatagramFlow| share.has(flow.ends.client, flow.ends.server);
        let mut left = 0;
        let places: Vec<Option<usize>> = self
            .all
            .iter()
            .map(|flow| {
                has(flow).then(|| {
                    left += 1;
                    left - 1
                })
            })
            .collect();
        self.all.retain(has);
        self.known.retain(|_, at| match places[*at] {
            Some(place) => {
                *at = place;
                true
            }
            None => false,
        });
        for flows in self.clients.values_mut() {
            *flows = flows.iter().filter_map(|at| places[*at]).collect();
        }
        self.clients.retain(|_, flows| !flows.is_empty());
    }

    /// Marks that flows have in common which are the same.
    fn marks(&self) -> Vec<Option<[u32; 2]>> {
        let mut marks = vec![None; self.all.len()];
        for flows in self.clients.values() {
            let flows = &flows[..flows.len().min(MAX_SAME)];
            for (n, one) in flows.iter().enumerate() {
                for other in &flows[n + 1..] {
                    if self.all[*one].is_same(&self.all[*other]) {
                        let own = [u32::from(self.all[*one].ends.client.port()), *one as u32];
                        let mark = *marks[*one].get_or_insert(own);
                        marks[*other] = Some(mark);
                    }
                }
            }
        }
        marks
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.clients.clear();
        self.all.clear();
    }

    /// How many pairs of ends there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// What is kept, as so many exchanges.
    pub(crate) fn kept(&self) -> usize {
        self.all.iter().map(DatagramFlow::kept).sum()
    }

    /// The looking ends.
    pub(crate) fn finish(self, at_ns: u64) -> impl Iterator<Item = Addressed> {
        let marks = self.marks();
        let all = self.all.into_iter().zip(marks);
        all.filter_map(move |(flow, marks)| flow.finish(at_ns, marks))
    }
}
