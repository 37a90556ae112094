//! What a process has mapped where: `/proc/PID/maps` (`proc_pid_maps(5)`).

/// Lines that are read: programs with more have mapped their data in pieces.
const MAX_LINES: usize = 65_536;

/// A range of a process's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// Its first address.
    pub begin: u64,
    /// The address after its last.
    pub end: u64,
    /// Whether code in it may run.
    pub runs: bool,
    /// The offset in its file of its first byte.
    pub offset: u64,
    /// The file's device and number; zero without one.
    pub file: (u64, u64),
    /// The file's path as the kernel tells it, `[vdso]`, `[heap]` and the like, or nothing.
    pub path: String,
}

impl Mapping {
    /// Whether a file is mapped.
    #[must_use]
    pub fn is_of_file(&self) -> bool {
        self.file.1 != 0 && self.path.starts_with('/')
    }

    /// The file's name without its folder, and without the kernel's note that it was deleted.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.path.strip_suffix(" (deleted)").unwrap_or(&self.path);
        path.rsplit('/').next().unwrap_or(path)
    }
}

/// The mappings that a text of `/proc/PID/maps` tells, in its order. Lines that are none are passed
/// over.
#[must_use]
pub fn mappings(text: &str) -> Vec<Mapping> {
    text.lines().take(MAX_LINES).filter_map(mapping).collect()
}

fn mapping(line: &str) -> Option<Mapping> {
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    // The path may hold spaces, so that it is what is left.
    let (range, rest) = line.split_once(' ')?;
    let (rights, rest) = rest.split_once(' ')?;
    let (offset, rest) = rest.split_once(' ')?;
    let (device, rest) = rest.split_once(' ')?;
    let (inode, path) = rest.split_once(' ').unwrap_or((rest, ""));
    let (begin, end) = range.split_once('-')?;
    let (major, minor) = device.split_once(':')?;
    let (begin, end) = (hex(begin)?, hex(end)?);
    (begin < end).then_some(())?;
    Some(Mapping {
        begin,
        end,
        runs: rights.as_bytes().get(2) == Some(&b'x'),
        offset: hex(offset)?,
        file: (
            hex(major)?.checked_shl(32)? | hex(minor)?,
            inode.parse().ok()?,
        ),
        path: path.trim_start().to_owned(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_as_the_kernel_writes_them() {
        let text = "55d0-55f0 r--p 00000000 fe:00 1234                       /usr/bin/my prog (deleted)\n\
                    55f0-5600 r-xp 00002000 fe:00 1234                       /usr/bin/my prog (deleted)\n\
                    7ffc-7ffd r-xp 00000000 00:00 0                          [vdso]\n\
                    7fa0-7fb0 rwxp 00000000 00:00 0 \nnonsense\n";
        let all = mappings(text);
        assert_eq!(all.len(), 4);
        assert_eq!(
            (all[1].begin, all[1].end, all[1].offset),
            (0x55f0, 0x5600, 0x2000)
        );
        assert_eq!(all[1].name(), "my prog");
        assert!(all[1].runs && !all[0].runs && all[1].is_of_file());
        assert!(!all[2].is_of_file() && all[2].runs);
        assert_eq!(all[3].path, "");
        assert_eq!(all[0].file, (0xfe << 32, 1234));
    }

    #[test]
    fn this_process_is_mapped() {
        let text = std::fs::read_to_string("/proc/self/maps").unwrap();
        let all = mappings(&text);
        assert_eq!(all.len(), text.lines().count());
        let here = this_process_is_mapped as *const () as u64;
        let holds = |m: &&Mapping| (m.begin..m.end).contains(&here);
        let found = all.iter().find(holds).unwrap();
        assert!(found.runs && found.is_of_file());
    }

    proptest! {
        #[test]
        fn never_panics(line in "[0-9a-fr:xp /-]{0,80}") {
            let _ = mappings(&line);
        }
    }
}
