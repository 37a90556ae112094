//! Servers behind a proxy that get nothing while one that stands for them is full: all clients have one address that is
//! hashed, a weight, a connection that is kept and carries all.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::consequences::{below, limits};
use crate::about::object;
use crate::account::{Replica, Replicas, replicas};
use crate::figures::tenths;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::rank::weight;
use crate::scene::Scene;

pub const ID: &str = "idle_replicas";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "requests at each of the servers, or no server of the group that is full",
    look,
};

/// What gets less than this share of what each of the used ones gets is checked for health, not used.
const NOTHING: f64 = 0.02;

/// A remark, until it is known that one of those that are used limits.
fn look(scene: &Scene<'_>) -> Vec<Finding> {
    replicas(scene).iter().filter_map(of).collect()
}

/// Those that are used, and those that get nothing.
fn parted(group: &Replicas) -> Option<(Vec<&Replica>, Vec<&Replica>)> {
    let most = group
        .all
        .iter()
        .map(|one| one.requests_per_s)
        .fold(0.0, f64::max);
    let parted: (Vec<&Replica>, Vec<&Replica>) = group
        .all
        .iter()
        .partition(|one| one.requests_per_s > NOTHING * most);
    (most > 0.0 && !parted.1.is_empty()).then_some(parted)
}

fn of(group: &Replicas) -> Option<Finding> {
    let (used, idle) = parted(group)?;
    let names = |all: &[&Replica]| -> String {
        let names: Vec<&str> = all.iter().map(|one| one.address.as_str()).collect();
        names.join(", ")
    };
    let chosen_by = group.chosen_by.clone();
    let (setting, value) = chosen_by.unwrap_or_else(|| ("none".to_owned(), String::new()));
    let text = Message::new("exhibit-idle-replicas")
        .with("group", group.group.as_str())
        .with("used", names(&used))
        .with(
            "requests",
            tenths(used.iter().map(|one| one.requests_per_s).sum()),
        )
        .with("idle", names(&idle))
        .with("setting", setting.as_str())
        .with("value", value.as_str());
    let proxy = Entity::new(EntityKind::Proxy, group.proxy.as_str(), group.host.as_str());
    let about = object("proxy", group.group.as_str(), &proxy);
    let why = Message::new("advice-idle-replicas").with("setting", setting.as_str());
    let explains = Explains::new(0.0, ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Hint, about, explains)
        .with("idle", idle.len())
        .with("all", group.all.len())
        .shows(Exhibit::new(text))
        .advises(Advice::code(why));
    Some(Finding {
        confidence: 0.9,
        source: "requests and their calls counted on the wire",
        ..finding
    })
}

/// Where a used one limits, that the others get nothing is why: the same work on all of them takes their share.
pub(super) fn settle(scene: &Scene<'_>, found: &mut [Finding]) {
    for group in replicas(scene) {
        let Some((used, idle)) = parted(&group) else {
            continue;
        };
        let is_of_used = |finding: &Finding| {
            let object = &finding.object;
            let known = used.iter().filter(|one| !one.process.is_empty());
            let mut names = known.map(|one| &one.process);
            let is_there = names.any(|name| [&object.process, &object.name].contains(&name));
            limits(finding) && finding.explains.of != ShareOf::Errors && is_there
        };
        let held = found.iter().filter(|finding| is_of_used(finding));
        let Some(limit) = held.max_by(|a, b| weight(a).total_cmp(&weight(b))).cloned() else {
            continue;
        };
        let spread = idle.len() as f64 / group.all.len() as f64;
        let is_own =
            |finding: &&mut Finding| finding.id == ID && finding.object.name == group.group;
        let Some(own) = found.iter_mut().find(is_own) else {
            continue;
        };
        own.layer = Layer::Cause;
        own.explains.share = limit.explains.share * spread;
        let cause = own.clone();
        below(found, &cause, is_of_used);
    }
}
