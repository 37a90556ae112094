//! Whatever is kept counts: beyond the limits fewer connections are followed.

use std::net::SocketAddr;

use plimsoll_wire::{
    FollowedShare, TcpSegment, UdpDatagram, Wire, WireDatagram, WireLimits, WirePacket,
};

use crate::made::START_NS;

/// So much is nothing to what is said here.
const LIMITS: WireLimits = WireLimits {
    connections: 100_000,
    exchanges: 2_000,
};
const SERVER: SocketAddr = SocketAddr::new(
    std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 9)),
    5_432,
);

/// So many segments of the server's on each of 100 connections, each so long and so far behind the one before.
fn segments(count: u32, length: usize, step: u32) -> FollowedShare {
    let mut wire = Wire::new(START_NS, [].into(), LIMITS);
    let bytes = vec![7; length];
    for n in 0..100 * count {
        let client = SocketAddr::from(([10, 0, 0, 5], 40_000 + (n % 100) as u16));
        wire.packet(&WirePacket {
            at_ns: START_NS + u64::from(n),
            space: 0,
            interface: 1,
            outgoing: false,
            segment: TcpSegment {
                source: SERVER,
                target: client,
                sequence: n / 100 * step,
                acknowledged: Some(1),
                begins: false,
                ends: false,
                breaks: false,
                length: length as u32,
                bytes: &bytes,
            },
        });
    }
    wire.share()
}

#[test]
fn segments_that_wait_for_others_count() {
    assert_eq!(segments(30, 8_000, 8_000), FollowedShare::ALL);
    assert!(segments(30, 8_000, 9_000).number() < 1.0);
}

#[test]
fn when_each_segment_came_by_counts() {
    assert!(segments(200, 1, 1).number() < 1.0);
}

#[test]
fn names_that_are_looked_up_count() {
    let share = |labels: u8| {
        let mut wire = Wire::new(START_NS, [].into(), LIMITS);
        for n in 0..500_u16 {
            let head = [n.to_be_bytes(), [1, 0]].concat();
            let label = [&[50][..], &[b'a'; 50]].concat();
            let name = label.repeat(usize::from(labels));
            let query = [
                &head[..],
                &[0, 1, 0, 0, 0, 0, 0, 0],
                &name,
                &[0, 0, 1, 0, 1],
            ]
            .concat();
            // Each is seen again and again, so that it is looked how much is kept.
            for _ in 0..20 {
                wire.datagram(&WireDatagram {
                    at_ns: START_NS,
                    space: 0,
                    interface: 1,
                    datagram: UdpDatagram {
                        source: SocketAddr::from(([10, 0, 0, 5], 40_000)),
                        target: SERVER,
                        length: query.len() as u32,
                        bytes: &query,
                    },
                });
            }
        }
        wire.share().number()
    };
    assert_eq!(share(1), 1.0);
    assert!(share(4) < 1.0);
}
