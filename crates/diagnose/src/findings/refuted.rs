//! What the run's own figures refute, whichever rule found it: nothing keeps more requests than there are, and what
//! fails nobody explains no failures.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::accounted;
use crate::figures::tenths;
use crate::model::{Exhibit, Finding, Layer, ShareOf};
use crate::processes::{is_loaded, stacks_of};
use crate::scene::Scene;

/// Requests may be handed to several threads each, and dumps are of moments: so many times more threads than
/// requests in flight, and so many on top, are somebody else's.
const MANY_MORE: f64 = 10.0;
const ON_TOP: f64 = 5.0;

/// Makes remarks of what is refuted.
pub(super) fn settle(scene: &Scene<'_>, found: &mut [Finding]) {
    let limits = |finding: &&mut Finding| matches!(finding.layer, Layer::Cause | Layer::Resource);
    for finding in found.iter_mut().filter(limits) {
        match finding.explains.of {
            ShareOf::Errors if scene.total().errors == 0 => {
                accounted::hint(
                    finding,
                    "exhibit-nobody-fails",
                    &finding.object.name.clone(),
                );
            }
            ShareOf::ResponseTime => {
                if let Some(threads) = others_threads(scene, finding) {
                    let text = Message::new("exhibit-threads-of-others")
                        .with("threads", tenths(threads))
                        .with("requests", tenths(scene.in_flight()));
                    finding.evidence.push(Exhibit::new(text));
                    finding.layer = Layer::Hint;
                }
            }
            ShareOf::Errors | ShareOf::Throughput | ShareOf::Measurement => {}
        }
    }
}

/// How many threads serve in the process of a finding that was told by its dumps, if they are far more than there
/// are requests in flight: they serve others.
fn others_threads(scene: &Scene<'_>, finding: &Finding) -> Option<f64> {
    let by_dumps = finding
        .evidence
        .iter()
        .any(|exhibit| exhibit.capture.is_some());
    let process = Entity {
        kind: EntityKind::Process,
        name: finding.object.process.clone(),
        host: finding.object.host.clone(),
    };
    // Behind the first process one request may make many calls.
    let stacks = stacks_of(scene, &process).filter(|_| by_dumps && is_loaded(scene, &process))?;
    let busy = stacks.busy();
    (busy > MANY_MORE * scene.in_flight() + ON_TOP).then_some(busy)
}
