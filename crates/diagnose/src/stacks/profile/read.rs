//! Reads profiles.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_watch::capture::PROFILE_LASTS;
use plimsoll_watch::stacks::{NamedFrame, ToldStacks};
use plimsoll_watch::threads::{DumpedThread, StackFrame};

use super::{LockWaits, Profiled, Profiler};
use crate::collapsed;
use crate::evidence::CapturedText;
use crate::samples::StackSamples;
use crate::scene::Scene;
use crate::stacks::frames::{is_logging, own_frame};
use crate::stacks::place::{StackPlace, is_pool, serves};
use crate::stacks::threads::{SeenThread, Stacks};

impl Scene<'_> {
    /// What the profiles of each JVM say of the stretch.
    pub fn profiles(&self) -> &[Profiled] {
        self.profiles.get_or_init(|| read(self))
    }
}

/// The kinds of captures that are profiles.
const KINDS: [&str; 4] = ["jfr", "cpu_profile", "cpu_samples", "lock_profile"];

/// Reads the profiles. A recording holds the last minute, so of two only what is new counts.
fn read(scene: &Scene<'_>) -> Vec<Profiled> {
    let mut found: BTreeMap<(Arc<Entity>, Profiler), ProfileReading> = BTreeMap::new();
    for capture in KINDS.into_iter().flat_map(|kind| scene.captures(kind)) {
        // What is no profile says nothing: saved evidence may hold anything.
        let Some((by, samples)) = samples(capture) else {
            continue;
        };
        let jvm = Arc::new(capture.entity.clone());
        let reading = found.entry((jvm, by)).or_default();
        reading.add(scene, &samples, capture.number);
        if by == Profiler::FlightRecorder {
            reading.until_ms = capture.at_ms;
        }
    }
    let of_jvm = |((jvm, by), reading): ((Arc<Entity>, Profiler), ProfileReading)| {
        reading.profiled(scene, jvm, by)
    };
    let profiles = found.into_iter().map(of_jvm);
    profiles.chain(sampled(scene)).collect()
}

/// So many samples of one stack say all.
const MAX_COUNT: u64 = 5_000;

/// The stacks of other processes than JVMs.
fn sampled(scene: &Scene<'_>) -> Vec<Profiled> {
    let mut found: BTreeMap<Arc<Entity>, ProfileReading> = BTreeMap::new();
    // Where a runtime itself tells what it runs, it has names that the kernel's samples lack.
    let own: HashSet<&Entity> = told_under_load(scene, "node_profile")
        .map(|(capture, _)| &capture.entity)
        .collect();
    let by_kernel = told_under_load(scene, "stacks");
    let by_kernel = by_kernel.filter(|(capture, _)| !own.contains(&capture.entity));
    for (capture, told) in told_under_load(scene, "node_profile").chain(by_kernel) {
        let reading = found.entry(Arc::new(capture.entity.clone())).or_default();
        reading.capture = capture.number;
        for stack in told.stacks.iter().filter(|stack| stack.state == "cpu") {
            let seen = SeenThread {
                capture: capture.number,
                place: StackPlace::Cpu,
                serves: true,
                thread: DumpedThread {
                    name: stack.thread.clone(),
                    frames: told.calls(stack).map(frame).collect(),
                    ..DumpedThread::default()
                },
            };
            let count = usize::try_from(stack.count.min(MAX_COUNT)).unwrap_or(0);
            reading.cpu.extend(std::iter::repeat_n(seen, count));
        }
    }
    let profiled = |(process, reading): (Arc<Entity>, ProfileReading)| {
        reading.profiled(scene, process, Profiler::Stacks)
    };
    found.into_iter().map(profiled).collect()
}

/// Stacks that were taken under load, of a kind of captures.
fn told_under_load<'a>(
    scene: &'a Scene<'_>,
    kind: &'static str,
) -> impl Iterator<Item = (&'a CapturedText, ToldStacks)> {
    let captures = scene.captures(kind);
    let captures = captures.filter(|capture| scene.is_under_load(capture.at_ms));
    captures.filter_map(|capture| Some((capture, ToldStacks::read(&capture.text)?)))
}

fn frame(named: &NamedFrame) -> StackFrame {
    let place = match (&named.file, named.line) {
        (Some(file), Some(line)) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            format!("{name}:{line}")
        }
        _ => named.library.clone().unwrap_or_default(),
    };
    StackFrame {
        method: named.function.clone(),
        place,
        library: Some(named.library.clone().unwrap_or_default()),
    }
}

fn samples(capture: &CapturedText) -> Option<(Profiler, StackSamples)> {
    let lasted_ms = PROFILE_LASTS.as_secs_f64() * 1e3;
    let (text, at_ms) = (&capture.text, capture.at_ms);
    Some(match capture.kind.as_str() {
        "jfr" => (Profiler::FlightRecorder, serde_json::from_str(text).ok()?),
        "cpu_profile" => (Profiler::AsyncProfiler, collapsed::cpu(text, at_ms)),
        "cpu_samples" => (Profiler::Kernel, collapsed::cpu(text, at_ms)),
        _ => (
            Profiler::AsyncProfiler,
            collapsed::locks(text, at_ms, lasted_ms),
        ),
    })
}

/// What is known of the waits for one class.
#[derive(Default)]
struct Waits {
    count: usize,
    ms: f64,
    by_own_call: BTreeMap<String, f64>,
    capture: i64,
}

struct ProfileReading {
    until_ms: i64,
    capture: i64,
    cpu: Vec<SeenThread>,
    waits: BTreeMap<String, Waits>,
    /// How long waits were looked for; 0: the whole stretch.
    waits_lasted_ms: f64,
}

impl Default for ProfileReading {
    fn default() -> Self {
        Self {
            until_ms: i64::MIN,
            capture: 0,
            cpu: Vec::new(),
            waits: BTreeMap::new(),
            waits_lasted_ms: 0.0,
        }
    }
}

impl ProfileReading {
    fn add(&mut self, scene: &Scene<'_>, samples: &StackSamples, number: i64) {
        let until_ms = self.until_ms;
        let counts = |at_ms: i64| at_ms > until_ms && scene.is_under_load(at_ms);
        for sample in samples.cpu.iter().filter(|sample| counts(sample.at_ms)) {
            let thread = samples.thread(sample.stack);
            self.capture = number;
            self.cpu.push(SeenThread {
                capture: number,
                place: StackPlace::Cpu,
                serves: serves(&thread),
                thread,
            });
        }
        let mut counted = false;
        for wait in samples.waits.iter().filter(|wait| counts(wait.at_ms)) {
            counted = true;
            let thread = samples.thread(wait.stack);
            // Connections and log files have rules of their own.
            if is_pool(&thread) || is_logging(&thread) {
                continue;
            }
            let own = own_frame(&thread).unwrap_or_default().to_owned();
            let of_class = self.waits.entry(wait.class.clone()).or_default();
            of_class.count += 1;
            of_class.ms += wait.lasted_ms;
            of_class.capture = number;
            *of_class.by_own_call.entry(own).or_default() += wait.lasted_ms;
        }
        if counted {
            self.waits_lasted_ms += samples.lasted_ms.unwrap_or(0.0);
        }
    }

    fn profiled(mut self, scene: &Scene<'_>, jvm: Arc<Entity>, by: Profiler) -> Profiled {
        // Stacks that were cut may not show what the thread serves.
        if self.cpu.iter().all(|seen| !seen.serves) {
            self.cpu.iter_mut().for_each(|seen| seen.serves = true);
        }
        let mut cpu = Stacks::empty(Arc::clone(&jvm));
        cpu.add(self.cpu, Vec::new(), false);
        let lasted_s = if self.waits_lasted_ms > 0.0 {
            self.waits_lasted_ms / 1e3
        } else {
            scene.window_s()
        };
        let waited = |(class, waits): (String, Waits)| {
            let own = waits.by_own_call.into_iter();
            let own = own.max_by(|a, b| a.1.total_cmp(&b.1));
            LockWaits {
                class,
                // async-profiler adds up the waits of a stack.
                count: (by == Profiler::FlightRecorder).then_some(waits.count),
                // Little's law: threads that wait = rate of waits × time of one.
                waiting: waits.ms / 1e3 / lasted_s,
                own: own.map(|(own, _)| own).filter(|own| !own.is_empty()),
                capture: waits.capture,
            }
        };
        let mut waits: Vec<LockWaits> = self.waits.into_iter().map(waited).collect();
        waits.sort_by(|a, b| b.waiting.total_cmp(&a.waiting));
        Profiled {
            jvm,
            by,
            capture: self.capture,
            cpu,
            waits,
        }
    }
}
