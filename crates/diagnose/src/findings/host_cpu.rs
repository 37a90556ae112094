//! CPUs of a host that are saturated by several, of which nobody watches some: what else runs there,
//! or the load generator itself.

use plimsoll_stats::names;
use plimsoll_text::Message;

use super::Rule;
use crate::about::{host_object, object};
use crate::account::thread_states;
use crate::cpu::{
    CpuUse, HOST_FULL, cpus, ended_children, host_utilization, hosts, of_processes, stolen_cpus,
};
use crate::figures::{hundredths, percent};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["cpu_taken", "host_cpu"],
    refuted_by: "idle CPUs, or threads that do not wait for one",
    look,
};

/// A process that gets less than this of what it may use, and wants more, is short of CPU because
/// of others.
const SQUEEZED: f64 = 0.6;
/// Others matter that use so much of the host.
const TAKEN: f64 = 0.25;
/// With so much in use, a host has no CPU left where its processes wait longer for one than they
/// have one: idle moments are those between the wake-ups of closed loops.
const HOST_NEARLY_FULL: f64 = 0.88;
/// A full host limits where so much of the requests wants its CPUs; others do not care.
const SHARE_WANTING_CPU: f64 = 0.5;

/// A host's CPUs and who uses them.
struct Shares {
    cpus: f64,
    /// How much of them is used by whomever, 0 to 1.
    host_used: f64,
    /// Its processes that are watched.
    processes: Vec<CpuUse>,
    /// CPUs used by these, and by others.
    watched: f64,
    others: f64,
    /// Whether others use so much that it matters.
    taken: bool,
}

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let processes = of_processes(scene);
    let squeezed = processes.iter().filter(|cpu| is_taken(scene, cpu));
    let mut found: Vec<Finding> = squeezed.filter_map(|cpu| squeezed_by(scene, cpu)).collect();
    // Where a process is at its own limit, that says more.
    let explained = |host: &str| {
        let mut on_host = processes.iter().filter(|cpu| cpu.process.host == host);
        on_host.any(CpuUse::is_full)
    };
    let full = hosts(&processes)
        .into_iter()
        .filter(|host| !explained(host));
    found.extend(full.filter_map(|host| saturated(scene, host)));
    found
}

/// Whether others on its host, which nobody watches, take the CPU that a process wants.
pub(super) fn is_taken(scene: &Scene<'_>, cpu: &CpuUse) -> bool {
    let squeezed = cpu.starved() && cpu.utilization() < SQUEEZED;
    squeezed && shares(scene, &cpu.process.host).is_some_and(|shares| shares.taken)
}

fn shares(scene: &Scene<'_>, host: &str) -> Option<Shares> {
    let cpus = cpus(scene, host)?;
    let host_used = host_utilization(scene, host)?;
    let mut processes = of_processes(scene);
    processes.retain(|cpu| cpu.process.host == host);
    // What has ended meanwhile was theirs, too: a backend for each connection, a program for each request.
    let with_ended = |cpu: &CpuUse| cpu.used + ended_children(scene, &cpu.process).unwrap_or(0.0);
    let watched: f64 = processes.iter().map(with_ended).sum();
    // What the hypervisor gave to other machines nobody here has taken.
    let stolen = stolen_cpus(scene, host).unwrap_or(0.0);
    let others = (cpus * host_used - stolen - watched).max(0.0);
    Some(Shares {
        cpus,
        host_used,
        processes,
        watched,
        others,
        taken: others >= TAKEN * cpus,
    })
}

impl Shares {
    fn exhibit(&self) -> Exhibit {
        let text = Message::new("exhibit-cpu-taken")
            .with("percent", percent(self.host_used))
            .with("watched", hundredths(self.watched))
            .with("others", hundredths(self.others));
        Exhibit::new(text).series(names::host::CPU_TIME)
    }
}

/// The other processes of the host that are watched and use CPU.
fn neighbours(scene: &Scene<'_>, shares: &Shares, own: &CpuUse) -> Vec<Exhibit> {
    let others = shares.processes.iter();
    let others = others.filter(|cpu| cpu.process != own.process && cpu.used >= 0.05);
    let shown = others.map(|cpu| {
        let text = Message::new("exhibit-cpu-of")
            .with("name", cpu.process.name.as_str())
            .with("used", hundredths(cpu.used));
        Exhibit::new(text).series(names::process::CPU_TIME)
    });
    let unwatched = thread_states(scene, &own.process).into_iter();
    let unwatched = unwatched.flat_map(|states| {
        let known = shares.processes.iter().map(|cpu| cpu.process.name.clone());
        let known: Vec<String> = known.collect();
        let others = states.neighbours.into_iter();
        others.filter(move |one| !known.contains(&one.process))
    });
    let told = unwatched.map(|one| {
        let text = Message::new("exhibit-cpu-of-unwatched")
            .with("name", one.process.as_str())
            .with("used", hundredths(one.cpu));
        Exhibit::new(text)
    });
    shown.chain(told).collect()
}

fn squeezed_by(scene: &Scene<'_>, cpu: &CpuUse) -> Option<Finding> {
    let shares = shares(scene, &cpu.process.host)?;
    let waits = Message::new("exhibit-cpu-waits").with("seconds", hundredths(cpu.waits));
    let wanting = match cpu.always_wants() {
        // Its requests queue for what its threads get; so much longer is that.
        true => cpu.waits / (cpu.used + cpu.waits),
        false => cpu.waits / cpu.in_flight.max(1e-9),
    };
    let explains = Explains::new(wanting.min(1.0), ShareOf::ResponseTime);
    let about = object("process", cpu.process.name.as_str(), &cpu.process);
    let finding = Finding::new("cpu_taken", Layer::Resource, about, explains)
        .with("used", hundredths(cpu.used))
        .shows(shares.exhibit())
        .shows(Exhibit::new(waits).series(names::process::CPU_WAIT))
        .shows_all(neighbours(scene, &shares, cpu))
        .advises(Advice::code(Message::new("advice-cpu-taken")));
    Some(Finding {
        confidence: 0.8,
        source: "USE method, Gregg 2012; run_delay in /proc/PID/task/TID/schedstat",
        ..finding
    })
}

/// A host without CPU left, none of whose processes is at its own limit.
fn saturated(scene: &Scene<'_>, host: &str) -> Option<Finding> {
    let shares = shares(scene, host)?;
    let waits: f64 = shares.processes.iter().map(|cpu| cpu.waits).sum();
    let nearly = shares.host_used >= HOST_NEARLY_FULL && waits >= shares.watched;
    if shares.host_used < HOST_FULL && !nearly {
        return None;
    }
    // Requests that are on a CPU or wait for one; and by the utilization law, how far what is
    // watched is from having the whole host.
    let wanted: f64 = shares
        .processes
        .iter()
        .map(|cpu| cpu.used + cpu.waits)
        .sum();
    let there = wanted / scene.in_flight().max(1e-9);
    let share = there.max(shares.watched / shares.cpus).min(1.0);
    let layer = match share >= SHARE_WANTING_CPU {
        true => Layer::Resource,
        false => Layer::Hint,
    };
    let explains = Explains::new(share, ShareOf::Throughput);
    let mut finding =
        Finding::new("host_cpu", layer, host_object(host), explains).shows(shares.exhibit());
    for cpu in shares.processes.iter().filter(|cpu| cpu.used >= 0.05) {
        let text = Message::new("exhibit-cpu-of")
            .with("name", cpu.process.name.as_str())
            .with("used", hundredths(cpu.used));
        finding = finding.shows(Exhibit::new(text).series(names::process::CPU_TIME));
    }
    let why = match shares.taken {
        true => "advice-cpu-taken",
        false => "advice-cpu",
    };
    Some(Finding {
        healthy: !shares.taken,
        confidence: 0.8,
        source: "USE method, Gregg 2012",
        ..finding.advises(Advice::code(Message::new(why)))
    })
}
