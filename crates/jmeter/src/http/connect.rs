//! Where a user's requests go, and its connections there.

use std::rc::Rc;
use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use rustls::ClientConfig;

use super::client::Client;
use super::failure::{HttpProblem, READ};
use super::keystore::Identity;
use super::names::DnsManager;
use super::route::Route;
use super::session::{ReadyRequest, SamplerSession};
use super::url::JavaUrl;
use plimsoll_load::clock::Nanos;
use plimsoll_load::kit::deadline::{Broken, Deadline};
use plimsoll_load::kit::driver::EndpointId;
use plimsoll_load::kit::driver::NameResolver;
use plimsoll_load::kit::driver::Proxy;
use plimsoll_load::kit::driver::{ConnectTimes, Endpoint};
use plimsoll_load::kit::failure::Failure;
use plimsoll_load::kit::http::HttpConnection;
use plimsoll_load::kit::http::{Connecting, connect};
use plimsoll_load::kit::timer::Watch;

impl SamplerSession<'_> {
    /// The endpoint for this address on this route.
    ///
    /// # Errors
    /// A host that may not be loaded; TLS that cannot be set up.
    pub fn endpoint(&self, url: &JavaUrl, route: &Route) -> Result<EndpointId, HttpProblem> {
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
            return Err(HttpProblem::of_failure(&failure, url));
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
                    .then(|| plimsoll_load::kit::auth::basic(user, password)),
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
    fn resolver(&self) -> Rc<NameResolver> {
        let manager = self.dns();
        let key = manager.map(|manager| manager.site);
        if let Some(known) = self.thread.http.resolvers.borrow().get(&key) {
            return Rc::clone(known);
        }
        let made = match manager {
            Some(manager) => self.eval(|by| manager.resolver(by)),
            None => NameResolver::default(),
        };
        let made = Rc::new(made);
        let mut resolvers = self.thread.http.resolvers.borrow_mut();
        resolvers.insert(key, Rc::clone(&made));
        made
    }

    fn tls(&self, url: &JavaUrl) -> Result<Arc<ClientConfig>, HttpProblem> {
        let jmeter = &self.thread.jmeter;
        let made = self
            .thread
            .http
            .trusting(&jmeter.plan_folder, &jmeter.access);
        made.map_err(|reason| {
            HttpProblem::of_failure(&Failure::new(ErrorKind::TlsHandshake, reason), url)
        })
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
        ready: &ReadyRequest,
        times: &mut ConnectTimes,
    ) -> Result<Box<HttpConnection>, Broken> {
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
        // A handshake reads, and its reads are bounded as those of responses are.
        let handshake_ns = ready.read_timeout_ns.filter(|_| endpoint.tls.is_some());
        let (timeout_ns, late) = match (ready.connect_timeout_ns, handshake_ns) {
            (Some(connect), Some(read)) => (Some(connect.saturating_add(read)), READ),
            (Some(connect), None) => (Some(connect), ""),
            (None, read) => (read, READ),
        };
        let by = Connecting {
            turn: self.user.borrow().number as usize,
            start_ns,
            deadline: Deadline {
                timeout_ns: timeout_ns
                    .map_or(Nanos::MAX, |longest| start_ns.saturating_add(longest))
                    .min(self.limit_ns),
                cut_ns: self.user.borrow().scenario.cut_ns.get(),
            },
            late,
        };
        let result = connect(thread, watch, &endpoint, by, times).await;
        if let Some(why) = identity.and_then(|identity| identity.missing()) {
            return Err(Failure::new(ErrorKind::TlsCertificate, why).into());
        }
        result
    }
}
