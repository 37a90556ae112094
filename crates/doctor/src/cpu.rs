//! CPUs and memory that this process may use, and who else uses them.

use std::collections::BTreeSet;

use plimsoll_load::monitor::Allowance;
use plimsoll_text::Message;
use serde_json::Value;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::{field, text, value};

/// Governors that lower the frequency of a CPU that is not busy.
const SAVING: [&str; 4] = ["powersave", "ondemand", "conservative", "schedutil"];
/// Less memory than that is soon gone.
const LITTLE_BYTES: u64 = 512 << 20;

/// The governors of all CPUs, each once.
fn governors() -> BTreeSet<String> {
    let folder = "/sys/devices/system/cpu";
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of =
        |entry: std::fs::DirEntry| text(entry.path().join("cpufreq/scaling_governor").to_str()?);
    entries.filter_map(of).collect()
}

/// The share of all time since the host's start that another guest of its machine had, of the first
/// line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
#[expect(clippy::cast_precision_loss)]
fn stolen(stat: &str) -> f64 {
    let line = stat.lines().next().unwrap_or_default();
    let fields = line.split_ascii_whitespace().skip(1).take(8);
    let times: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    let all: u64 = times.iter().fold(0, |all, time| all.saturating_add(*time));
    let steal = times.get(7).copied().unwrap_or(0);
    if all == 0 {
        0.0
    } else {
        steal as f64 / all as f64
    }
}

/// How many CPUs a list of ranges names: `0-3,8`.
fn counted(ranges: &str) -> usize {
    let counts = ranges.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(last.saturating_sub(first).saturating_add(1))
    });
    counts.sum()
}

/// Periods in which this process's group was stopped for its quota, of all: the `cpu.stat` of the
/// second version of control groups.
fn throttled() -> Option<(u64, u64)> {
    let groups = text("/proc/self/cgroup")?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let stat = text(&format!(
        "/sys/fs/cgroup{}/cpu.stat",
        path.trim_end_matches('/')
    ))?;
    Some((field(&stat, "nr_throttled")?, field(&stat, "nr_periods")?))
}

/// What is known of the CPUs.
struct Seen {
    by_affinity: usize,
    quota: Option<f64>,
    online: usize,
    load: Option<f64>,
    governors: BTreeSet<String>,
    /// The share of all time that another guest had.
    steal: f64,
    /// Periods in which the quota stopped this process's group.
    throttled: Option<u64>,
}

/// The CPUs.
pub(crate) fn cpu(setting: &HostSetting) -> Examined {
    let allowance = Allowance::read();
    let load = text("/proc/loadavg").unwrap_or_default();
    let seen = Seen {
        by_affinity: allowance.cpus.len(),
        quota: allowance.quota_cpus,
        online: text("/sys/devices/system/cpu/online")
            .map_or(allowance.cpus.len(), |ranges| counted(&ranges)),
        load: load.split(' ').next().and_then(|load| load.parse().ok()),
        governors: governors(),
        steal: stolen(&text("/proc/stat").unwrap_or_default()),
        throttled: throttled().map(|(count, _)| count),
    };
    judged(&seen, setting)
}

fn judged(seen: &Seen, setting: &HostSetting) -> Examined {
    #[expect(clippy::cast_precision_loss)]
    let all = seen.by_affinity as f64;
    let usable = seen.quota.map_or(all, |quota| quota.min(all));
    let load = seen.load.map(|load| load.to_string());
    let says = Message::new("doctor-cpu-says")
        .with("usable", usable)
        .with("online", seen.online)
        .with("load", load.unwrap_or_else(|| "–".to_owned()));
    let mut examined = Examined::good("cpu", says)
        .fact("usable", usable)
        .fact("by_affinity", seen.by_affinity)
        .fact("quota", seen.quota)
        .fact("load_1m", seen.load)
        .fact(
            "governors",
            seen.governors.iter().cloned().collect::<Vec<_>>(),
        )
        .fact("steal_share", (seen.steal * 1e4).round() / 1e4)
        .fact(
            "throttled_periods",
            seen.throttled.map_or(Value::Null, Value::from),
        );
    if seen.quota.is_some() {
        let costs = Message::new("doctor-cpu-quota").with("usable", usable);
        examined.cost(Grade::Limited, costs);
        if setting.container {
            examined.mend("docker run --cpus 0 …");
        }
    }
    governed(&mut examined, &seen.governors, setting);
    let busy = seen.load.is_some_and(|load| load > usable * 0.7);
    shared(&mut examined, seen.steal, busy);
    if seen.load.is_none() {
        examined.grade = examined.grade.max(Grade::Unknown);
    }
    examined
}

/// What governors cost.
fn governed(examined: &mut Examined, governors: &BTreeSet<String>, setting: &HostSetting) {
    let saving: Vec<&str> = governors.iter().map(String::as_str).collect();
    if saving.iter().any(|name| SAVING.contains(name)) {
        let costs = Message::new("doctor-cpu-governor").with("names", saving.join(", "));
        examined.cost(Grade::Limited, costs);
        examined.mend(setting.as_root("cpupower frequency-set -g performance"));
    }
}

/// What others cost who use the same CPUs.
fn shared(examined: &mut Examined, steal: f64, busy: bool) {
    if steal >= 0.01 {
        let share = format!("{:.1}", steal * 100.0);
        examined.cost(
            Grade::Limited,
            Message::new("doctor-cpu-steal").with("share", share),
        );
    }
    if busy {
        examined.cost(Grade::Limited, Message::new("doctor-cpu-busy"));
        examined.mend("top -b -n1 | head -15");
    }
}

/// Memory.
pub(crate) fn memory() -> Examined {
    let info = text("/proc/meminfo").unwrap_or_default();
    let bytes = |name: &str| {
        let kib = value(&info, name)?.trim_end_matches("kB").trim();
        kib.parse::<u64>().ok()?.checked_mul(1_024)
    };
    let most = Allowance::read().memory_bytes;
    if most == 0 {
        let mut unseen = Examined::good("memory", Message::new("doctor-unseen"))
            .fact("most_bytes", Value::Null)
            .fact("available_bytes", Value::Null)
            .fact("swap_bytes", Value::Null);
        unseen.grade = Grade::Unknown;
        return unseen;
    }
    let free = bytes("MemAvailable").map_or(most, |free| free.min(most));
    let says = Message::new("doctor-memory-says")
        .with("free_mib", free >> 20)
        .with("most_mib", most >> 20);
    let mut examined = Examined::good("memory", says)
        .fact("most_bytes", most)
        .fact("available_bytes", free)
        .fact("swap_bytes", bytes("SwapTotal"));
    if free < LITTLE_BYTES {
        examined.cost(Grade::Limited, Message::new("doctor-memory-costs"));
        examined.mend("ps aux --sort=-rss | head");
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examined::test_setting;

    fn seen() -> Seen {
        Seen {
            by_affinity: 4,
            quota: None,
            online: 4,
            load: Some(0.5),
            governors: BTreeSet::from(["performance".to_owned()]),
            steal: 0.0,
            throttled: None,
        }
    }

    fn costs(seen: &Seen) -> Vec<String> {
        let examined = judged(seen, &test_setting());
        assert_eq!(examined.grade == Grade::Good, examined.costs.is_empty());
        examined
            .costs_ids()
            .iter()
            .map(|id| (*id).to_owned())
            .collect()
    }

    #[test]
    fn each_thing_that_takes_time_away_costs_something() {
        assert_eq!(costs(&seen()), [""; 0]);
        let quota = Seen {
            quota: Some(1.5),
            ..seen()
        };
        assert_eq!(costs(&quota), ["doctor-cpu-quota"]);
        assert_eq!(judged(&quota, &test_setting()).facts["usable"], 1.5);
        let wide = Seen {
            quota: Some(64.0),
            ..seen()
        };
        assert_eq!(judged(&wide, &test_setting()).facts["usable"], 4.0);
        assert_eq!(
            costs(&Seen {
                steal: 0.01,
                ..seen()
            }),
            ["doctor-cpu-steal"]
        );
        assert_eq!(
            costs(&Seen {
                steal: 0.009,
                ..seen()
            }),
            [""; 0]
        );
        let governors = BTreeSet::from(["performance".to_owned(), "powersave".to_owned()]);
        let saving = Seen {
            governors,
            ..seen()
        };
        assert_eq!(costs(&saving), ["doctor-cpu-governor"]);
        // Busy is by what may be used, not by what there is.
        let busy = Seen {
            quota: Some(0.5),
            ..seen()
        };
        assert_eq!(costs(&busy), ["doctor-cpu-quota", "doctor-cpu-busy"]);
        let unseen = Seen {
            load: None,
            ..seen()
        };
        let told = judged(&unseen, &test_setting());
        assert_eq!((told.grade, told.costs.len()), (Grade::Unknown, 0));
    }

    #[test]
    fn cpus_are_counted_by_their_ranges() {
        for (ranges, count) in [("0", 1), ("0-1", 2), ("0-3,8,10-11", 7), ("", 0), ("x-", 0)] {
            assert_eq!(counted(ranges), count, "{ranges}");
        }
    }

    #[test]
    fn stolen_time_is_a_share_of_all() {
        assert!((stolen("cpu  50 0 20 20 0 0 0 10 7 7\ncpu0 1") - 0.1).abs() < 1e-9);
        assert!(stolen("").abs() < 1e-9);
        assert!(stolen("cpu 1 2").abs() < 1e-9);
    }
}
