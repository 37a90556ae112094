//! Whether an address is one of this host.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use crate::proc::file::read;
use crate::proc::find::spaces;
use crate::sockets::NetSpace;

/// The first of these addresses that is on this host, and in which network namespace.
pub(super) fn place(addresses: &[SocketAddr]) -> Option<(NetSpace, SocketAddr)> {
    // Only a host's own addresses can be bound.
    let own = addresses
        .iter()
        .find(|address| UdpSocket::bind((address.ip(), 0)).is_ok());
    if let Some(address) = own {
        return Some((NetSpace::own(), *address));
    }
    spaces().into_iter().skip(1).find_map(|space| {
        let routes = read(space.folder().join("fib_trie")).unwrap_or_default();
        let found = addresses
            .iter()
            .find(|address| is_local(&routes, address.ip()));
        found.map(|address| (space, *address))
    })
}

/// Whether a table of routes has the address as one of its host:
/// `|-- 10.1.2.3` and below it `/32 host LOCAL`.
fn is_local(routes: &str, address: IpAddr) -> bool {
    let wanted = format!("|-- {address}");
    let mut here = false;
    for line in routes.lines() {
        let line = line.trim();
        if line.starts_with("|-- ") {
            here = line == wanted;
        } else if here && line.ends_with("host LOCAL") {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn own_addresses_are_told_from_others() {
        let at = |text: &str| place(&[text.parse().unwrap()]).map(|(_, address)| address);
        assert!(at("127.0.0.1:80").is_some());
        assert!(at("127.1.2.3:80").is_some());
        // Of a range that is kept for documentation.
        assert_eq!(at("192.0.2.1:80"), None);
    }

    #[test]
    fn routes_name_local_addresses() {
        let routes = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 10.9.0.0\n        /24 link UNICAST\n\
            \x20    |-- 10.9.0.2\n        /32 host LOCAL\n     |-- 10.9.0.255\n        \
            /32 link BROADCAST\n";
        assert!(is_local(routes, "10.9.0.2".parse().unwrap()));
        assert!(!is_local(routes, "10.9.0.255".parse().unwrap()));
        assert!(!is_local(routes, "10.9.0.0".parse().unwrap()));
    }
}
