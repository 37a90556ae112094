//! The file systems that a process writes to: one that is full need not be one of the host's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::collector::Look;
use crate::collectors::host::{Mount, Out, mounts, tell_space};
use crate::proc::{Pid, file};

use super::subject::Current;

/// So many open files of a process are looked at each time.
const MAX_FILES: usize = 256;

/// What a process was seen to write to; it stays, since files are open for moments only.
#[derive(Default)]
pub(super) struct WrittenFilesystems {
    pid: Pid,
    start_ticks: u64,
    /// The text of its mounts, as read last, and the file systems of it.
    text: String,
    mounts: Vec<Mount>,
    /// All mounts of its namespace by their numbers: the device.
    devices: BTreeMap<u64, String>,
    written: BTreeSet<String>,
}

impl WrittenFilesystems {
    /// Looks, and says how much room there is where the process writes; nothing where it may not be
    /// looked into.
    pub(super) fn look(&mut self, current: &Current, look: &mut Look) {
        if (self.pid, self.start_ticks) != (current.pid, current.start_ticks) {
            *self = Self {
                pid: current.pid,
                start_ticks: current.start_ticks,
                ..Self::default()
            };
        }
        let pid = current.pid;
        let Ok(text) = file::read(format!("/proc/{pid}/mountinfo")) else {
            return;
        };
        if text != self.text {
            self.mounts = mounts(&text);
            self.devices = text.lines().filter_map(device).collect();
            self.text = text;
        }
        // All that a container has of its own is its.
        let contained = is_contained(pid);
        for member in &current.members {
            let written = written(*member).into_iter();
            let devices = written.filter_map(|mount| self.devices.get(&mount).cloned());
            self.written.extend(devices);
        }
        let mut out = Out {
            look,
            entity: &current.entity,
        };
        for mount in &self.mounts {
            if !contained && !self.written.contains(&mount.device_number) {
                continue;
            }
            let path = root(pid, &mount.point);
            if let Ok(space) = rustix::fs::statvfs(&path) {
                tell_space(mount, &space, &mut out);
            }
        }
    }
}

/// A mount's number and device, of a line of `mountinfo`.
fn device(line: &str) -> Option<(u64, String)> {
    let mut words = line.split(' ');
    let id = words.next()?.parse().ok()?;
    Some((id, words.nth(1)?.to_owned()))
}

/// A path as the process sees it.
fn root(pid: Pid, path: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/root{path}"))
}

/// Whether a process sees other mounts than this program.
fn is_contained(pid: Pid) -> bool {
    let own = fs::read_link("/proc/self/ns/mnt").ok();
    let theirs = fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
    theirs.is_some() && own != theirs
}

/// The mounts in which a process has files open for writing now.
fn written(pid: Pid) -> BTreeSet<u64> {
    let folder = fs::read_dir(format!("/proc/{pid}/fd"));
    let descriptors = folder.into_iter().flatten().flatten();
    let files = descriptors.filter(|descriptor| {
        let link = fs::read_link(descriptor.path());
        link.is_ok_and(|link| link.is_absolute() && !link.starts_with("/dev/"))
    });
    let infos = files.take(MAX_FILES).filter_map(|descriptor| {
        let name = descriptor.file_name();
        let path = PathBuf::from(format!("/proc/{pid}/fdinfo")).join(name);
        writes_to(&file::read(path).ok()?)
    });
    infos.collect()
}

/// The mount of a file that is open for writing, by its `fdinfo`.
fn writes_to(info: &str) -> Option<u64> {
    let value = |name: &str| {
        let mut lines = info.lines();
        let value = lines.find_map(|line| line.strip_prefix(name))?;
        Some(value.trim().to_owned())
    };
    let flags = u32::from_str_radix(&value("flags:")?, 8).ok()?;
    let access = flags & libc::O_ACCMODE.cast_unsigned();
    let writes = access != libc::O_RDONLY.cast_unsigned();
    writes.then(|| value("mnt_id:")?.parse().ok()).flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file_that_is_only_read_is_not_written() {
        let info = |flags: &str| format!("pos:\t0\nflags:\t{flags}\nmnt_id:\t29\nino:\t7\n");
        assert_eq!(writes_to(&info("0100001")), Some(29));
        assert_eq!(writes_to(&info("02102002")), Some(29));
        assert_eq!(writes_to(&info("0100000")), None);
        assert_eq!(writes_to("flags:\t9\n"), None);
    }

    #[test]
    fn this_program_is_in_no_container_of_its_own() {
        assert!(!is_contained(std::process::id()));
    }

    proptest! {
        #[test]
        fn never_panics(text in "(flags:|mnt_id:|[0-9]{1,20}|[ \t\n]|.){0,40}") {
            let _ = writes_to(&text);
            let _ = device(&text);
        }
    }
}
