//! Packets of a connection, of whatever protocol and content: nothing panics, nothing takes long, and
//! what is reported is sound.

#![no_main]
#![allow(missing_docs)]

use std::net::SocketAddr;

use libfuzzer_sys::fuzz_target;
use plimsoll_wire::{
    EndOwner, Owners, TcpSegment, UdpDatagram, Wire, WireDatagram, WireLimits, WirePacket,
};

struct Nobody;

impl Owners for Nobody {
    fn owner(&self, _: u32, _: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        None
    }
}

/// What a client, or a server that speaks first, begins with, so that each reader is reached.
const OPENINGS: [(usize, &[u8]); 8] = [
    (0, b"GET / HTTP/1.1\r\n"),
    (0, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    (0, b"*1\r\n$4\r\nPING\r\n"),
    (1, b"\x02\0\0\0\x0a1"),
    (0, b"\0\0\0\x08\0\x03\0\0"),
    (0, b"Q\0\0\0\x05\0"),
    (0, b"\x16\x03\x01\0\x02\x01\0"),
    (0, b"\xff"),
];

const FROM_NS: u64 = 1_000_000_000;
const STEP_NS: u64 = 1_000;

/// The same bytes as datagrams to a name server and back: each piece is as long as its first byte says.
fn datagrams(mut rest: &[u8]) {
    let ends = [
        SocketAddr::from(([127, 0, 0, 1], 40_000)),
        SocketAddr::from(([127, 0, 0, 1], 53)),
    ];
    let mut wire = Wire::new(FROM_NS, [].into(), WireLimits::default());
    let mut at_ns = FROM_NS;
    while let Some((length, more)) = rest.split_first() {
        let (bytes, behind) = more.split_at(usize::from(*length).min(more.len()));
        let side = usize::from(length % 2);
        rest = behind;
        at_ns += STEP_NS;
        wire.datagram(&WireDatagram {
            at_ns,
            space: 0,
            interface: 1,
            datagram: UdpDatagram {
                source: ends[side],
                target: ends[1 - side],
                length: bytes.len() as u32,
                bytes,
            },
        });
    }
    let report = wire.finish(at_ns + STEP_NS, &Nobody);
    assert!(report.hops.len() <= 1);
}

fuzz_target!(|input: &[u8]| {
    let _ = TcpSegment::read(input);
    let _ = UdpDatagram::read(input);
    datagrams(input);
    let Some((choice, mut rest)) = input.split_first() else {
        return;
    };
    let ends = [
        SocketAddr::from(([127, 0, 0, 1], 40_000)),
        SocketAddr::from(([127, 0, 0, 1], 80)),
    ];
    let mut wire = Wire::new(FROM_NS, [80].into(), WireLimits::default());
    let (mut next, mut at_ns) = ([0_u32, 0], FROM_NS);
    let mut say = |side: usize, kind: u8, bytes: &[u8], next: &mut [u32; 2]| {
        at_ns += STEP_NS;
        let lost = kind & 0xf0 == 0x10;
        let segment = TcpSegment {
            source: ends[side],
            target: ends[1 - side],
            // Some come twice.
            sequence: next[side].wrapping_sub(u32::from(kind & 0xf0 == 0x20) * 3),
            acknowledged: (kind & 0xf0 != 0x30).then_some(next[1 - side]),
            begins: kind & 0xf0 == 0x30,
            ends: kind & 0xf0 == 0x40,
            breaks: kind & 0xf0 == 0x50,
            length: bytes.len() as u32,
            bytes: match kind & 0xf0 {
                // Cut.
                0x60 => &bytes[..bytes.len() / 2],
                _ => bytes,
            },
        };
        next[side] = next[side].wrapping_add(bytes.len() as u32);
        if !lost {
            wire.packet(&WirePacket {
                at_ns,
                space: 0,
                interface: 1,
                outgoing: false,
                segment,
            });
        }
    };
    let (side, opening) = OPENINGS[usize::from(choice % 8)];
    if choice & 8 != 0 {
        say(0, 0x30, &[], &mut next);
        say(1, 0, &[], &mut next);
    }
    say(side, 0, opening, &mut next);
    while let Some(([kind, length], behind)) = rest.split_first_chunk() {
        let (bytes, behind) = behind.split_at(behind.len().min(usize::from(*length)));
        say(usize::from(kind & 1), *kind, bytes, &mut next);
        rest = behind;
    }
    let until_ns = at_ns + STEP_NS;
    let report = wire.finish(until_ns, &Nobody);
    let lasts_ms = (until_ns - FROM_NS) as f64 / 1e6;
    for hop in &report.hops {
        if let Some(times) = hop.response_ms {
            assert!(times.mean >= 0.0 && times.max <= lasts_ms, "{hop:?}");
        }
        let Some(in_flight) = &hop.in_flight else {
            continue;
        };
        let shares = in_flight.shares.iter().flatten().map(|(_, share)| share);
        assert!(shares.sum::<f64>() <= 1.0 + 1e-9, "{hop:?}");
        let max = in_flight.max.unwrap_or(0) as f64;
        assert!(in_flight.mean <= max * (1.0 + 1e-9), "{hop:?}");
        assert!(hop.unfinished.is_some() && hop.requests.is_some());
    }
});
