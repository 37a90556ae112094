//! Connections as they are planned, as packets, and what is to be seen of them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use plimsoll_wire::{TcpSegment, WirePacket};
use proptest::sample::Index;

use crate::speech::Speech;

pub const START_NS: u64 = 1_000_000_000_000;
pub const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8_000);
/// What the ring keeps of a packet, without its headers.
const KEPT: usize = 16_332;
/// Between packets of one message.
const STEP_NS: u64 = 1_000;

/// A packet that was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    pub at_ns: u64,
    pub from: SocketAddr,
    pub to: SocketAddr,
    pub sequence: u32,
    pub acknowledged: Option<u32>,
    pub begins: bool,
    pub ends: bool,
    pub bytes: Vec<u8>,
}

impl Sent {
    pub fn packet(&self) -> WirePacket<'_> {
        WirePacket {
            at_ns: self.at_ns,
            space: 0,
            interface: 1,
            outgoing: false,
            segment: TcpSegment {
                source: self.from,
                target: self.to,
                sequence: self.sequence,
                acknowledged: self.acknowledged,
                begins: self.begins,
                ends: self.ends,
                breaks: false,
                length: self.bytes.len() as u32,
                bytes: &self.bytes[..self.bytes.len().min(KEPT)],
            },
        }
    }
}

/// One connection whose packets are written down one by one; times in milliseconds.
pub struct Written {
    ends: [SocketAddr; 2],
    pub next: [u32; 2],
    pub sent: Vec<Sent>,
}

impl Written {
    pub fn new(client: &str, server: SocketAddr) -> Self {
        Self {
            ends: [client.parse().unwrap(), server],
            next: [100, 7_000],
            sent: Vec::new(),
        }
    }

    pub fn say(&mut self, side: usize, at_ms: u64, bytes: &[u8]) -> &mut Self {
        self.sent.push(Sent {
            at_ns: START_NS + at_ms * 1_000_000,
            from: self.ends[side],
            to: self.ends[1 - side],
            sequence: self.next[side],
            acknowledged: Some(self.next[1 - side]),
            begins: false,
            ends: false,
            bytes: bytes.to_vec(),
        });
        self.next[side] = self.next[side].wrapping_add(bytes.len() as u32);
        self
    }

    /// The last packet was not seen.
    pub fn unseen(&mut self) -> &mut Self {
        self.sent.pop();
        self
    }

    pub fn ask(&mut self, at_ms: u64, bytes: &[u8]) -> &mut Self {
        self.say(0, at_ms, bytes)
    }

    pub fn respond(&mut self, at_ms: u64, bytes: &[u8]) -> &mut Self {
        self.say(1, at_ms, bytes)
    }
}

/// Requests that are sent together, and their responses.
#[derive(Debug, Clone)]
pub struct BatchPlan {
    pub sizes: Vec<(usize, usize)>,
    pub cuts: [Vec<Index>; 2],
    pub swaps: Vec<Index>,
    pub gap_ns: u64,
    pub pause_ns: u64,
    pub again: bool,
}

#[derive(Debug, Clone)]
pub struct ConnectionPlan {
    pub batches: Vec<BatchPlan>,
    pub whole: bool,
    pub earlier: bool,
    pub unfinished: bool,
    pub sequence: u32,
    pub from_ns: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    pub asked_ns: u64,
    pub began_ns: u64,
    pub done_ns: u64,
}

/// What is to be seen.
#[derive(Debug, Default)]
pub struct Expected {
    pub whole: Vec<Exchange>,
    /// When they were done.
    pub earlier: Vec<u64>,
    /// When they began.
    pub unfinished: Vec<u64>,
    pub bytes: u64,
}

impl Expected {
    pub fn finished(&self) -> u64 {
        (self.whole.len() + self.earlier.len()) as u64
    }

    pub fn in_flight(&self, until_ns: u64) -> f64 {
        let whole = self.whole.iter().map(|one| one.done_ns - one.asked_ns);
        let earlier = self.earlier.iter().map(|done_ns| done_ns - START_NS);
        let unfinished = self.unfinished.iter().map(|asked_ns| until_ns - asked_ns);
        let sum: u64 = whole.chain(earlier).chain(unfinished).sum();
        sum as f64 / (until_ns - START_NS) as f64
    }

    /// Mean and largest, milliseconds.
    pub fn times(&self, until: impl Fn(&Exchange) -> u64) -> (f64, f64) {
        let all: Vec<u64> = self
            .whole
            .iter()
            .map(|one| until(one) - one.asked_ns)
            .collect();
        let mean = all.iter().sum::<u64>() as f64 / all.len() as f64 / 1e6;
        (mean, *all.iter().max().unwrap() as f64 / 1e6)
    }
}

/// Both sides of a connection that is being made.
struct Line<'a> {
    client: SocketAddr,
    /// The next number of the client and of the server.
    next: [u32; 2],
    at_ns: u64,
    sent: &'a mut Vec<Sent>,
    bytes: u64,
}

impl Line<'_> {
    /// Sends bytes in pieces, some of which change places on their way; when each byte was there.
    fn say(&mut self, side: usize, bytes: &[u8], plan: Option<&BatchPlan>) -> Vec<u64> {
        let mut cuts: Vec<usize> = plan
            .map(|plan| {
                plan.cuts[side]
                    .iter()
                    .map(|cut| cut.index(bytes.len()))
                    .collect()
            })
            .unwrap_or_default();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let mut pieces: Vec<(usize, usize)> = cuts.windows(2).map(|two| (two[0], two[1])).collect();
        for swap in plan.iter().flat_map(|plan| &plan.swaps) {
            let at = swap.index(pieces.len());
            if at + 1 < pieces.len() {
                pieces.swap(at, at + 1);
            }
        }
        let mut there = vec![0; bytes.len()];
        let first = self.next[side];
        for (from, until) in &pieces {
            self.at_ns += STEP_NS;
            there[*from..*until].fill(self.at_ns);
            self.send(
                side,
                first.wrapping_add(*from as u32),
                &bytes[*from..*until],
            );
        }
        self.next[side] = first.wrapping_add(bytes.len() as u32);
        if plan.is_some_and(|plan| plan.again) {
            let (from, until) = pieces[0];
            self.at_ns += STEP_NS;
            self.send(side, first.wrapping_add(from as u32), &bytes[from..until]);
        }
        // A byte is there when those before it are.
        let mut latest = 0;
        for at in &mut there {
            latest = latest.max(*at);
            *at = latest;
        }
        there
    }

    fn send(&mut self, side: usize, sequence: u32, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (from, to) = match side {
            0 => (self.client, SERVER),
            _ => (SERVER, self.client),
        };
        self.sent.push(Sent {
            at_ns: self.at_ns,
            from,
            to,
            sequence,
            acknowledged: Some(self.next[1 - side]),
            begins: false,
            ends: false,
            bytes: bytes.to_vec(),
        });
    }

    fn open(&mut self) {
        for side in [0, 1] {
            self.at_ns += STEP_NS;
            self.send(side, self.next[side], &[]);
            let last = self.sent.last_mut().unwrap();
            last.begins = true;
            if side == 0 {
                last.acknowledged = None;
            }
            self.next[side] = self.next[side].wrapping_add(1);
        }
    }
}

/// Makes a connection.
pub fn make(
    client: SocketAddr,
    speech: Speech,
    mut plan: ConnectionPlan,
    sent: &mut Vec<Sent>,
    expected: &mut Expected,
) {
    plan.whole |= speech.wants_whole();
    plan.earlier &= !plan.whole;
    let mut line = Line {
        client,
        next: [plan.sequence, !plan.sequence],
        at_ns: START_NS + plan.from_ns,
        sent,
        bytes: 0,
    };
    if plan.whole {
        line.open();
        for (side, bytes) in speech.greeting() {
            line.say(side, &bytes, None);
        }
    }
    if plan.earlier {
        let there = line.say(1, &speech.response(0, 100), None);
        expected.earlier.push(*there.last().unwrap());
    }
    let last = plan.batches.len() - 1;
    for (number, batch) in plan.batches.iter_mut().enumerate() {
        if !speech.may_pipeline() {
            batch.sizes.truncate(1);
        }
        // Of a connection in the middle nobody knows which number comes first.
        if number == 0 && !plan.whole && !plan.earlier {
            batch.swaps.clear();
        }
        line.at_ns += batch.gap_ns;
        let unfinished = plan.unfinished && number == last;
        say_batch(&mut line, speech, batch, unfinished, expected);
    }
    expected.bytes += line.bytes;
}

fn say_batch(
    line: &mut Line<'_>,
    speech: Speech,
    batch: &BatchPlan,
    unfinished: bool,
    expected: &mut Expected,
) {
    let base = expected.whole.len();
    let (mut requests, mut starts) = (Vec::new(), Vec::new());
    for (at, (size, _)) in batch.sizes.iter().enumerate() {
        starts.push(requests.len());
        requests.extend(speech.request(base + at, *size));
    }
    let there = line.say(0, &requests, Some(batch));
    let asked: Vec<u64> = starts.iter().map(|start| there[*start]).collect();
    if unfinished {
        expected.unfinished.extend(asked);
        return;
    }
    line.at_ns += batch.pause_ns;
    let (mut responses, mut places) = (Vec::new(), Vec::new());
    for (at, (_, size)) in batch.sizes.iter().enumerate() {
        let start = responses.len();
        responses.extend(speech.response(base + at, *size));
        places.push((start, responses.len() - 1));
    }
    let there = line.say(1, &responses, Some(batch));
    for (asked_ns, (start, end)) in asked.into_iter().zip(places) {
        expected.whole.push(Exchange {
            asked_ns,
            began_ns: there[start],
            done_ns: there[end],
        });
    }
}
