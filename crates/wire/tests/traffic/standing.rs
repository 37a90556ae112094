//! Connections from before the look: whose they are, who only listens, and what was given up.

use std::net::SocketAddr;

use plimsoll_wire::{Wire, WireLimits};
use proptest::prelude::*;

use crate::made::{SERVER, START_NS, Written};
use crate::{Nobody, report};

const SECOND_NS: u64 = 1_000_000_000;

/// A protocol, what a client says that only listens, what it gets for that, and what it is sent.
type Listener = (&'static str, &'static [u8], &'static [u8], &'static [u8]);

const LISTENERS: [Listener; 5] = [
    (
        "redis",
        b"*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$4\r\n1234\r\n",
        b"",
        b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n",
    ),
    (
        "redis",
        b"*1\r\n$4\r\nPING\r\n",
        b"*2\r\n$4\r\npong\r\n$0\r\n\r\n",
        b"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n",
    ),
    (
        "redis",
        b"*1\r\n$4\r\nPING\r\n",
        b"*2\r\n$4\r\npong\r\n$0\r\n\r\n",
        b"*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\nc\r\n$2\r\nhi\r\n",
    ),
    (
        "postgres",
        b"d\0\0\0\x26r\0\0\0\0\x01\x50\0\0\0\0\0\0\x01\x50\0\0\0\0\0\0\x01\x50\0\0\0\0\0\0\0\0\0\0\0",
        b"",
        b"d\0\0\0\x1dw0123456789012345678901234",
    ),
    (
        "postgres",
        b"d\0\0\0\x1dh012345678901234567890123",
        b"",
        b"d\0\0\0\x1dw0123456789012345678901234",
    ),
];

proptest! {
    #[test]
    fn who_is_sent_things_since_before_asks_nothing(
        who in 0..LISTENERS.len(), pushed in 2..40_usize, cut in 1..40_usize,
    ) {
        let (name, said, response, message) = LISTENERS[who];
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        for n in 0..5 {
            talk.respond(n * 100, &message.repeat(pushed));
            for piece in said.chunks(cut) {
                talk.ask(n * 100 + 50, piece);
            }
            for piece in [response, &message.repeat(pushed)].concat().chunks(cut) {
                talk.respond(n * 100 + 60, piece);
            }
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        prop_assert_eq!(told.hops.len(), 1);
        let hop = &told.hops[0];
        prop_assert_eq!((hop.protocol.as_str(), hop.decided, hop.requests), (name, false, None));
    }

    /// A list may begin with the same word if somebody asked for it.
    #[test]
    fn a_list_that_was_asked_for_is_a_response(count in 1..30_u64, others in 2..4_usize) {
        let list = format!("*{}\r\n$7\r\nmessage\r\n{}", others + 1, "$1\r\na\r\n".repeat(others));
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        for n in 0..count {
            talk.ask(n * 20, b"*4\r\n$6\r\nLRANGE\r\n$1\r\nk\r\n$1\r\n0\r\n$2\r\n-1\r\n");
            talk.respond(n * 20 + 5, list.as_bytes());
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        prop_assert_eq!((told.hops[0].decided, told.hops[0].requests), (true, Some(count)));
    }

    /// What this host forwards goes out at one of its interfaces in either direction.
    #[test]
    fn who_called_is_told_by_ports_that_are_given_out(
        client in 32_768..=u16::MAX, server in 1..32_768_u16, outgoing in any::<bool>(), first in 0..2_usize,
    ) {
        let server = SocketAddr::from(([10, 9, 9, 9], server));
        let mut talk = Written::new(&format!("172.17.0.2:{client}"), server);
        talk.say(first, 0, b"\xffone").say(1 - first, 10, b"\xfetwo");
        let mut wire = Wire::new(START_NS, [0].into(), WireLimits::default());
        for sent in &talk.sent {
            let mut packet = sent.packet();
            packet.outgoing = outgoing;
            wire.packet(&packet);
        }
        let told = wire.finish(START_NS + SECOND_NS, &Nobody);
        prop_assert_eq!(&told.hops[0].server.address, &server.to_string());
    }

    /// Streams of HTTP/2, of which the client gives some up while their content is on its way.
    #[test]
    fn what_was_given_up_is_over(given_up in prop::collection::vec(any::<bool>(), 1..30)) {
        let frame = |kind: u8, flags: u8, stream: u32, content: &[u8]| {
            let length = (content.len() as u32).to_be_bytes();
            [&length[1..], &[kind, flags], &stream.to_be_bytes(), content].concat()
        };
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        // Two from before: one has its response, one is given up.
        talk.ask(5, &frame(3, 0, 999, &[0; 4]));
        talk.respond(6, &[frame(0, 0, 999, b"late"), frame(1, 5, 997, &[0x88])].concat());
        let mut lasted_ms = 6;
        for (at, given_up) in given_up.iter().enumerate() {
            let (stream, at_ms) = (1_001 + 2 * at as u32, 10 + 30 * at as u64);
            talk.ask(at_ms, &frame(1, 5, stream, &[0x82; 12]));
            if *given_up {
                talk.ask(at_ms + 5, &frame(3, 0, stream, &[0; 4]));
                talk.respond(at_ms + 8, &frame(0, 0, stream, b"late"));
                lasted_ms += 5;
            } else {
                talk.respond(at_ms + 8, &frame(1, 4, stream, &[0x88]));
                talk.respond(at_ms + 10, &frame(0, 1, stream, b"here"));
                lasted_ms += 10;
            }
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        let hop = &told.hops[0];
        let unfinished = given_up.iter().filter(|given_up| **given_up).count();
        prop_assert_eq!((hop.protocol.as_str(), hop.decided), ("http2", true));
        prop_assert_eq!(hop.unfinished, Some(unfinished as u64));
        prop_assert_eq!(hop.requests, Some((given_up.len() - unfinished + 1) as u64));
        let mean = hop.in_flight.as_ref().unwrap().mean;
        prop_assert!((mean - f64::from(lasted_ms) / 1e3).abs() < 1e-9, "{} {}", mean, lasted_ms);
    }
}
