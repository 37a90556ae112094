//! The DNS cache manager (JMeter 5.6.3, `DNSCacheManager`): names of the plan's own, and name
//! servers.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::SiteId;

use super::settings::Eval;
use plimsoll_load::kit::driver::NameResolver;

/// A DNS cache manager.
#[derive(Debug)]
pub struct DnsManager {
    /// Which one it is.
    pub site: SiteId,
    hosts: Vec<(Field, Field)>,
    servers: Vec<Field>,
}

impl DnsManager {
    /// Binds a manager.
    #[must_use]
    pub fn bind(fields: Fields<'_>) -> Self {
        let custom = fields.fixed_truth("DNSCacheManager.isCustomResolver", false);
        let hosts = fields.elements("DNSCacheManager.hosts");
        let host = |host: Fields<'_>| {
            let name = host.field("StaticHost.Name");
            (name, host.field("StaticHost.Address"))
        };
        Self {
            site: fields.0.site,
            hosts: hosts.into_iter().map(host).collect(),
            servers: if custom {
                fields.texts("DNSCacheManager.servers")
            } else {
                Vec::new()
            },
        }
    }

    /// A resolver by its settings. Addresses that are names are looked up here.
    #[must_use]
    pub fn resolver(&self, by: &mut Eval<'_>) -> NameResolver {
        let mut text = |field| {
            by.text(field)
                .map(|text| text.into_owned())
                .unwrap_or_default()
        };
        let mut table = Vec::new();
        for (name, addresses) in &self.hosts {
            let (name, written) = (text(name), text(addresses));
            let mut addresses: Vec<IpAddr> = Vec::new();
            for address in written.split(',').map(str::trim) {
                match address.parse() {
                    Ok(address) => addresses.push(address),
                    Err(_) => {
                        let found = (address, 0).to_socket_addrs();
                        addresses.extend(found.into_iter().flatten().map(|found| found.ip()));
                    }
                }
            }
            table.push((name, addresses));
        }
        let servers: Vec<SocketAddr> = self
            .servers
            .iter()
            .filter_map(|server| {
                let server = text(server);
                let with_port = server.trim().parse::<SocketAddr>();
                let bare = || Some(SocketAddr::new(server.trim().parse().ok()?, 53));
                with_port.ok().or_else(bare)
            })
            .collect();
        NameResolver::new(&table, &servers)
    }
}
