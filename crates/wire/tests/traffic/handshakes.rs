//! Connections with a handshake of TLS, of which each has one request.

use std::net::SocketAddr;

use plimsoll_wire::{EndOwner, Owners, WireHop};

use crate::made::{SERVER, START_NS, Sent};
use crate::report;

const MS: u64 = 1_000_000;

/// Who calls is known, and is not the load generator.
struct Edge;

impl Owners for Edge {
    fn owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        let process = if own == SERVER { "origin" } else { "edge" };
        Some(EndOwner {
            process: process.to_owned(),
            is_generator: false,
        })
    }
}

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u16).to_be_bytes();
    [&[kind, 3, 3], &length[..], content].concat()
}

/// A first message of the client (1) or the server (2): a session's name, and extensions.
fn hello(kind: u8, session: &[u8], extensions: &[(u16, &[u8])]) -> Vec<u8> {
    let mut all = vec![kind, 0, 0, 0, 3, 3];
    all.extend([9; 32]);
    all.push(session.len() as u8);
    all.extend(session);
    all.extend(if kind == 1 {
        &[0, 2, 0x13, 1, 1, 0][..]
    } else {
        &[0x13, 1, 0]
    });
    let coded: Vec<u8> = extensions
        .iter()
        .flat_map(|(number, content)| {
            let length = (content.len() as u16).to_be_bytes();
            [&number.to_be_bytes()[..], &length, content].concat()
        })
        .collect();
    all.extend((coded.len() as u16).to_be_bytes());
    all.extend(coded);
    record(22, &all)
}

/// Packets of one connection.
pub struct Talking {
    ends: [SocketAddr; 2],
    pub next: [u32; 2],
    pub sent: Vec<Sent>,
}

impl Talking {
    /// Opened at a moment, ms.
    pub fn open(port: u16, at_ms: u64) -> Self {
        let client = SocketAddr::from(([127, 0, 0, 1], port));
        let mut own = Self {
            ends: [client, SERVER],
            next: [100, 7_000],
            sent: Vec::new(),
        };
        own.push(0, at_ms * MS, &[], true);
        own.sent[0].acknowledged = None;
        own.next[0] += 1;
        own.push(1, at_ms * MS + 1, &[], true);
        own.next[1] += 1;
        own
    }

    /// From before anybody looked.
    pub fn kept(port: u16) -> Self {
        let mut own = Self::open(port, 0);
        own.sent.clear();
        own
    }

    fn push(&mut self, side: usize, at_ns: u64, bytes: &[u8], begins: bool) {
        self.sent.push(Sent {
            at_ns: START_NS + at_ns,
            from: self.ends[side],
            to: self.ends[1 - side],
            sequence: self.next[side],
            acknowledged: Some(self.next[1 - side]),
            begins,
            ends: false,
            bytes: bytes.to_vec(),
        });
        self.next[side] += bytes.len() as u32;
    }

    pub fn say(&mut self, side: usize, at_ms: u64, bytes: &[u8]) {
        self.push(side, at_ms * MS, bytes, false);
    }
}

/// What is told of connections, which are of one hop.
pub fn of_hop(all: Vec<Talking>) -> WireHop {
    let sent: Vec<Sent> = all.into_iter().flat_map(|one| one.sent).collect();
    let mut hops = report(&sent, START_NS + 1_000 * MS, &Edge).hops;
    assert_eq!(hops.len(), 1, "{hops:#?}");
    hops.remove(0)
}

/// A connection with one request over TLS.
fn one_request(port: u16, at_ms: u64, resumes: bool) -> Talking {
    let mut talk = Talking::open(port, at_ms);
    secured_request(&mut talk, at_ms, resumes);
    talk
}

/// TLS 1.3, RFC 8446: the server takes 8 ms for its part, the request 3.
fn secured_request(talk: &mut Talking, at_ms: u64, resumes: bool) {
    let versions: (u16, &[u8]) = (43, &[3, 4]);
    let key: (u16, &[u8]) = (41, &[0, 0]);
    let extensions = if resumes {
        vec![versions, key]
    } else {
        vec![versions]
    };
    talk.say(0, at_ms + 1, &hello(1, &[7; 32], &[]));
    talk.say(1, at_ms + 9, &hello(2, &[7; 32], &extensions));
    talk.say(1, at_ms + 9, &record(23, &[0; 900]));
    talk.say(0, at_ms + 10, &record(23, &[0; 53]));
    // Tickets cross with the request, and the ends with each other.
    let acknowledged = talk.next[1];
    talk.say(1, at_ms + 11, &record(23, &[0; 250]));
    talk.say(0, at_ms + 11, &record(23, &[0; 120]));
    if let Some(request) = talk.sent.last_mut() {
        request.acknowledged = Some(acknowledged);
    }
    talk.say(1, at_ms + 14, &record(23, &[0; 5_000]));
    talk.say(1, at_ms + 15, &record(23, &[0; 19]));
    let acknowledged = talk.next[0];
    talk.say(0, at_ms + 15, &record(23, &[0; 19]));
    if let Some(alert) = talk.sent.last_mut() {
        alert.acknowledged = Some(acknowledged);
    }
}

/// A connection on which both sides agree on TLS in the words of a protocol.
fn agreed(port: u16, at_ms: u64, is_postgres: bool) -> Talking {
    let mut talk = Talking::open(port, at_ms);
    match is_postgres {
        true => {
            talk.say(0, at_ms + 1, &[0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]);
            talk.say(1, at_ms + 1, b"S");
        }
        false => {
            talk.say(
                1,
                at_ms + 1,
                &[&[18, 0, 0, 0, 10], &b"11.4.2-MariaDB\0\0\0"[..]].concat(),
            );
            let can = [0x0d, 0xaa, 0, 0];
            talk.say(0, at_ms + 1, &[&[32, 0, 0, 1][..], &can, &[0; 28]].concat());
        }
    }
    secured_request(&mut talk, at_ms, false);
    talk
}

#[test]
fn tls_within_a_protocol_is_told_as_tls_is_and_so_is_who_speaks_out_of_turn() {
    for (is_postgres, name) in [(true, "postgres"), (false, "mysql")] {
        let all = || (0..10).map(|n| agreed(40_000 + n, u64::from(n) * 20, is_postgres));
        let hop = of_hop(all().collect());
        assert_eq!((hop.protocol.as_str(), hop.decided), (name, true));
        assert_eq!(hop.requests, Some(10), "{hop:#?}");
        assert_eq!(hop.tls.unwrap().handshake_ms.unwrap().mean, 9.0);
        assert_eq!(hop.opening_ms.unwrap().mean, 10.0);
        // Requests that are sent before the response to the last one is there.
        let crossing = all().map(|mut talk| {
            let at_ms = (talk.sent.last().unwrap().at_ns - START_NS) / MS;
            for n in 0..20 {
                talk.say(0, at_ms + n * 10, &record(23, &[0; 120]));
                talk.say(1, at_ms + n * 10 + 2, &record(23, &[0; 900]));
                talk.say(0, at_ms + n * 10 + 2, &record(23, &[0; 120]));
                let response = talk.next[1] - 905;
                talk.sent.last_mut().unwrap().acknowledged = Some(response);
                talk.say(1, at_ms + n * 10 + 5, &record(23, &[0; 900]));
            }
            talk
        });
        let hop = of_hop(crossing.collect());
        assert_eq!((hop.protocol.as_str(), hop.decided), (name, false));
    }
}

#[test]
fn a_connection_for_each_request_is_decided_and_its_opening_is_waited_for() {
    let all = (0..10).map(|n| one_request(40_000 + n, u64::from(n) * 20, n >= 8));
    let hop = of_hop(all.collect());
    assert_eq!(
        (hop.protocol.as_str(), hop.decided),
        ("tls", true),
        "{hop:#?}"
    );
    assert_eq!((hop.opened, hop.requests), (10, Some(10)));
    let tls = hop.tls.unwrap();
    assert_eq!((tls.handshakes, tls.resumed), (10, 2));
    assert_eq!(tls.handshake_ms.unwrap().mean, 9.0);
    assert_eq!(hop.opening_ms.unwrap().mean, 10.0);
    assert_eq!(hop.response_ms.unwrap().mean, 3.0);
    // Of each connection 10 ms until it is there, and 3 for its request.
    let mean = hop.in_flight.unwrap().mean;
    assert!((mean - 10.0 * 0.013).abs() < 1e-6, "{mean}");
}

#[test]
fn sessions_of_older_versions_go_on_by_their_name() {
    let talk = |port: u16, session: &[u8]| {
        let mut talk = Talking::open(port, 0);
        talk.say(0, 1, &hello(1, &[7; 32], &[]));
        talk.say(1, 3, &hello(2, session, &[]));
        talk.say(1, 3, &record(22, &[11, 0, 0, 4, 0, 0, 0, 0]));
        talk.say(0, 4, &[record(20, &[1]), record(22, &[0; 40])].concat());
        talk.say(1, 6, &[record(20, &[1]), record(22, &[0; 40])].concat());
        talk.say(0, 7, &record(23, &[0; 100]));
        talk.say(1, 9, &record(23, &[0; 100]));
        talk
    };
    let hop = of_hop(vec![
        talk(40_000, &[7; 32]),
        talk(40_001, &[8; 32]),
        talk(40_002, &[]),
    ]);
    let tls = hop.tls.unwrap();
    assert_eq!((tls.handshakes, tls.resumed), (3, 1));
    assert_eq!(tls.handshake_ms.unwrap().mean, 5.0);
    assert_eq!(
        (hop.requests, hop.response_ms.unwrap().mean),
        (Some(3), 2.0)
    );
}

#[test]
fn a_connection_from_before_on_which_a_client_speaks_beside_its_requests_is_undecided() {
    // From before: 20 requests, behind each response word that it was taken.
    let talk = |beside: Option<usize>| {
        let mut talk = Talking::kept(40_000);
        for n in 0..20 {
            talk.say(0, n * 40 + 1, &record(23, &[0; 120]));
            talk.say(1, n * 40 + 9, &record(23, &[0; 900]));
            if let Some(length) = beside {
                talk.say(0, n * 40 + 10, &record(23, &vec![0; length]));
            }
        }
        of_hop(vec![talk])
    };
    let plain = talk(None);
    assert_eq!((plain.decided, plain.requests), (true, Some(20)));
    for length in [26, 30, 34, 37] {
        assert!(!talk(Some(length)).decided, "{length}");
    }
    // A short statement to a database has a response of its own.
    let mut database = Talking::kept(40_000);
    for n in 0..20 {
        database.say(0, n * 40 + 1, &record(23, &[0; 30]));
        database.say(1, n * 40 + 9, &record(23, &[0; 40]));
    }
    let database = of_hop(vec![database]);
    assert_eq!((database.decided, database.requests), (true, Some(20)));
}

#[test]
fn commits_of_what_was_written_are_counted() {
    let message = |kind: u8, content: &[u8]| {
        let length = (content.len() as u32 + 4).to_be_bytes();
        [&[kind], &length[..], content].concat()
    };
    let mut talk = Talking::open(40_000, 0);
    let said: [(&str, u8); 9] = [
        ("INSERT 0 1", b'I'),
        ("SELECT 3", b'I'),
        ("UPDATE 0", b'I'),
        ("BEGIN", b'T'),
        ("INSERT 0 10", b'T'),
        ("UPDATE 4", b'T'),
        ("COMMIT", b'I'),
        ("COMMIT", b'I'),
        ("DELETE 2", b'I'),
    ];
    for ((tag, state), at_ms) in said.into_iter().zip((0..).step_by(10)) {
        talk.say(0, at_ms + 1, &message(b'Q', b"something\0"));
        let tag = [tag.as_bytes(), b"\0"].concat();
        let response = [message(b'C', &tag), message(b'Z', &[state])].concat();
        // However it is cut.
        let (first, rest) = response.split_at(7);
        talk.say(1, at_ms + 2, first);
        talk.say(1, at_ms + 3, rest);
    }
    let hop = of_hop(vec![talk]);
    assert_eq!((hop.protocol.as_str(), hop.requests), ("postgres", Some(9)));
    assert_eq!(
        hop.commits,
        Some(3),
        "one insert, one transaction, one delete"
    );
}
