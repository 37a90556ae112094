//! How much of their CPU processes and hosts use, and whether they want more: utilization and
//! saturation of the USE method (Gregg, "Thinking Methodically about Performance", ACM Queue
//! 10(12), 2012).

use std::collections::BTreeSet;

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};

use crate::scene::Scene;

/// A CPU is saturated from this utilization on.
const FULL: f64 = 0.85;
/// A control group that is stopped in this share of its periods wants more than its quota.
const THROTTLED: f64 = 0.25;
/// A host has no CPU left above this.
pub(crate) const HOST_FULL: f64 = 0.95;
/// A process is starved by others when so much of the requests in flight waits for a CPU in it.
const WAITS: f64 = 0.3;

/// CPU of one process.
#[derive(Debug, Clone)]
pub struct CpuUse {
    /// The process.
    pub process: Entity,
    /// CPUs used on average.
    pub used: f64,
    /// CPUs it may use: its quota, else those of its host.
    pub limit: f64,
    /// Whether the limit is a quota.
    pub quota: bool,
    /// Share of its periods in which the quota stopped it.
    pub throttled: f64,
    /// Seconds its threads waited for a CPU, a second.
    pub waits: f64,
    /// How much of its host's CPUs is used by whomever, 0 to 1.
    pub host_used: f64,
    /// Requests in flight, of which its threads serve a part.
    pub in_flight: f64,
}

impl CpuUse {
    /// Used of what it may use.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        self.used / self.limit.max(1e-6)
    }

    /// Whether it would use more if it could.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let own = self.utilization() >= FULL || self.quota && self.throttled >= THROTTLED;
        own || self.starved()
    }

    /// Whether the host has nothing left for it, because of what else runs there: much of the
    /// requests wants a CPU, or its threads want one nearly all of the time (a runtime that runs
    /// requests on few threads keeps a queue of its own).
    #[must_use]
    pub fn starved(&self) -> bool {
        let many_want_one = self.waits >= WAITS * self.in_flight;
        let short = self.host_used >= HOST_FULL && self.waits >= self.used;
        short && (many_want_one || self.always_wants())
    }

    /// Whether its threads are on its one CPU, or want to be, nearly all of the time. Of several
    /// CPUs that cannot be told: threads that want one at the same time may find none idle for a
    /// moment and all of them in the next.
    #[must_use]
    pub fn always_wants(&self) -> bool {
        self.limit <= 1.0 && self.wants_all()
    }

    /// Whether its threads use all that it may, or want to.
    #[must_use]
    pub fn wants_all(&self) -> bool {
        self.used + self.waits >= FULL * self.limit
    }

    /// The share of the requests in flight that is on a CPU of the process or waits for one
    /// (Little's law for the CPU), and at least its utilization: by the utilization law that is
    /// the share of the most throughput it can serve.
    #[must_use]
    pub fn explains(&self) -> f64 {
        let there = (self.used + self.waits) / self.in_flight.max(1e-9);
        let bound = if self.is_full() {
            self.utilization()
        } else {
            0.0
        };
        there.max(bound).clamp(0.0, 1.0)
    }
}

/// The CPU use of every process that was watched, most used first.
#[must_use]
pub fn of_processes(scene: &Scene<'_>) -> Vec<CpuUse> {
    let all = scene.things(EntityKind::Process).into_iter();
    let mut found: Vec<CpuUse> = all.filter_map(|process| of(scene, &process)).collect();
    found.sort_by(|a, b| b.utilization().total_cmp(&a.utilization()));
    found
}

/// The hosts of processes, each once.
#[must_use]
pub fn hosts(processes: &[CpuUse]) -> BTreeSet<&str> {
    let hosts = processes.iter().map(|cpu| cpu.process.host.as_str());
    hosts.collect()
}

/// The CPU use of one process; none if it was not seen.
#[must_use]
pub fn of(scene: &Scene<'_>, process: &Entity) -> Option<CpuUse> {
    let used = scene.of(process, names::process::CPU_TIME).mean()?;
    let quota = scene.of(process, names::host::CGROUP_CPU_LIMIT).mean();
    // Affinity and CPU sets leave fewer than the host has.
    let allowed = scene.of(process, names::process::CPU_AVAILABLE).last();
    let allowed = allowed.filter(|allowed| *allowed > 0.0);
    let host_cpus = cpus(scene, &process.host);
    let cpus = match (host_cpus, allowed) {
        (Some(host), Some(allowed)) => Some(host.min(allowed)),
        (host, allowed) => host.or(allowed),
    };
    let rate = |name: SeriesName| scene.of(process, name).mean().unwrap_or(0.0);
    let periods = rate(names::host::CGROUP_PERIODS);
    let limit = quota
        .unwrap_or(f64::INFINITY)
        .min(cpus.unwrap_or(f64::INFINITY));
    if !limit.is_finite() {
        return None;
    }
    Some(CpuUse {
        process: process.clone(),
        used,
        limit,
        // What a process may use is no more than its quota; a mean may be that off by rounding.
        quota: quota.is_some_and(|quota| {
            host_cpus.is_none_or(|host| quota < host)
                && cpus.is_none_or(|cpus| quota <= cpus * (1.0 + 1e-9))
        }),
        throttled: if periods > 0.0 {
            rate(names::host::CGROUP_THROTTLED_PERIODS) / periods
        } else {
            0.0
        },
        waits: rate(names::process::CPU_WAIT),
        host_used: host_utilization(scene, &process.host).unwrap_or(0.0),
        in_flight: scene.in_flight(),
    })
}

/// The CPUs that children of a process used which have ended; none if that was not watched.
#[must_use]
pub fn ended_children(scene: &Scene<'_>, process: &Entity) -> Option<f64> {
    scene.of(process, names::process::CHILD_CPU_TIME).mean()
}

/// CPUs of a host.
#[must_use]
pub fn cpus(scene: &Scene<'_>, host: &str) -> Option<f64> {
    let known = scene.series(names::host::CPU_COUNT).on(host).last();
    known.or_else(|| scene.series(names::jvm::CPU_COUNT).on(host).peak())
}

/// The CPUs of a virtual machine that something in it wanted while its hypervisor gave them to others.
#[must_use]
pub fn stolen_cpus(scene: &Scene<'_>, host: &str) -> Option<f64> {
    in_mode(scene, host, &["steal"])
}

/// The CPUs of a host that were used by whomever in it.
#[must_use]
pub fn busy_cpus(scene: &Scene<'_>, host: &str) -> Option<f64> {
    let all = scene.series(names::host::CPU_TIME).on(host).mean()?;
    let not_used = in_mode(scene, host, &["idle", "iowait", "steal"])?;
    Some((all - not_used).max(0.0))
}

fn in_mode(scene: &Scene<'_>, host: &str, modes: &[&str]) -> Option<f64> {
    let time = scene.series(names::host::CPU_TIME).on(host);
    time.with_any(attributes::CPU_MODE, modes).mean()
}

/// The share of a host's CPUs that was not idle.
#[must_use]
pub fn host_utilization(scene: &Scene<'_>, host: &str) -> Option<f64> {
    let all = scene.series(names::host::CPU_TIME).on(host).mean()?;
    let idle = in_mode(scene, host, &["idle", "iowait"])?;
    (all > 0.0).then(|| 1.0 - idle / all)
}
