//! Processes that do not close connections which their clients have ended.

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::about::object;
use crate::findings::support::{descriptors, descriptors_exhibit, turned_away};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// Fewer are on their way.
const MANY: f64 = 50.0;
/// So much of the largest number must still be there at the end.
const STAYS: f64 = 0.7;

/// Processes whose connections in CLOSE_WAIT become more and stay.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Finding> {
    let processes = scene.things(EntityKind::Process).into_iter();
    processes
        .filter_map(|process| of_process(scene, &process))
        .collect()
}

fn of_process(scene: &Scene<'_>, process: &Arc<Entity>) -> Option<Finding> {
    let open = scene
        .of(process, names::process::CONNECTIONS)
        .with(attributes::NETWORK_CONNECTION_STATE, "close_wait");
    let (peak, last) = (open.peak()?, open.last()?);
    // The series begins with the first of them.
    let begins = open.track().into_iter().next();
    let first = begins.filter(|(second, _)| *second == 0);
    let first = first.map_or(0.0, |(_, value)| value);
    let grew = last >= MANY && last >= STAYS * peak && peak - first >= MANY / 2.0;
    let full = last >= MANY * 10.0;
    if !grew && !full {
        return None;
    }
    let failed = match scene.total().error_rate < 0.01 {
        true => 0.0,
        false => turned_away(scene),
    };
    let layer = Layer::cause_if(failed > 0.0);
    let explains = Explains::new(failed, ShareOf::Errors);
    let text = Message::new("exhibit-close-wait")
        .with("first", first.round())
        .with("last", last.round());
    let about = object("process", process.name.as_str(), process);
    let finding = Finding::new("close_wait", layer, about, explains)
        .with("count", last.round())
        .shows(Exhibit::new(text).series(names::process::CONNECTIONS))
        .shows_all(descriptors(scene, process).map(descriptors_exhibit));
    Some(Finding {
        // Before what follows from it: no descriptor, no thread, a full accept queue.
        confidence: 0.97,
        source: "RFC 9293, section 3.3.2: CLOSE-WAIT waits for the local user; field case F26",
        ..finding.advises(Advice::code(Message::new("advice-close-wait")))
    })
}
