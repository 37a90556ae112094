//! Whose a lock, pool or executor is: where several processes are watched, the name of the thing
//! alone does not say which of them to change.

use plimsoll_stats::series::EntityKind;

use crate::about::IN_PROCESSES;
use crate::model::{Finding, FindingObject};
use crate::processes::process_of;
use crate::scene::Scene;

/// Puts the process in place of the thing in it.
pub(super) fn resolve(scene: &Scene<'_>, found: &mut [Finding]) {
    for finding in found {
        finding.object.process = process(scene, &finding.object).unwrap_or_default();
    }
}

fn process(scene: &Scene<'_>, object: &FindingObject) -> Option<String> {
    let all = IN_PROCESSES.iter().flat_map(|kind| scene.things(*kind));
    let mut named = all.filter(|thing| thing.name == object.process && thing.host == object.host);
    let itself = |kind| matches!(kind, EntityKind::Process | EntityKind::Jvm);
    named.find_map(|thing| match process_of(scene, &thing) {
        Some(process) => Some(process.name),
        None => itself(thing.kind).then(|| thing.name.clone()),
    })
}

/// Leaves the process out where there is only one, or where the thing is called as it is.
pub(super) fn settle(scene: &Scene<'_>, found: &mut [Finding]) {
    let several = scene.things(EntityKind::Process).len() > 1;
    for FindingObject { name, process, .. } in found.iter_mut().map(|finding| &mut finding.object) {
        if !several || name.contains(process.as_str()) {
            process.clear();
        }
    }
}
