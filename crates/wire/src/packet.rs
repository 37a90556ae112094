//! A packet from its network header on: IPv4 or IPv6, then TCP. Datagrams of UDP stand in `datagram`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The number of TCP in headers of IP.
pub(crate) const TCP: u8 = 6;
/// That of UDP.
pub(crate) const UDP: u8 = 17;
/// That of options of IPv6 for each on the way. They stand before the content of a packet that is longer than its header
/// can tell (RFC 2675), in this length, which their own header tells as 0.
pub(crate) const FOR_EACH: u8 = 0;
const FOR_EACH_BYTES: usize = 8;
/// The header of IPv6.
const V6_BYTES: usize = 40;

/// A packet that was seen.
#[derive(Debug, Clone, Copy)]
pub struct WirePacket<'a> {
    /// When, Unix nanoseconds.
    pub at_ns: u64,
    /// The network namespace in which it was seen, as its ring was told; 0: our own.
    pub space: u32,
    /// The number of the interface at which it was seen. What crosses several (a bridge and its
    /// ports) is counted at the first.
    pub interface: u32,
    /// Whether this host sent it.
    pub outgoing: bool,
    /// What it is.
    pub segment: TcpSegment<'a>,
}

/// A segment of TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpSegment<'a> {
    /// Who sent it.
    pub source: SocketAddr,
    /// To whom.
    pub target: SocketAddr,
    /// The number of its first byte.
    pub sequence: u32,
    /// The number of the byte that its sender waits for, if it says so.
    pub acknowledged: Option<u32>,
    /// It begins a connection.
    pub begins: bool,
    /// It ends its sender's direction.
    pub ends: bool,
    /// It breaks the connection off.
    pub breaks: bool,
    /// So many bytes it carries.
    pub length: u32,
    /// What was kept of them, from the first on.
    pub bytes: &'a [u8],
}

/// What a packet of IP carries.
pub(crate) struct IpContent<'a> {
    /// The number of its protocol.
    pub(crate) protocol: u8,
    /// From its header on, as far as it was kept.
    pub(crate) bytes: &'a [u8],
    /// So many bytes there are, header and content together.
    pub(crate) length: usize,
    pub(crate) source: IpAddr,
    pub(crate) target: IpAddr,
}

impl<'a> IpContent<'a> {
    /// Reads a packet that begins with its network header and had that length, from there on; of one in fragments none
    /// but the first.
    pub(crate) fn read(packet: &'a [u8], whole: usize) -> Option<Self> {
        match packet.first()? >> 4 {
            4 => {
                let header = usize::from(packet[0] & 0xf) * 4;
                let total = match u16_at(packet, 2)? {
                    // It is longer than can be told there.
                    0 => whole,
                    total => usize::from(total),
                };
                let fragment = u16_at(packet, 6)? & 0x1fff;
                if header < 20 || fragment != 0 {
                    return None;
                }
                Some(Self {
                    protocol: *packet.get(9)?,
                    bytes: packet.get(header..)?,
                    length: total.checked_sub(header)?,
                    source: v4(packet, 12)?,
                    target: v4(packet, 16)?,
                })
            }
            6 => {
                let total = match u16_at(packet, 4)? {
                    0 => whole,
                    length => usize::from(length) + V6_BYTES,
                };
                let (protocol, header) = match (*packet.get(6)?, packet.get(V6_BYTES + 1)) {
                    (FOR_EACH, Some(0)) => (*packet.get(V6_BYTES)?, V6_BYTES + FOR_EACH_BYTES),
                    (protocol, _) => (protocol, V6_BYTES),
                };
                Some(Self {
                    protocol,
                    bytes: packet.get(header..)?,
                    length: total.checked_sub(header)?,
                    source: v6(packet, 8)?,
                    target: v6(packet, 24)?,
                })
            }
            _ => None,
        }
    }
}

impl<'a> TcpSegment<'a> {
    /// Reads a packet that begins with its network header and may have been cut; none if it is no
    /// TCP, or cut before the end of its headers. Of a packet in fragments none but the first is read.
    #[must_use]
    pub fn read(packet: &'a [u8]) -> Option<Self> {
        Self::read_cut(packet, packet.len())
    }

    /// The same of a packet that had that length.
    pub(crate) fn read_cut(packet: &'a [u8], whole: usize) -> Option<Self> {
        let content = IpContent::read(packet, whole).filter(|content| content.protocol == TCP)?;
        let ends = (content.source, content.target);
        Self::read_tcp(content.bytes, content.length, ends.0, ends.1)
    }

    /// Reads from the header of TCP on; `length` is that of header and content together.
    fn read_tcp(tcp: &'a [u8], length: usize, source: IpAddr, target: IpAddr) -> Option<Self> {
        let header = usize::from(*tcp.get(12)? >> 4) * 4;
        let flags = *tcp.get(13)?;
        if header < 20 {
            return None;
        }
        let content = length.checked_sub(header)?;
        let kept = tcp.get(header..).unwrap_or_default();
        Some(Self {
            source: SocketAddr::new(source, u16_at(tcp, 0)?),
            target: SocketAddr::new(target, u16_at(tcp, 2)?),
            sequence: u32_at(tcp, 4)?,
            acknowledged: (flags & 0x10 != 0).then_some(u32_at(tcp, 8)?),
            begins: flags & 2 != 0,
            ends: flags & 1 != 0,
            breaks: flags & 4 != 0,
            length: u32::try_from(content).ok()?,
            // Behind the content there may be what fills up a frame.
            bytes: kept.get(..content).unwrap_or(kept),
        })
    }
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn v4(bytes: &[u8], at: usize) -> Option<IpAddr> {
    let address: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(Ipv4Addr::from(address).into())
}

fn v6(bytes: &[u8], at: usize) -> Option<IpAddr> {
    let address: [u8; 16] = bytes.get(at..at + 16)?.try_into().ok()?;
    Some(Ipv6Addr::from(address).into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packet(v6: bool, content: &[u8]) -> Vec<u8> {
        let mut tcp = vec![0x1f, 0x90, 0xc3, 0x50, 0, 0, 0, 7, 0, 0, 0, 9, 0x60, 0x19];
        tcp.extend([0; 10]);
        tcp.extend(content);
        let length = tcp.len() as u16;
        let mut all = Vec::new();
        if v6 {
            all.extend([0x60, 0, 0, 0]);
            all.extend(length.to_be_bytes());
            all.extend([TCP, 64]);
            all.extend(Ipv6Addr::LOCALHOST.octets());
            all.extend(Ipv6Addr::LOCALHOST.octets());
        } else {
            all.extend([0x46, 0]);
            all.extend((length + 24).to_be_bytes());
            all.extend([0, 0, 0x40, 0, 64, TCP, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2]);
            all.extend([0; 4]);
        }
        all.extend(tcp);
        all
    }

    #[test]
    fn both_families_are_read_and_what_fills_a_frame_is_left_out() {
        for v6 in [false, true] {
            let mut bytes = packet(v6, b"hello");
            bytes.extend([0; 6]);
            let segment = TcpSegment::read(&bytes).unwrap();
            let (source, target) = match v6 {
                true => ("[::1]:8080", "[::1]:50000"),
                false => ("127.0.0.1:8080", "127.0.0.2:50000"),
            };
            assert_eq!(segment.source, source.parse().unwrap());
            assert_eq!(segment.target, target.parse().unwrap());
            assert_eq!((segment.sequence, segment.acknowledged), (7, Some(9)));
            assert_eq!(
                (segment.begins, segment.ends, segment.breaks),
                (false, true, false)
            );
            assert_eq!((segment.length, segment.bytes), (5, &b"hello"[..]));
            let cut = &bytes[..bytes.len() - 9];
            let segment = TcpSegment::read(cut).unwrap();
            assert_eq!((segment.length, segment.bytes), (5, &b"he"[..]));
        }
        let mut later = packet(false, b"x");
        later[7] = 1;
        assert_eq!(TcpSegment::read(&later), None, "not the first fragment");
    }

    /// A packet with a length of 0 in its header, and of IPv6 with the options that tell it.
    fn long(v6: bool, for_each: bool, content: &[u8]) -> Vec<u8> {
        let mut bytes = packet(v6, content);
        match v6 {
            true => bytes[4..6].fill(0),
            false => bytes[2..4].fill(0),
        }
        if for_each {
            bytes[6] = FOR_EACH;
            let options = [TCP, 0, 0xc2, 4, 0, 2, 0, 0];
            bytes.splice(V6_BYTES..V6_BYTES, options);
        }
        bytes
    }

    proptest! {
        #[test]
        fn what_is_longer_than_its_header_can_tell_has_its_length(
            content in prop::collection::vec(any::<u8>(), 0..100), beyond in 0..1_000_000_usize)
        {
            for (v6, for_each) in [(false, false), (true, false), (true, true)] {
                let bytes = long(v6, for_each, &content);
                let segment = TcpSegment::read_cut(&bytes, bytes.len() + beyond).unwrap();
                prop_assert_eq!(segment.source.port(), 8_080);
                prop_assert_eq!(segment.length as usize, content.len() + beyond);
                prop_assert_eq!(segment.bytes, &content[..]);
            }
        }

        #[test]
        fn never_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..100), v6 in any::<bool>(),
            at in 0..64_usize, with in any::<u8>())
        {
            let _ = TcpSegment::read(&bytes);
            let mut near = packet(v6, &bytes);
            near[at.min(bytes.len())] = with;
            bytes.clear();
            let _ = TcpSegment::read(&near);
        }
    }
}
