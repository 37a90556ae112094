//! Disks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::area::{Area, Out};
use crate::collector::Trouble;
use crate::names::host as names;
use crate::proc::KeptFile;

/// Sectors of `/proc/diskstats` are of this size whatever the disk's are.
const SECTOR_BYTES: f64 = 512.0;

/// `/proc/diskstats`, whole devices only.
pub(crate) struct Disks {
    stats: KeptFile,
    devices: PathBuf,
    whole: HashMap<String, bool>,
}

impl Disks {
    pub(crate) fn below(proc: &Path, sys: &Path) -> Self {
        Self {
            stats: KeptFile::new(proc.join("diskstats")),
            devices: sys.join("block"),
            whole: HashMap::new(),
        }
    }
}

impl Area for Disks {
    fn look(&mut self, out: &mut Out<'_>) -> Result<(), Trouble> {
        let (whole, devices) = (&mut self.whole, &self.devices);
        let is_whole = |device: &str| match whole.get(device) {
            Some(known) => *known,
            None => {
                // A partition is a folder below that of its device.
                let is_whole = devices.join(device.replace('/', "!")).exists();
                whole.insert(device.to_owned(), is_whole);
                is_whole
            }
        };
        tell(self.stats.text_or_trouble()?, is_whole, out);
        Ok(())
    }
}

/// Lines of the kernel's Documentation/admin-guide/iostats.rst; times in milliseconds.
fn tell(text: &str, mut is_whole: impl FnMut(&str) -> bool, out: &mut Out<'_>) {
    for line in text.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let number = |field: usize| {
            // Fields count from 1 behind the name.
            let word = words.get(field + 2);
            word.and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
        };
        let idle = number(1) + number(5) == 0.0;
        let Some(device) = words.get(2).filter(|name| !idle && is_whole(name)) else {
            continue;
        };
        // Direction, operations, sectors, milliseconds.
        for (direction, operations, sectors, time) in [
            ("read", 1, Some(3), 4),
            ("write", 5, Some(7), 8),
            ("flush", 16, None, 17),
        ] {
            let attributes = [("disk.io.direction", direction), ("system.device", device)];
            out.value(&names::DISK_OPERATIONS, &attributes, number(operations));
            out.value(&names::DISK_OPERATION_TIME, &attributes, number(time) / 1e3);
            if let Some(sectors) = sectors {
                let bytes = number(sectors) * SECTOR_BYTES;
                out.value(&names::DISK_IO, &attributes, bytes);
            }
        }
        let attributes = [("system.device", *device)];
        out.value(&names::DISK_PENDING, &attributes, number(9));
        out.value(&names::DISK_IO_TIME, &attributes, number(10) / 1e3);
        out.value(&names::DISK_WEIGHTED_TIME, &attributes, number(11) / 1e3);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::area::testing::{told, value};
    use super::*;
    use proptest::prelude::*;

    const STATS: &str = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n \
        254       0 vda 10 1 16 5 20 2 32 50 3 40 55 7 1 99 8 4 6\n \
        254       1 vda1 10 1 16 5 20 2 32 50 3 40 55 7 1 99 8 4 6\n \
        8 0 sda 1 1 2 5 2 2 4 5 0 4 5\n";

    #[test]
    fn whole_devices_that_did_something_are_told() {
        let told = told(|out| tell(STATS, |name| name != "vda1", out));
        let vda = |name: &str, direction: &str| {
            value(
                &told,
                &format!("system.disk.{name}{{disk.io.direction={direction},system.device=vda}}"),
            )
        };
        assert_eq!(vda("io", "read"), Some(16.0 * 512.0));
        assert_eq!(vda("operations", "write"), Some(20.0));
        assert_eq!(vda("operation_time", "write"), Some(0.05));
        assert_eq!(vda("operations", "flush"), Some(4.0));
        let name = "system.disk.io_time{system.device=vda}";
        assert_eq!(value(&told, name), Some(0.04));
        let name = "system.disk.pending_operations{system.device=vda}";
        assert_eq!(value(&told, name), Some(3.0));
        assert!(told.iter().all(|(name, _)| !name.contains("loop0")));
        assert!(told.iter().all(|(name, _)| !name.contains("vda1")));
        // An older kernel says less; what it does not say is a gap.
        let name = "system.disk.io_time{system.device=sda}";
        assert_eq!(value(&told, name), Some(0.004));
        let flush = "system.disk.operations{disk.io.direction=flush,system.device=sda}";
        assert_eq!(value(&told, flush), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "([a-z]{3}| |[0-9]{1,20}|\n|.){0,60}") {
            told(|out| tell(&text, |_| true, out));
        }
    }
}
