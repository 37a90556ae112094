//! What all rules find together: findings that explain each other are settled, the first is what
//! limits.

use plimsoll_text::{Arg, Message};

use super::registry::asked;
use super::warm_up;
use super::{
    accounted, attempts, beginning, below, call_connections, calls_in_series, consequences,
    dependency, idle_replicas, known_work, many_calls, network, no_response, own_wait, polled_lock,
    refuted, whose,
};
use crate::model::{Exhibit, Finding, Layer};
use crate::rank::rank;
use crate::scene::Scene;

/// Findings that say of the measurement that it was not warm.
const COLD: [&str; 2] = [warm_up::ID, beginning::ID];

/// What a cause must explain of the end, weighted by how sure it is, to limit it for certain.
const HOLDS: f64 = 0.5;

/// What all rules find, the first is what limits.
pub(crate) fn of(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = asked(scene);
    settle_cold_start(scene, &mut found);
    many_calls::settle(&mut found);
    known_work::settle(&mut found);
    network::held_pieces::settle(&mut found);
    no_response::settle(&mut found);
    call_connections::settle(&mut found);
    attempts::settle(&mut found);
    whose::resolve(scene, &mut found);
    refuted::settle(scene, &mut found);
    below::settle(scene, &mut found);
    accounted::settle(scene, &mut found);
    consequences::settle(scene, &mut found);
    idle_replicas::settle(scene, &mut found);
    polled_lock::settle(&mut found);
    whose::settle(scene, &mut found);
    calls_in_series::settle(&mut found);
    found.iter_mut().for_each(name_the_unseen);
    // A pause that is known says more of a system that is waited for than that it is slow.
    dependency::settle(own_wait::lead(scene, rank(found)))
}

/// Arguments that stand for code, and what is said where none was seen: no sentence has an empty place.
const CODE: [&str; 3] = ["code", "own", "waits_in"];

fn name_the_unseen(finding: &mut Finding) {
    let own = finding
        .args
        .iter_mut()
        .map(|(name, value)| (&**name, value));
    let texts = finding.evidence.iter_mut().map(|exhibit| &mut exhibit.text);
    let texts = texts.chain(finding.advice.iter_mut().map(|advice| &mut advice.why));
    let args = texts.flat_map(|text| text.args.iter_mut().map(|(name, value)| (&**name, value)));
    for (name, value) in own.chain(args) {
        if CODE.contains(&name) && *value == Arg::from("") {
            *value = Message::new("code-unseen").into();
        }
    }
}

/// Where one cause holds most of the last third, too, or a resource is full there that the compiler no longer takes,
/// warmth does not lift it: the figures are too low, but what limits is known, and so that it was not warm is a side
/// remark.
fn settle_cold_start(scene: &Scene<'_>, found: &mut [Finding]) {
    let decides =
        |finding: &Finding| COLD.contains(&finding.id) && finding.layer == Layer::Measurement;
    let Some(at) = found.iter().position(decides) else {
        return;
    };
    let (from, to) = scene.load().window_s;
    let Some(end) = Scene::over(scene.evidence(), (to - (to - from) / 3, to)) else {
        return;
    };
    let compiles = warm_up::compiles_in(&end, end.window_ms());
    let is_cause = |finding: &&Finding| match finding.layer {
        Layer::Cause => true,
        Layer::Resource => !compiles,
        _ => false,
    };
    let known = |cause: &Finding| {
        let mut causes = found.iter().filter(is_cause);
        causes.any(|known| known.id == cause.id && known.object == cause.object)
    };
    let holds = asked(&end).iter().filter(is_cause).any(|cause| {
        cause.explains.share * cause.confidence >= HOLDS
            && cause.evidence.iter().all(|exhibit| is_of(&end, exhibit))
            && known(cause)
    });
    if holds {
        found[at].layer = Layer::Hint;
    }
}

/// Whether what an exhibit was read from was captured in the stretch, if from a capture.
fn is_of(scene: &Scene<'_>, exhibit: &Exhibit) -> bool {
    let mut captures = scene.evidence().captures.iter();
    exhibit.capture.is_none_or(|number| {
        captures.any(|capture| capture.number == number && scene.is_under_load(capture.at_ms))
    })
}
