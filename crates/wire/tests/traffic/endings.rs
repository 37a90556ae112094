//! Connections whose end is seen before what was said last.

use proptest::prelude::*;

use crate::handshakes::{Talking, of_hop};

const MS: u64 = 1_000_000;
const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789";

/// A request, and its response in pieces, the last of which ends the connection.
fn ends_with(response: &[u8], piece: usize) -> Talking {
    let mut talk = Talking::open(40_000, 0);
    talk.say(0, 10, GET);
    for piece in response.chunks(piece) {
        talk.say(1, 20, piece);
    }
    talk.say(1, 20, b"");
    talk.sent.last_mut().unwrap().ends = true;
    talk
}

proptest! {
    #[test]
    fn a_response_is_whole_in_whatever_order_it_and_the_end_come(
        piece in 5..60_usize,
        swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..12),
    ) {
        let mut talk = ends_with(OK, piece);
        let said = &mut talk.sent[3..];
        for (one, other) in swaps {
            said.swap(one.index(said.len()), other.index(said.len()));
        }
        // They come 10 ms apart; it is there when the last of them with content is.
        let (mut at_ns, mut there_ns) = (said[0].at_ns, 0);
        for one in said {
            at_ns += 10 * MS;
            one.at_ns = at_ns;
            if !one.bytes.is_empty() {
                there_ns = at_ns;
            }
        }
        let asked_ns = talk.sent[2].at_ns;
        let hop = of_hop(vec![talk]);
        prop_assert_eq!((hop.requests, hop.unfinished, hop.closed), (Some(1), Some(0), 1));
        prop_assert_eq!(hop.response_ms.unwrap().mean, (there_ns - asked_ns) as f64 / 1e6);
    }
}

#[test]
fn what_never_comes_leaves_the_request_without_its_response() {
    let mut talk = ends_with(OK, 20);
    let ends = talk.sent.pop().unwrap();
    talk.sent.pop();
    talk.sent.push(ends);
    let hop = of_hop(vec![talk]);
    assert_eq!(
        (hop.requests, hop.unfinished),
        (Some(0), Some(1)),
        "{hop:#?}"
    );
    // Until its end was seen, 10 ms later.
    assert!((hop.in_flight.unwrap().mean - 0.01).abs() < 1e-6);
}
