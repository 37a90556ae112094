//! Files and disks: files that grow and are read again and again, disks that are busy or full,
//! descriptors that run out.

mod disk;
mod growing;
mod left_open;

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::support::{descriptors, descriptors_exhibit};
use super::{Rule, attempts};
use crate::about::object;
use crate::model::{Advice, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;
use left_open::EXHAUSTED;

pub(super) const DESCRIPTORS: &str = "file_descriptors";

pub const RULE: Rule = Rule {
    ids: &[
        "growing_file",
        "disk_busy",
        "disk_full",
        DESCRIPTORS,
        "descriptors_left_open",
    ],
    refuted_by: "a file that does not grow, a disk with idle time or nobody waiting, descriptors far from their limit or closed again",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = growing::find(scene);
    found.extend(disk::busy(scene));
    found.extend(disk::full(scene));
    for process in scene.things(EntityKind::Process) {
        // Of what is never closed a higher limit is reached a little later.
        let left_open = left_open::find(scene, &process);
        found.extend(left_open.or_else(|| exhausted(scene, &process)));
    }
    found
}

/// A process that can open nothing more: what it would open fails, and connections that it cannot take wait for it.
fn exhausted(scene: &Scene<'_>, process: &Arc<Entity>) -> Option<Finding> {
    let (open, limit) = descriptors(scene, process)?;
    if open < EXHAUSTED * limit {
        return None;
    }
    let leaked = scene
        .of(process, names::process::CONNECTIONS)
        .with(attributes::NETWORK_CONNECTION_STATE, "close_wait")
        .peak();
    if leaked.is_some_and(|leaked| leaked >= 0.5 * limit) {
        return None; // connections that are never closed: a finding of its own
    }
    let failed = scene.failed_enough();
    let mut waiting = attempts::standing(scene).into_iter();
    let before = waiting.find(|queue| {
        let about = &queue.object;
        about.host == process.host && about.process == process.name
    });
    let explains = match (failed, &before) {
        (true, _) => Explains::new(0.9, ShareOf::Errors),
        (false, Some(queue)) => queue.explains,
        (false, None) => Explains::new(0.0, ShareOf::Errors),
    };
    let about = object("process", process.name.as_str(), process);
    let layer = Layer::cause_if(failed || before.is_some());
    let shown = before.into_iter().flat_map(|queue| queue.evidence);
    let finding = Finding::new(DESCRIPTORS, layer, about, explains)
        .shows(descriptors_exhibit((open, limit)))
        .shows_all(shown);
    let proposed = (limit * 4.0).max(65_536.0).to_string();
    let why = Message::new("advice-file-descriptors");
    Some(Finding {
        confidence: 0.9,
        source: "getrlimit(2), RLIMIT_NOFILE; accept(2), EMFILE",
        ..finding.advises(Advice::setting(
            "LimitNOFILE / ulimit -n",
            Some(limit.to_string()),
            proposed,
            why,
        ))
    })
}

#[cfg(test)]
mod tests;
