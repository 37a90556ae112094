//! Requests, their connections and their responses.

use std::net::SocketAddr;

use super::*;
use crate::driver::simulated::{Admission, Peer, Servers};

#[test]
fn times_are_those_of_connection_and_response() {
    let (heard, ended) = simulate("iterations: 3\nsteps: [{get: /}]\n", steady(30 * MS));
    let time = 30 * MS + WAYS_NS;
    assert_eq!(heard.times(), [CONNECT_NS + time, time, time]);
    assert_eq!(
        heard.starts(),
        [0, CONNECT_NS + time, CONNECT_NS + 2 * time]
    );
    assert_eq!(heard.samples[0].connect_ns, CONNECT_NS);
    assert_eq!(heard.samples[1].connect_ns, 0);
    assert_eq!(heard.samples[1].latency_ns, time);
    assert_eq!(ended.end_ns, CONNECT_NS + 3 * time);
    assert_eq!((heard.lateness_max_ns, heard.lag_max_ns), (0, 0));
}

#[test]
fn a_connection_serves_one_request_after_the_other_as_long_as_it_may() {
    let cases = [
        ("", "", 1),
        ("keep-alive: false\n", "", 4),
        ("", "Connection: close\r\n", 4),
        ("same-user: false\n", "", 4),
        ("users: 2\n", "", 2),
        ("users: 2\nshare-connections: true\n", "", 2),
    ];
    for (keys, header, connections) in cases {
        let count = Count::default();
        let counted = count.clone();
        let world = World::of_peers(move |_| {
            counted.add();
            HttpPeer::new(move |_| after(MS, response(200, header, b"")))
        });
        let yaml = format!("{keys}iterations: 4\nsteps: [{{get: /}}]\n");
        let (heard, _) = simulate(&yaml, world);
        assert_eq!(heard.errors(), [""; 0], "{keys}");
        assert_eq!(count.get(), connections, "{keys}{header}");
    }
}

/// A server that closes a connection after its first response, or meets the second request on it
/// so.
fn closes_at(deed: Deed, second: bool, asked: &Noted) -> World {
    let asked = asked.clone();
    respond(move |connection, request| {
        asked.note(format!("{connection} {}", request.method()));
        if connection == 0 && request.number == 1 {
            return vec![Act::after(MS, deed.clone())];
        }
        let mut acts = after(MS, response(200, "", b""));
        if connection == 0 && !second {
            acts.push(Act::after(MS, deed.clone()));
        }
        acts
    })
}

#[test]
fn a_keep_alive_connection_that_the_server_closed_is_not_used_again() {
    for deed in [Deed::Close, Deed::HalfClose, Deed::Reset] {
        let asked = Noted::default();
        let yaml = "iterations: 2\nsteps: [{post: /, body: x}, {think: 1s}]\n";
        let (heard, _) = simulate(yaml, closes_at(deed, false, &asked));
        assert_eq!(asked.all(), ["0 POST", "1 POST"]);
        assert_eq!((heard.resent, heard.errors().len()), (0, 0));
    }
}

#[test]
fn what_may_be_done_twice_is_sent_again_when_its_keep_alive_connection_breaks() {
    for deed in [Deed::Close, Deed::HalfClose, Deed::Reset] {
        let asked = Noted::default();
        let yaml = "iterations: 2\nsteps: [{get: /}]\n";
        let (heard, _) = simulate(yaml, closes_at(deed.clone(), true, &asked));
        assert_eq!(asked.all(), ["0 GET", "0 GET", "1 GET"]);
        assert_eq!((heard.resent, heard.errors().len()), (1, 0));
        // The time of the try that failed is in that of the request.
        let time = 2 * (MS + WAYS_NS) + CONNECT_NS;
        assert_eq!(heard.times()[1], time);

        let asked = Noted::default();
        let yaml = "iterations: 2\nsteps: [{post: /, body: x}]\n";
        let (heard, _) = simulate(yaml, closes_at(deed.clone(), true, &asked));
        assert_eq!(asked.all(), ["0 POST", "0 POST"]);
        let kind = match deed {
            Deed::Reset => "connection_reset",
            _ => "connection_closed",
        };
        assert_eq!((heard.resent, heard.errors()), (0, vec![kind]));
    }
}

#[test]
fn a_new_connection_that_breaks_is_a_failure() {
    let asked = Noted::default();
    let noted = asked.clone();
    let world = respond(move |_, _| {
        noted.note("asked");
        vec![Act::after(MS, Deed::Close)]
    });
    let (heard, _) = simulate("steps: [{get: /}]\n", world);
    assert_eq!(heard.errors(), ["connection_closed"]);
    assert_eq!(asked.all().len(), 1);
}

#[test]
fn time_outs_are_exact() {
    let cases = [
        ("timeout: 2s\n", steady(5 * S), "read_timeout", 2 * S),
        ("timeout: 2s\n", silent(), "connect_timeout", 2 * S),
        (
            "connect-timeout: 700ms\n",
            silent(),
            "connect_timeout",
            700 * MS,
        ),
        ("connect-timeout: 1s\n", slow(2 * S), "connect_timeout", S),
        ("", slow(2 * S), "", 2 * S + MS + WAYS_NS),
        ("", World::new(|| Refusing), "connection_refused", 3 * MS),
    ];
    for (keys, world, error, time) in cases {
        let (heard, _) = simulate(&format!("{keys}steps: [{{get: /}}]\n"), world);
        let errors = if error.is_empty() {
            vec![]
        } else {
            vec![error]
        };
        assert_eq!(
            (heard.errors(), heard.times()),
            (errors, vec![time]),
            "{keys}"
        );
    }
}

fn silent() -> World {
    World::new(|| |_: SocketAddr, _: u64| Admission::Silence)
}

fn peer(after_ns: u64) -> Box<dyn Peer> {
    Box::new(HttpPeer::new(move |_| {
        after(after_ns, response(200, "", b""))
    }))
}

fn slow(after_ns: u64) -> World {
    World::new(move || move |_: SocketAddr, _: u64| Admission::Taken(after_ns, peer(MS)))
}

struct Refusing;

impl Servers for Refusing {
    fn admit(&mut self, _: SocketAddr, _: u64) -> Admission {
        Admission::Refused(3 * MS)
    }
}

/// One address is taken, the other is not; names take their time.
struct Named;

impl Servers for Named {
    fn admit(&mut self, to: SocketAddr, _: u64) -> Admission {
        match to.port() {
            80 => Admission::Taken(MS, peer(MS)),
            _ => Admission::Refused(MS),
        }
    }

    fn address(&mut self, name: &str) -> (u64, Option<std::net::IpAddr>) {
        let address = [192, 0, 2, 7].into();
        (40 * MS, (name != "nowhere.test").then_some(address))
    }
}

#[test]
fn names_are_looked_up_and_timed() {
    let yaml = "steps: [{get: \"http://shop.test/\"}, {get: \"http://nowhere.test/\"}]\n";
    let (heard, _) = simulate(yaml, World::new(|| Named));
    assert_eq!(heard.samples[0].connect_ns, 41 * MS);
    assert_eq!(heard.errors(), ["unknown_host"]);
    assert_eq!(heard.times(), [42 * MS + WAYS_NS, 40 * MS]);
}

#[test]
fn redirects_are_followed_within_one_sample() {
    let asked = Noted::default();
    let noted = asked.clone();
    let world = respond(move |connection, request| {
        noted.note(format!("{connection} {}", request.target()));
        after(
            10 * MS,
            match request.target() {
                "/a" => response(302, "Location: /b\r\n", b""),
                "/b" => response(301, "Location: c\r\nConnection: close\r\n", b""),
                _ => response(200, "", b"there"),
            },
        )
    });
    let yaml = "steps: [{get: /a, check: {text: there}}]\n";
    let (heard, _) = simulate(yaml, world);
    assert_eq!(asked.all(), ["0 /a", "0 /b", "1 /c"]);
    assert_eq!(heard.errors(), [""; 0]);
    assert_eq!(heard.times(), [2 * CONNECT_NS + 3 * (10 * MS + WAYS_NS)]);
}

#[test]
fn a_body_waits_for_the_server_to_want_it() {
    let asked = Noted::default();
    let noted = asked.clone();
    let world = World::of_peers(move |_| Continues(noted.clone()));
    let yaml = "steps: [{post: /, body: hello, headers: {Expect: 100-continue}}]\n";
    let (heard, _) = simulate(yaml, world);
    assert_eq!(heard.errors(), [""; 0]);
    let heads = asked.all();
    assert_eq!(heads.len(), 2, "{heads:?}");
    assert!(heads[0].ends_with("\r\n\r\n") && heads[1] == "hello");
}

/// Takes a head, says that it goes on, takes the body.
struct Continues(Noted);

impl Peer for Continues {
    fn hear(&mut self, bytes: &[u8], _: u64) -> Vec<Act> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.0.note(&text);
        if text == "hello" {
            return after(MS, response(200, "", b""));
        }
        after(MS, b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())
    }
}

#[test]
fn a_server_may_respond_before_it_has_heard_all() {
    for deed in [Deed::Close, Deed::HalfClose] {
        let deed = deed.clone();
        let world = World::of_peers(move |_| Impatient(deed.clone()));
        let body = "x".repeat(100_000);
        let yaml = format!("steps: [{{post: /, body: {body}}}]\n");
        let (heard, _) = simulate(&yaml, world);
        assert_eq!(heard.errors(), ["http_status"]);
        assert_eq!(heard.samples[0].code, plimsoll_stats::Code::Http(413));
    }
}

/// Responds to the first bytes, takes few more, and closes.
struct Impatient(Deed);

impl Peer for Impatient {
    fn hear(&mut self, _: &[u8], _: u64) -> Vec<Act> {
        let mut acts = after(MS, response(413, "Connection: close\r\n", b""));
        acts.push(Act::after(0, self.0.clone()));
        acts
    }

    fn room(&mut self, offered: usize) -> (usize, u64) {
        (offered.min(1_000), 10 * MS)
    }
}
