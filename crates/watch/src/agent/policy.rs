//! Which sources a controller may name.
//!
//! What comes over the network never names a file and never reaches further than the agent's
//! own host, unless its operator allows that. The operator's own sources are not asked.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use plimsoll_text::Message;

use super::wire::SourceSpec;
use crate::capture::Level;
use crate::proc::host::hostname;
use crate::source::Spec;

/// Settings that a controller may give: none of them names a file or a variable, or is a secret.
const OPTIONS: &[&str] = &["insecure", "max-series", "name", "user"];
/// Longest address or setting, bytes.
const LONGEST: usize = 2048;
/// Most sources in one session.
pub(super) const SOURCES: usize = 64;

/// The source, if it may be watched.
///
/// # Errors
/// Why not, and what would be allowed.
pub fn allowed(spec: SourceSpec, level: Level, remote: bool) -> Result<Spec, Message> {
    let refused = |id: &str| Message::new(id).with("source", spec.source.as_str());
    if spec.source == "agent" {
        return Err(refused("agent-source-chained"));
    }
    if let Some(option) = spec
        .options
        .keys()
        .find(|key| !OPTIONS.contains(&key.as_str()))
    {
        return Err(refused("agent-source-option")
            .with("option", option.as_str())
            .with("known", OPTIONS.join(", ")));
    }
    let texts = || spec.options.values().chain([&spec.address]);
    if texts().any(|text| text.len() > LONGEST || text.chars().any(char::is_control)) {
        return Err(refused("agent-source-address"));
    }
    match host_of(&spec.address) {
        None => return Err(refused("agent-source-address")),
        Some(AddressPlace::Here) => {}
        Some(AddressPlace::Host(host)) if remote || is_own(&host) => {}
        Some(AddressPlace::Host(host)) => {
            return Err(refused("agent-source-remote").with("host", host));
        }
    }
    Ok(Spec {
        source: spec.source,
        address: spec.address,
        host: None,
        options: spec.options,
        level,
        reach: None,
    })
}

/// Where an address leads.
#[derive(Debug, PartialEq)]
enum AddressPlace {
    /// To this host: nothing, or a port or process by its number.
    Here,
    /// To a host by name or number.
    Host(String),
}

/// Takes an address apart; none when it has no form that may come over the network: a
/// number, `HOST:PORT`, or a URL with a host.
fn host_of(address: &str) -> Option<AddressPlace> {
    let number = address.strip_prefix("pid:").unwrap_or(address);
    if number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(AddressPlace::Here);
    }
    if address.contains("://") {
        let url = url::Url::parse(address).ok()?;
        let host = url.host()?.to_owned();
        let plain = match host {
            url::Host::Ipv6(ip) => ip.to_string(),
            url::Host::Ipv4(ip) => ip.to_string(),
            url::Host::Domain(name) => name,
        };
        return (url.scheme() != "file").then_some(AddressPlace::Host(plain));
    }
    if let Ok(address) = address.parse::<SocketAddr>() {
        return Some(AddressPlace::Host(address.ip().to_string()));
    }
    let (host, port) = address.split_once(':')?;
    port.parse::<u16>().ok()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let named = !host.is_empty() && !host.starts_with(['.', '-']) && host.chars().all(fits);
    named.then(|| AddressPlace::Host(host.to_owned()))
}

/// Whether a host, by name or number, is this one. Other names are not looked up: a name
/// server would then decide.
fn is_own(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(ip) => ip.is_loopback() || is_local(ip),
        Err(_) => host.eq_ignore_ascii_case("localhost") || host.eq_ignore_ascii_case(&hostname()),
    }
}

/// Whether an address belongs to this host: the kernel reaches its own addresses from
/// themselves. Nothing is sent.
fn is_local(ip: IpAddr) -> bool {
    let any: SocketAddr = match ip {
        IpAddr::V4(_) => (std::net::Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (std::net::Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let source = UdpSocket::bind(any).and_then(|socket| {
        socket.connect((ip, 9))?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == ip)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn verdict(source: &str, address: &str, remote: bool) -> Result<Spec, String> {
        let spec = SourceSpec {
            source: source.to_owned(),
            address: address.to_owned(),
            options: std::collections::BTreeMap::new(),
        };
        allowed(spec, Level::Observe, remote).map_err(|message| message.id)
    }

    #[test]
    fn only_this_host_is_watched_unless_more_is_allowed() {
        let own = format!("{}:80", hostname());
        for address in [
            "",
            "8080",
            "pid:4711",
            "127.0.0.1:3306",
            "localhost:6379",
            "[::1]:6379",
            &own,
        ] {
            assert!(verdict("host", address, false).is_ok(), "{address}");
        }
        assert!(verdict("host", "http://127.8.9.1:8080/actuator", false).is_ok());
        assert!(verdict("host", "http://[::1]:8080/status", false).is_ok());
        let elsewhere = [
            "192.0.2.7:3306",
            "http://192.0.2.7/status",
            "http://127.0.0.1@192.0.2.7/",
            "example.org:80",
            "localhost.example.org:80",
            "[2001:db8::1]:80",
            "224.0.0.1:80",
        ];
        for address in elsewhere {
            let refused = verdict("host", address, false).unwrap_err();
            assert_eq!(refused, "agent-source-remote", "{address}");
            assert!(verdict("host", address, true).is_ok(), "{address}");
        }
    }

    #[test]
    fn nothing_names_a_file() {
        let paths = [
            "/etc/shadow",
            "../x",
            "file:///etc/shadow",
            "file://localhost/etc/shadow",
            "unix:///run/x.sock",
            "gc.log",
            ".:1",
            "-x:1",
            "a b:1",
            "x:1\n",
            "pid:x",
            "/x:1",
        ];
        for address in paths {
            for remote in [false, true] {
                let refused = verdict("host", address, remote).unwrap_err();
                assert_eq!(refused, "agent-source-address", "{address}");
            }
        }
        assert_eq!(
            verdict("agent", "127.0.0.1:1", true).unwrap_err(),
            "agent-source-chained"
        );
        let options = [("error-log".to_owned(), "/etc/shadow".to_owned())];
        let spec = SourceSpec {
            source: "nginx".to_owned(),
            address: String::new(),
            options: options.into(),
        };
        let refused = allowed(spec, Level::Observe, true).unwrap_err();
        assert_eq!(refused.id, "agent-source-option");
    }
}
