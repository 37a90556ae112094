//! Who else uses the CPUs that a process may use: all processes of the host, watched or not, by their own counts.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::proc::cpus::allowed_list;
use crate::proc::find::stat_of;
use crate::proc::stat::ticks_to_seconds;
use crate::proc::{Pid, name, pids};

/// Two looks are so far apart: some clock ticks.
const APART: Duration = Duration::from_millis(300);
/// Who uses less of a CPU is not told, nor are more than so many.
const LEAST: f64 = 0.1;
const TOLD: usize = 5;
/// Of a host with more processes a part is looked at.
const MAX_PROCESSES: usize = 5_000;

/// A process beside another, and the CPUs that it uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Neighbour {
    name: String,
    pid: Pid,
    used: f64,
}

impl Neighbour {
    pub(super) fn told(&self) -> Value {
        let used = (self.used * 1e3).round() / 1e3;
        json!({ "process": self.name, "pid": self.pid, "cpu": used })
    }
}

/// Those that used most of the CPUs that a process may use, the most first; not itself, nor its workers.
pub(super) fn around(own: &BTreeSet<Pid>, root: Pid) -> Vec<Neighbour> {
    let began = Instant::now();
    let before = all();
    thread::sleep(APART);
    let lasted_s = began.elapsed().as_secs_f64();
    let allowed = allowed_list(root);
    let busy = all().into_iter().filter_map(|(key, now_s)| {
        let used = (now_s - before.get(&key)?) / lasted_s;
        let pid = key.0;
        let beside = used >= LEAST && !own.contains(&pid) && pid != std::process::id();
        (beside && shares(&allowed, pid)).then_some((pid, used))
    });
    let mut busy: Vec<(Pid, f64)> = busy.collect();
    busy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let told = busy.into_iter().take(TOLD).filter_map(|(pid, used)| {
        let name = name::entity_name(pid)?;
        Some(Neighbour { name, pid, used })
    });
    told.collect()
}

/// CPU time of each process, with its start: a number may be another's by then.
fn all() -> BTreeMap<(Pid, u64), f64> {
    let seen = pids().into_iter().take(MAX_PROCESSES).filter_map(|pid| {
        let stat = stat_of(pid)?;
        let used_s = ticks_to_seconds(stat.user_ticks + stat.system_ticks);
        Some(((pid, stat.start_ticks), used_s))
    });
    seen.collect()
}

/// Whether a process may run on one of those CPUs.
fn shares(allowed: &[usize], pid: Pid) -> bool {
    let its = allowed_list(pid);
    allowed.is_empty() || its.is_empty() || its.iter().any(|cpu| allowed.contains(cpu))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn on(cpu: usize, program: &[&str]) -> Child {
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu.to_string()]).args(program);
        command.spawn().unwrap()
    }

    #[test]
    fn who_is_busy_on_the_same_cpu_is_named_and_who_is_elsewhere_is_not() {
        let cpus = allowed_list(std::process::id());
        let busy = ["sh", "-c", "while :; do :; done"];
        let mut neighbour = on(cpus[0], &busy);
        let mut own = on(cpus[0], &["sleep", "60"]);
        let is_named = |own: &Child| {
            let found = around(&BTreeSet::from([own.id()]), own.id());
            found
                .iter()
                .any(|one| one.pid == neighbour.id() && one.name.starts_with("sh["))
        };
        // Until it is bound to its CPU, and on a busy host.
        let named = (0..50).any(|_| is_named(&own));
        let elsewhere = cpus.get(1).map(|cpu| {
            let mut other = on(*cpu, &["sleep", "60"]);
            while allowed_list(other.id()) != [*cpu] {
                thread::sleep(Duration::from_millis(10));
            }
            let named = is_named(&other);
            other.kill().unwrap();
            other.wait().unwrap();
            named
        });
        for child in [&mut neighbour, &mut own] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(named);
        assert_ne!(elsewhere, Some(true));
    }
}
