//! Descriptors, and the place where runs are stored.

use std::path::{Path, PathBuf};

use plimsoll_text::Message;
use rustix::fs::{Access, StatVfsMountFlags};
use rustix::process::{Resource, getrlimit};
use serde_json::Value;

use crate::examined::{Examined, Grade, HostSetting};
use crate::proc::{number, text};

/// Fewer connections than that are soon asked for.
const FEW: u64 = 65_536;
/// Less room than that ends soon.
const LITTLE_BYTES: u64 = 1 << 30;
/// And with less a run cannot be made.
const TOO_LITTLE_BYTES: u64 = 100 << 20;
/// File systems in memory (`linux/magic.h`).
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// Open files and connections of this process.
pub(crate) fn descriptors(setting: &HostSetting) -> Examined {
    let limit = getrlimit(Resource::Nofile);
    let system = text("/proc/sys/fs/file-nr").unwrap_or_default();
    let mut system = system.split_ascii_whitespace();
    let system_open: Option<u64> = system.next().and_then(|field| field.parse().ok());
    let system_most: Option<u64> = system.nth(1).and_then(|field| field.parse().ok());
    // Unlimited is what the kernel allows any process.
    let nr_open = number("/proc/sys/fs/nr_open").and_then(|most| u64::try_from(most).ok());
    let hard = limit.maximum.or(nr_open).unwrap_or(u64::MAX);
    let says = Message::new("doctor-descriptors-says").with("hard", hard);
    let mut examined = Examined::good("descriptors", says)
        .fact("soft", limit.current)
        .fact("hard", hard)
        .fact("system_open", system_open)
        .fact("system_most", system_most);
    if hard < FEW {
        let costs = Message::new("doctor-descriptors-costs").with("hard", hard);
        examined.cost(Grade::Limited, costs);
        if setting.container {
            examined.mend("docker run --ulimit nofile=1048576 …");
        } else {
            examined.cost(Grade::Limited, Message::new("doctor-descriptors-shell"));
            examined.mend(setting.as_root("prlimit --pid $$ --nofile=1048576"));
        }
    }
    let free = system_most
        .zip(system_open)
        .map(|(most, open)| most.saturating_sub(open));
    if free.is_some_and(|free| free < FEW) {
        examined.cost(Grade::Limited, Message::new("doctor-descriptors-system"));
        examined.mend(setting.sysctl("fs.file-max", "2097152"));
    }
    examined
}

/// What is there of a path, as far as it goes: below it folders can be made, if it is one.
fn nearest(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = whole
        .ancestors()
        .find(|part| part.symlink_metadata().is_ok());
    there.unwrap_or(Path::new("/")).to_owned()
}

/// The folder of the runs.
pub(crate) fn disk(runs: &Path) -> Examined {
    let folder = nearest(runs);
    let shown = folder.display().to_string();
    let (room, kind) = match (rustix::fs::statvfs(&folder), rustix::fs::statfs(&folder)) {
        (Ok(room), Ok(kind)) => (room, kind),
        (Err(error), _) | (_, Err(error)) => {
            let says = Message::new("doctor-reason").with("reason", error.to_string());
            let mut examined = Examined::good("disk", says).fact("folder", shown);
            examined.grade = Grade::Unknown;
            return examined;
        }
    };
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    // One that holds nothing, such as /proc, has no room at all.
    let keeps = room.f_blocks > 0;
    let writable = keeps
        && !room.f_flag.contains(StatVfsMountFlags::RDONLY)
        && rustix::fs::access(&folder, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let in_memory = u64::try_from(kind.f_type).is_ok_and(|kind| IN_MEMORY.contains(&kind));
    // Some file systems make inodes as they need them, and say 0 of them.
    let inodes = (room.f_files > 0).then_some(room.f_favail);
    let says = Message::new("doctor-disk-says")
        .with("folder", shown.as_str())
        .with("free_mib", free >> 20);
    let mut examined = Examined::good("disk", says)
        .fact("folder", shown.as_str())
        .fact("free_bytes", free)
        .fact("free_inodes", inodes.map_or(Value::Null, Value::from))
        .fact("writable", writable)
        .fact("in_memory", in_memory);
    let elsewhere = "plimsoll run --out /var/tmp/plimsoll-runs …";
    if !folder.is_dir() {
        examined.cost(Grade::Bad, Message::new("doctor-disk-no-folder"));
        examined.mend(elsewhere);
        return examined;
    }
    if !writable {
        examined.cost(Grade::Bad, Message::new("doctor-disk-closed"));
        examined.mend(elsewhere);
    }
    if !keeps {
        // Nothing in it can be made less.
    } else if free < TOO_LITTLE_BYTES || inodes.is_some_and(|inodes| inodes < 100) {
        examined.cost(Grade::Bad, Message::new("doctor-disk-full"));
        examined.mend(format!("du -xh -d1 '{shown}' | sort -h"));
    } else if free < LITTLE_BYTES {
        examined.cost(Grade::Limited, Message::new("doctor-disk-little"));
        examined.mend(format!("du -xh -d1 '{shown}' | sort -h"));
    }
    if in_memory {
        examined.cost(Grade::Limited, Message::new("doctor-disk-memory"));
        examined.mend(elsewhere);
    }
    examined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_run_can_be_kept_is_bad() {
        for (place, costs) in [
            ("/dev/null", "doctor-disk-no-folder"),
            ("/dev/null/runs", "doctor-disk-no-folder"),
            ("/proc/runs", "doctor-disk-closed"),
        ] {
            let told = disk(Path::new(place));
            assert_eq!(
                (told.grade, told.costs_ids()),
                (Grade::Bad, vec![costs]),
                "{place}"
            );
            assert_eq!(told.remedies.len(), 1, "{place}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_that_around_it() {
        let root = std::env::temp_dir();
        let deep = root.join("surely/not/there");
        assert_eq!(nearest(&deep), root);
        assert_eq!(nearest(Path::new("/dev/null/runs")), Path::new("/dev/null"));
        assert_eq!(nearest(Path::new("/")), Path::new("/"));
    }
}
