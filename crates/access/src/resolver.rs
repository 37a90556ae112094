//! Names for clients of HTTP: of the addresses that a name leads to only those that may be connected to. A name may
//! lead elsewhere from one moment to the next, so that it is asked for each connection.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Says of a host and an address that it led to whether that may be connected to.
pub type MayLead = dyn Fn(&str, SocketAddr) -> bool + Send + Sync;

/// Gives no address that may not be connected to.
pub struct RuledResolver {
    inner: DefaultResolver,
    may: Arc<MayLead>,
}

impl RuledResolver {
    /// By a rule.
    #[must_use]
    pub fn new(may: Arc<MayLead>) -> Self {
        Self {
            inner: DefaultResolver::default(),
            may,
        }
    }
}

impl fmt::Debug for RuledResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuledResolver")
    }
}

impl Resolver for RuledResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let mut kept = self.empty();
        let host = uri.host().unwrap_or_default();
        for address in found.iter().filter(|to| (self.may)(host, **to)) {
            kept.push(*address);
        }
        match kept.is_empty() {
            true => Err(ureq::Error::HostNotFound),
            false => Ok(kept),
        }
    }
}
