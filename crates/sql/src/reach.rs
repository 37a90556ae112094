//! Where a host leads, of that what may be connected to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::{DatabaseAddress, SqlError};

type Rule = dyn Fn(&str, SocketAddr) -> bool + Send + Sync;

/// Says of a host and an address that it led to whether that may be connected to; asked for each connection, since
/// a name may lead elsewhere from one moment to the next.
#[derive(Clone)]
pub struct AddressRule(Arc<Rule>);

impl AddressRule {
    /// By a function.
    pub fn new(may: impl Fn(&str, SocketAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(may))
    }

    /// The addresses of a database that may be connected to: at least one.
    ///
    /// # Errors
    /// The host is unknown, or leads to none of these.
    pub(crate) async fn addresses(&self, of: &DatabaseAddress) -> Result<Vec<IpAddr>, SqlError> {
        let place = (of.host.as_str(), of.port);
        let unknown = |error: io::Error| SqlError::connection(format!("{}: {error}", of.host));
        let found: Vec<SocketAddr> = tokio::net::lookup_host(place)
            .await
            .map_err(unknown)?
            .collect();
        let allowed = found.iter().filter(|to| (self.0)(&of.host, **to));
        let allowed: Vec<IpAddr> = allowed.map(SocketAddr::ip).collect();
        match (allowed.is_empty(), found.first()) {
            (true, Some(to)) => Err(SqlError::not_allowed(&of.host, *to)),
            _ => Ok(allowed),
        }
    }
}

impl fmt::Debug for AddressRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AddressRule")
    }
}
