//! The memory of another process, as `/proc/PID/mem` shows it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use plimsoll_profile::Memory;

use super::Pid;

/// What lies at an address of a process, which is neither stopped nor asked.
pub(crate) struct ProcessMemory {
    file: File,
}

impl ProcessMemory {
    /// That of a process.
    ///
    /// # Errors
    /// It is gone, or this user may not look into it.
    pub(crate) fn of(pid: Pid) -> io::Result<Self> {
        let file = File::open(format!("/proc/{pid}/mem"))?;
        Ok(Self { file })
    }
}

impl Memory for ProcessMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> bool {
        self.file.read_exact_at(into, address).is_ok()
    }

    fn read_some(&self, address: u64, into: &mut [u8]) -> usize {
        self.file.read_at(into, address).unwrap_or(0)
    }
}
