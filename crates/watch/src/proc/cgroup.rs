//! Control groups, version 1 and 2: where a process is, what it may use, what it uses.

use std::io;
use std::path::{Path, PathBuf};

use super::file::{number, numbers, read};

/// Memory limits of version 1 at or above this mean none.
const NO_LIMIT: f64 = 1e18;

/// A group of one hierarchy.
#[derive(Debug, Clone, PartialEq)]
struct HierarchyGroup {
    /// The unified hierarchy (version 2).
    unified: bool,
    /// Its folder.
    folder: PathBuf,
    /// Where the hierarchy is mounted: limits above that are not to be seen.
    top: PathBuf,
}

impl HierarchyGroup {
    /// The group and those it is in, up to the top of what can be seen.
    fn chain(&self) -> impl Iterator<Item = &Path> {
        let within = |folder: &&Path| folder.starts_with(&self.top);
        self.folder.ancestors().take_while(within)
    }

    /// Of the group itself, unless it is the whole host.
    fn is_host(&self) -> bool {
        // In a container its own group is the top, too; the kernel's own top has none of these.
        let mut limits = ["cgroup.type", "pids.max"].iter();
        self.folder == self.top && !limits.any(|file| self.folder.join(file).exists())
    }
}

/// The groups of a process.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ProcessCgroups {
    cpu: Option<HierarchyGroup>,
    time: Option<HierarchyGroup>,
    memory: Option<HierarchyGroup>,
    tasks: Option<HierarchyGroup>,
    /// The group of version 2, which has the pressure.
    unified: Option<HierarchyGroup>,
}

/// What they allow. It changes seldom, and many small files tell it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CgroupLimits {
    /// CPUs.
    pub(crate) cpu: Option<f64>,
    /// The group whose quota is the tightest: that one is throttled.
    throttled: Option<PathBuf>,
    memory: Option<GroupLimit>,
    memory_high: Option<GroupLimit>,
    tasks: Option<GroupLimit>,
}

/// A limit and the group that has it: that group's events tell of it.
#[derive(Debug, Clone, PartialEq)]
struct GroupLimit {
    limit: f64,
    folder: PathBuf,
}

/// What is known of them now; what is none is not limited or not to be seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct CgroupUsage {
    pub(crate) cpu_limit: Option<f64>,
    pub(crate) cpu_s: Option<f64>,
    pub(crate) periods: Option<f64>,
    pub(crate) throttled_periods: Option<f64>,
    pub(crate) throttled_s: Option<f64>,
    pub(crate) memory_bytes: Option<f64>,
    pub(crate) memory_limit_bytes: Option<f64>,
    pub(crate) memory_limited: Option<f64>,
    pub(crate) memory_high_bytes: Option<f64>,
    pub(crate) memory_throttled: Option<f64>,
    pub(crate) oom_kills: Option<f64>,
    pub(crate) tasks: Option<f64>,
    pub(crate) tasks_limit: Option<f64>,
    pub(crate) tasks_limited: Option<f64>,
}

impl ProcessCgroups {
    /// Finds the groups named in `/proc/PID/cgroup` among the mounts of
    /// `/proc/self/mountinfo`.
    pub(crate) fn locate(membership: &str, mountinfo: &str) -> Self {
        let of = |controller: &str| {
            let first = find(membership, mountinfo, Some(controller));
            first.or_else(|| find(membership, mountinfo, None))
        };
        Self {
            cpu: of("cpu"),
            time: of("cpuacct"),
            memory: of("memory"),
            tasks: of("pids"),
            unified: find(membership, mountinfo, None),
        }
    }

    /// Reads what tasks of the group stand still for: a resource and the lines that tell of it.
    pub(crate) fn pressure(&self) -> Vec<(&'static str, String)> {
        let Some(group) = self.unified.as_ref().filter(|group| !group.is_host()) else {
            return Vec::new();
        };
        let lines = ["cpu", "memory", "io"].map(|resource| {
            let file = group.folder.join(format!("{resource}.pressure"));
            Some((resource, read(file).ok()?))
        });
        lines.into_iter().flatten().collect()
    }

    /// A file of the process's own group of version 2.
    ///
    /// # Errors
    /// There is no such group or file.
    pub(crate) fn own_file(&self, name: &str) -> io::Result<String> {
        match &self.unified {
            Some(group) => read(group.folder.join(name)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Reads what the groups allow.
    pub(crate) fn limits(&self) -> CgroupLimits {
        let (cpu, throttled) = self.cpu.as_ref().and_then(tightest).unzip();
        let tasks = self.tasks.as_ref().filter(|group| !group.is_host());
        let memory = self.memory.as_ref();
        // Version 1 has no such limit.
        let unified = memory.filter(|group| group.unified);
        CgroupLimits {
            cpu,
            throttled,
            memory: memory.and_then(memory_limit),
            memory_high: unified
                .and_then(|group| least(group, |folder| number(folder.join("memory.high")))),
            tasks: tasks.and_then(|group| least(group, |folder| number(folder.join("pids.max")))),
        }
    }

    /// Reads what the groups use now.
    pub(crate) fn usage(&self, limits: &CgroupLimits) -> CgroupUsage {
        let mut usage = CgroupUsage {
            cpu_limit: limits.cpu,
            memory_limit_bytes: limits.memory.as_ref().map(|memory| memory.limit),
            memory_high_bytes: limits.memory_high.as_ref().map(|memory| memory.limit),
            tasks_limit: limits.tasks.as_ref().map(|tasks| tasks.limit),
            ..CgroupUsage::default()
        };
        if let Some(folder) = &limits.throttled {
            throttled(folder, &mut usage);
        }
        if let Some(group) = &self.time {
            cpu_time(group, &mut usage);
        }
        if let Some(group) = &self.memory {
            memory(group, limits, &mut usage);
        }
        if let Some(group) = self.tasks.as_ref().filter(|group| !group.is_host()) {
            usage.tasks = number(group.folder.join("pids.current"));
            let limited = limits.tasks.as_ref();
            usage.tasks_limited = limited.and_then(|tasks| event(&tasks.folder, "pids", "max"));
        }
        usage
    }
}

/// The group of a controller of version 1, or of version 2.
fn find(membership: &str, mountinfo: &str, controller: Option<&str>) -> Option<HierarchyGroup> {
    // `4:memory:/path`; of version 2 `0::/path`.
    let mut lines = membership.lines().map(|line| line.splitn(3, ':'));
    let path = lines.find_map(|mut parts| {
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let wanted = match controller {
            Some(wanted) => controllers.split(',').any(|one| one == wanted),
            None => number == "0" && controllers.is_empty(),
        };
        wanted.then_some(path)
    })?;
    let (root, top) = mountinfo.lines().find_map(|line| mount(line, controller))?;
    // A path outside the mount is that of another namespace: the mount is all there is.
    let below = path.strip_prefix(root.trim_end_matches('/'));
    let below = below.filter(|below| below.is_empty() || below.starts_with('/'));
    let below = below.unwrap_or_default().trim_start_matches('/');
    // What lies outside of what can be seen here is not this: neither our own group nor its limits.
    if below.split('/').any(|part| part == "..") {
        return None;
    }
    let folder = top.join(below);
    let folder = if folder.is_dir() { folder } else { top.clone() };
    Some(HierarchyGroup {
        unified: controller.is_none(),
        // Joining nothing leaves a slash at the end.
        folder: folder.components().collect(),
        top,
    })
}

/// Root and mount point of a line that mounts that controller (none: version 2).
fn mount<'a>(line: &'a str, controller: Option<&str>) -> Option<(&'a str, PathBuf)> {
    let (head, tail) = line.split_once(" - ")?;
    let mut head = head.split(' ').skip(3);
    let (root, point) = (head.next()?, head.next()?);
    let mut tail = tail.split(' ');
    let kind = tail.next()?;
    let matches = match controller {
        Some(wanted) => kind == "cgroup" && tail.nth(1)?.split(',').any(|option| option == wanted),
        None => kind == "cgroup2",
    };
    matches.then(|| (root, PathBuf::from(point)))
}

/// The least limit of a group and those it is in; of equals the nearest.
fn least(group: &HierarchyGroup, limit: impl Fn(&Path) -> Option<f64>) -> Option<GroupLimit> {
    let limits = group.chain().filter_map(|folder| {
        let folder_limit = limit(folder)?;
        Some((folder_limit, folder))
    });
    let least = limits.reduce(|least, next| if next.0 < least.0 { next } else { least });
    least.map(|(limit, folder)| GroupLimit {
        limit,
        folder: folder.to_owned(),
    })
}

/// How often something happened, by the events of a group.
fn event(folder: &Path, controller: &str, name: &str) -> Option<f64> {
    value(
        &read(folder.join(format!("{controller}.events"))).ok()?,
        name,
    )
}

/// The least number of CPUs that a group and those it is in may use, and which of them says so.
fn tightest(group: &HierarchyGroup) -> Option<(f64, PathBuf)> {
    let limit = |folder: &Path| match group.unified {
        true => {
            // `200000 100000` or `max 100000`, in microseconds.
            let text = read(folder.join("cpu.max")).ok()?;
            let mut numbers = numbers(&text);
            let (quota, period) = (numbers.next()?, numbers.next()?);
            (period > 0.0).then_some(quota / period)
        }
        false => {
            let quota: f64 = number(folder.join("cpu.cfs_quota_us"))?;
            let period: f64 = number(folder.join("cpu.cfs_period_us"))?;
            (quota > 0.0 && period > 0.0).then_some(quota / period)
        }
    };
    least(group, limit).map(|tightest| (tightest.limit, tightest.folder))
}

fn throttled(folder: &Path, usage: &mut CgroupUsage) {
    let stat = read(folder.join("cpu.stat")).unwrap_or_default();
    usage.periods = value(&stat, "nr_periods");
    usage.throttled_periods = value(&stat, "nr_throttled");
    let microseconds = value(&stat, "throttled_usec").map(|time| time / 1e6);
    let nanoseconds = value(&stat, "throttled_time").map(|time| time / 1e9);
    usage.throttled_s = microseconds.or(nanoseconds);
}

fn cpu_time(group: &HierarchyGroup, usage: &mut CgroupUsage) {
    if group.is_host() && usage.cpu_limit.is_none() {
        return;
    }
    usage.cpu_s = match group.unified {
        true => {
            let stat = read(group.folder.join("cpu.stat")).unwrap_or_default();
            value(&stat, "usage_usec").map(|time| time / 1e6)
        }
        false => number::<f64>(group.folder.join("cpuacct.usage")).map(|time| time / 1e9),
    };
}

fn memory_limit(group: &HierarchyGroup) -> Option<GroupLimit> {
    let file = match group.unified {
        true => "memory.max",
        false => "memory.limit_in_bytes",
    };
    least(group, |folder| {
        number(folder.join(file)).filter(|bytes| *bytes < NO_LIMIT)
    })
}

fn memory(group: &HierarchyGroup, limits: &CgroupLimits, usage: &mut CgroupUsage) {
    if group.is_host() && usage.memory_limit_bytes.is_none() {
        return;
    }
    let own = &group.folder;
    let limiting = limits.memory.as_ref().map_or(own, |limit| &limit.folder);
    if !group.unified {
        usage.memory_bytes = number(own.join("memory.usage_in_bytes"));
        let of = |folder: &PathBuf| number(folder.join("memory.failcnt"));
        usage.memory_limited = of(limiting).or_else(|| of(own));
        let kills = read(own.join("memory.oom_control")).unwrap_or_default();
        usage.oom_kills = value(&kills, "oom_kill");
        return;
    }
    usage.memory_bytes = number(own.join("memory.current"));
    // A group's events count those of the groups in it, too; they are of its limit, not of theirs.
    let limited = |folder: &PathBuf| event(folder, "memory", "max");
    usage.memory_limited = limited(limiting).or_else(|| limited(own));
    let slowed = limits.memory_high.as_ref();
    usage.memory_throttled = slowed.and_then(|limit| event(&limit.folder, "memory", "high"));
    usage.oom_kills = event(own, "memory", "oom_kill");
}

/// The value of a line `name value`.
fn value(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(known, _)| *known == name)?;
    found.1.trim().parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        std::fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }

    fn usage(membership: &str, mounts: &str) -> CgroupUsage {
        let groups = ProcessCgroups::locate(membership, mounts);
        groups.usage(&groups.limits())
    }

    #[test]
    fn a_container_sees_its_own_groups_limits_and_nothing_outside() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let mounts = format!("30 20 0:26 / {} ro - cgroup2 cgroup2 ro\n", top.display());
        let own = || usage("0::/\n", &mounts);
        // The whole host's group has none of these files.
        write(top, &[("pids.current", "900\n")]);
        assert_eq!((own().tasks, own().tasks_limit), (None, None));
        let files = [("cgroup.type", "domain\n"), ("pids.max", "64\n")];
        write(top, &files);
        assert_eq!((own().tasks, own().tasks_limit), (Some(900.0), Some(64.0)));
        // The group of another container, as a shared list of processes shows it.
        let other = ProcessCgroups::locate("0::/../../app.scope\n", &mounts);
        assert_eq!(other, ProcessCgroups::default());
    }

    #[test]
    fn version_2_is_read_up_to_the_tightest_limit() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        write(
            &top.join("slice"),
            &[
                ("cpu.max", "150000 100000\n"),
                (
                    "cpu.stat",
                    "usage_usec 9000000\nnr_periods 70\nnr_throttled 7\nthrottled_usec 2500000\n",
                ),
                ("memory.max", "1000000\n"),
                ("pids.max", "500\n"),
                ("pids.events", "max 9\n"),
            ],
        );
        write(
            &top.join("slice/app"),
            &[
                ("cpu.max", "max 100000\n"),
                (
                    "cpu.stat",
                    "usage_usec 4000000\nnr_periods 0\nnr_throttled 0\n",
                ),
                ("memory.current", "600000\n"),
                ("memory.max", "max\n"),
                ("memory.high", "700000\n"),
                (
                    "memory.events",
                    "low 0\nhigh 31\nmax 12\noom 1\noom_kill 2\n",
                ),
                ("pids.current", "33\n"),
                ("pids.max", "max\n"),
                ("io.pressure", "some avg10=0.00 total=7\n"),
            ],
        );
        let mounts = format!(
            "31 23 0:28 / {} rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
            top.display()
        );
        let usage = usage("0::/slice/app\n", &mounts);
        let expected = CgroupUsage {
            cpu_limit: Some(1.5),
            cpu_s: Some(4.0),
            periods: Some(70.0),
            throttled_periods: Some(7.0),
            throttled_s: Some(2.5),
            memory_bytes: Some(600_000.0),
            memory_limit_bytes: Some(1_000_000.0),
            memory_limited: Some(12.0),
            memory_high_bytes: Some(700_000.0),
            memory_throttled: Some(31.0),
            oom_kills: Some(2.0),
            tasks: Some(33.0),
            tasks_limit: Some(500.0),
            tasks_limited: Some(9.0),
        };
        assert_eq!(usage, expected);
        let groups = ProcessCgroups::locate("0::/slice/app\n", &mounts);
        let lines = "some avg10=0.00 total=7\n".to_owned();
        assert_eq!(groups.pressure(), [("io", lines)]);
        let host = ProcessCgroups::locate("0::/\n", &mounts);
        assert!(host.pressure().is_empty());
    }

    #[test]
    fn version_1_has_a_hierarchy_for_each_controller() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(
            &at("cpu/tier"),
            &[
                ("cpu.cfs_quota_us", "50000\n"),
                ("cpu.cfs_period_us", "100000\n"),
                (
                    "cpu.stat",
                    "nr_periods 40\nnr_throttled 4\nthrottled_time 1500000000\n",
                ),
            ],
        );
        write(&at("cpu"), &[("cpu.cfs_quota_us", "-1\n")]);
        write(&at("cpuacct"), &[("cpuacct.usage", "7000000000\n")]);
        write(
            &at("memory"),
            &[
                ("memory.usage_in_bytes", "5000\n"),
                ("memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        let line = |name: &str, root: &str| {
            let point = at(name);
            format!(
                "32 31 0:29 {root} {} rw - cgroup cgroup rw,{name}\n",
                point.display()
            )
        };
        // In a container the mount shows the container's group as its top.
        let mounts = line("cpu", "/") + &line("cpuacct", "/docker/1") + &line("memory", "/");
        let membership = "4:memory:/\n2:cpuacct:/docker/1\n1:cpu:/tier\n0::/\n";
        let usage = usage(membership, &mounts);
        let expected = CgroupUsage {
            cpu_limit: Some(0.5),
            cpu_s: Some(7.0),
            periods: Some(40.0),
            throttled_periods: Some(4.0),
            throttled_s: Some(1.5),
            ..CgroupUsage::default()
        };
        assert_eq!(usage, expected, "the host's memory is no group's");
    }

    proptest! {
        #[test]
        fn never_panics(membership in "([0-9]:|cpu|:|/|[.]{2}|\n|.){0,30}", mounts in "( - |cgroup2?|/| |cpu|\n|.){0,40}") {
            let _ = ProcessCgroups::locate(&membership, &mounts);
        }
    }
}
