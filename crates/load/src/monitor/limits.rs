//! What the system allows this process.

use std::fs;
use std::path::Path;

/// What the process may use.
///
/// ```
/// use plimsoll_load::monitor::Allowance;
///
/// // Two CPUs by the affinity mask, one and a half by the quota.
/// let allowed = Allowance { cpus: vec![0, 1], quota_cpus: Some(1.5), ..Allowance::read() };
/// assert_eq!(allowed.threads(), 2);
/// assert!((allowed.cpu_share_of(2) - 0.75).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Allowance {
    /// CPUs of the affinity mask.
    pub cpus: Vec<usize>,
    /// CPUs' worth of time by the control group's quota, if one is set.
    pub quota_cpus: Option<f64>,
    /// Most file descriptors.
    pub descriptors: u64,
    /// Local ports for outgoing connections to one address.
    pub ports: u64,
    /// Most resident memory, bytes; 0: unknown.
    pub memory_bytes: u64,
}

impl Allowance {
    /// What is allowed now.
    #[must_use]
    pub fn read() -> Self {
        Self {
            cpus: affinity(),
            quota_cpus: quota_cpus(),
            descriptors: descriptor_limits().0,
            ports: port_range(),
            memory_bytes: memory_limit(),
        }
    }

    /// Load threads that have a CPU of their own.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn threads(&self) -> usize {
        let by_quota = self
            .quota_cpus
            .map_or(usize::MAX, |quota| quota.ceil().max(1.0) as usize);
        self.cpus.len().min(by_quota).max(1)
    }

    /// The share of one CPU that each of `threads` load threads may use.
    #[must_use]
    #[expect(clippy::cast_precision_loss)]
    pub fn cpu_share_of(&self, threads: usize) -> f64 {
        let cpus = self
            .quota_cpus
            .unwrap_or(f64::MAX)
            .min(self.cpus.len() as f64);
        (cpus / threads.max(1) as f64).clamp(0.01, 1.0)
    }
}

fn affinity() -> Vec<usize> {
    // SAFETY: an all-zero set is valid; the call fills it within its size, and CPU_ISSET
    // stays in it for indices below CPU_SETSIZE.
    let cpus: Vec<usize> = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        (0..libc::CPU_SETSIZE as usize)
            .filter(|cpu| libc::CPU_ISSET(*cpu, &set))
            .collect()
    };
    if cpus.is_empty() { vec![0] } else { cpus }
}

/// Soft and hard limit of file descriptors.
fn descriptor_limits() -> (u64, u64) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is a valid rlimit.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    (limit.rlim_cur, limit.rlim_max)
}

/// Raises the limit of file descriptors as far as it may be; gives what is allowed then.
pub fn raise_descriptor_limit() -> u64 {
    let (soft, hard) = descriptor_limits();
    if soft < hard {
        let wanted = libc::rlimit {
            rlim_cur: hard,
            rlim_max: hard,
        };
        // SAFETY: `wanted` is a valid rlimit; when it is refused the old one stays.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const wanted) };
    }
    descriptor_limits().0
}

fn port_range() -> u64 {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let mut ends = range
        .split_ascii_whitespace()
        .filter_map(|end| end.parse::<u64>().ok());
    match (ends.next(), ends.next()) {
        (Some(low), Some(high)) if high >= low => high - low + 1,
        _ => 0,
    }
}

/// The folder of this process's control group for a controller, v2 first, then v1.
fn cgroup_folders(controller: &str) -> Vec<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut folders = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = path.trim_end_matches('/');
        if controllers.is_empty() {
            folders.push(format!("/sys/fs/cgroup{path}"));
        } else if controllers.split(',').any(|name| name == controller) {
            folders.push(format!("/sys/fs/cgroup/{controller}{path}"));
            // In a container the group's own path is mounted at the root.
            folders.push(format!("/sys/fs/cgroup/{controller}"));
        }
    }
    folders
}

/// The smallest quota of this process's group and those around it, which hold for it too.
fn quota_cpus() -> Option<f64> {
    let folders = cgroup_folders("cpu");
    let around = folders.iter().flat_map(|folder| {
        let all = Path::new(folder).ancestors();
        all.take_while(|folder| folder.starts_with("/sys/fs/cgroup"))
    });
    around.filter_map(quota_of).reduce(f64::min)
}

/// The quota of a control group, if it has one: v2, then v1.
fn quota_of(folder: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let pair = read("cpu.max").or_else(|| {
        let (quota, period) = (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?);
        Some(format!("{} {}", quota.trim(), period.trim()))
    });
    parse_quota(&pair?)
}

/// `quota period` in microseconds; `max` or a negative quota is none.
fn parse_quota(pair: &str) -> Option<f64> {
    let mut fields = pair.split_ascii_whitespace();
    let quota: f64 = fields.next()?.parse().ok()?;
    let period: f64 = fields.next()?.parse().ok()?;
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

fn memory_limit() -> u64 {
    let physical = fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_ascii_whitespace()
            .nth(1)?
            .parse::<u64>()
            .ok()
            .map(|kib| kib * 1024)
    });
    let by_group = cgroup_folders("memory").into_iter().find_map(|folder| {
        let read = |name: &str| fs::read_to_string(format!("{folder}/{name}")).ok();
        let limit = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?;
        limit.trim().parse::<u64>().ok()
    });
    match (physical, by_group) {
        (Some(physical), Some(group)) => physical.min(group),
        (one, other) => one.or(other).unwrap_or(0),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_has_no_files_has_no_quota() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        assert_eq!(quota_of(dir.path()), None);
        write("cpu.cfs_quota_us", "50000\n");
        assert_eq!(quota_of(dir.path()), None);
        write("cpu.cfs_period_us", "100000\n");
        assert_eq!(quota_of(dir.path()), Some(0.5));
        write("cpu.max", "max 100000\n");
        assert_eq!(quota_of(dir.path()), None);
    }

    #[test]
    fn quotas_of_both_versions_are_read() {
        assert_eq!(parse_quota("150000 100000\n"), Some(1.5));
        assert_eq!(parse_quota("max 100000"), None);
        assert_eq!(parse_quota("-1 100000"), None);
    }

    #[test]
    fn threads_follow_affinity_and_quota() {
        let allowance = Allowance {
            cpus: vec![0, 1, 2, 3],
            quota_cpus: Some(1.5),
            descriptors: 1024,
            ports: 28_232,
            memory_bytes: 0,
        };
        assert_eq!(allowance.threads(), 2);
        assert!((allowance.cpu_share_of(2) - 0.75).abs() < 1e-9);
        let free = Allowance {
            quota_cpus: None,
            ..allowance
        };
        assert_eq!(free.threads(), 4);
        assert!((free.cpu_share_of(2) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn this_process_may_use_something() {
        let allowance = Allowance::read();
        assert!(!allowance.cpus.is_empty() && allowance.descriptors > 0);
    }
}
