//! Connections of a user, as JMeter's pools keep them: those of one thread are its own, by
//! address and proxy, and live a minute at most.

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use plimsoll_plan::model::TlsSettings;
use plimsoll_stats::ErrorKind;
use rustls::ClientConfig;

use super::client::Client;
use super::failure::{Problem, READ};
use super::keystore::Identity;
use super::names::DnsManager;
use super::route::Route;
use super::session::{Ready, Session};
use super::url::JavaUrl;
use super::user::KeptConnection;
use plimsoll_load::clock::Nanos;
use plimsoll_load::driver::connect::Proxy;
use plimsoll_load::driver::resolve::Resolver;
use plimsoll_load::driver::{ConnectTimes, Endpoint, tls};
use plimsoll_load::engine::thread::EndpointId;
use plimsoll_load::failure::Failure;
use plimsoll_load::protocols::http::HttpConnection;
use plimsoll_load::timer::Watch;
use plimsoll_load::user::exchange::{Broken, Deadline, within};

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
        user.jm().http.connections.push(KeptConnection {
            endpoint,
            connection,
            born_ns,
            idle_ns,
        });
    }

    /// How the user shows who it is; none when the run has no client certificates.
    fn identity(&self, plain: &ClientConfig) -> Option<Arc<Identity>> {
        let keys = self.thread.jmeter.client_keys.get()?.as_ref()?;
        let mut user = self.user.borrow_mut();
        let alias = (!keys.variable.is_empty()).then(|| {
            let value = user.vars.get_by_name(&keys.variable);
            value.map(|value| value.to_string()).unwrap_or_default()
        });
        let kept = &mut user.jm().http.identity;
        if let Some(identity) = kept.as_ref().filter(|identity| identity.alias == alias) {
            return Some(Arc::clone(identity));
        }
        let identity = Arc::new(Identity::new(keys, alias, plain));
        *kept = Some(Arc::clone(&identity));
        Some(identity)
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
