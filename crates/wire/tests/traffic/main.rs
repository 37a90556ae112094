//! Made-up traffic: what was put in is what is reported, however bytes are cut into packets, whatever
//! comes twice or in another order, and however connections are interleaved.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cached;
mod cases;
mod datagrams;
mod endings;
mod handshakes;
mod hosts;
mod limits;
mod made;
mod mistaken;
mod partly;
mod speech;
mod standing;

use std::net::SocketAddr;

use plimsoll_wire::{EndOwner, Owners, Wire, WireLimits, WireReport};
use proptest::prelude::*;

use made::{BatchPlan, ConnectionPlan, Expected, SERVER, START_NS, Sent};
use speech::Speech;

/// Nobody is known by name.
pub struct Nobody;

impl Owners for Nobody {
    fn owner(&self, _: u32, _: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        None
    }
}

/// What is reported of packets.
pub fn report(sent: &[Sent], until_ns: u64, owners: &dyn Owners) -> WireReport {
    let mut wire = Wire::new(START_NS, [SERVER.port()].into(), WireLimits::default());
    let mut sent: Vec<&Sent> = sent.iter().collect();
    sent.sort_by_key(|one| one.at_ns);
    for one in sent {
        wire.packet(&one.packet());
    }
    wire.finish(until_ns, owners)
}

fn batch() -> impl Strategy<Value = BatchPlan> {
    let cuts = || prop::collection::vec(any::<prop::sample::Index>(), 0..4);
    let swaps = || prop::collection::vec(any::<prop::sample::Index>(), 0..2);
    let sizes = prop::collection::vec((0..300_usize, 0..3_000_usize), 1..5);
    (
        sizes,
        cuts(),
        cuts(),
        swaps(),
        1..2_000_000_u64,
        1..2_000_000_u64,
        any::<bool>(),
    )
        .prop_map(
            |(sizes, up, down, swaps, gap_ns, pause_ns, again)| BatchPlan {
                sizes,
                cuts: [up, down],
                swaps,
                gap_ns,
                pause_ns,
                again,
            },
        )
}

fn connection() -> impl Strategy<Value = ConnectionPlan> {
    let batches = prop::collection::vec(batch(), 1..8);
    (
        batches,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<u32>(),
        0..5_000_000_u64,
    )
        .prop_map(
            |(batches, whole, earlier, unfinished, sequence, from_ns)| ConnectionPlan {
                batches,
                whole,
                earlier: earlier && !whole,
                unfinished,
                sequence,
                from_ns,
            },
        )
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs().max(1.0)
}

fn check(speech: Speech, plans: Vec<ConnectionPlan>) {
    let (mut sent, mut expected) = (Vec::new(), Expected::default());
    for (at, plan) in plans.into_iter().enumerate() {
        let client = SocketAddr::from(([127, 0, 0, 1], 40_000 + at as u16));
        made::make(client, speech, plan, &mut sent, &mut expected);
    }
    let until_ns = START_NS + 1_000_000_000;
    let report = report(&sent, until_ns, &Nobody);
    assert_eq!(report.hops.len(), 1, "{report:#?}");
    let hop = &report.hops[0];
    let name = if expected.finished() == 0 {
        &hop.protocol
    } else {
        speech.name()
    };
    assert_eq!(
        (hop.protocol.as_str(), hop.decided),
        (name, true),
        "{hop:#?}"
    );
    assert_eq!(
        hop.requests,
        Some(expected.finished()),
        "{hop:#?}\n{expected:#?}"
    );
    assert_eq!(
        hop.unfinished,
        Some(expected.unfinished.len() as u64),
        "{hop:#?}"
    );
    let in_flight = hop.in_flight.as_ref().unwrap();
    assert!(
        is_near(in_flight.mean, expected.in_flight(until_ns)),
        "{in_flight:?}\n{expected:#?}"
    );
    if !expected.whole.is_empty() {
        let times = hop.response_ms.unwrap();
        let (mean, max) = expected.times(|exchange| exchange.done_ns);
        assert!(
            is_near(times.mean, mean) && is_near(times.max, max),
            "{times:?}\n{expected:#?}"
        );
        let times = hop.first_byte_ms.unwrap();
        let (mean, max) = expected.times(|exchange| exchange.began_ns);
        assert!(
            is_near(times.mean, mean) && is_near(times.max, max),
            "{times:?}\n{expected:#?}"
        );
    }
    assert_eq!(hop.bytes_sent + hop.bytes_received, expected.bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn http1(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Http1, plans);
    }

    #[test]
    fn redis(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Redis, plans);
    }

    #[test]
    fn mysql(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Mysql, plans);
    }

    #[test]
    fn postgres(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Postgres, plans);
    }

    #[test]
    fn http2(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Http2, plans);
    }

    #[test]
    fn tls(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Tls, plans);
    }

    #[test]
    fn fastcgi(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::FastCgi, plans);
    }

    #[test]
    fn memcached(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Memcached, plans);
    }

    #[test]
    fn unknown(plans in prop::collection::vec(connection(), 1..4)) {
        check(Speech::Unknown, plans);
    }

    #[test]
    fn what_is_lost_or_garbled_makes_no_figures_up(
        plans in prop::collection::vec((0..Speech::ALL.len(), connection()), 1..4),
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..20),
    ) {
        let (mut sent, mut expected) = (Vec::new(), Expected::default());
        for (at, (speech, plan)) in plans.into_iter().enumerate() {
            let client = SocketAddr::from(([127, 0, 0, 1], 40_000 + at as u16));
            made::make(client, Speech::ALL[speech], plan, &mut sent, &mut expected);
        }
        for (at, how, with) in spoilt {
            let at = at.index(sent.len());
            if how == 0 && sent.len() > 1 {
                sent.remove(at);
                continue;
            }
            let one = &mut sent[at];
            match (how, one.bytes.get_mut(usize::from(with))) {
                (1, _) => one.sequence = one.sequence.wrapping_add(u32::from(with)),
                (2, _) => one.bytes.truncate(usize::from(with)),
                (_, Some(byte)) => *byte ^= with,
                _ => {}
            }
        }
        let until_ns = START_NS + 1_000_000_000;
        for hop in report(&sent, until_ns, &Nobody).hops {
            let (Some(in_flight), Some(requests)) = (hop.in_flight, hop.requests) else { continue };
            let shares = in_flight.shares.unwrap();
            prop_assert!(shares.iter().map(|(_, share)| share).sum::<f64>() <= 1.0 + 1e-9);
            prop_assert!(in_flight.mean <= in_flight.max.unwrap() as f64 + 1e-9);
            if let Some(times) = hop.response_ms {
                prop_assert!(times.max <= 1_000.0 && times.p50 <= times.p90 && times.p90 <= times.p99);
            }
            prop_assert!(requests <= expected.bytes);
        }
    }
}
