//! Threads that are ready to run and get no CPU, since others are on those that they may use (affinity, a CPU set),
//! though the host has CPUs that nobody uses.

use plimsoll_stats::names;
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::host_cpu::is_taken;
use crate::about::object;
use crate::account::{Account, CpuNeighbour, ThreadStates, thread_states};
use crate::cpu::{self, CpuUse};
use crate::figures::{counted, hundredths, percent};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "cpu_shared";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a CPU that nobody else uses, or threads that do not wait for it",
    look,
};

/// So many of the process' threads want a CPU at a time, and at least as many as have one.
const WANTING: f64 = 0.3;
/// Others use so much of what it may use, and with it nearly all of that.
const TAKEN: f64 = 0.25;
const ALL: f64 = 0.85;
/// A quota that stops a process in so much of its periods makes its threads wait, too.
const THROTTLED: f64 = 0.05;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let all = scene.things(EntityKind::Process).into_iter();
    let on_way = all.filter(|process| account.depth(&process.host, &process.name).is_some());
    on_way
        .filter_map(|process| of(scene, account, &process))
        .collect()
}

/// Threads of a process on a CPU, and those that want one.
fn running(states: &ThreadStates) -> (f64, f64) {
    let serving = states.serving();
    serving.fold((0.0, 0.0), |(running, wanting), class| {
        (running + class.running, wanting + class.runnable)
    })
}

fn of(scene: &Scene<'_>, account: &Account, process: &Entity) -> Option<Finding> {
    let states = thread_states(scene, process)?;
    let cpu = cpu::of(scene, process)?;
    let (runs, wants) = running(&states);
    // Who serves the same requests has its own part in the account, and is no stranger: by its port, or as a worker of a
    // program on the way.
    let is_other = |one: &&CpuNeighbour| {
        let serves = account.way.iter().any(|(_, name, _)| {
            let is_worker = *name != process.name && program(name) == program(&one.process);
            *name == one.process || place(name) == place(&one.process) || is_worker
        });
        !serves && !one.process.starts_with("plimsoll")
    };
    let others: Vec<&CpuNeighbour> = states.neighbours.iter().filter(is_other).collect();
    let taken: f64 = others.iter().map(|one| one.cpu).sum();
    let is_short = wants >= WANTING && wants >= runs;
    let is_theirs = taken >= TAKEN * cpu.limit && runs + taken >= ALL * cpu.limit;
    if !is_short || !is_theirs || cpu.throttled >= THROTTLED || is_taken(scene, &cpu) {
        return None;
    }
    Some(finding(account, &cpu, (runs, wants), &others))
}

fn program(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// The port of a process, or its number.
fn place(name: &str) -> &str {
    name.split('[').nth(1).unwrap_or(name)
}

fn finding(
    account: &Account,
    cpu: &CpuUse,
    (runs, wants): (f64, f64),
    others: &[&CpuNeighbour],
) -> Finding {
    let name = cpu.process.name.as_str();
    // Where its threads want a CPU all the time its requests queue for what they get; so much longer is that.
    let wanting = match runs + wants >= ALL * cpu.limit && cpu.limit <= 1.0 {
        true => wants / (runs + wants),
        false => wants / account.in_flight.max(1e-9),
    };
    let shows = Message::new("exhibit-cpu-shared")
        .with("process", name)
        .with("running", hundredths(runs))
        .with("wanting", hundredths(wants))
        .with("cpus", hundredths(cpu.limit));
    let told = others.iter().map(|one| {
        let text = Message::new("exhibit-cpu-shared-by")
            .with("name", one.told())
            .with("used", hundredths(one.cpu));
        Exhibit::new(text)
    });
    let idle = Message::new("exhibit-host-idle").with("percent", percent(1.0 - cpu.host_used));
    let explains = Explains::new(wanting.min(1.0), ShareOf::ResponseTime);
    #[expect(clippy::cast_precision_loss, reason = "a few neighbours")]
    let number = others.len() as f64;
    let finding = Finding::new(
        ID,
        Layer::Cause,
        object("process", name, &cpu.process),
        explains,
    )
    .with("number", counted(number))
    .with(
        "first",
        others.first().map_or_else(String::new, |one| one.told()),
    )
    .with("cpus", hundredths(cpu.limit))
    .with("share", percent(wants / (runs + wants).max(1e-9)))
    .shows(Exhibit::new(shows).series(names::process::CPU_WAIT))
    .shows_all(told)
    .shows(Exhibit::new(idle).series(names::host::CPU_TIME))
    .advises(Advice::code(Message::new("advice-cpu-shared")));
    Finding {
        confidence: 0.9,
        source: "run_delay in /proc/PID/task/TID/schedstat; sched_setaffinity(2); cpuset(7)",
        ..finding
    }
}
