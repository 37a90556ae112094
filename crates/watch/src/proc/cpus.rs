//! CPUs that a process may use.

use super::Pid;
use super::cgroup::ProcessCgroups;
use super::file::read;

/// The numbers in a list such as `0-3,8`.
pub(crate) fn listed(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().take(MAX_CPUS).collect()
}

/// No host has more.
const MAX_CPUS: usize = 1 << 16;

/// The least of its quota, its affinity (with its CPU set) and its host's CPUs.
pub(crate) fn available(pid: Pid) -> Option<f64> {
    let membership = read(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let mounts = read("/proc/self/mountinfo").unwrap_or_default();
    let quota = ProcessCgroups::locate(&membership, &mounts).limits().cpu;
    let cpus = allowed(pid)?;
    Some(quota.map_or(cpus, |quota| quota.min(cpus)))
}

/// The CPUs that its affinity names; none where it cannot be read.
pub(crate) fn allowed_list(pid: Pid) -> Vec<usize> {
    let status = read(format!("/proc/{pid}/status")).unwrap_or_default();
    let mut lines = status.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.map(listed).unwrap_or_default()
}

/// CPUs of the host that its affinity allows.
fn allowed(pid: Pid) -> Option<f64> {
    let online = listed(&read("/sys/devices/system/cpu/online").unwrap_or_default());
    let allowed = allowed_list(pid);
    // A list may name CPUs that there are not.
    let there = allowed
        .iter()
        .filter(|cpu| online.is_empty() || online.contains(cpu));
    #[expect(clippy::cast_precision_loss, reason = "CPUs of a host")]
    let count = there.count() as f64;
    (count > 0.0).then_some(count)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cpus_come_in_ranges() {
        assert_eq!(listed("0-2,5\n"), [0, 1, 2, 5]);
        assert!(listed("").is_empty());
    }

    #[test]
    fn who_is_bound_to_a_cpu_has_one() {
        let mut command = std::process::Command::new("taskset");
        let mut child = command.args(["-c", "0", "sleep", "60"]).spawn().unwrap();
        // Until then it is taskset itself.
        let bound = (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            available(child.id()) == Some(1.0)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(bound);
        assert!(available(std::process::id()).unwrap() > 0.0);
        assert_eq!(available(u32::MAX), None);
    }

    proptest! {
        #[test]
        fn never_panics(list in "([0-9]{1,6}|-|,| |.){0,12}") {
            let _ = listed(&list);
        }
    }
}
