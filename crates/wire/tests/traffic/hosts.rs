//! What two hosts see of the same connections.

use std::net::SocketAddr;

use plimsoll_wire::{EndOwner, Owners};

use crate::made::{START_NS, Sent, Written};
use crate::report;

const UNTIL_NS: u64 = START_NS + 1_000_000_000;
const MOST: usize = 128;

/// Knows the processes of some addresses.
struct Hosts(&'static [(&'static str, &'static str)]);

impl Owners for Hosts {
    fn owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        let address = own.ip().to_string();
        let (_, process) = self.0.iter().find(|(known, _)| *known == address)?;
        Some(EndOwner {
            process: (*process).to_owned(),
            is_generator: false,
        })
    }
}

const CALLER: (&str, &str) = ("10.0.0.5", "php-fpm[9000]");
const SERVER: (&str, &str) = ("10.0.0.9", "nginx[80]");

fn calls(from: &str, to: &str, connections: u16) -> Vec<Sent> {
    let of = |at| {
        let mut one = Written::new(
            &format!("{from}:{}", 40_000 + at),
            format!("{to}:80").parse().unwrap(),
        );
        // Each begins with numbers of its own, else it would be the same one under another address.
        one.next = [u32::from(at) * 1_000, u32::from(at) * 1_000 + 500];
        one.ask(10, b"GET / HTTP/1.1\r\n\r\n")
            .respond(20, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        one.sent
    };
    (0..connections).flat_map(of).collect()
}

#[test]
fn both_sides_number_their_connections_alike() {
    for connections in [1, 2, 127, 128, 129, 400] {
        let sent = calls(CALLER.0, SERVER.0, connections);
        let caller = report(&sent, UNTIL_NS, &Hosts(&[CALLER]));
        let server = report(&sent, UNTIL_NS, &Hosts(&[SERVER]));
        let (caller, server) = (&caller.hops[0], &server.hops[0]);
        assert_eq!(caller.ends, server.ends);
        assert_eq!(caller.ends.len(), MOST.min(usize::from(connections)));
        assert!(caller.ends.is_sorted());
        assert_eq!(
            (
                caller.client.process.as_str(),
                caller.server.process.as_str()
            ),
            (CALLER.1, "")
        );
        assert_eq!(
            (
                server.client.process.as_str(),
                server.server.process.as_str()
            ),
            ("", SERVER.1)
        );
    }
}

#[test]
fn what_nobody_else_can_see_is_not_numbered() {
    let sent = calls(CALLER.0, SERVER.0, 3);
    let both = report(&sent, UNTIL_NS, &Hosts(&[CALLER, SERVER]));
    assert!(both.hops[0].ends.is_empty());
    let own = calls("127.0.0.1", "127.0.0.1", 3);
    let own = report(&own, UNTIL_NS, &Hosts(&[]));
    assert!(own.hops[0].ends.is_empty());
}
