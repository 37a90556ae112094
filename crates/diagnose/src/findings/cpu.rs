//! A process or host whose CPU is saturated. That is as it should be where the work is useful;
//! rules that find waste in it stand before this one.

use plimsoll_stats::names;
use plimsoll_text::Message;

use super::Rule;
use super::host_cpu::is_taken;
use super::support::{profiles, used_exhibit, with_example};
use crate::about::object;
use crate::cpu::{CpuUse, HOST_FULL, cpus, of_processes};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::{is_database, process_of};
use crate::scene::Scene;
use crate::stacks::{Profiled, SeenThread, Stacks};
use crate::throttled::{self, QuotaStops};

pub const RULE: Rule = Rule {
    ids: &["cpu", "database_cpu", "proxy_cpu", "cache_cpu"],
    refuted_by: "a CPU with room, or periods in which no quota stops the process",
    look,
};

/// A quota that stops a process in so much of its periods, while so many CPUs have nothing to do, is what limits.
const HELD_BACK: f64 = 0.25;
const ROOM: f64 = 0.25;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let all = of_processes(scene).into_iter();
    let full = all.filter(|cpu| cpu.is_full() || is_pressed(scene, cpu));
    full.filter(|cpu| !is_taken(scene, cpu))
        .map(|cpu| finding(scene, &cpu))
        .collect()
}

/// A host that is busy to this share has hardly a CPU left when several are wanted at once.
const PRESSED: f64 = 0.8;
/// So much of what it may use a process needs to have, for the press to be its own.
const MOST_OF_IT: f64 = 0.5;

/// Whether requests wait for each other, no place lets only so many work at a time, and a process that has most of a busy
/// host's CPUs wants more of them than there are: what comes in bursts waits for a CPU before the CPUs are used up.
fn is_pressed(scene: &Scene<'_>, cpu: &CpuUse) -> bool {
    let Some(account) = scene.account() else {
        return false;
    };
    let times = account.together.times.as_ref();
    times.is_some_and(|times| !times.is_apart())
        && account.plateaus.is_empty()
        && cpu.host_used >= PRESSED
        && cpu.used >= MOST_OF_IT * cpu.limit
        && cpu.used + cpu.waits >= cpu.limit
}

fn finding(scene: &Scene<'_>, cpu: &CpuUse) -> Finding {
    let name = cpu.process.name.as_str();
    let (id, kind) = match name {
        name if is_database(name) => ("database_cpu", "database"),
        name if name.starts_with("nginx") || name.starts_with("openresty") => {
            ("proxy_cpu", "proxy")
        }
        name if name.starts_with("redis") || name.starts_with("valkey") => ("cache_cpu", "cache"),
        _ => ("cpu", "process"),
    };
    let stacks = scene.stacks();
    let own = stacks
        .iter()
        .find(|stacks| process_of(scene, &stacks.jvm).is_some_and(|p| p == cpu.process));
    let explains = Explains::new(cpu.explains(), ShareOf::Throughput);
    let about = object(kind, name, &cpu.process);
    let demand = scene.demand_exhibit(&about);
    // Hardware that is full is as it should be; a setting that stops the process while CPUs are idle is not.
    let held_back = is_held_back(scene, cpu);
    let finding = Finding::new(id, Layer::Resource, about, explains)
        .with("by", if held_back { "quota" } else { "work" })
        .with("used", hundredths(cpu.used))
        .with("limit", hundredths(cpu.limit))
        .shows_all(evidence(scene, cpu, own))
        .shows_all(demand)
        .advises(advice(scene, cpu));
    Finding {
        healthy: !held_back,
        confidence: if cpu.utilization() < 0.85 { 0.7 } else { 0.9 },
        source: "utilization law, Denning and Buzen 1978; USE method, Gregg 2012",
        ..finding
    }
}

/// Whether a quota stops it while CPUs have nothing to do.
fn is_held_back(scene: &Scene<'_>, cpu: &CpuUse) -> bool {
    let idle = cpus(scene, &cpu.process.host).unwrap_or(cpu.limit) * (1.0 - cpu.host_used);
    cpu.quota && cpu.throttled >= HELD_BACK && idle >= ROOM
}

/// Whether such a quota is less than one CPU: then it stops whatever the process computes, and says more than what that
/// is.
pub(super) fn is_starved(scene: &Scene<'_>, cpu: &CpuUse) -> bool {
    cpu.limit < 1.0 && is_held_back(scene, cpu)
}

fn evidence(scene: &Scene<'_>, cpu: &CpuUse, stacks: Option<&Stacks>) -> Vec<Exhibit> {
    let mut evidence = vec![used_exhibit(cpu)];
    if cpu.throttled > 0.0 {
        let text = Message::new("exhibit-throttled").with("percent", percent(cpu.throttled));
        evidence.push(Exhibit::new(text).series(names::host::CGROUP_THROTTLED_PERIODS));
    }
    let stops = throttled::stops(scene, &cpu.process);
    evidence.extend(stops.map(|stops| stops_exhibit(&stops)));
    if cpu.waits >= 0.1 {
        let text = Message::new("exhibit-cpu-waits").with("seconds", hundredths(cpu.waits));
        evidence.push(Exhibit::new(text).series(names::process::CPU_WAIT));
    }
    let demand_ms = cpu.used / scene.throughput_per_s().max(1e-9) * 1e3;
    let text = Message::new("exhibit-demand")
        .with("ms", hundredths(demand_ms))
        .with("bound", (cpu.limit / (demand_ms / 1e3).max(1e-9)).round());
    evidence.push(Exhibit::new(text).series(names::process::CPU_TIME));
    evidence.extend(hot(scene, cpu, stacks));
    evidence
}

/// Which share of the requests a quota stops, and for how long.
pub(super) fn stops_exhibit(stops: &QuotaStops) -> Exhibit {
    let text = Message::new("exhibit-quota-stops")
        .with("percent", percent(stops.periods))
        .with("ms", tenths(stops.stop_s * 1e3))
        .with("requests", percent(stops.requests));
    Exhibit::new(text).series(names::host::CGROUP_THROTTLED_TIME)
}

/// The application's own call that most of the CPU time is spent in: by a profile, where there is
/// one that shows any, else by the dumps.
fn hot(scene: &Scene<'_>, cpu: &CpuUse, stacks: Option<&Stacks>) -> Option<Exhibit> {
    let is_of = |profile: &&Profiled| match stacks {
        Some(stacks) => profile.jvm == stacks.jvm,
        None => process_of(scene, &profile.jvm).is_some_and(|process| process == cpu.process),
    };
    let profile = profiles(scene).into_iter().find(is_of);
    let first = |stacks: &Stacks| stacks.hot_methods().into_iter().next();
    let sampled = profile.and_then(|profile| first(&profile.cpu));
    let by = match sampled {
        Some(_) => "samples",
        None => "dumps",
    };
    let hot = sampled.or_else(|| first(stacks?))?;
    let stacks = stacks.or(profile.map(|profile| &profile.cpu))?;
    let text = Message::new("exhibit-hot")
        .with("by", by)
        .with("name", hot.name.as_str())
        .with("percent", percent(hot.share));
    let inside = |seen: &SeenThread| seen.computes() && seen.is_within(&hot.name);
    Some(with_example(Exhibit::new(text), stacks, inside))
}

/// What to do for a process that uses all that it may.
pub(super) fn advice(scene: &Scene<'_>, cpu: &CpuUse) -> Advice {
    let host = cpus(scene, &cpu.process.host);
    let most = (2.0 * cpu.limit).min(host.unwrap_or(f64::INFINITY));
    // A larger quota is of use where the host has something left.
    if cpu.quota && most > cpu.limit && cpu.host_used < HOST_FULL {
        let proposed = format!("{}", hundredths(most));
        let why = Message::new("advice-cpu-quota");
        return Advice::setting(
            "cpu quota",
            Some(hundredths(cpu.limit).to_string()),
            proposed,
            why,
        );
    }
    Advice::code(Message::new("advice-cpu"))
}
