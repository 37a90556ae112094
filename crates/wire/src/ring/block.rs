//! A block of the ring: its packets, as `linux/if_packet.h` lays them out.

use crate::datagram::{SeenPacket, UdpDatagram, WireDatagram};
use crate::packet::{TcpSegment, WirePacket};

/// In a block's head: the number of packets, the place of the first.
const COUNT_AT: usize = 12;
const FIRST_AT: usize = 16;
/// In a packet's head (`tpacket3_hdr`): where the next one is, its time, the bytes that were kept and those there
/// were, the place of its network header.
const SECONDS_AT: usize = 4;
const NANOS_AT: usize = 8;
const KEPT_AT: usize = 12;
const LENGTH_AT: usize = 16;
const NETWORK_AT: usize = 26;
/// Behind that head, which is aligned to 16: whence it is (`sockaddr_ll`).
const INTERFACE_AT: usize = 48 + 4;
const DIRECTION_AT: usize = 48 + 10;

/// Hands on each packet of a block that can be read as one of TCP or UDP.
/// `space`: the network namespace that the ring is in.
pub(super) fn packets(block: &[u8], space: u32, each: &mut impl FnMut(SeenPacket<'_>)) {
    let count = u32_at(block, COUNT_AT).unwrap_or(0);
    let mut at = u32_at(block, FIRST_AT).unwrap_or(0) as usize;
    for _ in 0..count {
        let Some(packet) = block.get(at..) else {
            return;
        };
        if let Some(packet) = packet_at(packet, space) {
            each(packet);
        }
        match u32_at(packet, 0) {
            None | Some(0) => return,
            Some(next) => at += next as usize,
        }
    }
}

fn packet_at(bytes: &[u8], space: u32) -> Option<SeenPacket<'_>> {
    let kept = u32_at(bytes, KEPT_AT)? as usize;
    let length = u32_at(bytes, LENGTH_AT)? as usize;
    let network = usize::from(u16_at(bytes, NETWORK_AT)?);
    let seconds = u64::from(u32_at(bytes, SECONDS_AT)?);
    let nanos = u64::from(u32_at(bytes, NANOS_AT)?);
    let interface = u32_at(bytes, INTERFACE_AT)?;
    let outgoing = *bytes.get(DIRECTION_AT)? == libc::PACKET_OUTGOING;
    let at_ns = seconds * 1_000_000_000 + nanos;
    let packet = bytes.get(network..network + kept)?;
    if let Some(segment) = TcpSegment::read_cut(packet, length) {
        return Some(SeenPacket::Segment(WirePacket {
            at_ns,
            space,
            interface,
            outgoing,
            segment,
        }));
    }
    Some(SeenPacket::Datagram(WireDatagram {
        at_ns,
        space,
        interface,
        datagram: UdpDatagram::read_cut(packet, length)?,
    }))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A block with one packet, of which a part was kept.
    fn block(packet: &[u8], length: u32) -> Vec<u8> {
        const FIRST: usize = 48;
        const NETWORK: usize = 96;
        let mut all = vec![0; FIRST + NETWORK];
        let mut put = |at: usize, bytes: &[u8]| all[at..at + bytes.len()].copy_from_slice(bytes);
        put(COUNT_AT, &1_u32.to_ne_bytes());
        put(FIRST_AT, &(FIRST as u32).to_ne_bytes());
        put(FIRST + KEPT_AT, &(packet.len() as u32).to_ne_bytes());
        put(FIRST + LENGTH_AT, &length.to_ne_bytes());
        put(FIRST + NETWORK_AT, &(NETWORK as u16).to_ne_bytes());
        all.extend(packet);
        all
    }

    #[test]
    fn a_packet_of_which_a_part_was_kept_has_the_length_it_had() {
        // IPv4 without a length, since there are more bytes than can be told; TCP.
        let mut packet = vec![0; 140];
        (packet[0], packet[9], packet[32]) = (0x45, crate::packet::TCP, 0x50);
        let mut lengths = Vec::new();
        packets(&block(&packet, 200_000), 0, &mut |seen| {
            if let SeenPacket::Segment(packet) = seen {
                lengths.push((packet.segment.length, packet.segment.bytes.len()));
            }
        });
        assert_eq!(lengths, [(200_000 - 40, 100)]);
    }

    proptest! {
        #[test]
        fn noise_is_no_packet(mut noise in prop::collection::vec(any::<u8>(), 0..600),
            count in 0..20_u32, first in 0..100_u32)
        {
            if noise.len() >= 20 {
                noise[COUNT_AT..COUNT_AT + 4].copy_from_slice(&count.to_ne_bytes());
                noise[FIRST_AT..FIRST_AT + 4].copy_from_slice(&first.to_ne_bytes());
            }
            packets(&noise, 0, &mut |_| ());
        }
    }
}
