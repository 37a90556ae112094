//! What several families of rules need.

use std::sync::Arc;

use plimsoll_stats::ErrorKind;
use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use crate::account::thread_states;
use crate::cpu::{CpuUse, of, of_processes};
use crate::figures::{hundredths, percent};
use crate::model::{Exhibit, Finding, Layer};
use crate::processes::{is_database, process_of};
use crate::scene::{Scene, SeriesQuery};
use crate::serial;
use crate::stacks::{Profiled, SeenThread, StackPlace, Stacks};

/// The exhibit with a thread that stands for those, if there is one.
pub(super) fn with_example(
    exhibit: Exhibit,
    stacks: &Stacks,
    holds: impl Fn(&SeenThread) -> bool,
) -> Exhibit {
    exhibit.captured(stacks.example(holds))
}

/// A profile must have so many samples; fewer tell no more than dumps do.
const LEAST_PROFILE: usize = 50;

/// The best profile of each JVM that has samples enough. They come JVM by JVM, the best first.
pub(super) fn profiles<'a>(scene: &'a Scene<'_>) -> Vec<&'a Profiled> {
    let enough = |profile: &&Profiled| profile.cpu.threads.len() >= LEAST_PROFILE;
    let mut profiles: Vec<_> = scene.profiles().iter().filter(enough).collect();
    profiles.dedup_by(|later, first| later.jvm == first.jvm);
    profiles
}

/// The CPU use of the process that a thing runs in.
pub(super) fn cpu_of(scene: &Scene<'_>, thing: &Entity) -> Option<CpuUse> {
    of(scene, &process_of(scene, thing)?)
}

/// The CPU use of the process that a thing runs in, if it is saturated.
pub(super) fn full_cpu_of(scene: &Scene<'_>, thing: &Entity) -> Option<CpuUse> {
    cpu_of(scene, thing).filter(CpuUse::is_full)
}

/// The CPU use of the process that a thing runs in, with the share of what it can use that it does, if that
/// is all: of its CPUs, or where it works in fewer threads, of those of its threads.
pub(super) fn all_it_can_use(scene: &Scene<'_>, thing: &Entity) -> Option<(CpuUse, f64)> {
    let cpu = cpu_of(scene, thing)?;
    if cpu.is_full() {
        let used = cpu.utilization().min(1.0);
        return Some((cpu, used));
    }
    let by_series = serial::of(scene, &cpu).map(|serial| serial.used / serial.cpus.max(1e-9));
    let used = by_series.or_else(|| wanting_all(scene, &cpu.process))?;
    Some((cpu, used.min(1.0)))
}

/// Threads run, or want to, all the time from this share on.
const ALL_THE_TIME: f64 = 0.85;

/// The share of the time in which an event loop, or all workers or threads of one name, run or want to:
/// however little a busy host gives them, it is computing that keeps the requests.
fn wanting_all(scene: &Scene<'_>, process: &Entity) -> Option<f64> {
    let states = thread_states(scene, process)?;
    let loops = states.event_loops.iter();
    let loops = loops.map(|one| one.running + one.runnable);
    let classes = states.serving().filter(|class| class.threads >= 0.5);
    let classes = classes.map(|class| (class.running + class.runnable) / class.threads);
    let most = loops.chain(classes).fold(0.0, f64::max);
    (most >= ALL_THE_TIME).then_some(most)
}

/// The database process that is out of CPU, if one is.
pub(super) fn full_database(scene: &Scene<'_>) -> Option<CpuUse> {
    let mut full = of_processes(scene).into_iter().filter(CpuUse::is_full);
    full.find(|cpu| is_database(&cpu.process.name))
}

/// How much of what it may use a process uses of its CPU.
pub(super) fn used_exhibit(cpu: &CpuUse) -> Exhibit {
    let text = Message::new("exhibit-cpu-used")
        .with("used", hundredths(cpu.used))
        .with("limit", hundredths(cpu.limit))
        .with("percent", percent(cpu.utilization()));
    Exhibit::new(text).series(names::process::CPU_TIME)
}

/// That a CPU below is saturated, so that what waits for it above is no cause.
pub(super) fn full_exhibit(cpu: &CpuUse) -> Exhibit {
    let text = Message::new("exhibit-full-below").with("name", cpu.process.name.as_str());
    Exhibit::new(text).series(names::process::CPU_TIME)
}

/// The name of the process that a thing runs in, else its own.
pub(super) fn process_name(scene: &Scene<'_>, thing: &Entity) -> String {
    process_of(scene, thing).map_or_else(|| thing.name.clone(), |process| process.name)
}

/// So many connections to an upstream each worker of nginx must keep, so that all requests in flight have one; a
/// multiple of a step.
pub(super) fn kept_by_each_worker(scene: &Scene<'_>, proxy: &Entity, step: f64) -> f64 {
    let workers = scene.of(proxy, names::nginx::WORKERS).last().unwrap_or(1.0);
    let each = scene.in_flight() / workers.max(1.0);
    (each / step).ceil().max(1.0) * step
}

/// The mean of a duration whose sum and count are told, in ms.
pub(super) fn mean_ms<'a>(
    of: impl Fn(SeriesName) -> SeriesQuery<'a>,
    (sum, count): (SeriesName, SeriesName),
) -> Option<f64> {
    let count = of(count).mean().filter(|count| *count > 0.0);
    Some(of(sum).mean()? / count? * 1e3)
}

/// The largest share of the serving threads, over all JVMs, for which something holds; none
/// without thread dumps.
pub(super) fn most_in<'a>(
    scene: &'a Scene<'_>,
    holds: impl Fn(&SeenThread) -> bool + Copy,
) -> Option<(&'a Stacks, f64)> {
    let all = scene.stacks().iter();
    let shares = all.map(|stacks| (stacks, stacks.share(holds)));
    shares.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Where so much of the threads waits for something behind them, that is the cause.
const DEEPER: f64 = 0.4;

/// What threads wait for that more of them would wait for, too, if much of them does.
pub(super) fn waits_behind(stacks: &Stacks) -> Option<Message> {
    let waits = [
        StackPlace::Lock,
        StackPlace::DatabasePool,
        StackPlace::ClientPool,
    ];
    let behind = |seen: &SeenThread| waits.contains(&seen.place);
    let tasks = stacks.tasks.as_ref().map_or(0.0, |pool| pool.share);
    let at_queues: f64 = stacks.queues().iter().map(|queue| queue.waiting).sum();
    let share = (stacks.count(behind) + at_queues) / stacks.busy().max(1e-9) + tasks;
    (share >= DEEPER).then(|| Message::new("exhibit-workers-wait").with("percent", percent(share)))
}

/// How requests fail that a server does not take up.
const TURNED_AWAY: [ErrorKind; 3] = [
    ErrorKind::ReadTimeout,
    ErrorKind::ConnectTimeout,
    ErrorKind::ConnectionRefused,
];

/// The share of the failed requests that a server did not take up; 0 without failures.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
pub(super) fn turned_away(scene: &Scene<'_>) -> f64 {
    scene.failed(|kind| TURNED_AWAY.contains(&kind)) / scene.total().errors.max(1) as f64
}

/// Descriptors that a process has open at most, of several workers that which has most, and how many
/// it may.
pub(super) fn descriptors(scene: &Scene<'_>, process: &Entity) -> Option<(f64, f64)> {
    let most = scene.of(process, names::process::FILES_PEAK).peak();
    let open = most.or_else(|| scene.of(process, names::process::FILES).peak());
    let limit = scene.of(process, names::process::FILES_LIMIT);
    Some((open?, limit.last()?))
}

pub(super) fn descriptors_exhibit((open, limit): (f64, f64)) -> Exhibit {
    let text = Message::new("exhibit-descriptors")
        .with("open", open.round())
        .with("limit", limit);
    Exhibit::new(text).series(names::process::FILES)
}

/// The share of the time in which some tasks of a host stood still for want of a resource, by the
/// kernel's account.
pub(super) fn stalled(scene: &Scene<'_>, host: &Entity, resource: &str) -> Option<f64> {
    let stalls = scene.of(host, names::host::PRESSURE);
    let of_resource = stalls.with(attributes::PRESSURE_RESOURCE, resource);
    of_resource.with(attributes::PRESSURE_STALL, "some").mean()
}

/// The proxies, each once: of two sources that tell of one, that whose process is known.
pub(super) fn proxies(scene: &Scene<'_>) -> Vec<Arc<Entity>> {
    let all = scene.things(EntityKind::Proxy);
    let (found, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|proxy| process_of(scene, proxy).is_some());
    let hosts: Vec<String> = found.iter().map(|proxy| proxy.host.clone()).collect();
    let elsewhere = others
        .into_iter()
        .filter(|proxy| !hosts.contains(&proxy.host));
    found.into_iter().chain(elsewhere).collect()
}

/// Host and process of what a finding is about.
pub(super) fn process_at(finding: &Finding) -> (String, String) {
    (finding.object.host.clone(), finding.object.process.clone())
}

/// Those of some findings.
pub(super) fn processes_of(
    found: &[Finding],
    counts: impl Fn(&Finding) -> bool,
) -> Vec<(String, String)> {
    let counted = found.iter().filter(|finding| counts(finding));
    counted.map(process_at).collect()
}

/// Makes the findings of a rule in those processes remarks: another finding there says more.
pub(super) fn remark(found: &mut [Finding], id: &str, processes: &[(String, String)]) {
    let own = found.iter_mut().filter(|finding| finding.id == id);
    for finding in own.filter(|finding| processes.contains(&process_at(finding))) {
        finding.layer = Layer::Hint;
    }
}
