//! What is seen of long packets in part, and calls that no request waits for.

use std::net::SocketAddr;

use plimsoll_wire::{EndOwner, Owners};

use crate::made::{SERVER, START_NS, Written};
use crate::{Nobody, report};

const SECOND_NS: u64 = 1_000_000_000;

/// A list of so many values of 20 bytes.
fn list(count: usize) -> Vec<u8> {
    let values = "$20\r\n01234567890123456789\r\n".repeat(count);
    format!("*{count}\r\n{values}").into_bytes()
}

#[test]
fn a_response_of_which_a_part_is_seen_is_one_all_the_same() {
    let ask = b"*4\r\n$6\r\nLRANGE\r\n$1\r\nk\r\n$1\r\n0\r\n$2\r\n-1\r\n";
    // From one that is kept whole to many times as long as what is kept; the rest of it in a packet of its own.
    for count in [10, 700, 1_200, 4_000] {
        let mut all = Vec::new();
        for client in ["127.0.0.1:40000", "127.0.0.1:40001", "127.0.0.1:40002"] {
            let mut talk = Written::new(client, SERVER);
            for n in 0..20_u64 {
                let response = list(count);
                let (first, rest) = response.split_at(response.len() - 28);
                talk.ask(n * 40, ask)
                    .respond(n * 40 + 10, first)
                    .respond(n * 40 + 12, rest);
            }
            all.append(&mut talk.sent);
        }
        let hops = report(&all, START_NS + SECOND_NS, &Nobody).hops;
        assert_eq!(hops.len(), 1, "{count}: {hops:#?}");
        let hop = &hops[0];
        assert_eq!((hop.protocol.as_str(), hop.decided), ("redis", true));
        assert_eq!(
            (hop.requests, hop.unfinished),
            (Some(60), Some(0)),
            "{count}: {hop:#?}"
        );
        assert_eq!(hop.response_ms.as_ref().unwrap().mean, 12.0, "{count}");
    }
}

#[test]
fn sight_that_is_lost_is_no_request_without_a_response() {
    let ask = b"*4\r\n$6\r\nLRANGE\r\n$1\r\nk\r\n$1\r\n0\r\n$2\r\n-1\r\n";
    let mut talk = Written::new("127.0.0.1:40000", SERVER);
    for n in 0..20_u64 {
        // Three at once, whose responses come in one packet.
        talk.ask(n * 40, &ask.repeat(3));
        talk.respond(n * 40 + 10, &list(1_200).repeat(3));
    }
    let hop = &report(&talk.sent, START_NS + SECOND_NS, &Nobody).hops[0];
    assert_eq!(hop.unfinished, Some(0), "{hop:#?}");
}

/// A service that asks a store, and waits there for work.
struct Service;

impl Owners for Service {
    fn owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        let (process, is_generator) = match own.port() {
            8_000 | 50_000.. => ("shop[8000]", false),
            6_379 => ("redis-server[6379]", false),
            _ => ("plimsoll[1]", true),
        };
        Some(EndOwner {
            process: process.to_owned(),
            is_generator,
        })
    }
}

#[test]
fn what_is_waited_for_longer_than_any_request_takes_is_no_requests() {
    let redis = SocketAddr::from(([127, 0, 0, 1], 6_379));
    let mut load = Written::new("127.0.0.1:40000", SERVER);
    let mut store = Written::new("127.0.0.1:50000", redis);
    let mut work = Written::new("127.0.0.1:50001", redis);
    work.ask(0, b"*3\r\n$8\r\nBZPOPMIN\r\n$4\r\njobs\r\n$1\r\n0\r\n");
    for n in 0..20_u64 {
        let at_ms = n * 50;
        load.ask(at_ms, b"GET / HTTP/1.1\r\n\r\n");
        store
            .ask(at_ms + 5, b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n")
            .respond(at_ms + 10, b"$1\r\n1\r\n");
        load.respond(
            at_ms + 40,
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        );
    }
    let mut all = [load.sent, store.sent, work.sent].concat();
    all.sort_by_key(|sent| sent.at_ns);
    let report = report(&all, START_NS + SECOND_NS, &Service);
    let shop = report
        .processes
        .iter()
        .find(|one| one.process == "shop[8000]");
    let shop = shop.unwrap();
    // 20 times 40 ms, of which 5 at the store.
    assert!((shop.in_flight.mean - 0.8).abs() < 1e-9, "{shop:#?}");
    assert!((shop.waiting_for_others - 0.1).abs() < 1e-9, "{shop:#?}");
    let mut hops = report.hops.iter();
    let hop = hops
        .find(|hop| hop.server.process.starts_with("redis"))
        .unwrap();
    assert!((hop.apart.unwrap() - 1.0).abs() < 1e-9, "{hop:#?}");
    assert!(
        (hop.in_flight.as_ref().unwrap().mean - 0.1).abs() < 1e-9,
        "{hop:#?}"
    );
    assert_eq!((hop.requests, hop.connections), (Some(20), 2));
}
