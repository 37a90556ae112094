//! Lines of `/proc/net/tcp` and `/proc/net/tcp6`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::socket::{TcpSocket, TcpState};

/// Reads a line; none for the head and for what makes no sense.
pub(super) fn parse(line: &str) -> Option<TcpSocket> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let local = address(words.next()?)?;
    let remote = address(words.next()?)?;
    let state = TcpState::of(u8::from_str_radix(words.next()?, 16).ok()?)?;
    let (send, receive) = words.next()?.split_once(':')?;
    // Timer, retransmissions, user, time-outs.
    let inode = words.nth(4)?.parse().ok()?;
    Some(TcpSocket {
        state,
        local,
        remote,
        receive_queue: u32::from_str_radix(receive, 16).ok()?,
        send_queue: u32::from_str_radix(send, 16).ok()?,
        inode,
        drops: None,
    })
}

/// `0100007F:1F90`: words of 32 bits as the machine keeps them, and the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = address.get(at * 8..at * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let address = match address.len() {
        8 => IpAddr::from(Ipv4Addr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let mut bytes = [0; 16];
            bytes.copy_from_slice(words.as_flattened());
            IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(address, port))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn lines_of_both_families_are_read() {
        let line = "   0: 0100007F:1F90 0200007F:C350 08 00000003:0000000A 00:00000000 00000000 \
            1000        0 4711 1 0000000000000000 100 0 0 10 0";
        let socket = parse(line).unwrap();
        assert_eq!(socket.local, "127.0.0.1:8080".parse().unwrap());
        assert_eq!(socket.remote, "127.0.0.2:50000".parse().unwrap());
        assert_eq!(socket.state, TcpState::CloseWait);
        assert_eq!((socket.send_queue, socket.receive_queue), (3, 10));
        assert_eq!(socket.inode, 4711);
        let line = "   0: 00000000000000000000000001000000:1F91 \
            00000000000000000000000000000000:0000 0A 00000000:00000002 00:00000000 00000000     \
            0        0 99 1 0000000000000000 100 0 0 10 0";
        let socket = parse(line).unwrap();
        assert_eq!(socket.local, "[::1]:8081".parse().unwrap());
        assert_eq!(socket.state, TcpState::Listen);
        assert_eq!(socket.receive_queue, 2);
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
        assert_eq!(parse(head), None);
    }

    proptest! {
        #[test]
        fn never_panics(line in "([0-9A-F]{8}:[0-9A-F]{4} ?|[ 0-9A-F:]|.){0,40}") {
            let _ = parse(&line);
        }
    }
}
