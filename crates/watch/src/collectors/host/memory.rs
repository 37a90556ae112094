//! Memory, swap and paging.

use std::path::Path;

use plimsoll_text::Message;

use super::area::{Area, Out};
use super::kernel_log::KernelLog;
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;
use crate::proc::file::numbers;

/// `/proc/meminfo` and `/proc/vmstat`.
pub(crate) struct HostMemory {
    info: KeptFile,
    vmstat: KeptFile,
    kills: Option<f64>,
    log: KernelLog,
}

impl HostMemory {
    pub(crate) fn below(proc: &Path) -> Self {
        Self {
            info: KeptFile::new(proc.join("meminfo")),
            vmstat: KeptFile::new(proc.join("vmstat")),
            kills: None,
            log: KernelLog::at_end(Path::new("/dev/kmsg")),
        }
    }
}

impl Area for HostMemory {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        tell_info(self.info.text_or_trouble()?, out);
        let kills = tell_vmstat(self.vmstat.text_or_trouble()?, out);
        if let (Some(before), Some(now)) = (self.kills, kills)
            && now > before
        {
            let names = self.log.killed().join(", ");
            let event = match names.is_empty() {
                true => Message::new("watch-host-oom-kill").with("count", now - before),
                false => Message::new("watch-host-oom-killed").with("names", names),
            };
            out.look.event(out.entity, event);
        }
        self.kills = kills;
        Ok(())
    }
}

/// Lines such as `MemTotal:       24684084 kB`.
fn tell_info(text: &str, out: &mut Out<'_>) {
    let mut known = std::collections::HashMap::new();
    for line in text.lines() {
        if let Some((name, rest)) = line.split_once(':')
            && let Some(value) = numbers(rest).next()
        {
            known.insert(name, value * 1024.0);
        }
    }
    let bytes = |name: &str| known.get(name).copied().unwrap_or(f64::NAN);
    let (total, free, buffers) = (bytes("MemTotal"), bytes("MemFree"), bytes("Buffers"));
    let cached = bytes("Cached") + known.get("SReclaimable").copied().unwrap_or(0.0);
    for (state, value) in [
        ("used", total - free - buffers - cached),
        ("free", free),
        ("buffers", buffers),
        ("cached", cached),
    ] {
        out.value(
            &names::MEMORY_USAGE,
            &[("system.memory.state", state)],
            value,
        );
    }
    out.value(&names::MEMORY_LIMIT, &[], total);
    out.value(&names::MEMORY_AVAILABLE, &[], bytes("MemAvailable"));
    out.value(&names::MEMORY_DIRTY, &[], bytes("Dirty"));
    let swap_free = bytes("SwapFree");
    for (state, value) in [
        ("used", bytes("SwapTotal") - swap_free),
        ("free", swap_free),
    ] {
        out.value(&names::SWAP_USAGE, &[("system.paging.state", state)], value);
    }
}

/// Gives the number of out-of-memory kills too.
fn tell_vmstat(text: &str, out: &mut Out<'_>) -> Option<f64> {
    let (mut faults, mut major, mut kills) = (f64::NAN, f64::NAN, None);
    for line in text.lines() {
        let Some((name, value)) = line.split_once(' ') else {
            continue;
        };
        let value = || value.trim().parse().unwrap_or(f64::NAN);
        match name {
            "pgfault" => faults = value(),
            "pgmajfault" => major = value(),
            "oom_kill" => kills = Some(value()),
            "pswpin" => out.value(
                &names::SWAPPED,
                &[("system.paging.direction", "in")],
                value(),
            ),
            "pswpout" => out.value(
                &names::SWAPPED,
                &[("system.paging.direction", "out")],
                value(),
            ),
            _ => {}
        }
    }
    for (kind, value) in [("major", major), ("minor", faults - major)] {
        let attributes = [("system.paging.fault.type", kind)];
        out.value(&names::PAGE_FAULTS, &attributes, value);
    }
    if let Some(kills) = kills {
        out.value(&names::OOM_KILLS, &[], kills);
    }
    kills
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn used_is_what_is_neither_free_nor_cache() {
        let text = "MemTotal:       1000 kB\nMemFree:          400 kB\nMemAvailable:   700 kB\n\
            Buffers:  50 kB\nCached:   100 kB\nDirty: 3 kB\nSwapTotal: 20 kB\nSwapFree: 15 kB\n\
            SReclaimable: 50 kB\nHugePages_Total:       0\n";
        let told = told(|out| tell_info(text, out));
        let state = |state: &str| {
            value(
                &told,
                &format!("system.memory.usage{{system.memory.state={state}}}"),
            )
        };
        assert_eq!(state("used"), Some(400.0 * 1024.0));
        assert_eq!(state("cached"), Some(150.0 * 1024.0));
        let swap = "system.paging.usage{system.paging.state=used}";
        assert_eq!(value(&told, swap), Some(5.0 * 1024.0));
    }

    #[test]
    fn faults_are_major_or_minor() {
        let text = "pgfault 100\npgmajfault 7\npswpin 1\npswpout 2\noom_kill 3\nthp_x 5\n";
        let mut kills = None;
        let told = told(|out| kills = tell_vmstat(text, out));
        assert_eq!(kills, Some(3.0));
        let name = "system.paging.faults{system.paging.fault.type=minor}";
        assert_eq!(value(&told, name), Some(93.0));
        let name = "system.paging.operations{system.paging.direction=out}";
        assert_eq!(value(&told, name), Some(2.0));
    }

    #[test]
    fn a_kill_for_want_of_memory_is_an_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vmstat");
        let mut memory = HostMemory::below(Path::new("/proc"));
        memory.vmstat = KeptFile::new(&path);
        let log = folder.path().join("kmsg");
        std::fs::write(&log, "").unwrap();
        memory.log = KernelLog::at_end(&log);
        let mut events = Vec::new();
        for kills in [4, 4, 6] {
            std::fs::write(&path, format!("oom_kill {kills}\n")).unwrap();
            told(|out| {
                memory.look(out).unwrap();
                events.push(out.look.notes().len());
            });
        }
        assert_eq!(events, [0, 0, 1]);
        let line = "3,1,1,-;Out of memory: Killed process 12 (java) total-vm:1kB\n";
        std::fs::write(&log, line).unwrap();
        std::fs::write(&path, "oom_kill 7\n").unwrap();
        told(|out| {
            memory.look(out).unwrap();
            let message = &out.look.notes()[0].message;
            assert_eq!(message.id, "watch-host-oom-killed");
        });
    }

    proptest! {
        #[test]
        fn never_panics(text in "(MemTotal:|pgfault|oom_kill|[ \n0-9.:-]|.){0,60}") {
            told(|out| tell_info(&text, out));
            told(|out| { tell_vmstat(&text, out); });
        }
    }
}
