//! What might be taken for something else.

use proptest::prelude::*;

use crate::made::{SERVER, START_NS, Written};
use crate::{Nobody, report};

const SECOND_NS: u64 = 1_000_000_000;

/// A packet of MySQL.
fn packet(number: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    [&length[..3], &[number], content].concat()
}

/// A message of PostgreSQL.
fn message(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32 + 4).to_be_bytes();
    [&[kind], &length[..], content].concat()
}

/// A message of MongoDB: its length, its number, the one that it responds to, what it is.
fn mongo(number: u32, responds_to: u32, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u32 + 16;
    let head = [length, number, responds_to, 2_013].map(u32::to_le_bytes);
    [&head.concat()[..], content].concat()
}

const DONE: &[u8] = &[0, 0, 0, 2, 0, 0, 0];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn numbers_of_requests_to_mongodb_are_no_commands_of_another(
        first in any::<u32>(), length in 5..400_usize, filling in any::<u8>(),
    ) {
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        for n in 0..300_u32 {
            let at_ms = u64::from(n) * 3;
            let number = first.wrapping_add(n);
            talk.ask(at_ms, &mongo(number, 0, &vec![filling; length]));
            talk.respond(at_ms + 1, &mongo(n, number, &[0; 40]));
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        let hop = &told.hops[0];
        prop_assert_eq!((hop.protocol.as_str(), hop.decided), ("unknown", true));
        prop_assert_eq!((hop.requests, hop.unfinished), (Some(300), Some(0)));
    }

    /// Of what is known by no protocol a chance form tells none, either: `ping` of MySQL here.
    #[test]
    fn what_is_told_apart_by_turns_for_long_stays_so(strange in 16..60_u64) {
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        for n in 0..strange {
            talk.ask(n * 3, b"\xffask").respond(n * 3 + 1, b"\xfetell");
        }
        talk.ask(strange * 3, b"\x01\0\0\0\x0e").respond(strange * 3 + 1, b"\xfetell");
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        prop_assert_eq!(told.hops[0].protocol.as_str(), "unknown");
        prop_assert_eq!(told.hops[0].requests, Some(strange + 1));
    }

    /// Its packets go on with the numbers of what was said before, again and again through 0.
    #[test]
    fn a_file_that_the_server_wants_is_of_the_command_that_named_it(
        pieces in 0..700_usize, cut in 1..3_000_usize, behind in 1..5_u64,
    ) {
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        talk.ask(0, &packet(0, b"\x03load data local infile 'x' into table t"));
        talk.respond(1, &packet(1, b"\xfbx"));
        let mut file: Vec<u8> = (0..pieces).flat_map(|n| packet((n + 2) as u8, b"\x031,one")).collect();
        file.extend(packet((pieces + 2) as u8, b""));
        for piece in file.chunks(cut) {
            talk.ask(2, piece);
        }
        talk.respond(100, &packet((pieces + 3) as u8, DONE));
        for n in 0..behind {
            talk.ask(200 + n * 10, &packet(0, b"\x03select 1"));
            talk.respond(204 + n * 10, &packet(1, DONE));
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        let hop = &told.hops[0];
        prop_assert_eq!((hop.protocol.as_str(), hop.decided), ("mysql", true));
        prop_assert_eq!((hop.requests, hop.unfinished), (Some(behind + 1), Some(0)));
        let times = hop.response_ms.unwrap();
        prop_assert_eq!(times.max, 100.0);
        prop_assert!((times.mean - (100.0 + 4.0 * behind as f64) / (behind as f64 + 1.0)).abs() < 1e-9);
    }

    /// What goes on with nothing is no packet of MySQL, and what seems to be its length tells nothing.
    #[test]
    fn a_packet_with_a_number_that_goes_on_with_nothing_swallows_no_requests(number in 3..=255_u8) {
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        let mut at_ms = 0;
        for strange in [false, true, false] {
            for _ in 0..10 {
                talk.ask(at_ms, &packet(0, b"\x03select 1"));
                talk.respond(at_ms + 1, &packet(1, DONE));
                at_ms += 10;
            }
            if strange {
                talk.ask(at_ms, &[0, 0xff, 0xff, number, 3, 7, 7, 7]);
                talk.respond(at_ms + 1, &packet(1, b"\xff what"));
                at_ms += 10;
            }
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        prop_assert_eq!(told.hops[0].requests, Some(30));
    }

    /// A look may begin within a row; what seems to be a message there is none.
    #[test]
    fn a_row_of_which_the_beginning_was_not_seen_swallows_no_responses(
        row in prop::collection::vec(32..127_u8, 10..2_000), count in 2..30_u64,
    ) {
        let ready = [message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat();
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        talk.ask(0, &message(b'Q', b"select 1\0"));
        talk.respond(1, &[&row[..], &ready, &ready].concat());
        for n in 1..=count {
            talk.ask(n * 10, &message(b'Q', b"select 1\0")).respond(n * 10 + 1, &ready);
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        let hop = &told.hops[0];
        prop_assert_eq!((hop.protocol.as_str(), hop.decided), ("postgres", true));
        prop_assert!(hop.requests.unwrap() >= count, "{:#?}", hop);
    }

    /// The server heeds no "sync" while it is sent rows, and responds to both of them once.
    #[test]
    fn a_copy_has_one_response(rows in 0..20_usize, fails in any::<bool>(), behind in 1..10_u64) {
        let group = |rest: &[u8]| {
            let bind = [message(b'B', &[0; 8]), message(b'E', &[0; 5]), message(b'S', b"")];
            [&bind.concat()[..], rest].concat()
        };
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        talk.ask(0, &group(b""));
        talk.respond(2, &[message(b'2', b""), message(b'G', &[0; 3])].concat());
        talk.ask(3, &message(b'd', b"1\tone\n").repeat(rows));
        let last = if fails { message(b'f', b"no\0") } else { message(b'c', b"") };
        talk.ask(40, &[last, message(b'S', b"")].concat());
        let ready = [message(b'C', b"COPY 1\0"), message(b'Z', b"I")].concat();
        talk.respond(60, &ready);
        for n in 0..behind {
            talk.ask(100 + n * 50, &group(b"")).respond(105 + n * 50, &ready);
        }
        let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
        let hop = &told.hops[0];
        prop_assert_eq!((hop.requests, hop.unfinished), (Some(behind + 1), Some(0)));
        let times = hop.response_ms.unwrap();
        prop_assert!((times.mean - (60.0 + 5.0 * behind as f64) / (behind as f64 + 1.0)).abs() < 1e-9, "{:?}", times);
    }
}
