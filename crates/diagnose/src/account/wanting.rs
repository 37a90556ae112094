//! Requests that want a CPU and are in no thread which the kernel knows to want one.

use plimsoll_stats::names;
use plimsoll_stats::series::{Entity, EntityKind};

use super::curve::quickest_ms;
use super::seen::Whose;
use super::together::alone_ms;
use super::wire;
use crate::cpu::{self, CpuUse};
use crate::scene::Scene;

/// Where so many threads for each CPU run or want to, each request has its own, and the kernel knows them all.
const THREADS_OF_A_CPU: f64 = 2.0;

/// A process that requests are in.
pub(super) struct Wanting<'a> {
    pub whose: &'a Whose,
    /// How long they are there, ms of the response time.
    pub stays_ms: f64,
    /// Threads that run or want to, as the kernel knows.
    pub threads: f64,
}

impl Wanting<'_> {
    /// How long requests want a CPU, ms of the response time: a runtime that runs them on few threads
    /// (goroutines, event loops) keeps a queue of its own. Where all CPUs that the process may use are in use, what
    /// a request takes longer than the quickest did is that queue, as far as a quota stopped the process that
    /// long.
    pub fn cpu_ms(&self, scene: &Scene<'_>) -> f64 {
        let (process, host) = (self.whose.process.as_str(), self.whose.host.as_str());
        let process = Entity::new(EntityKind::Process, process, host);
        let Some(used) = cpu::of(scene, &process).filter(uses_all) else {
            return 0.0;
        };
        let cpus = cpu::cpus(scene, &self.whose.host).unwrap_or(used.limit);
        if self.threads > THREADS_OF_A_CPU * cpus.max(1.0) {
            return 0.0;
        }
        let most_ms = match used.quota && !used.starved() {
            true => stopped(scene, &process).map_or(f64::INFINITY, |share| share * self.stays_ms),
            false => f64::INFINITY,
        };
        self.longer_ms(scene).min(most_ms)
    }

    /// What requests are there longer than one that finds few others, ms of the response time. Without any such all of it
    /// may be a pause.
    fn longer_ms(&self, scene: &Scene<'_>) -> f64 {
        let seen = wire::read(scene).and_then(|wire| wire.process(self.whose));
        let by_packets = || {
            let stay_ms = seen?.in_flight.mean / seen?.requests_per_s * 1e3;
            Some(alone_ms(&seen?.times_by_number)? / stay_ms)
        };
        let by_load = quickest_ms(scene).map(|quickest| quickest / (scene.service_s() * 1e3));
        let alone = by_load.into_iter().chain(by_packets());
        let share = alone.filter(|share| share.is_finite()).reduce(f64::min);
        share.map_or(0.0, |alone| (1.0 - alone).max(0.0) * self.stays_ms)
    }
}

/// Whether nothing is left of the CPUs that a process may use: by itself, or with others on its host.
fn uses_all(used: &CpuUse) -> bool {
    used.is_full() || used.host_used >= cpu::HOST_FULL && used.wants_all()
}

/// The share of the time in which a quota stops a process; none where nobody counted it. The kernel counts the
/// time of each CPU, so that more than all of the time is all.
fn stopped(scene: &Scene<'_>, process: &Entity) -> Option<f64> {
    let stopped = scene.of(process, names::host::CGROUP_THROTTLED_TIME);
    stopped.mean().map(|share| share.clamp(0.0, 1.0))
}
