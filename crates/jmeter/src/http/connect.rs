//! Connections of a user, as JMeter's pools keep them: those of one thread are its own, by
//! address and proxy, and live a minute at most.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::model::TlsSettings;
use plimsoll_plan::program::SiteId;
use plimsoll_stats::ErrorKind;
use rustls::ClientConfig;

use super::failure::Problem;
use super::java::Client;
use super::names::DnsManager;
use super::options::Options;
use super::prepare::Ready;
use super::sample::Session;
use super::settings::{Eval, Settings};
use super::url::JavaUrl;
use crate::run::JMeterRun;
use plimsoll_load::clock::Nanos;
use plimsoll_load::driver::connect::Proxy;
use plimsoll_load::driver::resolve::Resolver;
use plimsoll_load::driver::{ConnectTimes, Endpoint, tls};
use plimsoll_load::engine::thread::EndpointId;
use plimsoll_load::failure::Failure;
use plimsoll_load::protocols::http::HttpConnection;
use plimsoll_load::timer::Watch;
use plimsoll_load::user::exchange::{Broken, Deadline, within};

/// What failed when a handshake took too long.
pub const READ: &str = "Read timed out";

/// A connection that waits for its next request.
pub struct Kept {
    endpoint: EndpointId,
    connection: Box<HttpConnection>,
    born_ns: Nanos,
    /// Since when it waits.
    idle_ns: Nanos,
}

/// What the HTTP samplers of a thread share.
#[derive(Default)]
pub struct HttpThread {
    endpoints: RefCell<HashMap<Box<str>, EndpointId>>,
    resolvers: RefCell<HashMap<Option<SiteId>, Rc<Resolver>>>,
    tls: OnceCell<Result<Arc<ClientConfig>, String>>,
    options: OnceCell<Options>,
}

/// How connections are made, beside the address.
#[derive(Debug, Default)]
pub(super) struct Route {
    /// Local address.
    source: Option<IpAddr>,
    /// Host, port and credentials of a proxy.
    proxy: Option<(String, u16, String, String)>,
}

impl Route {
    /// The route by a sampler's settings.
    ///
    /// # Errors
    /// A local address that is not there.
    pub fn of(settings: &Settings, options: &Options, by: &mut Eval<'_>) -> Result<Self, Problem> {
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
        (!user.is_empty()).then(|| plimsoll_load::auth::basic(user, password))
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
fn local_address(source: &str, kind: i64) -> Result<IpAddr, Problem> {
    let unknown = |message: String| Problem::new("java.net.UnknownHostException", message);
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

impl Session<'_> {
    /// The endpoint for this address on this route.
    ///
    /// # Errors
    /// A host that may not be loaded; TLS that cannot be set up.
    pub fn endpoint(&self, url: &JavaUrl, route: &Route) -> Result<EndpointId, Problem> {
        use std::fmt::Write as _;
        let thread = &self.thread;
        let port = url.port_or_default();
        let mut key = String::with_capacity(48);
        // Writing to a String does not fail.
        let _ = write!(key, "{}:{}:{port}", url.scheme, url.host);
        if let Some(source) = route.source {
            let _ = write!(key, " {source}");
        }
        if let Some(proxy) = &route.proxy {
            let _ = write!(key, " {proxy:?}");
        }
        if let Some(dns) = self.dns() {
            let _ = write!(key, " dns{}", dns.site.0);
        }
        if let Some(id) = thread.http.endpoints.borrow().get(key.as_str()) {
            return Ok(*id);
        }
        if !thread.hosts.allows_place(&url.host, port) {
            let failure = Failure::new(ErrorKind::HostNotAllowed, url.authority());
            return Err(Problem::of_failure(&failure, url));
        }
        let tls = match url.scheme.as_str() {
            "https" => Some(self.tls(url)?),
            _ => None,
        };
        let tunnel = tls.is_some();
        let proxy = route
            .proxy
            .as_ref()
            .map(|(host, port, user, password)| Proxy {
                host: host.clone(),
                port: *port,
                authorization: (tunnel && !user.is_empty())
                    .then(|| plimsoll_load::auth::basic(user, password)),
            });
        let id = thread.add_endpoint(Endpoint {
            host: url.host.to_ascii_lowercase(),
            port,
            tls,
            server_name: None,
            proxy,
            unix_socket: None,
            source_addresses: route.source.into_iter().collect(),
            resolver: self.resolver(),
            profile: 0,
        });
        let mut endpoints = thread.http.endpoints.borrow_mut();
        endpoints.insert(key.into(), id);
        Ok(id)
    }

    /// The DNS cache manager, of which Java's own client knows nothing.
    fn dns(&self) -> Option<&DnsManager> {
        let manager = self.sampler.managers.dns.as_deref();
        manager.filter(|_| self.client == Client::HttpClient)
    }

    /// The resolver of the DNS cache manager, or the system's.
    fn resolver(&self) -> Rc<Resolver> {
        let manager = self.dns();
        let key = manager.map(|manager| manager.site);
        if let Some(known) = self.thread.http.resolvers.borrow().get(&key) {
            return Rc::clone(known);
        }
        let made = match manager {
            Some(manager) => self.eval(|by| manager.resolver(by)),
            None => Resolver::default(),
        };
        let made = Rc::new(made);
        let mut resolvers = self.thread.http.resolvers.borrow_mut();
        resolvers.insert(key, Rc::clone(&made));
        made
    }

    /// JMeter takes any certificate.
    fn tls(&self, url: &JavaUrl) -> Result<Arc<ClientConfig>, Problem> {
        let make = || {
            let settings = TlsSettings {
                insecure: true,
                ..TlsSettings::default()
            };
            let folder = &self.thread.jmeter.plan_folder;
            let access = &self.thread.jmeter.access;
            tls::config(&settings, folder, access).map_err(|error| error.to_string())
        };
        let made = self.thread.http.tls.get_or_init(make).clone();
        made.map_err(|reason| {
            Problem::of_failure(&Failure::new(ErrorKind::TlsHandshake, reason), url)
        })
    }

    /// A connection that was kept, and when it was made.
    pub fn keep_alive_connection(
        &self,
        endpoint: EndpointId,
    ) -> Option<(Box<HttpConnection>, Nanos)> {
        let now_ns = self.thread.clock.now_ns();
        let (time_to_live_ns, idle_timeout_ns) = (
            self.options().time_to_live_ns,
            self.options().idle_timeout_ns,
        );
        let mut user = self.user.borrow_mut();
        let kept = &mut user.jm().http.connections;
        loop {
            let at = kept.iter().position(|kept| kept.endpoint == endpoint)?;
            let mut found = kept.swap_remove(at);
            let is_fresh = now_ns.saturating_sub(found.born_ns) < time_to_live_ns
                && now_ns.saturating_sub(found.idle_ns) < idle_timeout_ns;
            if is_fresh && !found.connection.wire.is_stale() {
                return Some((found.connection, found.born_ns));
            }
        }
    }

    /// Keeps a connection for the next request.
    pub fn keep_connection(
        &self,
        endpoint: EndpointId,
        connection: Box<HttpConnection>,
        born_ns: Nanos,
    ) {
        let idle_ns = self.thread.clock.now_ns();
        let mut user = self.user.borrow_mut();
        user.jm().http.connections.push(Kept {
            endpoint,
            connection,
            born_ns,
            idle_ns,
        });
    }

    /// Makes a connection.
    pub async fn connect(
        &self,
        watch: &Watch,
        ready: &Ready,
        times: &mut ConnectTimes,
    ) -> Result<(Box<HttpConnection>, Nanos), Broken> {
        let thread = &self.thread;
        let start_ns = thread.clock.now_ns();
        let mut endpoint = thread.endpoint_of(ready.endpoint);
        let identity = endpoint.tls.as_deref().and_then(|tls| self.identity(tls));
        if let Some(identity) = &identity {
            endpoint = Rc::new(Endpoint {
                tls: Some(Arc::clone(&identity.config)),
                ..Endpoint::clone(&endpoint)
            });
        }
        let turn = self.user.borrow().number as usize;
        // A handshake reads, and its reads are bounded as those of responses are.
        let handshake_ns = match (&endpoint.tls, ready.read_timeout_ns) {
            (Some(_), Some(longest)) => Some(longest),
            _ => None,
        };
        let (timeout_ns, detail) = match (ready.connect_timeout_ns, handshake_ns) {
            (Some(connect), Some(read)) => (Some(connect.saturating_add(read)), READ),
            (Some(connect), None) => (Some(connect), ""),
            (None, read) => (read, READ),
        };
        let deadline = Deadline {
            timeout_ns: timeout_ns
                .map_or(Nanos::MAX, |longest| start_ns.saturating_add(longest))
                .min(self.limit_ns),
            cut_ns: self.user.borrow().scenario.cut_ns.get(),
        };
        let kind = ErrorKind::ConnectTimeout;
        let result = {
            let connecting = pin!(thread.dialer.connect(&endpoint, turn, times));
            within(watch, deadline, kind, detail, connecting).await
        };
        if result.is_err() && times.connect_ns == 0 && times.dns_ns == 0 {
            times.connect_ns = thread.clock.now_ns() - start_ns;
        }
        if let Some(why) = identity.and_then(|identity| identity.missing()) {
            return Err(Failure::new(ErrorKind::TlsCertificate, why).into());
        }
        result.map(|wire| (Box::new(HttpConnection::new(wire)), start_ns))
    }
}

impl HttpThread {
    /// What JMeter's properties say; read once.
    pub(crate) fn options(&self, run: &JMeterRun) -> &Options {
        let properties = &run.properties;
        self.options.get_or_init(|| Options::of(properties))
    }
}
