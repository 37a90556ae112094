//! How much of their CPU processes and hosts use, and whether they want more: utilisation and
//! saturation of the USE method (Gregg, "Thinking Methodically about Performance", ACM Queue
//! 10(12), 2012).

use plimsoll_stats::series::{Entity, EntityKind};

use crate::address;
use crate::scene::Scene;
use crate::stacks::Stacks;

/// A CPU is used up from this utilisation on.
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
    pub fn utilisation(&self) -> f64 {
        self.used / self.limit.max(1e-6)
    }

    /// Whether it would use more if it could.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let own = self.utilisation() >= FULL || self.quota && self.throttled >= THROTTLED;
        own || self.starved()
    }

    /// Whether the host has nothing left for it, because of what else runs there.
    #[must_use]
    pub fn starved(&self) -> bool {
        self.host_used >= HOST_FULL
            && self.waits >= self.used
            && self.waits >= WAITS * self.in_flight
    }

    /// The share of the requests in flight that is on a CPU of the process or waits for one
    /// (Little's law for the CPU), and at least its utilisation: by the utilisation law that is
    /// the share of the most throughput it can serve.
    #[must_use]
    pub fn explains(&self) -> f64 {
        let there = (self.used + self.waits) / self.in_flight.max(1e-9);
        let bound = if self.is_full() {
            self.utilisation()
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
    found.sort_by(|a, b| b.utilisation().total_cmp(&a.utilisation()));
    found
}

/// The CPU use of one process; none if it was not seen.
#[must_use]
pub fn of(scene: &Scene<'_>, process: &Entity) -> Option<CpuUse> {
    let used = scene.of(process, "process.cpu.time").mean()?;
    let quota = scene.of(process, "cgroup.cpu.limit").mean();
    let cpus = cpus(scene, &process.host);
    let rate = |name: &str| scene.of(process, name).mean().unwrap_or(0.0);
    let periods = rate("cgroup.cpu.periods");
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
        quota: quota.is_some_and(|quota| cpus.is_none_or(|cpus| quota < cpus)),
        throttled: if periods > 0.0 {
            rate("cgroup.cpu.throttled.periods") / periods
        } else {
            0.0
        },
        waits: rate("process.cpu.wait_time"),
        host_used: host_utilisation(scene, &process.host).unwrap_or(0.0),
        in_flight: scene.in_flight(),
    })
}

/// CPUs of a host.
#[must_use]
pub fn cpus(scene: &Scene<'_>, host: &str) -> Option<f64> {
    let known = scene.series("system.cpu.logical.count").on(host).last();
    known.or_else(|| scene.series("jvm.cpu.count").on(host).peak())
}

/// The share of a host's CPUs that was not idle.
#[must_use]
pub fn host_utilisation(scene: &Scene<'_>, host: &str) -> Option<f64> {
    let time = scene.series("system.cpu.time").on(host);
    let all = time.mean()?;
    let idle = time.with_any("cpu.mode", &["idle", "iowait"]).mean()?;
    (all > 0.0).then(|| 1.0 - idle / all)
}

/// The process of the thing that runs in it (a JVM, a web server, a pool): they share a name, or
/// the process has the port of its address.
#[must_use]
pub fn process_of(scene: &Scene<'_>, thing: &Entity) -> Option<Entity> {
    let processes = scene.things(EntityKind::Process);
    let same_host = || {
        processes
            .iter()
            .filter(|process| process.host == thing.host)
    };
    let named = same_host().find(|process| process.name == thing.name);
    let port = thing.name.rsplit([':', '[']).next().unwrap_or_default();
    let port = port.trim_end_matches(']');
    let by_port = || same_host().find(|process| ports(scene, process).any(|own| own == port));
    let found = named.or_else(by_port);
    found.map(|process| (**process).clone())
}

/// The ports at which a process listens: those it was seen to hold open, else the one in its name.
fn ports<'a: 'b, 'b>(scene: &Scene<'a>, process: &'b Entity) -> impl Iterator<Item = &'b str> {
    let seen = scene.fact(process, "process.listening.ports");
    let named = || process.name.rsplit(['[', ']']).nth(1);
    let ports = seen.or_else(named).unwrap_or_default();
    ports.split_ascii_whitespace()
}

/// Whether a thing, or the process that it is or is in, listens at a port.
pub(crate) fn listens_at(scene: &Scene<'_>, thing: &Entity, port: &str) -> bool {
    let process = process_of(scene, thing);
    let process = process.as_ref().unwrap_or(thing);
    ports(scene, process).any(|own| own == port)
}

/// Whether the load comes to a thing.
pub(crate) fn is_loaded(scene: &Scene<'_>, thing: &Entity) -> bool {
    let port = address::port(&scene.load().target);
    listens_at(scene, thing, &port.to_string())
}

/// The thread dumps of the JVM that is this process.
pub(crate) fn stacks_of<'a>(scene: &'a Scene<'_>, process: &Entity) -> Option<&'a Stacks> {
    let mut stacks = scene.stacks().iter();
    stacks.find(|stacks| process_of(scene, &stacks.jvm).is_some_and(|own| own == *process))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Made, thing};

    #[test]
    fn a_process_is_known_by_all_of_its_ports() {
        let process = thing(EntityKind::Process, "java[1099]");
        let made = Made::load(100.0, 100.0)
            .process("java[1099]", 0.2, 2.0)
            .process("java[1100]", 0.2, 2.0)
            .fact(&process, "process.listening.ports", "1099 8080 8081");
        let scene = made.scene();
        let found = |kind, name| process_of(&scene, &thing(kind, name));
        for (kind, name, port) in [
            (EntityKind::Jvm, "java[1099]", 1099),
            (EntityKind::Jvm, "java[8081]", 1099),
            (EntityKind::WebServer, "shop:8080", 1099),
            (EntityKind::WebServer, "shop:1100", 1100),
        ] {
            let process = thing(EntityKind::Process, &format!("java[{port}]"));
            assert_eq!(found(kind, name), Some((*process).clone()), "{name}");
        }
        assert_eq!(found(EntityKind::WebServer, "shop:8082"), None);
        let listens = |name, port| listens_at(&scene, &thing(EntityKind::Jvm, name), port);
        assert!(listens("java[1099]", "8080") && listens("java[1100]", "1100"));
        assert!(!listens("java[1099]", "1100") && !listens("java[7]", "8080"));
    }
}
