//! Facts about the machine that makes the load.

use std::fs;

use plimsoll_load::monitor::Allowance;
use plimsoll_store::Environment;

/// What is known of this machine.
#[must_use]
pub fn environment(allowance: &Allowance) -> Environment {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let count = cpus
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    #[expect(clippy::cast_precision_loss)]
    let by_affinity = allowance.cpus.len() as f64;
    Environment {
        host_name: host_name(),
        os: os_name(),
        kernel: first_line("/proc/sys/kernel/osrelease"),
        cpu_model: field(&cpus, "model name", ':'),
        cpus: u32::try_from(count).unwrap_or(0),
        allowed_cpus: allowance
            .quota_cpus
            .map_or(by_affinity, |quota| quota.min(by_affinity)),
        memory_bytes: memory_bytes(),
    }
}

/// This machine's name.
#[must_use]
pub fn host_name() -> String {
    first_line("/proc/sys/kernel/hostname")
}

fn first_line(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

fn field(text: &str, name: &str, separator: char) -> String {
    let line = text
        .lines()
        .find(|line| line.starts_with(name))
        .unwrap_or_default();
    let value = line
        .split_once(separator)
        .map(|(_, value)| value.trim())
        .unwrap_or_default();
    value.trim_matches('"').to_owned()
}

fn os_name() -> String {
    field(
        &fs::read_to_string("/etc/os-release").unwrap_or_default(),
        "PRETTY_NAME",
        '=',
    )
}

fn memory_bytes() -> u64 {
    let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = field(&info, "MemTotal", ':');
    let kib: u64 = total.trim_end_matches("kB").trim().parse().unwrap_or(0);
    kib * 1024
}
