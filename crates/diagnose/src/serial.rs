//! Processes that can use fewer CPUs than they may: a thread runs on one CPU at a time, so a
//! program whose work is done by fewer threads than there are CPUs is at its limit while the
//! machine has room (Amdahl, "Validity of the single processor approach", AFIPS 1967: the serial
//! part bounds the whole). An interpreter with a global lock runs one of its threads at a time,
//! however many it has.

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::Entity;

use crate::cpu::{CpuUse, cpus};
use crate::processes::{runtime_of, stacks_of};
use crate::scene::Scene;

/// A thread has saturated its CPU from this share on.
const FULL: f64 = 0.85;
/// Threads that are full must use so much of what their process uses: others that merely spin are
/// no limit.
const SHARE_OF_FULL_THREADS: f64 = 0.7;
/// What the threads of an interpreter with one lock may use together, beside what they do
/// without it.
const ONE: f64 = 1.15;
/// CPUs of its host must be idle that more threads could use.
const ROOM: f64 = 0.25;
/// Runtimes whose threads take turns (Python, "Global interpreter lock", docs.python.org/glossary;
/// Ruby's is the GVL).
const TAKE_TURNS: [&str; 2] = ["python", "ruby"];
/// Names of threads of HotSpot's own, which serve no request: compilers and collectors.
const HOTSPOT: &[&str] = &[
    "C1 ",
    "C2 ",
    "GC ",
    "G1 ",
    "VM ",
    "ZDirector",
    "ZDriver",
    "ZWorker",
    "XWorker",
    "Shenandoah",
    "Sweeper",
    "Common-Cleaner",
];
/// So many more requests than full threads must be in flight.
const MORE: f64 = 1.2;
/// The kernel keeps so many bytes of a thread's name.
const COMM: usize = 15;

/// A process that has saturated the CPUs it can use, while it may use more.
#[derive(Debug, Clone, PartialEq)]
pub struct Serial {
    /// CPUs that it can use.
    pub cpus: f64,
    /// Used of them.
    pub used: f64,
    /// The busiest thread's name.
    pub thread: String,
    /// Whether several threads take turns, in place of so many that are full.
    pub by_turns: bool,
}

/// Whether a process is at the limit of its threads and not of its CPUs.
#[must_use]
pub fn of(scene: &Scene<'_>, cpu: &CpuUse) -> Option<Serial> {
    let idle = cpus(scene, &cpu.process.host).unwrap_or(cpu.limit) * (1.0 - cpu.host_used);
    if cpu.is_full() || idle < ROOM {
        return None;
    }
    let mut threads = busiest(scene, &cpu.process);
    threads.retain(|(name, _)| serves(scene, &cpu.process, name));
    let thread = threads.first()?.0.clone();
    let full: Vec<f64> = threads
        .iter()
        .map(|(_, used)| *used)
        .take_while(|used| *used >= FULL)
        .collect();
    let used: f64 = full.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "threads that fill a CPU each")]
    let cpus = full.len() as f64;
    // With a thread for each request nobody waits: more requests would have more threads.
    let some_wait = scene.in_flight() >= MORE * cpus;
    if !full.is_empty() && some_wait && used >= SHARE_OF_FULL_THREADS * cpu.used {
        return Some(Serial {
            cpus,
            used: used.min(cpus),
            thread,
            by_turns: false,
        });
    }
    let runtime = runtime_of(&cpu.process.name);
    let takes_turns = runtime.is_some_and(|runtime| TAKE_TURNS.contains(&runtime));
    let processes = scene.of(&cpu.process, names::process::PROCESSES).last();
    // Of several, one leads the others and serves nothing; each of these has a lock of its own.
    let locks = processes.map_or(1.0, |count| (count - 1.0).max(1.0));
    let is_full = (FULL * locks..=ONE * locks).contains(&cpu.used);
    let some_wait = scene.in_flight() >= 2.0 * locks;
    (takes_turns && is_full && some_wait && threads.len() > 1).then_some(Serial {
        cpus: locks,
        used: cpu.used.min(locks),
        thread,
        by_turns: true,
    })
}

/// The threads of a process with the CPUs that each used on average, the busiest first.
fn busiest(scene: &Scene<'_>, process: &Entity) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let threads = scene.of(process, names::process::THREAD_CPU_TIME);
    for (name, same_name) in threads.by(attributes::THREAD_NAME) {
        for thread in same_name.by(attributes::THREAD_ID).into_values() {
            found.extend(thread.mean().map(|used| (name.clone(), used)));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// Whether a thread may serve requests. Of a JVM, dumps tell; without any, its own threads are
/// known by their names.
fn serves(scene: &Scene<'_>, process: &Entity, name: &str) -> bool {
    match stacks_of(scene, process) {
        Some(stacks) => stacks
            .serving()
            .any(|seen| is_called(&seen.thread.name, name)),
        None => !is_runtimes_own(name),
    }
}

/// Whether a thread by its name is a runtime's own, which serves no request.
pub(crate) fn is_runtimes_own(thread: &str) -> bool {
    HOTSPOT.iter().any(|own| thread.starts_with(own))
}

/// Whether the kernel calls a thread so: it keeps the beginning of a name, and HotSpot, where a name is too long, gives
/// it the beginning and the end (`http-ni..exec-1`, os::set_native_thread_name).
fn is_called(name: &str, by_kernel: &str) -> bool {
    let kept = name.get(..COMM).unwrap_or(name);
    let cut = by_kernel.split_once("..");
    let both = cut.is_some_and(|(begin, end)| name.starts_with(begin) && name.ends_with(end));
    kept == by_kernel || both
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use crate::model::Layer;
    use crate::testing::{Made, thing};

    /// A process with threads of those names, each of which uses so much.
    fn with_threads(made: Made, name: &str, limit: f64, threads: &[(&str, f64)]) -> Made {
        let process = thing(EntityKind::Process, name);
        let sum = threads.iter().map(|(_, used)| used).sum();
        let mut made = made.process(name, sum, limit);
        for ((name, used), id) in threads.iter().zip(100..) {
            let id = format!("{id}");
            let with = [("thread.id", id.as_str()), ("thread.name", *name)];
            made = made.counter(&process, "process.thread.cpu.time", &with, *used);
        }
        made
    }

    fn found(program: &str, limit: f64, threads: &[(&str, f64)]) -> Option<(Layer, f64)> {
        let made = with_threads(Made::load(200.0, 100.0), program, limit, threads);
        let found = made.find("single_thread")?;
        Some((found.layer, found.explains.share))
    }

    #[test]
    fn an_event_loop_has_one_cpu_however_many_there_are() {
        let (layer, share) =
            found("node[3000]", 4.0, &[("node", 0.97), ("V8Worker", 0.05)]).unwrap();
        assert_eq!(layer, Layer::Resource);
        assert!((share - 0.97).abs() < 0.02, "{share}");
        // Half idle, and full where it may use no more than one CPU.
        assert_eq!(found("node[3000]", 4.0, &[("node", 0.5)]), None);
        assert_eq!(found("node[3000]", 1.0, &[("node", 0.97)]), None);
        // A thread that only spins beside those that work.
        let spins = [("spinner", 1.0), ("work-1", 0.6), ("work-2", 0.6)];
        assert_eq!(found("shopd[80]", 8.0, &spins), None);
    }

    #[test]
    fn threads_of_an_interpreter_take_turns() {
        let threads = [("python3", 0.25); 4];
        assert!(found("python3[8000]", 2.0, &threads).is_some());
        assert_eq!(found("shopd[8000]", 2.0, &threads), None);
        assert_eq!(found("python3[8000]", 2.0, &[("python3", 0.2); 4]), None);
        // Without a lock they use more than one CPU.
        assert_eq!(found("python3[8000]", 4.0, &[("python3", 0.4); 4]), None);
        // Servers that are called by their own names; each worker has a lock, and who leads them serves nothing.
        assert!(found("uvicorn[8000]", 2.0, &threads).is_some());
        let workers = |processes: f64| {
            let process = thing(EntityKind::Process, "gunicorn[8000]");
            let threads = [("gunicorn", 0.25); 8];
            let made = with_threads(Made::load(200.0, 100.0), "gunicorn[8000]", 8.0, &threads);
            let made = made.gauge(&process, "process.worker.count", &[], processes);
            made.find("single_thread").is_some()
        };
        assert!(workers(3.0));
        assert!(!workers(5.0));
    }

    #[test]
    fn a_compiler_serves_nobody() {
        let compiles = [("C2 CompilerThre", 0.95), ("exec-1", 0.1)];
        assert_eq!(found("java[8080]", 4.0, &compiles), None);
        assert!(found("java[8080]", 4.0, &[("loop-1", 0.95)]).is_some());
    }
}
