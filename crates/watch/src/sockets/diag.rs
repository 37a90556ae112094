//! The kernel's table of TCP or UDP sockets by netlink.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::netlink::{Netlink, attribute, u32_at};
use super::socket::{TcpSocket, TcpState};

/// Of `linux/sock_diag.h` and `linux/inet_diag.h`.
const MESSAGE_BYTES: usize = 72;
const REQUEST_BYTES: usize = 56;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const INET_DIAG_SKMEMINFO: u16 = 7;
/// Place of the drops among the numbers of `INET_DIAG_SKMEMINFO`.
const SK_MEMINFO_DROPS: usize = 8;

/// A netlink socket for questions about sockets.
#[derive(Debug)]
pub(super) struct Diag(Netlink);

impl Diag {
    pub(super) fn open() -> io::Result<Self> {
        Netlink::open(Some(rustix::net::netlink::SOCK_DIAG)).map(Self)
    }

    /// Visits every socket of a transport (its number in headers of IP) in one of the states.
    pub(super) fn dump(
        &mut self,
        transport: u8,
        states: u32,
        visit: &mut dyn FnMut(TcpSocket),
    ) -> io::Result<()> {
        let kind = SOCK_DIAG_BY_FAMILY;
        for family in [AF_INET, AF_INET6] {
            let mut each = |body: &[u8]| {
                if let Some(socket) = socket(body) {
                    visit(socket);
                }
            };
            self.0
                .dump(kind, &request(family, transport, states), kind, &mut each)?;
        }
        Ok(())
    }
}

/// `struct inet_diag_req_v2`.
fn request(family: u8, transport: u8, states: u32) -> [u8; REQUEST_BYTES] {
    let mut bytes = [0; REQUEST_BYTES];
    bytes[0] = family;
    bytes[1] = transport;
    // Only listening sockets are asked for more: it makes the response longer.
    if states == TcpState::Listen.bit() {
        bytes[2] = 1 << (INET_DIAG_SKMEMINFO - 1);
    }
    bytes[4..8].copy_from_slice(&states.to_ne_bytes());
    bytes
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
    let numbers = attribute(attributes, INET_DIAG_SKMEMINFO)?;
    u32_at(numbers, SK_MEMINFO_DROPS * 4)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::netlink::{message, parse};
    use super::*;
    use proptest::prelude::*;

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

    fn sockets(bytes: &[u8]) -> io::Result<(bool, Vec<TcpSocket>)> {
        let mut all = Vec::new();
        let mut visit = |body: &[u8]| all.extend(socket(body));
        let done = parse(bytes, 7, SOCK_DIAG_BY_FAMILY, &mut visit)?;
        Ok((done, all))
    }

    #[test]
    fn a_response_is_read_up_to_its_end() {
        let mut bytes = message(SOCK_DIAG_BY_FAMILY, 2, 6, &listener());
        bytes.extend(message(SOCK_DIAG_BY_FAMILY, 2, 7, &listener()));
        let (done, all) = sockets(&bytes).unwrap();
        assert!(!done);
        assert_eq!(all.len(), 1, "what answers an earlier question is left out");
        assert_eq!(all[0].local, "10.1.2.3:8080".parse().unwrap());
        assert_eq!((all[0].receive_queue, all[0].send_queue), (5, 100));
        assert_eq!((all[0].inode, all[0].drops), (4711, Some(80)));
        bytes.extend(message(3, 2, 7, &[0; 4]));
        assert!(sockets(&bytes).unwrap().0);
        let refused = message(2, 0, 7, &(-2_i32).to_ne_bytes());
        let error = sockets(&refused).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    proptest! {
        #[test]
        fn never_panics(mut noise in prop::collection::vec(any::<u8>(), 0..200),
            at in 0..200_usize, with in any::<u8>())
        {
            let _ = sockets(&noise);
            let mut bytes = message(SOCK_DIAG_BY_FAMILY, 2, 7, &listener());
            let place = at % bytes.len();
            bytes[place] = with;
            bytes.append(&mut noise);
            let _ = sockets(&bytes);
        }
    }
}
