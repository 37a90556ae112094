//! A connection for each call between two processes: what its handshake costs is paid for each request, and that of
//! TLS in CPU of both, most of it where the key is.

use plimsoll_stats::names;
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::support::profiles;
use crate::about::seen_by_client;
use crate::account::{CallsOfKind, PartKind, calls_by_kind};
use crate::cpu;
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;
use crate::serial;
use crate::stacks::SeenThread;

pub const ID: &str = "call_connections";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "connections that carry many calls, or whose opening takes none of the time",
    look,
};

/// So many connections are opened for each call, or request where calls are not told apart.
const OF_EACH: f64 = 0.5;
/// Fewer matter, too, down to so many for a request, where what they cost was seen and is so much of the response time.
const OF_SOME: f64 = 0.05;
const COSTLY: f64 = 0.2;
/// A request has one connection, give or take.
const ONE: std::ops::Range<f64> = 0.9..1.1;
/// Fewer a second may be a pool that renews its own.
const LEAST_PER_S: f64 = 5.0;
/// Less of the response time says nothing.
const LEAST: f64 = 0.05;
/// Parts of names of functions and libraries that TLS is in.
const TLS_CODE: [&str; 6] = [
    "handshake",
    "libssl",
    "libcrypto",
    "rustls",
    "crypto/tls",
    "sun.security.ssl",
];
/// A CPU that is used to this share keeps what waits for it.
const BUSY: f64 = 0.7;
/// So much of the CPU time of who does a handshake for each request goes to it, where no profile tells.
const UNSEEN: f64 = 0.5;
/// A closed connection keeps its port so long (Linux: TCP_TIMEWAIT_LEN).
const TIME_WAIT_S: f64 = 60.0;
/// Rules that say the same of a proxy in the words of its settings.
const SAME: &str = "upstream_short_connections";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let found = opened(scene).map(|calls| finding(scene, &calls));
    found
        .filter(|finding| finding.explains.share >= LEAST)
        .collect()
}

/// What a process opens for each of its requests, as evidence of other findings.
pub(super) fn of_process(scene: &Scene<'_>, host: &str, process: &str) -> Vec<Exhibit> {
    let own = opened(scene).filter(|calls| calls.host == host && calls.process == process);
    own.map(|calls| exhibit(&calls)).collect()
}

fn opened(scene: &Scene<'_>) -> impl Iterator<Item = CallsOfKind> {
    // Two looks at a kept pool do not open connections; the domain name system has none.
    let all = calls_by_kind(scene).into_iter();
    all.filter(move |calls| {
        let for_each = calls
            .calls_per_s
            .max(calls.requests_per_s.min(calls.opened_per_s));
        let is_each = calls.opened_per_s >= OF_EACH * for_each.max(1e-9);
        let of_requests = calls.of_each(calls.opened_per_s) >= OF_EACH;
        let is_stream = !["dns", "udp", "quic"].contains(&calls.protocol.as_str());
        let is_costly = || {
            let of_each = calls.of_each(calls.opened_per_s);
            of_each >= OF_SOME && Cost::of(scene, calls, 0.0).share() >= COSTLY
        };
        let is_seen = is_stream && calls.opened_per_s >= LEAST_PER_S;
        is_seen && (is_each && of_requests || is_costly())
    })
}

fn is_tls(calls: &CallsOfKind) -> bool {
    calls.tls_per_s > 0.0 || calls.protocol == "tls"
}

/// What opening connections takes, each as a share of the response time or of the CPU that it needs.
struct Cost {
    /// Waiting until they are open.
    waiting: f64,
    /// The CPU of TLS.
    tls: f64,
    /// The CPU of what the server begins for each.
    backends: f64,
}

impl Cost {
    /// `unseen`: the share of the CPU time that TLS is taken to have where no profile tells.
    fn of(scene: &Scene<'_>, calls: &CallsOfKind, unseen: f64) -> Self {
        let opening_ms = calls.opening_ms.unwrap_or(0.0);
        let in_flight = scene.account().map_or(0.0, |account| account.in_flight);
        let by_cpu = |process: &str| by_cpu(scene, calls, process, unseen);
        Self {
            waiting: calls.opened_per_s * opening_ms / 1e3 / in_flight.max(1e-9),
            tls: match is_tls(calls) {
                true => by_cpu(&calls.server).max(by_cpu(&calls.process)),
                false => 0.0,
            },
            backends: by_backends(scene, calls),
        }
    }

    fn share(&self) -> f64 {
        self.waiting.max(self.tls).max(self.backends).min(1.0)
    }

    /// Whether whoever wants the CPU that the server's workers take is where the requests are.
    fn is_of_backends(&self) -> bool {
        self.backends > self.waiting.max(self.tls)
    }
}

fn exhibit(calls: &CallsOfKind) -> Exhibit {
    let text = Message::new("exhibit-call-connections")
        .with("process", calls.process.as_str())
        .with("server", calls.server.as_str())
        .with("opened", tenths(calls.opened_per_s))
        .with("requests", tenths(calls.requests_per_s));
    Exhibit::new(text)
}

/// The share of a process' CPU time that TLS takes, by a profile of it; none where there is none.
fn tls_share(scene: &Scene<'_>, host: &str, process: &str) -> Option<f64> {
    let is_own = |thing: &Entity| thing.name == process && thing.host == host;
    let profile = profiles(scene)
        .into_iter()
        .find(|profile| is_own(&profile.jvm))?;
    let in_tls = |seen: &SeenThread| {
        let told = |text: &str| {
            TLS_CODE
                .iter()
                .any(|part| text.to_lowercase().contains(part))
        };
        seen.thread
            .frames
            .iter()
            .any(|frame| told(&frame.method) || frame.library.as_deref().is_some_and(told))
    };
    Some(profile.cpu.share(in_tls))
}

/// How much of the response time the handshakes of TLS keep by the CPU of one side: what passes there, where its CPU
/// is used up, as far as that is used for TLS. Where calls are not told apart what nobody knows of who calls is
/// there, too.
fn by_cpu(scene: &Scene<'_>, calls: &CallsOfKind, process: &str, unseen: f64) -> f64 {
    let (Some(account), host) = (scene.account(), calls.host.as_str()) else {
        return 0.0;
    };
    let entity = Entity::new(EntityKind::Process, process, host);
    let Some(cpu) = cpu::of(scene, &entity) else {
        return 0.0;
    };
    let by_thread = serial::of(scene, &cpu);
    let used = by_thread.map_or(cpu.utilization(), |serial| {
        serial.used / serial.cpus.max(1e-9)
    });
    if used < BUSY {
        return 0.0;
    }
    let there = account.share(|part| {
        let unknown = part.kind == PartKind::Unaccounted && part.process == calls.process;
        part.host == host && (part.process == process || unknown)
    });
    tls_share(scene, host, process).unwrap_or(unseen) * there
}

/// Of the CPU that is in use, the share of what the server has begun for connections and has ended with them
/// (PostgreSQL: a process for each), where that CPU is full.
fn by_backends(scene: &Scene<'_>, calls: &CallsOfKind) -> f64 {
    let Some(server) = cpu::of(scene, &calls.callee()) else {
        return 0.0;
    };
    let ended = cpu::ended_children(scene, &server.process).unwrap_or(0.0);
    let all: f64 = cpu::of_processes(scene).iter().map(|cpu| cpu.used).sum();
    match server.host_used >= BUSY {
        true => ended / (all + ended).max(1e-9),
        false => 0.0,
    }
}

fn finding(scene: &Scene<'_>, calls: &CallsOfKind) -> Finding {
    let is_tls = is_tls(calls);
    let cost = Cost::of(scene, calls, UNSEEN);
    let place = match cost.is_of_backends() {
        true => calls.process.as_str(),
        false => calls.place(scene),
    };
    let how = match (
        is_tls,
        calls.resumed_per_s >= OF_EACH * calls.tls_per_s.max(1e-9),
    ) {
        (false, _) => "tcp",
        (true, false) => "tls",
        (true, true) => "resumed",
    };
    let about = FindingObject {
        host: calls.host.clone(),
        process: place.to_owned(),
        ..seen_by_client("hop", format!("{} → {}", calls.process, calls.server))
    };
    let opening = calls
        .opening_ms
        .filter(|_| cost.waiting >= LEAST)
        .map(|ms| {
            let text = Message::new("exhibit-opening")
                .with("how", how)
                .with("ms", hundredths(ms));
            Exhibit::new(text)
        });
    let why = Message::new("advice-call-connections")
        .with("how", how)
        .with("product", product(&calls.process))
        .with("server", calls.server.as_str());
    let explains = Explains::new(cost.share(), ShareOf::ResponseTime);
    let of_each = calls.of_each(calls.opened_per_s);
    let often = if ONE.contains(&of_each) {
        "each"
    } else {
        "other"
    };
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("how", how)
        .with("process", calls.process.as_str())
        .with("server", calls.server.as_str())
        .with("often", often)
        .with("each", hundredths(of_each))
        .shows(exhibit(calls))
        .shows_all(opening)
        .shows_all(ports(scene, calls))
        .shows_all(used_for_tls(scene, calls, is_tls))
        .shows_all(backends(scene, calls, &cost))
        .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "requests and their calls counted on the wire; RFC 9112, section 9.3; RFC 8446",
        ..finding
    }
}

/// The CPU of what the server has begun for connections and has ended with them.
fn backends(scene: &Scene<'_>, calls: &CallsOfKind, cost: &Cost) -> Option<Exhibit> {
    let used = cpu::ended_children(scene, &calls.callee()).filter(|_| cost.backends >= LEAST)?;
    let text = Message::new("exhibit-ended-backends")
        .with("server", calls.server.as_str())
        .with("used", hundredths(used))
        .with("percent", percent(cost.backends));
    Some(Exhibit::new(text).series(names::process::CHILD_CPU_TIME))
}

/// Local ports that closed connections of that rate keep.
fn ports(scene: &Scene<'_>, calls: &CallsOfKind) -> Option<Exhibit> {
    let limits = scene.series(names::host::PORTS_LIMIT).on(&calls.host);
    let limit = limits.by_thing().into_values().filter_map(|own| own.last());
    let limit = limit.reduce(f64::min)?;
    let kept = calls.opened_per_s * TIME_WAIT_S;
    let share = kept / limit.max(1.0);
    let text = Message::new("exhibit-ports-kept")
        .with("count", kept.round())
        .with("limit", limit)
        .with("percent", percent(share));
    (share >= 0.1).then(|| Exhibit::new(text).series(names::host::PORTS_LIMIT))
}

/// Where a proxy's own rule says it in the words of its settings, it is said once.
pub(super) fn settle(found: &mut Vec<Finding>) {
    let told: Vec<(String, String)> = found
        .iter()
        .filter(|finding| finding.id == SAME)
        .map(|finding| (finding.object.host.clone(), finding.object.name.clone()))
        .collect();
    found.retain(|finding| {
        let about = &finding.object;
        let begins = |name: &str| about.name.starts_with(&format!("{name} → "));
        finding.id != ID
            || !told
                .iter()
                .any(|(host, name)| *host == about.host && begins(name))
    });
}

/// How much of the CPU time of both sides TLS takes, where a profile tells.
fn used_for_tls(scene: &Scene<'_>, calls: &CallsOfKind, is_tls: bool) -> Vec<Exhibit> {
    let sides = [&calls.server, &calls.process]
        .into_iter()
        .filter(|_| is_tls);
    let told = sides.filter_map(|process| {
        let share = tls_share(scene, &calls.host, process).filter(|share| *share >= LEAST)?;
        let text = Message::new("exhibit-cpu-for-tls")
            .with("process", process.as_str())
            .with("percent", percent(share));
        Some(Exhibit::new(text))
    });
    told.collect()
}

/// Programs with settings of their own for connections to those that they call, by how their names begin.
const PRODUCTS: [(&str, &str); 11] = [
    ("nginx", "nginx"),
    ("openresty", "nginx"),
    ("haproxy", "haproxy"),
    ("apache2", "apache"),
    ("httpd", "apache"),
    ("envoy", "envoy"),
    ("php", "php"),
    ("python", "python"),
    ("gunicorn", "python"),
    ("node", "node"),
    ("java", "java"),
];

fn product(process: &str) -> &'static str {
    let mut known = PRODUCTS.iter();
    let own = known.find(|(program, _)| process.starts_with(program));
    own.map_or("other", |(_, product)| product)
}
