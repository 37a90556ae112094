//! Who else uses the CPUs that a process may use: all processes of the host, watched or not, by their own counts.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::proc::cpus::allowed_list;
use crate::proc::find::stat_of;
use crate::proc::stat::ticks_to_seconds;
use crate::proc::{Pid, name, pids, script};

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
    /// What an interpreter runs; empty of other programs.
    script: String,
    pid: Pid,
    used: f64,
}

impl Neighbour {
    pub(super) fn told(&self) -> Value {
        let used = (self.used * 1e3).round() / 1e3;
        json!({ "process": self.name, "script": self.script, "pid": self.pid, "cpu": used })
    }
}

/// Those that used most of the CPUs that a process may use, the most first; not itself, nor its workers.
pub(super) fn around(own: &BTreeSet<Pid>, root: Pid) -> Vec<Neighbour> {
    let began = Instant::now();
    let before = all();
    thread::sleep(APART);
    let lasted_s = began.elapsed().as_secs_f64();
    let allowed = allowed_list(root);
    let mut busy = used(&before, &all(), lasted_s);
    let is_own = |pid: Pid| own.contains(&pid) || pid == std::process::id();
    busy.retain(|(pid, used)| *used >= LEAST && !is_own(*pid) && shares(&allowed, *pid));
    let told = busy.into_iter().take(TOLD).filter_map(|(pid, used)| {
        let name = name::entity_name(pid)?;
        let script = script::of(pid).unwrap_or_default();
        Some(Neighbour {
            name,
            script,
            pid,
            used,
        })
    });
    told.collect()
}

/// CPUs that each process used between two looks, the most first.
fn used(before: &CpuTimes, now: &CpuTimes, lasted_s: f64) -> Vec<(Pid, f64)> {
    let both = now.iter().filter_map(|(key, now_s)| {
        let used_s = now_s - before.get(key)?;
        Some((key.0, used_s / lasted_s.max(1e-9)))
    });
    let mut all: Vec<(Pid, f64)> = both.collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

/// CPU time of each process, s, with its start: a number may be another's by then.
type CpuTimes = BTreeMap<(Pid, u64), f64>;

fn all() -> CpuTimes {
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
    fn what_was_used_between_two_looks_is_told_the_most_first() {
        let times = |all: &[(Pid, u64, f64)]| -> CpuTimes {
            all.iter()
                .map(|(pid, start, s)| ((*pid, *start), *s))
                .collect()
        };
        let before = times(&[(1, 10, 5.0), (2, 10, 1.0), (3, 10, 9.0)]);
        // 3 has ended, and its number is another's; 4 came up meanwhile.
        let now = times(&[(1, 10, 5.1), (2, 10, 1.4), (3, 99, 0.5), (4, 20, 0.3)]);
        let told = used(&before, &now, 0.5);
        assert_eq!(told.iter().map(|(pid, _)| *pid).collect::<Vec<_>>(), [2, 1]);
        assert!((told[0].1 - 0.8).abs() < 1e-9);
    }

    #[test]
    fn who_is_busy_on_the_same_cpu_is_seen_and_who_is_elsewhere_shares_none() {
        let cpus = allowed_list(std::process::id());
        let mut neighbour = on(cpus[0], &["sh", "-c", "while :; do :; done"]);
        let mut others: Vec<Child> = cpus.iter().map(|cpu| on(*cpu, &["sleep", "60"])).collect();
        // taskset binds itself, and becomes the program then.
        let bound = |child: &Child, cpu: usize| {
            while allowed_list(child.id()) != [cpu] {
                thread::sleep(Duration::from_millis(10));
            }
        };
        bound(&neighbour, cpus[0]);
        let beside: Vec<bool> = others
            .iter()
            .zip(&cpus)
            .map(|(other, cpu)| {
                bound(other, *cpu);
                shares(&allowed_list(other.id()), neighbour.id())
            })
            .collect();
        let before = all();
        // However little a busy host gives it.
        let is_seen = |_: usize| {
            thread::sleep(APART);
            let now = used(&before, &all(), 1.0);
            now.iter()
                .any(|(pid, used)| *pid == neighbour.id() && *used > 0.0)
        };
        let seen = (0..100).any(is_seen);
        for child in others.iter_mut().chain([&mut neighbour]) {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(seen);
        assert!(beside[0]);
        assert!(beside[1..].iter().all(|shares| !shares), "{beside:?}");
    }
}
