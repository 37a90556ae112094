//! What the calling thread used.

use std::fs;

/// What a thread used since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadUsage {
    /// CPU, user and system, ns.
    pub cpu_ns: u64,
    /// Time it was ready to run and waited for a CPU, ns; 0 where the kernel does not say.
    pub runqueue_wait_ns: u64,
}

impl ThreadUsage {
    /// What was used when `part` of `whole` had passed since `before`, if it was used evenly.
    #[must_use]
    pub fn at(self, before: Self, part: u64, whole: u64) -> Self {
        let along = |before: u64, now: u64| {
            let used = u128::from(now.saturating_sub(before));
            let used = used * u128::from(part.min(whole)) / u128::from(whole.max(1));
            before + u64::try_from(used).unwrap_or(u64::MAX)
        };
        Self {
            cpu_ns: along(before.cpu_ns, self.cpu_ns),
            runqueue_wait_ns: along(before.runqueue_wait_ns, self.runqueue_wait_ns),
        }
    }
}

/// Usage of the calling thread.
#[must_use]
pub fn thread_usage() -> ThreadUsage {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    let cpu_ns = time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned();
    // "cpu time, run-queue wait, time slices" (Documentation/scheduler/sched-stats.rst).
    let wait = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let runqueue_wait_ns = wait
        .and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0);
    ThreadUsage {
        cpu_ns,
        runqueue_wait_ns,
    }
}

/// The kernel's number of the calling thread.
#[must_use]
pub fn thread_id() -> i32 {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

/// CPU that a thread of this process has used, user and system, ns; 0 if it has ended.
#[must_use]
pub fn thread_cpu_ns(thread: i32) -> u64 {
    let line = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat"));
    let first = |line: String| line.split_ascii_whitespace().next()?.parse().ok();
    line.ok().and_then(first).unwrap_or(0)
}

/// Keeps the calling thread on one CPU; says whether the system agreed.
pub fn pin_to(cpu: usize) -> bool {
    // SAFETY: an all-zero set is the empty one, CPU_SET stays in it for the index checked
    // here, and the size given is the set's.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if cpu >= libc::CPU_SETSIZE as usize {
            return false;
        }
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_seen_as_cpu_time() {
        let before = thread_usage();
        let mut sum = 0_u64;
        while thread_usage().cpu_ns - before.cpu_ns < 2_000_000 {
            sum = sum.wrapping_add(1);
        }
        assert!(thread_usage().cpu_ns > before.cpu_ns && sum > 0);
    }
}
