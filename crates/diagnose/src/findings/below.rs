//! What limits a JVM that another one waits for: it explains the waiting above it.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::{lock, support::full_cpu_of};
use crate::address;
use crate::cpu::CpuUse;
use crate::model::{Exhibit, Finding, Layer};
use crate::processes::listens_at;
use crate::rank::LEAST_SHARE;
use crate::scene::Scene;
use crate::stacks::{Peer, StackPlace, Stacks};

/// Dumps of two JVMs are of different moments: numbers that agree within this are the same.
const AGREES: f64 = 0.5;

/// The JVMs whose responses this one's threads wait for, told by Little's law alone: what is in work
/// below is waited for above, so a JVM below has about as many requests in work as are waited
/// for here and waits for fewer itself; one above waits for at least as many.
fn responding<'a>(scene: &'a Scene<'_>, caller: &Stacks) -> impl Iterator<Item = &'a Stacks> {
    let waiting =
        |stacks: &Stacks| stacks.count(|seen| seen.place == StackPlace::Peer(Peer::Service));
    let (jvm, asked) = (caller.jvm.clone(), waiting(caller));
    scene.stacks().iter().filter(move |other| {
        let same = (other.busy() - asked).abs() <= AGREES * asked;
        other.jvm != jvm && same && waiting(other) < asked
    })
}

/// The CPU that is saturated in a JVM whose responses this one waits for.
pub(super) fn full_cpu(scene: &Scene<'_>, caller: &Stacks) -> Option<CpuUse> {
    responding(scene, caller).find_map(|stacks| full_cpu_of(scene, &stacks.jvm))
}

/// Whether a lock lets one request at a time pass in a JVM whose responses this one waits for.
pub(super) fn is_locked(scene: &Scene<'_>, caller: &Stacks) -> bool {
    responding(scene, caller).any(|stacks| stacks.locks().iter().any(lock::holds_up))
}

/// Who waits for a process that is watched is explained by what limits that process: its finding
/// is the lower one, and the waiting a hint, as is a pool of threads that is full of it.
pub(super) fn settle(scene: &Scene<'_>, found: &mut [Finding]) {
    let waits = |finding: &&Finding| {
        finding.id == "slow_dependency" && finding.layer != Layer::Hint && {
            let below = asked(scene, finding);
            below.is_some_and(|below| is_limited(scene, found, &below, finding))
        }
    };
    let explained: Vec<Finding> = found.iter().filter(waits).cloned().collect();
    for waiting in explained {
        let at = &waiting.object;
        let is_above = |other: &&mut Finding| {
            let full = other.id == "worker_threads" && other.object.process == at.process;
            let waits = other.id == "slow_dependency" && other.object == *at;
            other.object.host == at.host && (full || waits)
        };
        for above in found.iter_mut().filter(is_above) {
            let text = Message::new("exhibit-limited-below").with("name", at.name.as_str());
            above.evidence.push(Exhibit::new(text));
            above.layer = Layer::Hint;
        }
    }
}

/// The process that listens at the address whose responses are waited for; none if it is not
/// watched, or several may be meant.
fn asked(scene: &Scene<'_>, waiting: &Finding) -> Option<Entity> {
    let about = &waiting.object;
    let (_, port) = about.name.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    let host = address::host(&about.name).trim_matches(['[', ']']);
    let own_host = host == "localhost" || host == "::1" || host.starts_with("127.");
    let processes = scene.things(EntityKind::Process).into_iter();
    let listening: Vec<_> = processes
        .filter(|process| !own_host || process.host == about.host)
        .filter(|process| process.name != about.process || process.host != about.host)
        .filter(|process| listens_at(scene, process, port))
        .collect();
    match listening.as_slice() {
        [process] => Some((**process).clone()),
        _ => None,
    }
}

/// Whether something limits a process, other than waiting for who waits for it.
fn is_limited(scene: &Scene<'_>, found: &[Finding], below: &Entity, above: &Finding) -> bool {
    found.iter().any(|finding| {
        let about = &finding.object;
        let is_own = about.host == below.host && about.process == below.name;
        let limits = matches!(finding.layer, Layer::Cause | Layer::Resource)
            && finding.explains.share >= LEAST_SHARE;
        let waits_back = || {
            let asked = asked(scene, finding).filter(|_| finding.id == "slow_dependency");
            asked.is_some_and(|asked| asked.name == above.object.process)
        };
        is_own && limits && !waits_back()
    })
}
