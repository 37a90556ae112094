//! The way to a server, beside its address.

use std::net::IpAddr;

use super::failure::HttpProblem;
use super::options::HttpOptions;
use super::settings::{Eval, SamplerSettings};

/// How connections are made, beside the address.
#[derive(Debug, Default)]
pub(super) struct Route {
    /// Local address.
    pub(super) source: Option<IpAddr>,
    /// Host, port and credentials of a proxy.
    pub(super) proxy: Option<(String, u16, String, String)>,
}

impl Route {
    /// The route by a sampler's settings.
    ///
    /// # Errors
    /// A local address that is not there.
    pub fn of(
        settings: &SamplerSettings,
        options: &HttpOptions,
        by: &mut Eval<'_>,
    ) -> Result<Self, HttpProblem> {
        let mut route = Self {
            source: options.local_address,
            proxy: None,
        };
        if !settings.source.is_empty() {
            let source = settings.source.text(by)?;
            let kind = settings.source_type.whole(by, 0)?;
            if !source.trim().is_empty() {
                route.source = Some(local_address(&source, kind)?);
            }
        }
        if !settings.proxy_host.is_empty() {
            let host = settings.proxy_host.text(by)?;
            let port = settings.proxy_port.whole(by, 0)?;
            if let (false, Ok(port @ 1..)) = (host.trim().is_empty(), u16::try_from(port)) {
                let user = settings.proxy_user.text(by)?.into_owned();
                let password = settings.proxy_pass.text(by)?.into_owned();
                route.proxy = Some((host.into_owned(), port, user, password));
            }
        }
        Ok(route)
    }

    /// The response to a proxy's challenge.
    pub fn proxy_authorization(&self) -> Option<String> {
        let (_, _, user, password) = self.proxy.as_ref()?;
        (!user.is_empty()).then(|| plimsoll_load::kit::auth::basic(user, password))
    }

    /// The route as Java's own client takes it: it knows of no local address and of no
    /// credentials.
    #[must_use]
    pub fn for_java(self) -> Self {
        let proxy = self
            .proxy
            .map(|(host, port, ..)| (host, port, String::new(), String::new()));
        Self {
            source: None,
            proxy,
        }
    }

    /// Whether it leads over a proxy.
    pub fn is_proxied(&self) -> bool {
        self.proxy.is_some()
    }
}

/// The local address that a sampler names: an address or host name (0), or one of a network
/// device (1: any, 2: IPv4, 3: IPv6).
fn local_address(source: &str, kind: i64) -> Result<IpAddr, HttpProblem> {
    let unknown = |message: String| HttpProblem::new("java.net.UnknownHostException", message);
    if kind == 0 {
        if let Ok(address) = source.trim().parse() {
            return Ok(address);
        }
        let found = std::net::ToSocketAddrs::to_socket_addrs(&(source.trim(), 0));
        let first = found.ok().and_then(|mut found| found.next());
        let message = format!("{source}: Name or service not known");
        return first
            .map(|found| found.ip())
            .ok_or_else(|| unknown(message));
    }
    let addresses = super::device::addresses(source);
    if addresses.is_empty() {
        return Err(unknown(format!("Cannot find interface {source}")));
    }
    let (fits, class): (fn(&IpAddr) -> bool, _) = match kind {
        2 => (IpAddr::is_ipv4, "Inet4Address"),
        3 => (IpAddr::is_ipv6, "Inet6Address"),
        _ => (|_| true, "InetAddress"),
    };
    addresses.into_iter().find(fits).ok_or_else(|| {
        unknown(format!(
            "Interface {source} does not have address of type {class}"
        ))
    })
}
