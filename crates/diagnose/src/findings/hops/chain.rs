//! The hops of a request under load: how often each is called and how long it takes.

use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::about::object;
use crate::figures::{hundredths, percent, tenths};
use crate::findings::support::{cpu_of, process_name, proxies, used_exhibit};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{process_of, stacks_of};
use crate::scene::Scene;
use crate::stacks::StackPlace;

/// The slowest hop must add so much of the response time.
pub(super) const SHARE_OF_SLOWEST_HOP: f64 = 0.3;
/// Where so much of a hop's threads waits for a lock or a connection, that is the cause.
const DEEPER: f64 = 0.3;
/// A hop's CPU is saturated from this share on.
const SATURATED: f64 = 0.85;
/// Or where its quota stopped it in this share of the periods.
const THROTTLED: f64 = 0.4;
/// So much of what a hop adds must be computing.
const COMPUTES: f64 = 0.5;

/// A hop: how often it is called for a request of the load, and how long it takes.
pub(super) struct CalledHop {
    pub thing: Arc<Entity>,
    calls: f64,
    total_ms: f64,
    /// What it adds itself, for a request of the load.
    pub own_ms: f64,
}

/// Time and number of what a proxy passes on.
const PROXY: (SeriesName, SeriesName) = (names::nginx::REQUEST_TIME, names::nginx::REQUEST_COUNT);
/// Time and number of the requests that a service answers.
const SERVICE: (SeriesName, SeriesName) = (
    names::application::SERVER_TIME,
    names::application::SERVER_REQUESTS,
);

/// The hops of a request, the outermost first. Each hop's time holds that of those behind it, so
/// they are sorted by their time for a request of the load; what is left between two is the
/// outer one's own.
pub(super) fn chain(scene: &Scene<'_>) -> Vec<CalledHop> {
    let proxies = proxies(scene).into_iter();
    let proxies = proxies.map(|proxy| (proxy, PROXY));
    let services = scene.things(EntityKind::Application).into_iter();
    let services = services.map(|service| (service, SERVICE));
    let mut hops: Vec<CalledHop> = proxies
        .chain(services)
        .filter_map(|(thing, series)| hop(scene, &thing, series))
        .collect();
    hops.sort_by(|a, b| b.total_ms.total_cmp(&a.total_ms));
    for outer in 0..hops.len() {
        let behind = hops.get(outer + 1).map_or(0.0, |inner| inner.total_ms);
        hops[outer].own_ms = hops[outer].total_ms - behind;
    }
    hops
}

fn hop(
    scene: &Scene<'_>,
    thing: &Arc<Entity>,
    (sum, count): (SeriesName, SeriesName),
) -> Option<CalledHop> {
    let rate = |series: SeriesName| {
        let all = scene.of(thing, series);
        // Scrapers and probes ask for what is not there, and say little of the chain.
        let asked_in_vain = all
            .with(attributes::HTTP_RESPONSE_STATUS_CODE, "404")
            .mean();
        Some(all.mean()? - asked_in_vain.unwrap_or(0.0))
    };
    let throughput = scene.throughput_per_s().max(1e-9);
    let (count, sum) = (rate(count)?, rate(sum)?);
    // Called at least for every other request.
    (count >= 0.5 * throughput).then(|| CalledHop {
        thing: Arc::clone(thing),
        calls: count / throughput,
        total_ms: sum / throughput * 1e3,
        own_ms: 0.0,
    })
}

pub(super) fn finding(
    scene: &Scene<'_>,
    chain: &[CalledHop],
    slowest: &CalledHop,
) -> Option<Finding> {
    let whole_ms = (scene.service_s() * 1e3).max(1e-9);
    let share = (slowest.own_ms / whole_ms).min(1.0);
    if share < SHARE_OF_SLOWEST_HOP || !is_limit(scene, slowest) {
        return None;
    }
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let name = process_name(scene, &slowest.thing);
    let about = object("hop", name, &slowest.thing);
    let shown = chain.iter().map(|hop| {
        let text = Message::new("exhibit-hop")
            .with("hop", process_name(scene, &hop.thing))
            .with("total", tenths(hop.total_ms))
            .with("own", tenths(hop.own_ms))
            .with("percent", percent((hop.own_ms / whole_ms).clamp(0.0, 1.0)))
            .with("calls", hundredths(hop.calls));
        let series = match hop.thing.kind {
            EntityKind::Proxy => PROXY.0,
            _ => SERVICE.0,
        };
        Exhibit::new(text).series(series)
    });
    let cpu = cpu_of(scene, &slowest.thing);
    let finding = Finding::new("hop_latency", Layer::Cause, about, explains)
        .with("ms", tenths(slowest.own_ms))
        .with("alone", 0_u64)
        .shows_all(shown)
        .shows_all(cpu.as_ref().map(used_exhibit));
    Some(Finding {
        confidence: 0.75,
        source: "nested times of the hops; field cases F13, F28",
        ..finding.advises(Advice::code(Message::new("advice-hop-latency")))
    })
}

/// Whether the hop is slow because it is saturated itself: its own CPU is full, its threads compute
/// as much as its share of the time says, and they do not mostly wait for a lock or a connection,
/// which would be the cause.
fn is_limit(scene: &Scene<'_>, hop: &CalledHop) -> bool {
    let full = cpu_of(scene, &hop.thing).is_some_and(|cpu| {
        // Not merely short of CPU because of what else runs on its host.
        cpu.utilization() >= SATURATED || cpu.quota && cpu.throttled >= THROTTLED
    });
    let process = process_of(scene, &hop.thing);
    let stacks = process.and_then(|process| stacks_of(scene, &process));
    let Some(stacks) = stacks.filter(|stacks| stacks.busy() >= 1.0) else {
        return full;
    };
    let places = [
        StackPlace::Lock,
        StackPlace::DatabasePool,
        StackPlace::ClientPool,
    ];
    let waits: f64 = places.iter().map(|place| stacks.at(*place)).sum();
    let own = hop.own_ms / hop.total_ms.max(1e-9);
    full && waits < DEEPER && stacks.computing() >= COMPUTES * own
}
