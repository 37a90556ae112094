//! Name resolution that does not block: the plan's own table, addresses as they are, the
//! hosts file, then DNS by hickory.

use std::cell::OnceCell;
use std::net::{IpAddr, SocketAddr};

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::{Hosts, TokioResolver};
use plimsoll_stats::ErrorKind;

use crate::failure::Failure;

/// Resolves names by the settings of one profile; one for each load thread.
#[derive(Default)]
pub struct NameResolver {
    table: Vec<(String, Vec<IpAddr>)>,
    servers: Vec<SocketAddr>,
    hosts: OnceCell<Hosts>,
    dns: OnceCell<Result<TokioResolver, String>>,
}

impl NameResolver {
    /// A resolver with a table of its own and these name servers; none: the system's.
    #[must_use]
    pub fn new(table: &[(String, Vec<IpAddr>)], servers: &[SocketAddr]) -> Self {
        Self {
            table: table.to_vec(),
            servers: servers.to_vec(),
            hosts: OnceCell::new(),
            dns: OnceCell::new(),
        }
    }

    /// Whether it asks as the system does, and knows nothing that a plan says.
    #[must_use]
    pub fn is_of_system(&self) -> bool {
        self.table.is_empty() && self.servers.is_empty()
    }

    /// What needs no waiting: an address, or a name of the table.
    #[must_use]
    pub fn known(&self, host: &str) -> Option<Vec<IpAddr>> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse() {
            return Some(vec![address]);
        }
        let found = self
            .table
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(host));
        found.map(|(_, addresses)| addresses.clone())
    }

    /// The addresses of a host.
    ///
    /// # Errors
    /// `unknown_host` when it has none.
    pub async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, Failure> {
        if let Some(known) = self.known(host) {
            return Ok(known);
        }
        let in_file = self.in_hosts_file(host);
        if !in_file.is_empty() {
            return Ok(in_file);
        }
        let unknown =
            |reason: String| Failure::new(ErrorKind::UnknownHost, format!("{host}: {reason}"));
        let dns = self
            .dns
            .get_or_init(|| self.build().map_err(|error| error.to_string()));
        let dns = dns.as_ref().map_err(|reason| unknown(reason.clone()))?;
        let found = dns
            .lookup_ip(host)
            .await
            .map_err(|error| unknown(error.to_string()))?;
        let addresses: Vec<IpAddr> = found.iter().collect();
        if addresses.is_empty() {
            return Err(unknown("no address".to_owned()));
        }
        Ok(addresses)
    }

    /// The addresses that the system's hosts file has. As with the system's own resolver, a
    /// name that is there is not asked for elsewhere: a family of addresses that it has not
    /// there would cost the wait for a name server.
    fn in_hosts_file(&self, host: &str) -> Vec<IpAddr> {
        let Ok(name) = Name::from_utf8(host) else {
            return Vec::new();
        };
        if !self.servers.is_empty() {
            return Vec::new();
        }
        let hosts = self
            .hosts
            .get_or_init(|| Hosts::from_system().unwrap_or_default());
        let of_family = |family| hosts.lookup_static_host(&Query::query(name.clone(), family));
        let found = [RecordType::A, RecordType::AAAA]
            .into_iter()
            .filter_map(of_family);
        let addresses = found.map(|lookup| {
            let records = lookup.answers().iter();
            let addresses = records.filter_map(|record| record.data.ip_addr());
            addresses.collect::<Vec<_>>()
        });
        addresses.flatten().collect()
    }

    fn build(&self) -> Result<TokioResolver, hickory_resolver::net::NetError> {
        if self.servers.is_empty() {
            return TokioResolver::builder_tokio()?.build();
        }
        let servers = self.servers.iter().map(|server| {
            let on_port = |mut connection: ConnectionConfig| {
                connection.port = server.port();
                connection
            };
            let connections = vec![
                on_port(ConnectionConfig::udp()),
                on_port(ConnectionConfig::tcp()),
            ];
            NameServerConfig::new(server.ip(), true, connections)
        });
        let config = ResolverConfig::from_name_servers(servers.collect());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()).build()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn addresses_and_the_table_need_no_server() {
        let table = [("Shop.test".to_owned(), vec!["127.0.0.2".parse().unwrap()])];
        let resolver = NameResolver::new(&table, &[]);
        assert_eq!(resolver.resolve("shop.TEST").await.unwrap(), table[0].1);
        assert_eq!(
            resolver.resolve("[::1]").await.unwrap(),
            ["::1".parse::<IpAddr>().unwrap()]
        );
        assert_eq!(resolver.resolve("127.0.0.9").await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn localhost_is_in_the_hosts_file() {
        let found = NameResolver::default().resolve("localhost").await.unwrap();
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
    }

    /// A name server that responds to every question with "no such name".
    #[tokio::test]
    async fn a_name_that_does_not_resolve_says_so() {
        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let server = socket.local_addr().unwrap();
        let answering = tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut question).await {
                question[2] |= 0x80;
                question[3] = (question[3] & 0xf0) | 3;
                socket.send_to(&question[..length], from).await.unwrap();
            }
        });
        let resolver = NameResolver::new(&[], &[server]);
        let failure = resolver.resolve("nowhere.invalid").await.unwrap_err();
        assert_eq!(failure.kind, ErrorKind::UnknownHost);
        assert!(failure.detail.starts_with("nowhere.invalid: "));
        answering.abort();
    }
}
