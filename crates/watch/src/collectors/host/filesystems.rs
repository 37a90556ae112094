//! Space and inodes of file systems on disks and in memory.

use std::collections::HashSet;
use std::path::Path;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;

/// File systems that hold no data of anybody, or that may hang when a server is away.
const LEFT_OUT: [&str; 10] = [
    "squashfs", "iso9660", "erofs", "cifs", "smb3", "smbfs", "nfs", "nfs4", "afs", "ceph",
];
/// File systems in memory below these are the kernel's or the system's, not an application's.
const SYSTEM: [&str; 7] = [
    "/proc",
    "/sys",
    "/dev",
    "/run/credentials",
    "/run/lock",
    "/run/user",
    "/run/systemd",
];
/// Shared memory, all the same.
const SHARED_MEMORY: &str = "/dev/shm";
/// So many are told of.
const MAX_MOUNTS: usize = 64;

/// A mounted file system.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mount {
    /// What descriptors know it by.
    pub(crate) id: u64,
    pub(crate) device_number: String,
    pub(crate) point: String,
    kind: String,
    device: String,
}

/// The file systems mounted where this program can see them.
pub(crate) struct Filesystems {
    mounts: KeptFile,
}

impl Filesystems {
    pub(crate) fn below(proc: &Path) -> Self {
        Self {
            mounts: KeptFile::new(proc.join("self/mountinfo")),
        }
    }
}

impl Area for Filesystems {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        for mount in mounts(self.mounts.text_or_trouble()?) {
            // One that was unmounted just now.
            if let Ok(space) = rustix::fs::statvfs(mount.point.as_str()) {
                tell_space(&mount, &space, out);
            }
        }
        Ok(())
    }
}

/// What df(1) shows: file systems on devices and in memory, each once.
pub(crate) fn mounts(text: &str) -> Vec<Mount> {
    let mut seen = HashSet::new();
    let all = text.lines().filter_map(parse);
    let kept = all.filter(|mount| is_told(mount) && seen.insert(mount.device_number.clone()));
    kept.take(MAX_MOUNTS).collect()
}

fn is_told(mount: &Mount) -> bool {
    let below = |folder: &&str| {
        let rest = mount.point.strip_prefix(*folder);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match mount.kind.as_str() {
        "tmpfs" => mount.point == SHARED_MEMORY || !SYSTEM.iter().any(below),
        "overlay" | "zfs" => true,
        kind => mount.device.starts_with('/') && !LEFT_OUT.contains(&kind),
    }
}

/// A line of proc_pid_mountinfo(5):
/// `36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(line: &str) -> Option<Mount> {
    let (head, tail) = line.split_once(" - ")?;
    let mut head = head.split(' ');
    let id = head.next()?.parse().ok()?;
    let mut head = head.skip(1);
    let mut tail = tail.split(' ');
    Some(Mount {
        id,
        device_number: head.next()?.to_owned(),
        point: unescaped(head.nth(1)?),
        kind: tail.next()?.to_owned(),
        device: unescaped(tail.next()?),
    })
}

/// Blanks and the like are written as `\040`.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..3)
            .and_then(|code| u8::from_str_radix(code, 8).ok());
        match code.filter(u8::is_ascii) {
            Some(code) => {
                whole.push(char::from(code));
                whole.push_str(&part[3..]);
            }
            None => {
                whole.push('\\');
                whole.push_str(part);
            }
        }
    }
    whole
}

/// Says how much room a file system has.
pub(crate) fn tell_space(mount: &Mount, space: &rustix::fs::StatVfs, out: &mut Out<'_>) {
    // One in memory without a limit has no room of its own.
    if space.f_blocks == 0 {
        return;
    }
    let block = space.f_frsize as f64;
    let (all, free, available) = (
        space.f_blocks as f64,
        space.f_bfree as f64,
        space.f_bavail as f64,
    );
    let attributes = |state| {
        [
            ("system.device", mount.device.as_str()),
            ("system.filesystem.mountpoint", &mount.point),
            ("system.filesystem.state", state),
            ("system.filesystem.type", &mount.kind),
        ]
    };
    for (state, blocks) in [
        ("used", all - free),
        ("free", available),
        ("reserved", free - available),
    ] {
        out.value(&names::FILESYSTEM_USAGE, &attributes(state), blocks * block);
    }
    let (inodes, free) = (space.f_files as f64, space.f_ffree as f64);
    // Some file systems have no fixed number.
    if inodes > 0.0 {
        out.value(
            &names::FILESYSTEM_INODES,
            &attributes("used"),
            inodes - free,
        );
        out.value(&names::FILESYSTEM_INODES, &attributes("free"), free);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn file_systems_on_devices_are_taken_once() {
        let text = "22 27 0:21 / /proc rw,relatime - proc proc rw\n\
            27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n\
            42 27 254:0 /run/netns /run/netns rw shared:1 - ext4 /dev/vda rw\n\
            50 27 7:1 / /snap/x ro - squashfs /dev/loop1 ro\n\
            51 27 0:50 / /mnt/far rw - nfs4 far:/data rw\n\
            52 27 8:1 / /mnt/my\\040data rw master:3 propagate_from:2 - xfs /dev/sda1 rw\n\
            53 27 broken\n\
            54 27 0:60 / /tmp rw - tmpfs tmpfs rw,size=8k\n\
            55 27 0:61 / /dev rw - tmpfs tmpfs rw\n\
            56 55 0:62 / /dev/shm rw - tmpfs shm rw\n\
            57 27 0:63 / /devices rw - tmpfs none rw\n\
            58 27 0:64 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n";
        let found: Vec<_> = mounts(text)
            .into_iter()
            .map(|mount| (mount.point, mount.kind, mount.device))
            .collect();
        let own = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(
            found,
            [
                own("/", "ext4", "/dev/vda"),
                own("/mnt/my data", "xfs", "/dev/sda1"),
                own("/tmp", "tmpfs", "tmpfs"),
                own("/dev/shm", "tmpfs", "shm"),
                own("/devices", "tmpfs", "none"),
            ]
        );
    }

    proptest! {
        #[test]
        fn never_panics(text in "([0-9]{1,2}| - |\\\\[0-9]{1,4}|/[a-z]|[ \n]|.){0,40}") {
            let _ = mounts(&text);
            let _ = unescaped(&text);
        }
    }
}
