//! CPUs of a virtual machine that its hypervisor gave to others while something in it wanted them.

use plimsoll_stats::names;
use plimsoll_text::Message;

use super::Rule;
use crate::about::host_object;
use crate::cpu::{CpuUse, HOST_FULL, busy_cpus, cpus, hosts, of_processes, stolen_cpus};
use crate::figures::{hundredths, percent};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "cpu_stolen";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "no steal time in /proc/stat, or idle processes of the target",
    look,
};

/// Less than this of the CPU time that the machine wanted is what any shared host takes.
const STOLEN: f64 = 0.1;
/// And less than this of a CPU matters to nobody.
const LEAST_CPUS: f64 = 0.05;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let processes = of_processes(scene);
    let hosts = hosts(&processes).into_iter();
    hosts
        .filter_map(|host| of(scene, host, &processes))
        .collect()
}

fn of(scene: &Scene<'_>, host: &str, processes: &[CpuUse]) -> Option<Finding> {
    let all = cpus(scene, host)?;
    let stolen = stolen_cpus(scene, host)?;
    let got = busy_cpus(scene, host)?;
    let wanted = got + stolen;
    if stolen < LEAST_CPUS || stolen < STOLEN * wanted {
        return None;
    }
    // Of what was taken the target lost as large a part as it has of what was given.
    let on_host = processes.iter().filter(|cpu| cpu.process.host == host);
    let watched: f64 = on_host.map(|cpu| cpu.used).sum();
    let lost = stolen * (watched / got.max(1e-9)).min(1.0);
    // Where all that there is was wanted the throughput rises by it; else who computes takes so much longer.
    let explains = match wanted >= HOST_FULL * all {
        true => Explains::new(lost / wanted, ShareOf::Throughput),
        false => Explains::new(
            (lost / scene.in_flight().max(1e-9)).min(1.0),
            ShareOf::ResponseTime,
        ),
    };
    let text = Message::new("exhibit-cpu-stolen")
        .with("stolen", hundredths(stolen))
        .with("got", hundredths(got))
        .with("cpus", hundredths(all));
    let finding = Finding::new(ID, Layer::Cause, host_object(host), explains)
        .with("stolen", percent(stolen / wanted))
        .shows(Exhibit::new(text).series(names::host::CPU_TIME))
        .advises(Advice::code(Message::new("advice-cpu-stolen")));
    Some(Finding {
        confidence: 0.9,
        source: "proc_stat(5), steal",
        ..finding
    })
}
