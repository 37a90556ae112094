//! Addresses of services: `scheme://host:port/path`, or parts of it.

/// What addresses of sockets of the file system begin with.
const UNIX: &str = "unix:";

/// The port: its own, else that of its scheme, HTTP where it has none. An address without a host has none, as that of a
/// socket of the file system.
#[must_use]
pub fn port(address: &str) -> Option<u16> {
    if address.is_empty() || address.starts_with(UNIX) {
        return None;
    }
    let own = authority(address).rsplit_once(':');
    Some(match own.and_then(|(_, port)| port.parse().ok()) {
        Some(port) => port,
        None if address.starts_with("https:") => 443,
        None => 80,
    })
}

/// The host, without its port; an IPv6 address keeps its brackets.
#[must_use]
pub fn host(address: &str) -> &str {
    let authority = authority(address);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// `host:port` of an address.
fn authority(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_and_a_port() {
        for (address, parts) in [
            ("http://shop:8080/cart?at=1:2", ("shop", 8080)),
            ("http://shop?n=1", ("shop", 80)),
            ("https://shop/", ("shop", 443)),
            ("https://[::1]", ("[::1]", 443)),
            ("http://[::1]:81/x", ("[::1]", 81)),
            ("127.0.0.1:9000", ("127.0.0.1", 9000)),
            ("shop:", ("shop", 80)),
        ] {
            assert_eq!(
                (host(address), port(address)),
                (parts.0, Some(parts.1)),
                "{address}"
            );
        }
        for address in [
            "",
            "unix:/run/php.sock",
            "unix:@shop",
            "unix:/run/shop:8080",
        ] {
            assert_eq!(port(address), None, "{address}");
        }
    }
}
