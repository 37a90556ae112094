//! Which hosts may be sent to, whatever a plan says: the list of whoever runs plans for others.
//!
//! A plan has a list of its own, which follows from what it names; this one stands around it. A name is checked
//! as it was asked for, and once more by the address that it leads to: a name of the list never leads to the
//! load host itself or to addresses of the link (where clouds keep their credentials), unless such an address is
//! listed, too.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// A list of hosts. Clones share it.
#[derive(Clone, PartialEq, Eq)]
pub struct Reach(Arc<[ReachEntry]>);

#[derive(Debug, PartialEq, Eq)]
struct ReachEntry {
    place: ReachPlace,
    /// None: any port.
    port: Option<u16>,
}

#[derive(Debug, PartialEq, Eq)]
enum ReachPlace {
    Any,
    Name(String),
    /// All names below one, by its end with the dot before it.
    Below(String),
    Network(IpAddr, u8),
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter()).finish()
    }
}

impl Reach {
    /// Reads a list: `shop.test`, `*.shop.test`, `10.0.0.0/8`, `[::1]`, each with `:PORT` or for all ports; `*` is
    /// any host.
    ///
    /// # Errors
    /// The first entry that is none of these.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let entry = |text: &'a str| ReachEntry::parse(text).ok_or_else(|| text.to_owned());
        let entries: Result<Vec<_>, String> = texts.into_iter().map(entry).collect();
        Ok(Self(entries?.into()))
    }

    /// A list of nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self(Arc::new([]))
    }

    /// Whether this host may be asked for on this port, by its name or as an address; an IPv6 address may be in
    /// brackets.
    #[must_use]
    pub fn names(&self, host: &str, port: u16) -> bool {
        let host = bare(host);
        let entries = self.0.iter().filter(|entry| entry.is_for(port));
        entries.into_iter().any(|entry| entry.place.names(&host))
    }

    /// Whether this host may be asked for on some port.
    #[must_use]
    pub fn names_host(&self, host: &str) -> bool {
        let host = bare(host);
        self.0.iter().any(|entry| entry.place.names(&host))
    }

    /// Whether a host that was asked for may lead to this address; an empty name is that of no host: the address
    /// itself must be listed.
    #[must_use]
    pub fn leads(&self, host: &str, to: SocketAddr) -> bool {
        let (host, address) = (bare(host), to.ip().to_canonical());
        let mut entries = self.0.iter().filter(|entry| entry.is_for(to.port()));
        entries.any(|entry| match &entry.place {
            ReachPlace::Any => true,
            ReachPlace::Network(network, bits) => contains(*network, *bits, address),
            ReachPlace::Name(_) | ReachPlace::Below(_) => {
                entry.place.names(&host)
                    && (!is_near(address) || host == "localhost" && address.is_loopback())
            }
        })
    }
}

/// Lower case, without brackets.
fn bare(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.to_ascii_lowercase()
}

/// Of this host or its link, or of nobody's alone.
fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_loopback()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || v4.octets()[0] == 0
        }
        IpAddr::V6(v6) => {
            v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_multicast()
                || v6.is_unicast_link_local()
                // Amazon's metadata by IPv6.
                || v6.segments()[0] == 0xfd00 && v6.segments()[1] == 0xec2
        }
    }
}

fn contains(network: IpAddr, bits: u8, address: IpAddr) -> bool {
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let shift = 32 - u32::from(bits.min(32));
            network.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let shift = 128 - u32::from(bits.min(128));
            network.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
        }
        _ => false,
    }
}

impl ReachEntry {
    fn is_for(&self, port: u16) -> bool {
        self.port.is_none_or(|own| own == port)
    }

    fn parse(text: &str) -> Option<Self> {
        let (host, port) = split_port(text.trim())?;
        let place = match host {
            "*" => ReachPlace::Any,
            _ => ReachPlace::parse(host)?,
        };
        Some(Self { place, port })
    }
}

/// Host and port; of an IPv6 address with a port the brackets say where it ends.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let is_bare_v6 = text.matches(':').count() > 1 && !text.starts_with('[');
    match text.rsplit_once(':') {
        Some((host, port)) if !is_bare_v6 && !port.ends_with(']') => {
            let port = port.parse().ok().filter(|port| *port > 0)?;
            Some((host, Some(port)))
        }
        _ => Some((text, None)),
    }
}

impl ReachPlace {
    fn parse(host: &str) -> Option<Self> {
        let host = bare(host).replace("]/", "/");
        let (address, bits) = match host.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
            None => (host.as_str(), None),
        };
        if let Ok(address) = address.parse::<IpAddr>() {
            let most = if address.is_ipv4() { 32 } else { 128 };
            let bits = bits.unwrap_or(most);
            return (bits <= most).then_some(Self::Network(address, bits));
        }
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= 253
                // A number would be an address in another spelling.
                && name.chars().any(char::is_alphabetic)
                && name.chars().all(|c| c.is_alphanumeric() || "-._".contains(c))
        };
        match (bits, host.strip_prefix('*')) {
            (Some(_), _) => None,
            (None, Some(end)) => {
                let name = end.strip_prefix('.')?;
                is_name(name).then(|| Self::Below(end.to_owned()))
            }
            (None, None) => is_name(&host).then_some(Self::Name(host)),
        }
    }

    fn names(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Name(name) => name == host,
            Self::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
            Self::Network(network, bits) => {
                let address = host.parse::<IpAddr>();
                address.is_ok_and(|address| contains(*network, *bits, address.to_canonical()))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn reach(texts: &[&str]) -> Reach {
        Reach::parse(texts.iter().copied()).unwrap()
    }

    #[test]
    fn names_addresses_and_ports() {
        let list = reach(&["Shop.test:8080", "*.lab.test", "10.0.0.0/8:80", "[::1]:9"]);
        for (host, port) in [
            ("shop.test", 8080),
            ("a.lab.test", 1),
            ("a.b.LAB.test", 443),
            ("10.1.2.3", 80),
            ("[::1]", 9),
            ("::ffff:10.1.2.3", 80),
        ] {
            assert!(list.names(host, port), "{host}:{port}");
        }
        for (host, port) in [
            ("shop.test", 80),
            ("shop.test.", 8080),
            ("lab.test", 1),
            ("evillab.test", 1),
            ("shop.test.evil", 8080),
            ("11.0.0.1", 80),
            ("10.1.2.3", 81),
            ("0x0a.1.2.3", 80),
            ("167838211", 80),
            ("", 80),
        ] {
            assert!(!list.names(host, port), "{host}:{port}");
        }
        assert!(reach(&["*"]).names("x", 1) && !reach(&[]).names("x", 1));
    }

    #[test]
    fn a_name_leads_nowhere_near_unless_that_is_listed() {
        let list = reach(&["shop.test", "localhost"]);
        let leads = |list: &Reach, host: &str, to: &str| list.leads(host, to.parse().unwrap());
        assert!(leads(&list, "shop.test", "192.0.2.1:80"));
        for near in [
            "127.0.0.1:80",
            "169.254.169.254:80",
            "0.0.0.0:80",
            "0.1.2.3:80",
            "[::1]:80",
            "[::ffff:127.0.0.1]:80",
            "[fe80::1]:80",
            "[fd00:ec2::254]:80",
            "224.0.0.1:80",
        ] {
            assert!(!leads(&list, "shop.test", near), "{near}");
        }
        assert!(leads(&list, "localhost", "127.0.0.1:80"));
        assert!(!leads(&list, "localhost", "169.254.169.254:80"));
        assert!(!leads(&list, "", "192.0.2.1:80"), "no name, not listed");
        let with = reach(&["shop.test", "127.0.0.1:80"]);
        assert!(leads(&with, "shop.test", "127.0.0.1:80"));
        assert!(!leads(&with, "shop.test", "127.0.0.1:81"));
        assert!(leads(&with, "", "[::ffff:127.0.0.1]:80"));
    }

    #[test]
    fn what_is_no_entry_is_refused() {
        for text in [
            "",
            " ",
            "a b",
            "http://x",
            "x:0",
            "x:99999",
            "10.0.0.0/33",
            "x/8",
            "*x",
            "*.",
            "127.1:x",
            "2130706433",
            "[::1",
            "a/b",
            "user@host",
        ] {
            let read = Reach::parse([text]);
            // An address whose bracket is open is that address.
            assert!(read.is_err() || text == "[::1", "{text:?}: {read:?}");
        }
        assert!(reach(&["0.0.0.0/0"]).names("8.8.8.8", 1));
        assert!(reach(&["::/0"]).names("2001:db8::1", 1));
        assert!(!reach(&["::/0"]).names("8.8.8.8", 1));
    }
}
