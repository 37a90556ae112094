//! The things that one endpoint tells of.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use crate::proc::host::hostname;
use crate::source::Spec;

/// Entities behind one address, each made once.
pub(crate) struct Entities {
    name: String,
    host: String,
    known: BTreeMap<EntityKind, Arc<Entity>>,
}

impl Entities {
    /// Entities named by the option `name`, else by `address` (`host:port`); on the host
    /// that the spec names, else that of the address.
    pub(crate) fn of(spec: &Spec, address: &str) -> Self {
        let name = spec.options.get("name").cloned();
        Self {
            name: name.unwrap_or_else(|| address.to_owned()),
            host: host_of(spec, address),
            known: BTreeMap::new(),
        }
    }

    /// The entity of that kind. A host has no name of its own.
    pub(crate) fn get(&mut self, kind: EntityKind) -> Arc<Entity> {
        let name = match kind {
            EntityKind::Host => "",
            _ => &self.name,
        };
        let host = &self.host;
        let made = self.known.entry(kind);
        Arc::clone(made.or_insert_with(|| Entity::new(kind, name, host.as_str())))
    }
}

/// The host's name in series: as the spec says, this host's for a loopback address, else the
/// address' own.
pub(crate) fn host_of(spec: &Spec, address: &str) -> String {
    if let Some(host) = &spec.host {
        return host.clone();
    }
    let bare = bare_host(address);
    match is_loopback(address) || bare.is_empty() {
        true => hostname(),
        false => bare.to_owned(),
    }
}

/// Whether an address (`host:port`) is on this host by its loopback.
pub(crate) fn is_loopback(address: &str) -> bool {
    is_this_host(bare_host(address))
}

/// Whether a host, without port and brackets, is this one by its loopback. Names are not looked up.
#[must_use]
pub fn is_this_host(host: &str) -> bool {
    let ip = host.parse::<std::net::IpAddr>();
    ip.map_or(host == "localhost", |ip| ip.is_loopback())
}

/// The host of an address, without its port and the brackets of IPv6.
fn bare_host(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.trim_matches(['[', ']'])
}
