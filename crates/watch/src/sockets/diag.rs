//! The kernel's table of TCP sockets by netlink.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

use super::{TcpSocket, TcpState};

/// Of `linux/netlink.h`, `linux/sock_diag.h` and `linux/inet_diag.h`.
const HEADER_BYTES: usize = 16;
const MESSAGE_BYTES: usize = 72;
const REQUEST_BYTES: usize = HEADER_BYTES + 56;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
const INET_DIAG_SKMEMINFO: u16 = 7;
/// Place of the drops among the numbers of `INET_DIAG_SKMEMINFO`.
const SK_MEMINFO_DROPS: usize = 8;

/// A netlink socket. It stays in the network namespace in which it was opened.
#[derive(Debug)]
pub(super) struct Diag {
    socket: OwnedFd,
    sequence: u32,
    bytes: Vec<u8>,
}

impl Diag {
    pub(super) fn open() -> io::Result<Self> {
        let socket = socket_with(
            AddressFamily::NETLINK,
            SocketType::RAW,
            SocketFlags::CLOEXEC,
            Some(netlink::SOCK_DIAG),
        )?;
        // The kernel answers at once; a defect there must not stop the watcher.
        set_socket_timeout(&socket, Timeout::Recv, Some(Duration::from_secs(1)))?;
        Ok(Self {
            socket,
            sequence: 0,
            bytes: vec![0; 32 << 10],
        })
    }

    /// Visits every TCP socket in one of the states.
    pub(super) fn dump(&mut self, states: u32, visit: &mut dyn FnMut(TcpSocket)) -> io::Result<()> {
        for family in [AF_INET, AF_INET6] {
            self.sequence = self.sequence.wrapping_add(1);
            let request = request(family, states, self.sequence);
            send(&self.socket, &request, SendFlags::empty())?;
            loop {
                let (count, _) = recv(&self.socket, &mut self.bytes[..], RecvFlags::empty())?;
                if parse(&self.bytes[..count], self.sequence, visit)? {
                    break;
                }
            }
        }
        Ok(())
    }
}

fn request(family: u8, states: u32, sequence: u32) -> [u8; REQUEST_BYTES] {
    let mut bytes = [0; REQUEST_BYTES];
    bytes[0..4].copy_from_slice(&(REQUEST_BYTES as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&(NLM_F_REQUEST | NLM_F_DUMP).to_ne_bytes());
    bytes[8..12].copy_from_slice(&sequence.to_ne_bytes());
    bytes[16] = family;
    bytes[17] = IPPROTO_TCP;
    // Only listening sockets are asked for more: it makes the answer longer.
    if states == TcpState::Listen.bit() {
        bytes[18] = 1 << (INET_DIAG_SKMEMINFO - 1);
    }
    bytes[20..24].copy_from_slice(&states.to_ne_bytes());
    bytes
}

/// Reads one answer of many messages; true if it was the last.
fn parse(bytes: &[u8], sequence: u32, visit: &mut dyn FnMut(TcpSocket)) -> io::Result<bool> {
    let mut rest = bytes;
    while rest.len() >= HEADER_BYTES {
        let length = u32_at(rest, 0).unwrap_or(0) as usize;
        if length < HEADER_BYTES || length > rest.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let message = &rest[..length];
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
        if u32_at(message, 8) != Some(sequence) {
            continue; // of an earlier dump that was given up
        }
        match u16_at(message, 4).unwrap_or(0) {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => {
                let code = u32_at(message, HEADER_BYTES).unwrap_or(0).cast_signed();
                return Err(io::Error::from_raw_os_error(code.wrapping_neg()));
            }
            SOCK_DIAG_BY_FAMILY => {
                if let Some(socket) = socket(&message[HEADER_BYTES..]) {
                    visit(socket);
                }
            }
            _ => {}
        }
    }
    Ok(false)
}

/// `struct inet_diag_msg` and its attributes.
fn socket(bytes: &[u8]) -> Option<TcpSocket> {
    let message = bytes.get(..MESSAGE_BYTES)?;
    let family = message[0];
    let port = |at: usize| u16::from_be_bytes([message[at], message[at + 1]]);
    let address = |at: usize| address(family, &message[at..at + 16]);
    Some(TcpSocket {
        state: TcpState::of(message[1])?,
        local: SocketAddr::new(address(8)?, port(4)),
        remote: SocketAddr::new(address(24)?, port(6)),
        receive_queue: u32_at(message, 56)?,
        send_queue: u32_at(message, 60)?,
        inode: u64::from(u32_at(message, 68)?),
        drops: drops(&bytes[MESSAGE_BYTES..]),
    })
}

fn address(family: u8, bytes: &[u8]) -> Option<IpAddr> {
    let whole: [u8; 16] = bytes.try_into().ok()?;
    match family {
        AF_INET => Some(Ipv4Addr::new(whole[0], whole[1], whole[2], whole[3]).into()),
        AF_INET6 => Some(IpAddr::from(Ipv6Addr::from(whole)).to_canonical()),
        _ => None,
    }
}

fn drops(attributes: &[u8]) -> Option<u32> {
    let mut rest = attributes;
    while rest.len() >= 4 {
        let length = usize::from(u16_at(rest, 0)?);
        if length < 4 || length > rest.len() {
            return None;
        }
        if u16_at(rest, 2)? == INET_DIAG_SKMEMINFO {
            return u32_at(&rest[4..length], SK_MEMINFO_DROPS * 4);
        }
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
    }
    None
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_ne_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A message as the kernel writes it.
    fn message(kind: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
        let length = (HEADER_BYTES + body.len()) as u32;
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(2_u16.to_ne_bytes());
        bytes.extend(sequence.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(body);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn listener() -> Vec<u8> {
        let mut body = vec![0; MESSAGE_BYTES];
        body[0] = AF_INET6;
        body[1] = 10;
        body[4..6].copy_from_slice(&8080_u16.to_be_bytes());
        let mapped = Ipv4Addr::new(10, 1, 2, 3).to_ipv6_mapped();
        body[8..24].copy_from_slice(&mapped.octets());
        body[56..60].copy_from_slice(&5_u32.to_ne_bytes());
        body[60..64].copy_from_slice(&100_u32.to_ne_bytes());
        body[68..72].copy_from_slice(&4711_u32.to_ne_bytes());
        body.extend(5_u16.to_ne_bytes());
        body.extend(8_u16.to_ne_bytes());
        body.extend([1, 0, 0, 0]);
        body.extend(40_u16.to_ne_bytes());
        body.extend(INET_DIAG_SKMEMINFO.to_ne_bytes());
        body.extend((0..9_u32).flat_map(|n| (n * 10).to_ne_bytes()));
        body
    }

    #[test]
    fn an_answer_is_read_up_to_its_end() {
        let mut bytes = message(SOCK_DIAG_BY_FAMILY, 6, &listener());
        bytes.extend(message(SOCK_DIAG_BY_FAMILY, 7, &listener()));
        let mut all = Vec::new();
        assert!(!parse(&bytes, 7, &mut |socket| all.push(socket)).unwrap());
        assert_eq!(all.len(), 1, "what answers an earlier question is left out");
        assert_eq!(all[0].local, "10.1.2.3:8080".parse().unwrap());
        assert_eq!((all[0].receive_queue, all[0].send_queue), (5, 100));
        assert_eq!((all[0].inode, all[0].drops), (4711, Some(80)));
        bytes.extend(message(NLMSG_DONE, 7, &[0; 4]));
        assert!(parse(&bytes, 7, &mut |_| ()).unwrap());
        let refused = message(NLMSG_ERROR, 7, &(-2_i32).to_ne_bytes());
        let error = parse(&refused, 7, &mut |_| ()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    proptest! {
        #[test]
        fn never_panics(mut noise in prop::collection::vec(any::<u8>(), 0..200),
            at in 0..200_usize, with in any::<u8>())
        {
            let _ = parse(&noise, 0, &mut |_| ());
            let mut bytes = message(SOCK_DIAG_BY_FAMILY, 7, &listener());
            let place = at % bytes.len();
            bytes[place] = with;
            bytes.append(&mut noise);
            let _ = parse(&bytes, 7, &mut |_| ());
        }
    }
}
