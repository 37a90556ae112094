//! Space and inodes of file systems on disks.

use std::collections::HashSet;
use std::path::Path;

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;

/// File systems that hold no data of anybody, or that may hang when a server is away.
const LEFT_OUT: [&str; 3] = ["squashfs", "iso9660", "erofs"];

/// A mounted file system.
#[derive(Debug, PartialEq)]
struct Mount {
    device_number: String,
    point: String,
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
                tell(&mount, &space, out);
            }
        }
        Ok(())
    }
}

/// What df(1) shows: file systems on devices, each once.
fn mounts(text: &str) -> Vec<Mount> {
    let mut seen = HashSet::new();
    let all = text.lines().filter_map(parse);
    all.filter(|mount| {
        let on_device =
            mount.device.starts_with('/') || mount.kind == "overlay" || mount.kind == "zfs";
        on_device
            && !LEFT_OUT.contains(&mount.kind.as_str())
            && seen.insert(mount.device_number.clone())
    })
    .collect()
}

/// A line of proc_pid_mountinfo(5):
/// `36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(line: &str) -> Option<Mount> {
    let (head, tail) = line.split_once(" - ")?;
    let mut head = head.split(' ').skip(2);
    let mut tail = tail.split(' ');
    Some(Mount {
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

fn tell(mount: &Mount, space: &rustix::fs::StatVfs, out: &mut Out<'_>) {
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
            53 27 broken\n";
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
