//! What making connections takes: those that are opened, their handshakes of TLS, and the time to the first request.

use std::net::SocketAddr;

use plimsoll_wire::WireHop;

use crate::made::{SERVER, START_NS, Sent};
use crate::{Nobody, report};

/// Packets of one connection, each with its time in microseconds.
struct Opened {
    ends: [SocketAddr; 2],
    next: [u32; 2],
    sent: Vec<Sent>,
}

impl Opened {
    /// The client's first packet, and the server's 100 µs later.
    fn at(port: u16, at_us: u64) -> Self {
        let client = SocketAddr::from(([127, 0, 0, 1], port));
        let mut opened = Self {
            ends: [client, SERVER],
            next: [100, 7_000],
            sent: Vec::new(),
        };
        for (side, at_us) in [(0, at_us), (1, at_us + 100)] {
            opened.say(side, at_us, &[]);
            let last = opened.sent.last_mut().unwrap();
            last.begins = true;
            last.acknowledged = last.acknowledged.filter(|_| side == 1);
            opened.next[side] += 1;
        }
        opened
    }

    fn say(&mut self, side: usize, at_us: u64, bytes: &[u8]) {
        self.sent.push(Sent {
            at_ns: START_NS + at_us * 1_000,
            from: self.ends[side],
            to: self.ends[1 - side],
            sequence: self.next[side],
            acknowledged: Some(self.next[1 - side]),
            begins: false,
            bytes: bytes.to_vec(),
        });
        self.next[side] = self.next[side].wrapping_add(bytes.len() as u32);
    }
}

fn record(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap().to_be_bytes();
    [&[kind, 3, 3][..], &length, bytes].concat()
}

/// The first message of a side, of TLS 1.2: no session, one suite, no extensions.
fn hello(kind: u8) -> Vec<u8> {
    let suites: &[u8] = match kind {
        1 => &[0, 0, 2, 0xc0, 0x2f, 1, 0],
        _ => &[0, 0xc0, 0x2f, 0],
    };
    let body = [&[3, 3][..], &[9; 32], suites].concat();
    let length = u8::try_from(body.len()).unwrap();
    record(22, &[&[kind, 0, 0, length][..], &body].concat())
}

fn hop(connections: &[Opened]) -> WireHop {
    let sent: Vec<Sent> = connections
        .iter()
        .flat_map(|one| one.sent.clone())
        .collect();
    let mut hops = report(&sent, START_NS + 1_000_000_000, &Nobody).hops;
    assert_eq!(hops.len(), 1, "{hops:#?}");
    hops.remove(0)
}

#[test]
fn each_connection_is_counted_with_its_handshake_and_what_making_it_took() {
    let connection = |number: u16| {
        let at_us = 10_000 * u64::from(number);
        let mut one = Opened::at(40_000 + number, at_us);
        one.say(0, at_us + 200, &hello(1));
        one.say(1, at_us + 900, &hello(2));
        one.say(0, at_us + 1_000, &record(22, &[7; 60]));
        one.say(1, at_us + 1_500, &record(22, &[7; 60]));
        one.say(0, at_us + 2_000, &record(23, &[7; 120]));
        one.say(1, at_us + 4_000, &record(23, &[7; 900]));
        one
    };
    let hop = hop(&(1..=5).map(connection).collect::<Vec<_>>());
    assert_eq!(
        (hop.protocol.as_str(), hop.decided),
        ("tls", true),
        "{hop:#?}"
    );
    assert_eq!((hop.connections, hop.opened, hop.tls_handshakes), (5, 5, 5));
    assert_eq!(hop.requests, Some(5));
    let near = |ms: f64, expected: f64| (ms - expected).abs() < 1e-6;
    assert!(near(hop.set_up_ms.unwrap().mean, 2.0), "{hop:#?}");
    assert!(near(hop.handshake_ms.unwrap().mean, 0.1), "{hop:#?}");
    let json = serde_json::to_value(&hop).unwrap();
    assert_eq!(json["tls_handshakes"], 5);
}

#[test]
fn a_connection_that_is_kept_is_made_once_and_one_from_before_has_no_beginning() {
    let get = b"GET / HTTP/1.1\r\n\r\n";
    let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let mut kept = Opened::at(40_000, 1_000);
    let mut earlier = Opened::at(40_001, 1_000);
    earlier.sent.clear();
    for number in 0..20 {
        for one in [&mut kept, &mut earlier] {
            one.say(0, 2_000 + number * 1_000, get);
            one.say(1, 2_500 + number * 1_000, ok);
        }
    }
    let hop = hop(&[kept, earlier]);
    assert_eq!(
        (hop.connections, hop.opened, hop.requests),
        (2, 1, Some(40))
    );
    assert_eq!(hop.tls_handshakes, 0);
    assert!((hop.set_up_ms.unwrap().max - 1.0).abs() < 1e-6, "{hop:#?}");
    let json = serde_json::to_value(&hop).unwrap();
    assert!(json.get("tls_handshakes").is_none(), "{json}");
}
