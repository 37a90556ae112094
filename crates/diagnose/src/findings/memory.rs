//! Memory: heaps that fill up, pauses for collecting them, and hosts that have none left.

mod explicit;
mod heap;
mod histogram;
mod host;
mod sessions;

use super::Rule;
use crate::model::Finding;
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &[
        "session_leak",
        "heap_full",
        "gc_pauses",
        "explicit_gc",
        "swapping",
        "oom_kill",
    ],
    refuted_by: "little time in pauses, a heap with room after collections, no task that stands still for memory",
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let (leaking, mut found) = sessions::find(scene);
    for heap in heap::all(scene) {
        // A leak of sessions is why the heap is full.
        if !leaking.contains(&heap.jvm) {
            found.extend(heap.finding(scene));
        }
    }
    found.extend(host::swapping(scene));
    found.extend(host::oom_kills(scene));
    found
}

#[cfg(test)]
mod tests;
