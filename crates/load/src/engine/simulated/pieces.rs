//! Bytes in pieces of any size, with pauses between them, that break off anywhere.

use proptest::prelude::*;

use super::*;
use crate::driver::simulated::{Cut, InPieces, Peer, TlsPeer};

/// A body that is said in chunks or with its length, or that ends with the connection.
fn framed(body: &[u8], how: u8) -> Vec<Act> {
    let chunked = || {
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for piece in body.chunks(700) {
            bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
            bytes.extend(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    };
    match how {
        0 => after(MS, response(200, "", body)),
        1 => after(MS, chunked()),
        _ => {
            let mut acts = after(MS, [b"HTTP/1.1 200 OK\r\n\r\n", body].concat());
            acts.push(Act::after(0, Deed::Close));
            acts
        }
    }
}

#[derive(Debug, Clone)]
struct Case {
    tls: bool,
    how: u8,
    body: usize,
    sent: usize,
    seed: u64,
    longest: usize,
    pause_us: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let sizes = (0..4_000usize, 0..20_000usize, any::<u64>());
    (any::<bool>(), 0..3u8, sizes, 1..3_000usize, 0..2_000u64).prop_map(
        |(tls, how, (body, sent, seed), longest, pause_us)| Case {
            tls,
            how,
            body,
            sent,
            seed,
            longest,
            pause_us,
        },
    )
}

/// Peers that give back how much they heard, and say so much.
fn world(case: &Case, cut: Cut) -> World {
    let case = case.clone();
    World::of_peers(move |connection| {
        let case = case.clone();
        let (seed, longest) = (case.seed ^ connection, case.longest);
        let pause_ns = case.pause_us * US;
        let http = HttpPeer::new(move |request: &HttpRequest| {
            assert!(request.body.iter().all(|byte| *byte == b'x'));
            let mut body = format!("heard {} ", request.body.len()).into_bytes();
            body.resize(body.len() + case.body, b'y');
            framed(&body, case.how)
        });
        let peer: Box<dyn Peer> = match case.tls {
            true => Box::new(TlsPeer::new(http)),
            false => Box::new(http),
        };
        // What breaks off does so on the first connection.
        let cut = if connection == 0 { cut } else { Cut::None };
        InPieces::new(peer, seed, longest, pause_ns).cut(cut)
    })
}

fn yaml(case: &Case) -> String {
    let scheme = if case.tls { "https" } else { "http" };
    let (body, sent) = ("x".repeat(case.sent), case.sent);
    format!(
        "iterations: 3\ntimeout: 1h\nconnect-timeout: 1h\ntls: {{insecure: true}}\n\
         \
         steps:\n  - post: {scheme}://h.test/\n    body: \"{body}\"\n    \
         check: {{text: \"heard {sent} \"}}\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_the_pieces_the_response_is_the_same(case in cases()) {
        let (heard, _) = simulate(&yaml(&case), world(&case, Cut::None));
        prop_assert_eq!(heard.errors(), [""; 0]);
        prop_assert_eq!(heard.samples.len(), 3);
        prop_assert_eq!((heard.resent, heard.cut_off), (0, 0));
        let bytes = heard.samples[0].received_bytes;
        prop_assert!(heard.samples.iter().all(|sample| sample.received_bytes == bytes));
    }

    #[test]
    fn wherever_it_breaks_off_one_sample_tells_and_the_next_is_well(
        case in cases(),
        at in 0..6_000usize,
        reset in any::<bool>(),
    ) {
        let cut = if reset { Cut::Reset(at) } else { Cut::Close(at) };
        let (heard, _) = simulate(&yaml(&case), world(&case, cut));
        prop_assert_eq!(heard.samples.len(), 3);
        let errors = heard.errors();
        prop_assert!(errors.len() <= 1, "{:?}", errors);
        let known = [
            "connection_reset", "connection_closed", "closed_in_body", "malformed_response",
            "tls_handshake", "check_failed",
        ];
        prop_assert!(errors.iter().all(|error| known.contains(error)), "{:?}", errors);
        // A body that ends with the connection may be cut short without a sign.
        prop_assert!(case.how == 2 || !errors.contains(&"check_failed"), "{:?}", errors);
    }
}
