//! What the process as a whole uses, and who else wants the CPU.

use std::collections::HashMap;
use std::fs;

/// What the process uses now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Open file descriptors.
    pub descriptors: u64,
    /// TCP sockets in use on the host, time-waiting ones included: what competes for ports.
    pub ports: u64,
    /// Resident memory, bytes.
    pub rss_bytes: u64,
}

/// Reads the process's usage and, on request, names the process that used most CPU.
#[derive(Debug, Default)]
pub struct ProcessMonitor {
    /// CPU ticks of every other process at the last look.
    ticks: HashMap<u32, u64>,
}

impl ProcessMonitor {
    /// Usage now.
    #[must_use]
    pub fn usage(&self) -> ProcessUsage {
        ProcessUsage {
            descriptors: descriptors(),
            ports: ports(),
            rss_bytes: rss_bytes(),
        }
    }

    /// The other process that used most CPU since the last call, as `name (pid)`; the first
    /// call only looks.
    pub fn competitor(&mut self) -> Option<String> {
        let own = std::process::id();
        let mut now = HashMap::new();
        let mut most: Option<(u64, u32, String)> = None;
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            if pid == own {
                continue;
            }
            let Some((command, ticks)) = process_ticks(pid) else {
                continue;
            };
            if let Some(before) = self.ticks.get(&pid) {
                let used = ticks.saturating_sub(*before);
                if used > most.as_ref().map_or(0, |(most, ..)| *most) {
                    most = Some((used, pid, command));
                }
            }
            now.insert(pid, ticks);
        }
        self.ticks = now;
        most.map(|(_, pid, command)| format!("{command} ({pid})"))
    }
}

/// Name and CPU ticks (user and system) of a process; see proc_pid_stat(5).
fn process_ticks(pid: u32) -> Option<(String, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold any character, also parentheses.
    let (before, after) = stat.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((name, user + system))
}

fn descriptors() -> u64 {
    fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64)
}

fn rss_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = statm
        .split_ascii_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok());
    // SAFETY: a plain query.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.unwrap_or(0) * u64::try_from(page_bytes).unwrap_or(4096)
}

/// TCP sockets in use and in TIME_WAIT, from /proc/net/sockstat.
fn ports() -> u64 {
    let stat = fs::read_to_string("/proc/net/sockstat").unwrap_or_default();
    let Some(line) = stat.lines().find(|line| line.starts_with("TCP:")) else {
        return 0;
    };
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let value = |name: &str| {
        let at = fields.iter().position(|field| *field == name)?;
        fields.get(at + 1)?.parse::<u64>().ok()
    };
    value("inuse").unwrap_or(0) + value("tw").unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn this_process_has_descriptors_and_memory() {
        let usage = ProcessMonitor::default().usage();
        assert!(usage.descriptors >= 3 && usage.rss_bytes > 100_000);
    }

    #[test]
    fn the_busiest_other_process_is_named() {
        let mut monitor = ProcessMonitor::default();
        let mut busy = std::process::Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        assert_eq!(monitor.competitor(), None);
        let own_ticks = |pid| process_ticks(pid).unwrap().1;
        while own_ticks(busy.id()) < 30 {
            std::thread::yield_now();
        }
        let named = monitor.competitor();
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(named.is_some(), "somebody else used CPU");
    }
}
