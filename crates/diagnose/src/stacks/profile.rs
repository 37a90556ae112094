//! What flight recordings say of the judged stretch, JVM by JVM.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;

use super::place::serves;
use super::{Place, Seen, Stacks, own_frame};
use crate::jfr::Profile;
use crate::scene::Scene;

/// What the recordings of one JVM say.
#[derive(Debug)]
pub struct Profiled {
    /// The JVM.
    pub jvm: Arc<Entity>,
    /// The last recording, by its number in the run.
    pub capture: i64,
    /// Threads that were seen on a CPU: of those that serve requests, where such can be told.
    pub cpu: Stacks,
    /// Monitors that were waited for, the most first.
    pub waits: Vec<Waited>,
}

/// Waits to enter the monitors of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct Waited {
    /// The class.
    pub class: String,
    /// Threads that waited, on average.
    pub waiting: f64,
    /// How often.
    pub count: usize,
    /// The application's own call in which most of the time was waited.
    pub own: Option<String>,
}

/// Reads the recordings. Each holds the last minute, so of two only what is new counts.
pub(crate) fn read(scene: &Scene<'_>) -> Vec<Profiled> {
    let mut found: BTreeMap<Arc<Entity>, Reading> = BTreeMap::new();
    for capture in scene.captures("jfr") {
        // What is no profile says nothing: saved evidence may hold anything.
        let Ok(profile) = serde_json::from_str::<Profile>(&capture.text) else {
            continue;
        };
        let jvm = Arc::new(capture.entity.clone());
        let reading = found.entry(jvm).or_default();
        reading.add(scene, &profile, capture.number);
        reading.until_ms = capture.at_ms;
    }
    let of_jvm = |(jvm, reading): (Arc<Entity>, Reading)| reading.profiled(scene, jvm);
    found.into_iter().map(of_jvm).collect()
}

struct Reading {
    until_ms: i64,
    capture: i64,
    cpu: Vec<Seen>,
    /// By class: how often, for how long in all, and by own call.
    waits: BTreeMap<String, (usize, f64, BTreeMap<String, f64>)>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            until_ms: i64::MIN,
            capture: 0,
            cpu: Vec::new(),
            waits: BTreeMap::new(),
        }
    }
}

impl Reading {
    fn add(&mut self, scene: &Scene<'_>, profile: &Profile, number: i64) {
        self.capture = number;
        let until_ms = self.until_ms;
        let counts = |at_ms: i64| at_ms > until_ms && scene.is_under_load(at_ms);
        for sample in profile.cpu.iter().filter(|sample| counts(sample.at_ms)) {
            let thread = profile.thread(sample.stack);
            self.cpu.push(Seen {
                capture: number,
                place: Place::Cpu,
                serves: serves(&thread),
                thread,
            });
        }
        for wait in profile.waits.iter().filter(|wait| counts(wait.at_ms)) {
            let thread = profile.thread(wait.stack);
            let own = own_frame(&thread).unwrap_or_default().to_owned();
            let of_class = self.waits.entry(wait.class.clone()).or_default();
            of_class.0 += 1;
            of_class.1 += wait.lasted_ms;
            *of_class.2.entry(own).or_default() += wait.lasted_ms;
        }
    }

    fn profiled(mut self, scene: &Scene<'_>, jvm: Arc<Entity>) -> Profiled {
        // Stacks that were cut may not show what the thread serves.
        if self.cpu.iter().all(|seen| !seen.serves) {
            self.cpu.iter_mut().for_each(|seen| seen.serves = true);
        }
        let mut cpu = Stacks::empty(Arc::clone(&jvm));
        cpu.add(self.cpu, Vec::new(), false);
        let waited = |(class, (count, ms, owns)): (String, (usize, f64, BTreeMap<String, f64>))| {
            let own = owns.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
            Waited {
                class,
                count,
                // Little's law: threads that wait = rate of waits × time of one.
                waiting: ms / 1e3 / scene.window_s(),
                own: own.map(|(own, _)| own).filter(|own| !own.is_empty()),
            }
        };
        let mut waits: Vec<Waited> = self.waits.into_iter().map(waited).collect();
        waits.sort_by(|a, b| b.waiting.total_cmp(&a.waiting));
        Profiled {
            jvm,
            capture: self.capture,
            cpu,
            waits,
        }
    }
}
