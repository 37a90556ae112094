//! Reads thread dumps.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_watch::threads::{DumpedThread, ThreadDump};

use super::place::{self, StackPlace};
use super::threads::{SeenThread, Stacks};
use crate::evidence::CapturedText;
use crate::scene::Scene;

impl Scene<'_> {
    /// What the threads of each JVM did under load, by its thread dumps.
    pub fn stacks(&self) -> &[Stacks] {
        self.stacks.get_or_init(|| read(self))
    }

    /// What the threads of one JVM did.
    pub(crate) fn stacks_in(&self, jvm: &Entity) -> Option<&Stacks> {
        let mut all = self.stacks().iter();
        all.find(|stacks| *stacks.jvm == *jvm)
    }
}

/// Reads the dumps that were taken under load, JVM by JVM: those of the judged stretch, and of
/// a JVM that has none there, those of any second of the load.
fn read(scene: &Scene<'_>) -> Vec<Stacks> {
    let mut found = read_in(scene, |capture| scene.is_under_load(capture.at_ms));
    let (_, to_ms) = scene.window_ms();
    let earlier = read_in(scene, |capture| {
        let seen = found.iter().any(|known| *known.jvm == capture.entity);
        !seen && (SETTLED_MS..to_ms).contains(&capture.at_ms)
    });
    found.extend(earlier);
    for stacks in &mut found {
        stacks.tasks = stacks.full_task_pool();
    }
    found
}

/// By then all users of a load without ramp-up are at work.
const SETTLED_MS: i64 = 1_000;

fn read_in(scene: &Scene<'_>, counts: impl Fn(&CapturedText) -> bool) -> Vec<Stacks> {
    let mut found: BTreeMap<Arc<Entity>, Stacks> = BTreeMap::new();
    for kind in ["thread_dump", "virtual_threads"] {
        for capture in scene.captures(kind).filter(|capture| counts(capture)) {
            let dump = ThreadDump::read(&capture.text);
            let seen = seen(capture.number, dump.threads);
            let is_virtual = kind == "virtual_threads";
            // A JSON dump of virtual threads adds what the text beside it does not show.
            if is_virtual && seen.iter().all(|seen| !seen.thread.is_virtual) {
                continue;
            }
            let jvm = Arc::new(capture.entity.clone());
            let known = found
                .entry(Arc::clone(&jvm))
                .or_insert_with(|| Stacks::empty(jvm));
            known.add(seen, dump.deadlocks, is_virtual);
        }
    }
    found.into_values().collect()
}

fn seen(capture: i64, threads: Vec<DumpedThread>) -> Vec<SeenThread> {
    let all = threads.into_iter().map(|thread| {
        let place = place::place(&thread);
        SeenThread {
            capture,
            serves: place != StackPlace::Idle && place::serves(&thread),
            place,
            thread,
        }
    });
    all.collect()
}
