//! Links that carry as much as they can.

use plimsoll_stats::names::{self, SeriesName, attributes, facts};
use plimsoll_text::Message;

use crate::about::object;
use crate::account::moved_per_s;
use crate::cpu::{CpuUse, of_processes};
use crate::figures::{hundredths, megabytes, percent};
use crate::links::{NetworkLink, of, of_interfaces};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

/// A link is full from this share of what it can carry.
const FULL: f64 = 0.9;
/// From this one on with a queue before it that overflows, since short stalls count as idle, or
/// where the throughput that was reached is what the lighter loads' bytes bound it to.
const FULL_WITH_SIGNS: f64 = 0.8;
/// So much of what a link carries must be the requests' own: else it is full of something else.
const OURS: f64 = 0.3;
/// Responses are worth compressing from this size on, bytes.
const LARGE_BYTES: f64 = 2_000.0;
/// So many segments sent again are more than a working network has.
const LOSSY: f64 = 0.01;

/// Interfaces that carry what they can, the fullest first; of those of one name, which may be the
/// ends of one link, the fullest.
pub(super) fn full(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for link in of_interfaces(scene) {
        let known = |finding: &Finding| finding.object.name == link.interface;
        if !found.iter().any(known) {
            found.extend(finding(scene, &link));
        }
    }
    found
}

fn finding(scene: &Scene<'_>, link: &NetworkLink<'_>) -> Option<Finding> {
    let counted = |series: SeriesName| {
        of(scene, &link.thing, series, &link.interface)
            .counted()
            .unwrap_or(0.0)
    };
    let dropped = counted(names::host::QUEUE_DROPPED) + counted(names::host::NETWORK_DROPPED);
    let overlimits = counted(names::host::QUEUE_OVERLIMITS);
    let used = link.utilization();
    let about = object("link", link.interface.as_str(), &link.thing);
    let presses = dropped + overlimits >= 1.0 || predicts(scene, &about);
    if used < FULL && (used < FULL_WITH_SIGNS || !presses) {
        return None;
    }
    let explains = Explains::new(used.min(1.0), ShareOf::Throughput);
    // Of two that are nearly exhausted the fuller one limits: its bound is the lower.
    let fuller = of_processes(scene)
        .into_iter()
        .find(|cpu| cpu.utilization() >= used);
    let own = own_bytes_per_s(scene);
    let ours = own >= OURS * link.rate;
    let layer = Layer::cause_if(fuller.is_none() && ours);
    let text = Message::new("exhibit-link")
        .with("rate", megabytes(link.rate))
        .with("limit", megabytes(link.limit))
        .with("percent", percent(used));
    let demand = scene.demand_exhibit(&about);
    let bytes = body_bytes(scene);
    let finding = Finding::new("network_full", layer, about, explains)
        .shows(Exhibit::new(text).series(names::host::NETWORK_IO))
        .shows(Exhibit::new(Message::new("exhibit-link-limit")).series(link.limited_by))
        .shows_all(fuller.as_ref().map(fuller_exhibit))
        .shows_all((!ours).then(|| others_exhibit(own, link.rate)))
        .shows_all(drops(dropped, overlimits))
        .shows_all(demand)
        .shows_all(response_size(bytes, link.limit));
    Some(Finding {
        confidence: 0.95,
        source: "utilization law; field cases F11, F15",
        advice: advice(scene, bytes),
        ..finding
    })
}

/// Bytes a second that the requests move: between the load and the target, and where packets were seen
/// between the processes of the target, too.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn own_bytes_per_s(scene: &Scene<'_>) -> f64 {
    let total = scene.total();
    let bytes = (total.received_bytes + total.sent_bytes) as f64 / total.samples.max(1) as f64;
    (bytes * scene.throughput_per_s()).max(moved_per_s(scene))
}

fn others_exhibit(own: f64, all: f64) -> Exhibit {
    let text = Message::new("exhibit-link-others")
        .with("own", megabytes(own))
        .with("all", megabytes(all));
    Exhibit::new(text).series(names::host::NETWORK_IO)
}

fn fuller_exhibit(cpu: &CpuUse) -> Exhibit {
    let text = Message::new("exhibit-fuller-cpu")
        .with("name", cpu.process.name.as_str())
        .with("percent", percent(cpu.utilization()));
    Exhibit::new(text).series(names::process::CPU_TIME)
}

/// What did not fit, if anything.
fn drops(dropped: f64, overlimits: f64) -> Option<Exhibit> {
    let text = Message::new("exhibit-link-drops")
        .with("dropped", dropped.round())
        .with("overlimits", overlimits.round());
    let exhibit = Exhibit::new(text).series(names::host::QUEUE_OVERLIMITS);
    (dropped + overlimits > 0.0).then_some(exhibit)
}

/// How many responses of that size fit, if they have any.
fn response_size(bytes: f64, limit: f64) -> Option<Exhibit> {
    let text = Message::new("exhibit-response-size")
        .with("bytes", bytes.round())
        .with("bound", hundredths(limit / bytes));
    (bytes > 0.0).then(|| Exhibit::new(text))
}

/// Whether the bytes of a request over the loads predict what was reached.
fn predicts(scene: &Scene<'_>, link: &FindingObject) -> bool {
    let mut demands = scene.demands().iter();
    demands.any(|demand| demand.of == *link && demand.predicts)
}

/// Mean bytes of a response.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn body_bytes(scene: &Scene<'_>) -> f64 {
    let total = scene.total();
    total.received_bytes as f64 / total.samples.max(1) as f64
}

/// Compression where it is off, or may be, and responses are large; smaller responses or a wider link
/// else.
fn advice(scene: &Scene<'_>, bytes: f64) -> Vec<Advice> {
    let mut advice = Vec::new();
    let is = |end: &'static str, value: &str| {
        let mut facts = scene.facts_ending(end);
        facts.any(|(_, _, known)| known == value)
    };
    let compressed =
        is(facts::NGINX_HTTP_GZIP, "on") || is(facts::SERVER_COMPRESSION_ENABLED, "true");
    if bytes >= LARGE_BYTES && !compressed {
        let why = || Message::new("advice-compress");
        if is(facts::NGINX_HTTP_GZIP, "off") {
            let now = Some("off".to_owned());
            advice.push(Advice::setting("gzip", now, "on", why()));
        }
        let known = is(facts::SERVER_COMPRESSION_ENABLED, "false");
        if known || advice.is_empty() {
            let now = known.then(|| "false".to_owned());
            let setting = facts::SERVER_COMPRESSION_ENABLED;
            advice.push(Advice::setting(setting, now, "true", why()));
        }
    }
    advice.push(Advice::code(Message::new("advice-network-full")));
    advice
}

/// Segments that were sent again: packets were lost on the way, or came too late.
pub(super) fn losses(scene: &Scene<'_>) -> Option<Finding> {
    let all = scene.series(names::host::TCP_RETRANSMITS).by_thing();
    let lossy = all.into_iter().filter_map(|(thing, again)| {
        let again = again.mean()?;
        let segments = scene.of(&thing, names::host::TCP_SEGMENTS);
        let sent = segments
            .with(attributes::NETWORK_IO_DIRECTION, "transmit")
            .mean()?;
        Some((thing, again, again / sent.max(1e-9)))
    });
    let (thing, again, share) = lossy.max_by(|a, b| a.2.total_cmp(&b.2))?;
    if share < LOSSY || again < 1.0 {
        return None;
    }
    let text = Message::new("exhibit-retransmits")
        .with("rate", hundredths(again))
        .with("percent", hundredths(share * 100.0));
    let explains = Explains::new(0.0, ShareOf::ResponseTime);
    let about = object("host", thing.host.as_str(), &thing);
    let finding = Finding::new("packet_loss", Layer::Hint, about, explains)
        .shows(Exhibit::new(text).series(names::host::TCP_RETRANSMITS))
        .advises(Advice::code(Message::new("advice-packet-loss")));
    Some(Finding {
        confidence: 0.8,
        source: "SNMP counter Tcp RetransSegs; field case F15",
        ..finding
    })
}
