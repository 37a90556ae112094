//! Datagrams: lookups of names, and questions of other protocols.

use std::net::SocketAddr;

use plimsoll_wire::{EndOwner, Owners, UdpDatagram, Wire, WireDatagram, WireHop, WireLimits};
use proptest::prelude::*;

use crate::made::START_NS;

const MS: u64 = 1_000_000;
const UNTIL_NS: u64 = START_NS + 1_000 * MS;

/// The service is known by its address, the name server by its port.
struct Known;

impl Owners for Known {
    fn owner(&self, _: u32, _: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        panic!("these are datagrams")
    }

    fn datagram_owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        let process = if own.port() == NAMES.port() {
            "names"
        } else {
            "service"
        };
        Some(EndOwner {
            process: process.to_owned(),
            is_generator: false,
        })
    }
}

const NAMES: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 5_354);

fn client(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// A message about one name.
fn message(id: u16, flags: u16, name: &str, kind: u8) -> Vec<u8> {
    let mut all = id.to_be_bytes().to_vec();
    all.extend(flags.to_be_bytes());
    all.extend([0, 1, 0, u8::from(flags & 0x800f == 0x8000), 0, 0, 0, 0]);
    for label in name.split('.') {
        all.push(label.len() as u8);
        all.extend(label.as_bytes());
    }
    all.extend([0, 0, kind, 0, 1]);
    all
}

const QUERY: u16 = 0x0100;
const RESPONSE: u16 = 0x8180;

/// One datagram: when, from whom to whom, what.
type SentDatagram = (u64, SocketAddr, SocketAddr, Vec<u8>);

fn seen(sent: &[SentDatagram]) -> Vec<WireHop> {
    let mut sent = sent.to_vec();
    sent.sort_by_key(|one| one.0);
    seen_so(&sent)
}

/// The same in the order in which they stand.
fn seen_so(sent: &[SentDatagram]) -> Vec<WireHop> {
    // At the ports of a bridge it is seen once more.
    let twice = sent.iter().flat_map(|sent| [(1, sent), (2, sent)]);
    seen_at(&twice.collect::<Vec<_>>())
}

/// The same, each at an interface.
fn seen_at(sent: &[(u32, &SentDatagram)]) -> Vec<WireHop> {
    let mut wire = Wire::new(START_NS, [].into(), WireLimits::default());
    for (interface, (at_ns, source, target, bytes)) in sent {
        wire.datagram(&WireDatagram {
            at_ns: *at_ns,
            space: 0,
            interface: *interface,
            datagram: UdpDatagram {
                source: *source,
                target: *target,
                length: bytes.len() as u32,
                bytes,
            },
        });
    }
    wire.finish(UNTIL_NS, &Known).hops
}

#[test]
fn lookups_are_told_by_name_type_and_outcome_whatever_their_port() {
    let mut sent = Vec::new();
    for n in 0..10_u16 {
        let (at_ns, own) = (START_NS + u64::from(n) * 50 * MS, client(40_000 + n));
        // Both at once from one socket, in mixed case; the second one is not there.
        sent.push((at_ns, own, NAMES, message(7, QUERY, "OffERS.shop", 1)));
        sent.push((at_ns, own, NAMES, message(8, QUERY, "offers.shop", 28)));
        sent.push((
            at_ns + 20 * MS,
            NAMES,
            own,
            message(8, RESPONSE | 3, "offers.shop", 28),
        ));
        sent.push((
            at_ns + 35 * MS,
            NAMES,
            own,
            message(7, RESPONSE, "OffERS.shop", 1),
        ));
    }
    let hops = seen(&sent);
    assert_eq!(hops.len(), 1, "{hops:#?}");
    let hop = &hops[0];
    assert_eq!((hop.protocol.as_str(), hop.decided), ("dns", true));
    assert_eq!(
        (hop.client.process.as_str(), hop.server.process.as_str()),
        ("service", "names")
    );
    assert_eq!(hop.server.address, NAMES.to_string());
    assert_eq!((hop.requests, hop.unfinished), (Some(20), Some(0)));
    let in_flight = hop.in_flight.as_ref().unwrap();
    assert!(
        (in_flight.mean - 10.0 * 0.055).abs() < 1e-9,
        "{in_flight:?}"
    );
    let told: Vec<_> = hop
        .lookups
        .iter()
        .map(|one| {
            (
                one.name.as_str(),
                one.record.as_str(),
                one.outcome.as_deref(),
                one.count,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("offers.shop", "A", Some("NOERROR"), 10),
            ("offers.shop", "AAAA", Some("NXDOMAIN"), 10),
        ]
    );
    assert_eq!(hop.lookups[0].mean_ms, Some(35.0));
    assert_eq!(hop.lookups[1].mean_ms, Some(20.0));
}

#[test]
fn a_question_without_a_response_is_under_way_and_one_asked_again_is_the_same() {
    let (lost, late) = (client(40_000), client(40_001));
    let query = |id| message(id, QUERY, "gone.shop", 1);
    let hops = seen(&[
        (START_NS + 900 * MS, lost, NAMES, query(1)),
        (START_NS, late, NAMES, query(2)),
        (START_NS + 500 * MS, late, NAMES, query(2)),
        (
            START_NS + 510 * MS,
            NAMES,
            late,
            message(2, RESPONSE, "gone.shop", 1),
        ),
        // It comes twice, and what nobody asked for comes, too.
        (
            START_NS + 511 * MS,
            NAMES,
            late,
            message(2, RESPONSE, "gone.shop", 1),
        ),
        (
            START_NS + 512 * MS,
            NAMES,
            late,
            message(9, RESPONSE, "other.shop", 1),
        ),
    ]);
    let hop = &hops[0];
    assert_eq!(
        (hop.requests, hop.unfinished, hop.retransmissions),
        (Some(1), Some(1), 1)
    );
    assert_eq!(hop.response_ms.unwrap().mean, 510.0);
    let mean = hop.in_flight.as_ref().unwrap().mean;
    assert!((mean - 0.61).abs() < 1e-9, "{mean}");
    // Who asked 100 ms ago may still get the response that took another 510 ms.
    let outcomes = hop.lookups.iter().map(|one| one.outcome.as_deref());
    assert_eq!(outcomes.collect::<Vec<_>>(), [Some("NOERROR")]);
}

#[test]
fn who_waits_longer_than_others_did_got_no_response() {
    let query = |id| message(id, QUERY, "gone.shop", 1);
    let mut sent = vec![(
        START_NS + 300 * MS,
        NAMES,
        client(40_000),
        message(1, RESPONSE, "gone.shop", 1),
    )];
    for (n, at_ms) in [0, 100, 699, 700, 999].into_iter().enumerate() {
        let n = u16::try_from(n).unwrap();
        sent.push((
            START_NS + at_ms * MS,
            client(40_000 + n),
            NAMES,
            query(n + 1),
        ));
    }
    let hop = &seen(&sent)[0];
    let told = hop.lookups.iter();
    let mut told: Vec<_> = told
        .map(|one| (one.outcome.as_deref(), one.count))
        .collect();
    told.sort_unstable();
    assert_eq!(told, [(None, 2), (Some("NOERROR"), 1)]);
    assert_eq!(hop.unfinished, Some(4));
}

#[test]
fn a_response_to_what_was_asked_before_is_counted_from_the_beginning() {
    let hops = seen(&[(
        START_NS + 30 * MS,
        NAMES,
        client(40_000),
        message(2, RESPONSE, "a.b", 1),
    )]);
    assert_eq!(
        (hops[0].requests, hops[0].client.process.as_str()),
        (Some(1), "service")
    );
    assert!((hops[0].in_flight.as_ref().unwrap().mean - 0.03).abs() < 1e-9);
}

#[test]
fn other_datagrams_are_questions_where_somebody_responds() {
    let store: SocketAddr = "127.0.0.1:11211".parse().unwrap();
    let mut sent = Vec::new();
    for n in 0..20_u64 {
        let at_ns = START_NS + n * 40 * MS;
        sent.push((at_ns, client(40_000), store, b"get key".to_vec()));
        sent.push((at_ns + 4 * MS, store, client(40_000), b"value".to_vec()));
        // Nobody responds to these, and to those for many nobody for all.
        let figures: SocketAddr = "127.0.0.1:8125".parse().unwrap();
        sent.push((at_ns, client(40_001), figures, b"requests:1|c".to_vec()));
        let many: SocketAddr = "224.0.0.251:5353".parse().unwrap();
        sent.push((
            at_ns,
            client(5_353),
            many,
            message(0, 0, "printer.local", 1),
        ));
    }
    let hops = seen(&sent);
    assert_eq!(hops.len(), 1, "{hops:#?}");
    let hop = &hops[0];
    assert_eq!((hop.protocol.as_str(), hop.decided), ("udp", true));
    assert_eq!(hop.requests, Some(20));
    assert_eq!(hop.response_ms.unwrap().mean, 4.0);
}

#[test]
fn quic_is_undecided() {
    let server: SocketAddr = "127.0.0.1:443".parse().unwrap();
    let long = [0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8].to_vec();
    let hops = seen(&[
        (START_NS, client(40_000), server, long.clone()),
        (START_NS + MS, server, client(40_000), long),
    ]);
    assert_eq!(
        (hops[0].protocol.as_str(), hops[0].decided),
        ("quic", false)
    );
    assert!(hops[0].requests.is_none() && hops[0].in_flight.is_none());
}

proptest! {
    /// Lookups from many sockets, each with its own time: what was put in is what is told.
    #[test]
    fn as_many_and_as_long_as_they_were(
        lookups in prop::collection::vec((0..800_u64, 1..150_u64, any::<u16>(), 0..3_u16), 1..60)
    ) {
        let mut sent = Vec::new();
        let mut lasted_ms = 0;
        for (n, (from_ms, took_ms, id, name)) in lookups.iter().enumerate() {
            let own = client(20_000 + n as u16);
            let name = format!("host{name}.shop");
            let at_ns = START_NS + from_ms * MS;
            sent.push((at_ns, own, NAMES, message(*id, QUERY, &name, 1)));
            sent.push((at_ns + took_ms * MS, NAMES, own, message(*id, RESPONSE, &name, 1)));
            lasted_ms += took_ms;
        }
        let hops = seen(&sent);
        prop_assert_eq!(hops.len(), 1);
        prop_assert_eq!(hops[0].requests, Some(lookups.len() as u64));
        let mean = hops[0].in_flight.as_ref().unwrap().mean;
        prop_assert!((mean - lasted_ms as f64 / 1e3).abs() < 1e-9);
        let counted: u64 = hops[0].lookups.iter().map(|one| one.count).sum();
        prop_assert_eq!(counted, lookups.len() as u64);
    }

    /// As Docker's name server: queries go to a port that responses do not come from.
    #[test]
    fn responses_from_another_port_than_was_asked_are_responses(
        lookups in prop::collection::vec((0..800_u64, 1..150_u64, any::<bool>()), 1..30)
    ) {
        let (asked, responds) = ([127, 0, 0, 11], SocketAddr::from(([127, 0, 0, 11], 53)));
        let (mut sent, mut lasted_ms) = (Vec::new(), 0);
        for (n, (from_ms, took_ms, has_response)) in (0..).zip(&lookups) {
            let (own, at_ns) = (client(40_000 + n / 3), START_NS + from_ms * MS);
            let to = SocketAddr::from((asked, 36_789));
            sent.push((at_ns, own, to, message(n, QUERY, "a.b", 1)));
            if *has_response {
                let response = message(n, RESPONSE, "a.b", 1);
                sent.push((at_ns + took_ms * MS, responds, own, response));
            }
            lasted_ms += if *has_response { *took_ms } else { 1_000 - from_ms };
        }
        let hops = seen(&sent);
        let responded = lookups.iter().filter(|one| one.2).count();
        let sum = |of: fn(&WireHop) -> Option<u64>| hops.iter().filter_map(of).sum::<u64>();
        prop_assert_eq!(sum(|hop| hop.requests), responded as u64);
        prop_assert_eq!(sum(|hop| hop.unfinished), (lookups.len() - responded) as u64);
        let means = hops.iter().filter_map(|hop| hop.in_flight.as_ref());
        let mean: f64 = means.map(|level| level.mean).sum();
        prop_assert!((mean - lasted_ms as f64 / 1e3).abs() < 1e-9, "{:#?}", hops);
        let is_told = |hop: &WireHop| hop.requests == Some(0) || hop.server.address == responds.to_string();
        prop_assert!(hops.iter().all(is_told));
    }

    /// A service's address is changed into that of one of its servers: both are seen, at interfaces of their own. What is
    /// asked several servers at once is seen at one.
    #[test]
    fn a_lookup_before_and_behind_who_changes_its_server_is_one(
        lookups in prop::collection::vec((0..800_u64, 1..150_u64), 1..30), is_changed in any::<bool>(),
    ) {
        let own = SocketAddr::from(([10, 1, 0, 5], 40_000));
        let servers = [[10, 96, 0, 10], [10, 1, 0, 9]].map(|server| SocketAddr::from((server, 53)));
        let mut sent = Vec::new();
        for (n, (from_ms, took_ms)) in (0..).zip(&lookups) {
            let at_ns = START_NS + from_ms * MS;
            for (server, at_ns) in servers.into_iter().zip([at_ns, at_ns + MS / 10]) {
                sent.push((at_ns, own, server, message(n, QUERY, "a.b", 1)));
                sent.push((at_ns + took_ms * MS, server, own, message(n, RESPONSE, "a.b", 1)));
            }
        }
        sent.sort_by_key(|one| one.0);
        let place = |one: &SentDatagram| match [one.1, one.2].contains(&servers[1]) {
            true if is_changed => 2,
            _ => 1,
        };
        let placed: Vec<_> = sent.iter().map(|one| (place(one), one)).collect();
        let hops = seen_at(&placed);
        let requests: Option<u64> = hops.iter().map(|hop| hop.requests).sum();
        let times = if is_changed { 1 } else { 2 };
        prop_assert_eq!(requests, Some(times * lookups.len() as u64), "{:#?}", hops);
    }

    /// A response may seem to come before its question, since a clock was set back meanwhile.
    #[test]
    fn a_clock_that_is_set_back_makes_no_times_up(
        lookups in prop::collection::vec((0..900_u64, -500_i64..150), 1..30)
    ) {
        let sent = lookups.iter().enumerate().flat_map(|(n, (from_ms, took_ms))| {
            let own = client(40_000 + n as u16);
            let at_ns = START_NS + from_ms * MS;
            let done_ns = at_ns.saturating_add_signed(took_ms * MS as i64);
            [
                (at_ns, own, NAMES, message(7, QUERY, "a.b", 1)),
                (done_ns, NAMES, own, message(7, RESPONSE, "a.b", 1)),
            ]
        });
        let hops = seen_so(&sent.collect::<Vec<_>>());
        prop_assert_eq!(hops[0].requests, Some(lookups.len() as u64));
        let longest = lookups.iter().map(|(_, took_ms)| (*took_ms).max(0)).max();
        prop_assert_eq!(hops[0].response_ms.unwrap().max, longest.unwrap() as f64);
    }

    /// Whatever comes, nothing panics and figures are sound.
    #[test]
    fn noise_makes_no_figures_up(
        all in prop::collection::vec(
            (0..1_000_u64, 0..4_u16, 0..4_u16, prop::collection::vec(any::<u8>(), 0..40), any::<bool>()),
            0..60,
        )
    ) {
        let sent: Vec<SentDatagram> = all.into_iter().map(|(at_ms, from, to, noise, is_name)| {
            let ports = [53, 5_354, 40_000, 50_000];
            let ends = (client(ports[usize::from(from)]), client(ports[usize::from(to)]));
            let mut bytes = noise;
            if is_name {
                bytes = [message(7, QUERY, "a.b", 1), bytes].concat();
            }
            (START_NS + at_ms * MS, ends.0, ends.1, bytes)
        }).collect();
        for hop in seen(&sent) {
            prop_assert!(hop.requests.unwrap_or(0) <= sent.len() as u64);
            let most = hop.in_flight.and_then(|level| level.max).unwrap_or(0);
            prop_assert!(most <= sent.len() as u64);
        }
    }
}
