//! How much CPU a process wants, of what it may use.

use std::time::Instant;

use super::Pid;
use super::cpus::available;
use super::file::read;
use super::stat::parse_times;

/// A process' demand for CPU from one moment on.
pub(crate) struct CpuDemand {
    pid: Pid,
    /// CPUs it may use.
    limit: f64,
    wanted_s: f64,
    began: Instant,
}

impl CpuDemand {
    /// Begins to look; none where its threads or the CPUs cannot be seen.
    pub(crate) fn begin(pid: Pid) -> Option<Self> {
        Some(Self {
            pid,
            limit: available(pid)?,
            wanted_s: wanted_s(pid)?,
            began: Instant::now(),
        })
    }

    /// CPUs that its threads used or waited for since the beginning, of those it may use: above 1
    /// some had to wait, whoever used the CPUs.
    pub(crate) fn of_limit(&self) -> Option<f64> {
        let wanted = wanted_s(self.pid)? - self.wanted_s;
        let passed = self.began.elapsed().as_secs_f64();
        Some(wanted / (passed * self.limit).max(1e-9))
    }
}

/// Time that the threads it has now ran or were ready to (`/proc/PID/task/TID/schedstat`, the kernel's
/// sched-stats), s.
fn wanted_s(pid: Pid) -> Option<f64> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let times = threads.flatten().filter_map(|thread| {
        let text = read(thread.path().join("schedstat")).ok()?;
        parse_times(&text)
    });
    // Kernels without these statistics tell none.
    times
        .map(|(ran_s, waited_s)| ran_s + waited_s)
        .reduce(|a, b| a + b)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What a shell command wants of one CPU in a part of a second.
    fn wants(command: &str) -> Option<f64> {
        let mut shell = std::process::Command::new("sh");
        let mut child = shell.args(["-c", command]).spawn().unwrap();
        let demand = CpuDemand::begin(child.id());
        std::thread::sleep(std::time::Duration::from_millis(300));
        let wanted = demand.and_then(|demand| Some(demand.of_limit()? * demand.limit));
        child.kill().unwrap();
        child.wait().unwrap();
        wanted
    }

    #[test]
    fn a_process_that_computes_wants_a_cpu_and_one_that_sleeps_does_not() {
        // Kernels without these statistics tell nothing.
        if let Some(wanted) = wants("while :; do :; done") {
            assert!(wanted > 0.7, "{wanted}");
            assert!(wants("exec sleep 60").unwrap_or(0.0) < 0.3);
        }
        assert!(CpuDemand::begin(u32::MAX).is_none());
    }
}
