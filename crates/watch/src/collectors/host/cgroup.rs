//! The control group of a process, told of as its limits.

use super::area::{Area, Out};
use super::cpu::tell_pressure;
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;
use crate::proc::cgroup::{CgroupLimits, CgroupUsage, ProcessCgroups};

/// Limits are read again after so many looks.
const LIMITS_EVERY: u32 = 10;

/// The control groups that a process is in; it may be moved.
pub(crate) struct Cgroup {
    membership: KeptFile,
    mounts: KeptFile,
    known: String,
    groups: ProcessCgroups,
    limits: CgroupLimits,
    looks: u32,
}

impl Cgroup {
    /// Those of a process: its number, or `self`.
    pub(crate) fn of(process: &str) -> Self {
        Self {
            membership: KeptFile::new(format!("/proc/{process}/cgroup")),
            mounts: KeptFile::new("/proc/self/mountinfo"),
            known: String::new(),
            groups: ProcessCgroups::default(),
            limits: CgroupLimits::default(),
            looks: 0,
        }
    }
}

impl Area for Cgroup {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        let membership = self.membership.text_or_trouble()?;
        if membership != self.known {
            membership.clone_into(&mut self.known);
            let mounts = self.mounts.text_or_trouble()?;
            self.groups = ProcessCgroups::locate(&self.known, mounts);
            self.looks = 0;
        }
        if self.looks.is_multiple_of(LIMITS_EVERY) {
            self.limits = self.groups.limits();
        }
        self.looks = self.looks.wrapping_add(1);
        tell(&self.groups.usage(&self.limits), out);
        for (resource, lines) in self.groups.pressure() {
            tell_pressure(&names::CGROUP_PRESSURE, resource, &lines, out);
        }
        Ok(())
    }
}

fn tell(usage: &CgroupUsage, out: &mut Out<'_>) {
    for (metric, value) in [
        (&names::CGROUP_CPU_LIMIT, usage.cpu_limit),
        (&names::CGROUP_CPU_TIME, usage.cpu_s),
        (&names::CGROUP_PERIODS, usage.periods),
        (&names::CGROUP_THROTTLED_PERIODS, usage.throttled_periods),
        (&names::CGROUP_THROTTLED_TIME, usage.throttled_s),
        (&names::CGROUP_MEMORY, usage.memory_bytes),
        (&names::CGROUP_MEMORY_LIMIT, usage.memory_limit_bytes),
        (&names::CGROUP_MEMORY_LIMITED, usage.memory_limited),
        (&names::CGROUP_MEMORY_HIGH, usage.memory_high_bytes),
        (&names::CGROUP_MEMORY_THROTTLED, usage.memory_throttled),
        (&names::CGROUP_OOM_KILLS, usage.oom_kills),
        (&names::CGROUP_TASKS, usage.tasks),
        (&names::CGROUP_TASKS_LIMIT, usage.tasks_limit),
        (&names::CGROUP_TASKS_LIMITED, usage.tasks_limited),
    ] {
        out.value(metric, &[], value.unwrap_or(f64::NAN));
    }
}
