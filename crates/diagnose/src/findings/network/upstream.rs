//! Proxies that open a connection to what is behind them for each request.

use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::about::object;
use crate::cpu::{CpuUse, of_processes};
use crate::figures::{hundredths, percent};
use crate::findings::support::{kept_by_each_worker, process_name, proxies};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{is_database, of_network, process_of};
use crate::scene::{Scene, SeriesQuery};

/// So many connections for a request are short ones.
const SHORT: f64 = 0.7;
/// Fewer connections a second cost nothing.
const LEAST_RATE: f64 = 20.0;
/// CPU for making, accepting and closing a connection, both ends together, s. Seen where the
/// same load was carried over short and keep-alive connections on one host; machines differ, so the
/// share that follows from it is rough.
const COST_S: f64 = 150e-6;

/// What a proxy and its network show of its connections.
struct UpstreamConnections {
    proxy: Arc<Entity>,
    /// Requests passed on, a second.
    requests: f64,
    /// Connections opened for each of them; none if it cannot be told.
    opens: Option<f64>,
    /// The block in which `keepalive` belongs, and its value now.
    block: Option<(String, Option<String>)>,
    /// Connects that failed for want of a local port, in the stretch.
    no_port: f64,
}

pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let seen = proxies(scene)
        .into_iter()
        .filter_map(|proxy| UpstreamConnections::of(scene, &proxy));
    seen.filter_map(|upstream| upstream.finding(scene))
        .collect()
}

impl UpstreamConnections {
    fn of(scene: &Scene<'_>, proxy: &Arc<Entity>) -> Option<Self> {
        let errors = scene.of(proxy, names::nginx::ERRORS);
        let no_port = errors.with(attributes::NGINX_ERROR, "no_local_port");
        let upstreams = scene.of(proxy, names::nginx::UPSTREAM_COUNT);
        let requests = upstreams.mean().or_else(|| {
            let all = scene.of(proxy, names::nginx::REQUESTS).mean()?;
            passes_on(scene, proxy).then_some(all)
        })?;
        let ports: Vec<String> = upstreams
            .by(attributes::SERVER_ADDRESS)
            .into_keys()
            .filter_map(|address| Some(address.rsplit_once(':')?.1.to_owned()))
            .collect();
        Some(Self {
            opens: opens(scene, proxy, &ports, requests),
            block: block(scene, proxy),
            no_port: no_port.counted().unwrap_or(0.0),
            proxy: Arc::clone(proxy),
            requests,
        })
    }

    /// Short connections, if a connection is made for nearly every request, and nothing in the
    /// configuration keeps them.
    fn is_short(&self) -> bool {
        let kept = |value: &Option<String>| {
            let number = value.as_deref().and_then(first_number);
            number.is_some_and(|number| number > 0)
        };
        let may_keep = self.block.as_ref().is_some_and(|(_, value)| kept(value));
        let busy = self.requests >= LEAST_RATE;
        let opens = self.opens.is_some_and(|opens| opens >= SHORT);
        self.no_port >= 1.0 || busy && opens && !may_keep
    }

    fn finding(&self, scene: &Scene<'_>) -> Option<Finding> {
        if !self.is_short() {
            return None;
        }
        let (explains, confidence, layer) = self.explains(scene);
        let name = process_name(scene, &self.proxy);
        let about = object("proxy", name, &self.proxy);
        let finding = Finding::new("upstream_short_connections", layer, about, explains);
        let finding = self.evidence(scene, finding);
        Some(Finding {
            confidence,
            source: "ngx_http_upstream_module, keepalive; ip(7), ip_local_port_range; field cases F09, F10",
            ..finding.advises(self.advice(scene))
        })
    }

    /// Failed requests for want of ports; else CPU that connections cost, where CPU is short.
    #[expect(clippy::cast_precision_loss, reason = "counts of a run")]
    fn explains(&self, scene: &Scene<'_>) -> (Explains, f64, Layer) {
        let failed = scene.total().errors as f64;
        if self.no_port >= 1.0 && failed >= 1.0 {
            let explains = Explains::new((self.no_port / failed).min(1.0), ShareOf::Errors);
            return (explains, 0.98, Layer::Cause);
        }
        let processes = of_processes(scene);
        let short_of_cpu = processes.iter().any(CpuUse::is_full);
        let serving = processes
            .iter()
            .filter(|cpu| !is_database(&cpu.process.name));
        let used: f64 = serving.map(|cpu| cpu.used).sum();
        let opened = self.requests * self.opens.unwrap_or(1.0);
        let explains = Explains::new(
            (opened * COST_S / used.max(1e-6)).min(0.9),
            ShareOf::Throughput,
        );
        let layer = Layer::cause_if(short_of_cpu || used <= 0.0);
        (explains, 0.8, layer)
    }

    fn evidence(&self, scene: &Scene<'_>, mut finding: Finding) -> Finding {
        if let Some(opens) = self.opens {
            let text = Message::new("exhibit-upstream-opens")
                .with("opens", hundredths(opens))
                .with("rate", self.requests.round());
            finding = finding.shows(Exhibit::new(text).series(names::host::TCP_OPENS));
        }
        if self.no_port >= 1.0 {
            let text = Message::new("exhibit-upstream-no-port").with("count", self.no_port.round());
            finding = finding.shows(Exhibit::new(text).series(names::nginx::ERRORS));
        }
        if let Some(waiting) = network(scene, &self.proxy, names::host::TCP_TIME_WAIT).last() {
            let text = Message::new("exhibit-time-wait").with("count", waiting.round());
            finding = finding.shows(Exhibit::new(text).series(names::host::TCP_TIME_WAIT));
        }
        let used = network(scene, &self.proxy, names::host::PORTS_USED_BY_ONE);
        let limit = network(scene, &self.proxy, names::host::PORTS_LIMIT);
        if let (Some(used), Some(limit)) = (used.peak(), limit.last()) {
            let text = Message::new("exhibit-ports")
                .with("used", used.round())
                .with("limit", limit)
                .with("percent", percent(used / limit.max(1.0)));
            let series = names::host::PORTS_USED_BY_ONE;
            finding = finding.shows(Exhibit::new(text).series(series));
        }
        finding
    }

    fn advice(&self, scene: &Scene<'_>) -> Advice {
        let busy = kept_by_each_worker(scene, &self.proxy, 32.0);
        let (block, now) = match &self.block {
            Some((block, now)) => (block.as_str(), now.clone()),
            None => ("upstream", None),
        };
        let why = Message::new("advice-upstream-keepalive").with("block", block);
        Advice::setting(format!("{block}: keepalive"), now, busy.to_string(), why)
    }
}

/// The network that a proxy uses: its process's own, else its host's.
fn network<'a>(scene: &Scene<'a>, proxy: &Entity, series: SeriesName) -> SeriesQuery<'a> {
    let process = process_of(scene, proxy);
    of_network(scene, process.as_ref().unwrap_or(proxy), series)
}

/// Connections opened for each request passed on: those that the proxy's network opened, less
/// what the load itself opened on the same host; if connections to the upstreams' ports were
/// closed in such numbers.
fn opens(scene: &Scene<'_>, proxy: &Entity, ports: &[String], requests: f64) -> Option<f64> {
    let active = network(scene, proxy, names::host::TCP_OPENS).with(attributes::TCP_OPEN, "active");
    let opened = active.mean()?;
    let by_load = match scene.load().host == proxy.host {
        true => own_connects(scene),
        false => 0.0,
    };
    let opens = (opened - by_load).max(0.0) / requests.max(1e-9);
    let peers = network(scene, proxy, names::host::PEER_CONNECTIONS)
        .with(attributes::NETWORK_CONNECTION_STATE, "time_wait");
    let closed: Vec<f64> = ports
        .iter()
        .filter_map(|port| peers.with(attributes::SERVER_PORT, port).peak())
        .collect();
    // A closed connection stays for 60 s at one of its ends; both may be on this host.
    let expected = requests * scene.window_s().min(60.0) * 0.2;
    let seen = peers.is_empty() || closed.iter().sum::<f64>() >= expected;
    Some(if seen { opens.min(1.0) } else { 0.0 })
}

/// Connections that the load opened, a second.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn own_connects(scene: &Scene<'_>) -> f64 {
    let total = scene.total();
    let failed = total.errors_by_kind.get(&ErrorKind::NoLocalPort);
    let made = total
        .phases
        .connect
        .count
        .saturating_sub(*failed.unwrap_or(&0));
    made as f64 / scene.window_s()
}

/// Whether the configuration passes requests on.
fn passes_on(scene: &Scene<'_>, proxy: &Entity) -> bool {
    let mut facts = scene.facts_ending("proxy_pass");
    facts.any(|(of, ..)| of == proxy)
}

/// The first upstream block of the configuration and its `keepalive`; none if the configuration
/// is not known. A `proxy_pass` to an address has no block, and keeps nothing.
fn block(scene: &Scene<'_>, proxy: &Entity) -> Option<(String, Option<String>)> {
    let mut servers = scene.facts_ending(".server");
    let named = servers.find_map(|(of, name, _)| {
        let inside = name.strip_suffix(".server")?;
        let (_, upstream) = inside.rsplit_once("upstream.")?;
        (of == proxy).then(|| (inside.to_owned(), format!("upstream {upstream}")))
    });
    match named {
        Some((place, shown)) => {
            let value = scene.fact(proxy, &format!("{place}.keepalive"));
            Some((shown, value.map(str::to_owned)))
        }
        None => passes_on(scene, proxy).then(|| ("upstream".to_owned(), None)),
    }
}

fn first_number(text: &str) -> Option<u64> {
    text.split([' ', ',']).next()?.parse().ok()
}
