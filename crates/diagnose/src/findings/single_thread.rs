//! A program that does its work in fewer threads than there are CPUs: each has saturated its own,
//! and the machine has room.

use plimsoll_stats::names::{self, facts};
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::cpu::{CpuUse, of_processes};
use crate::figures::hundredths;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::processes::runtime_of;
use crate::scene::Scene;
use crate::serial::{self, Serial};

pub const RULE: Rule = Rule {
    ids: &["single_thread"],
    refuted_by: "a CPU of its own with room, or a host without any for it",
    look,
};

/// Programs with advice of their own, by how their names begin.
const PROGRAMS: &[&str] = &["nginx", "node", "python", "ruby", "redis", "valkey"];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let all = of_processes(scene).into_iter();
    all.filter_map(|cpu| Some(finding(scene, &cpu, &serial::of(scene, &cpu)?)))
        .collect()
}

fn finding(scene: &Scene<'_>, cpu: &CpuUse, serial: &Serial) -> Finding {
    let how = match serial.by_turns {
        true => "turns",
        false => "threads",
    };
    let used = Message::new("exhibit-single-thread")
        .with("how", how)
        .with("thread", serial.thread.as_str())
        .with("used", hundredths(serial.used))
        .with("cpus", serial.cpus)
        .with("limit", hundredths(cpu.limit));
    let demand_s = serial.used / scene.throughput_per_s().max(1e-9);
    let demand = Message::new("exhibit-demand")
        .with("ms", hundredths(demand_s * 1e3))
        .with("bound", (serial.cpus / demand_s.max(1e-9)).round());
    let explains = Explains::new((serial.used / serial.cpus).min(1.0), ShareOf::Throughput);
    let about = object("process", cpu.process.name.as_str(), &cpu.process);
    let steps = scene.demand_exhibit(&about);
    let finding = Finding::new("single_thread", Layer::Resource, about, explains)
        .with("how", how)
        .with("cpus", serial.cpus)
        .with("limit", hundredths(cpu.limit))
        .shows(Exhibit::new(used).series(names::process::THREAD_CPU_TIME))
        .shows(Exhibit::new(demand).series(names::process::THREAD_CPU_TIME))
        .shows_all(steps)
        .advises(advice(scene, cpu));
    Finding {
        confidence: if serial.by_turns { 0.8 } else { 0.9 },
        source: "utilization law, Denning and Buzen 1978; Amdahl 1967",
        ..finding
    }
}

fn advice(scene: &Scene<'_>, cpu: &CpuUse) -> Advice {
    let name = cpu.process.name.as_str();
    let program = runtime_of(name).unwrap_or(name);
    let known = PROGRAMS.iter().find(|known| program.starts_with(*known));
    let why = Message::new("advice-single-thread").with("program", *known.unwrap_or(&"other"));
    if known != Some(&"nginx") {
        return Advice::code(why);
    }
    let mut set = scene.facts_ending(facts::NGINX_WORKER_PROCESSES);
    let current = set.next().map(|(_, _, value)| value.to_owned());
    // As many as there are CPUs already: the connections are uneven among them.
    if current.as_deref() == Some("auto") {
        return Advice::code(why);
    }
    Advice::setting("worker_processes", current, "auto", why)
}
