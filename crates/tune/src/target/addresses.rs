//! Addresses at which components are asked, and who listens there.

use plimsoll_watch::settings::{TargetSight, all_listening_at};
use url::Url;

/// The URL of a component that is asked for.
#[must_use]
pub fn url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| url.scheme() == "http")
}

/// The port of `host:port`, also with a path behind it.
#[must_use]
pub fn port_of(address: &str) -> Option<u16> {
    host_and_port(address).rsplit_once(':')?.1.parse().ok()
}

/// The same as text.
#[must_use]
pub fn host_and_port(address: &str) -> &str {
    let (_, address) = address.split_once("://").unwrap_or(("", address));
    address.split('/').next().unwrap_or_default()
}

/// The process of this host that listens at the port of an address.
#[must_use]
pub fn listener(address: &str) -> Option<u32> {
    let sight = TargetSight::new().ok()?;
    sight.listening_at(port_of(address)?).process()
}

/// All processes of this host that listen there, the one that stands for them first; several share a port with
/// `SO_REUSEPORT`.
#[must_use]
pub fn listeners(address: &str) -> Vec<u32> {
    let mut all: Vec<u32> = listener(address).into_iter().collect();
    let others = port_of(address).map(all_listening_at).unwrap_or_default();
    for pid in others {
        if !all.contains(&pid) {
            all.push(pid);
        }
    }
    all
}

/// Where a component is ready, if that is an address.
#[must_use]
pub fn listens(ready: &str) -> Option<String> {
    let ready = ready.trim();
    if let Some(url) = url(ready) {
        let host = url.host_str()?.to_owned();
        return Some(format!("{host}:{}", url.port_or_known_default()?));
    }
    let (host, port) = ready.rsplit_once(':')?;
    let plain = !host.is_empty() && !host.contains(char::is_whitespace);
    (plain && port.parse::<u16>().is_ok()).then(|| ready.to_owned())
}
