//! Connections that a process opens for each request and does not keep: each costs round trips, with TLS and a login
//! several and the CPU of both ends, a descriptor on both sides, and a local port for a minute.

use plimsoll_stats::names;
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::account::{OpenedConnections, opened_each_time};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

const ID: &str = "opened_each_time";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "connections that carry many calls, or take longer than all requests in flight can wait",
    look,
};

/// Making them limits from this share of the response time on; below the other, and with so few a second, nothing
/// is said.
const SHARE_OF_TIME: f64 = 0.2;
const LEAST: f64 = 0.02;
const MANY_PER_S: f64 = 100.0;
/// Who opens a connection waits for it: more than all requests in flight can wait does not match.
const MOST_SHARE: f64 = 1.2;
/// A closed connection keeps its port so long (Linux: TCP_TIMEWAIT_LEN).
const TIME_WAIT_S: f64 = 60.0;

/// Rules that say the same of a proxy in the words of its settings.
const SAME: &str = "upstream_short_connections";

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let opened = opened_each_time(scene).into_iter();
    opened
        .filter_map(|opened| finding(scene, &opened))
        .collect()
}

/// What a process opens for each of its requests, as evidence of other findings.
pub(super) fn of_process(scene: &Scene<'_>, host: &str, process: &str) -> Vec<Exhibit> {
    let opened = opened_each_time(scene).into_iter();
    let own = opened.filter(|opened| opened.host == host && opened.process == process);
    own.map(|opened| exhibit(&opened)).collect()
}

fn finding(scene: &Scene<'_>, opened: &OpenedConnections) -> Option<Finding> {
    // Little's law: so many are being made at a time, of the requests in flight.
    let made = opened.per_s * opened.set_up_ms.unwrap_or(0.0) / 1e3;
    let share = made / scene.in_flight().max(1e-9);
    // What is opened before it is wanted waits, and nobody waits for it.
    let share = if share <= MOST_SHARE {
        share.min(1.0)
    } else {
        0.0
    };
    if share < LEAST && opened.per_s < MANY_PER_S {
        return None;
    }
    let process = Entity {
        kind: EntityKind::Process,
        name: opened.process.clone(),
        host: opened.host.clone(),
    };
    let name = format!("{} → {}", opened.process, opened.server);
    let about = object("hop", name, &process);
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::cause_if(share >= SHARE_OF_TIME), about, explains)
        .with("server", opened.server.as_str())
        .with("process", opened.process.as_str())
        .shows(exhibit(opened))
        .shows_all(ports(scene, opened))
        .advises(Advice::code(
            Message::new("advice-opened-each-time")
                .with("process", opened.process.as_str())
                .with("server", opened.server.as_str()),
        ));
    Some(Finding {
        confidence: 0.85,
        source: "RFC 9293; Little's law",
        ..finding
    })
}

fn exhibit(opened: &OpenedConnections) -> Exhibit {
    let each = opened.each.map_or(0.0, hundredths);
    let text = Message::new("exhibit-opened-each-time")
        .with("rate", tenths(opened.per_s))
        .with("server", opened.server.as_str())
        .with("each", each)
        .with("tls", tenths(opened.tls_per_s))
        .with("ms", opened.set_up_ms.map_or(0.0, hundredths));
    Exhibit::new(text)
}

/// Local ports that closed connections of that rate keep.
fn ports(scene: &Scene<'_>, opened: &OpenedConnections) -> Option<Exhibit> {
    let limits = scene.series(names::host::PORTS_LIMIT).on(&opened.host);
    let limit = limits.by_thing().into_values().filter_map(|own| own.last());
    let limit = limit.reduce(f64::min)?;
    let kept = opened.per_s * TIME_WAIT_S;
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
