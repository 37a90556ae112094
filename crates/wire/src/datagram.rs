//! A datagram of UDP (RFC 768), and what a ring hands on.

use std::net::{IpAddr, SocketAddr};

use crate::packet::{IpContent, UDP, WirePacket, u16_at};

const HEAD_BYTES: usize = 8;

/// A packet of a protocol that is read.
#[derive(Debug, Clone, Copy)]
pub enum SeenPacket<'a> {
    /// Of TCP.
    Segment(WirePacket<'a>),
    /// Of UDP.
    Datagram(WireDatagram<'a>),
}

/// A datagram that was seen.
#[derive(Debug, Clone, Copy)]
pub struct WireDatagram<'a> {
    /// When, Unix nanoseconds.
    pub at_ns: u64,
    /// The network namespace in which it was seen, as its ring was told; 0: our own.
    pub space: u32,
    /// The number of the interface at which it was seen.
    pub interface: u32,
    /// What it is.
    pub datagram: UdpDatagram<'a>,
}

/// What one end sends another at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpDatagram<'a> {
    /// Who sent it.
    pub source: SocketAddr,
    /// To whom.
    pub target: SocketAddr,
    /// So many bytes it carries.
    pub length: u32,
    /// What was kept of them, from the first on.
    pub bytes: &'a [u8],
}

impl<'a> UdpDatagram<'a> {
    /// Reads a packet that begins with its network header and may have been cut; none if it is no
    /// UDP, or cut before the end of its headers. Of a packet in fragments none but the first is read.
    #[must_use]
    pub fn read(packet: &'a [u8]) -> Option<Self> {
        Self::read_cut(packet, packet.len())
    }

    /// The same of a packet that had that length.
    pub(crate) fn read_cut(packet: &'a [u8], whole: usize) -> Option<Self> {
        let content = IpContent::read(packet, whole).filter(|content| content.protocol == UDP)?;
        let (udp, length) = (content.bytes, content.length.checked_sub(HEAD_BYTES)?);
        let kept = udp.get(HEAD_BYTES..)?;
        Some(Self {
            source: SocketAddr::new(content.source, u16_at(udp, 0)?),
            target: SocketAddr::new(content.target, u16_at(udp, 2)?),
            length: u32::try_from(length).ok()?,
            // Behind the content there may be what fills up a frame.
            bytes: kept.get(..length).unwrap_or(kept),
        })
    }

    /// Whether it is meant for many, so that no end responds for all.
    pub(crate) fn is_for_many(&self) -> bool {
        match self.target.ip() {
            IpAddr::V4(v4) => v4.is_multicast() || v4.is_broadcast(),
            IpAddr::V6(v6) => v6.is_multicast(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packet(content: &[u8]) -> Vec<u8> {
        let length = (content.len() + HEAD_BYTES) as u16;
        let mut all = vec![0x45, 0];
        all.extend((length + 20).to_be_bytes());
        all.extend([0, 0, 0x40, 0, 64, UDP, 0, 0, 127, 0, 0, 1, 127, 0, 0, 53]);
        all.extend([0xc3, 0x50, 0, 53]);
        all.extend(length.to_be_bytes());
        all.extend([0, 0]);
        all.extend(content);
        all
    }

    #[test]
    fn a_datagram_is_read_and_what_fills_a_frame_is_left_out() {
        let mut bytes = packet(b"hello");
        bytes.extend([0; 9]);
        let read = UdpDatagram::read(&bytes).unwrap();
        assert_eq!(read.source, "127.0.0.1:50000".parse().unwrap());
        assert_eq!(read.target, "127.0.0.53:53".parse().unwrap());
        assert_eq!((read.length, read.bytes), (5, &b"hello"[..]));
        let cut = &bytes[..30];
        assert_eq!(UdpDatagram::read(cut).unwrap().bytes, b"he");
        bytes[9] = crate::packet::TCP;
        assert_eq!(UdpDatagram::read(&bytes), None);
    }

    proptest! {
        #[test]
        fn never_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..100),
            at in 0..28_usize, with in any::<u8>())
        {
            let _ = UdpDatagram::read(&bytes);
            let mut near = packet(&bytes);
            near[at] = with;
            bytes.clear();
            let _ = UdpDatagram::read(&near);
        }
    }
}
