//! What limits a JVM that another one waits for: it explains the waiting above it.

use super::{lock, support::full_cpu_of};
use crate::cpu::CpuUse;
use crate::scene::Scene;
use crate::stacks::{Peer, Place, Stacks};

/// Dumps of two JVMs are of different moments: numbers that agree within this are the same.
const AGREES: f64 = 0.5;

/// The JVMs whose responses this one's threads wait for, told by Little's law alone: what is in work
/// below is waited for above, so a JVM below has about as many requests in work as are waited
/// for here and waits for fewer itself; one above waits for at least as many.
fn responding<'a>(scene: &'a Scene<'_>, caller: &Stacks) -> impl Iterator<Item = &'a Stacks> {
    let waiting = |stacks: &Stacks| stacks.count(|seen| seen.place == Place::Peer(Peer::Service));
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
