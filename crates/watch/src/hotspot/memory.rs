//! The memory of another process.

use std::io;

use crate::proc::Pid;
use crate::proc::memory::ProcessMemory;
use plimsoll_profile::Memory as _;

/// Texts of HotSpot's own are shorter.
const MAX_TEXT: usize = 256;

/// What lies at an address of a process. Whatever cannot be read is none: it may have been freed
/// in the meantime.
pub(super) struct JvmMemory {
    memory: ProcessMemory,
}

impl JvmMemory {
    /// That of a process.
    ///
    /// # Errors
    /// It is gone, or this user may not look into it.
    pub(super) fn of(pid: Pid) -> io::Result<Self> {
        let memory = ProcessMemory::of(pid)?;
        Ok(Self { memory })
    }

    fn array<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.memory.read(address, &mut bytes).then_some(bytes)
    }

    pub(super) fn bytes(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.memory.read(address, &mut bytes).then_some(bytes)
    }

    pub(super) fn u8(&self, address: u64) -> Option<u8> {
        self.array(address).map(|[byte]| byte)
    }

    pub(super) fn i16(&self, address: u64) -> Option<i16> {
        self.array(address).map(i16::from_ne_bytes)
    }

    pub(super) fn u16(&self, address: u64) -> Option<u16> {
        self.array(address).map(u16::from_ne_bytes)
    }

    pub(super) fn i32(&self, address: u64) -> Option<i32> {
        self.array(address).map(i32::from_ne_bytes)
    }

    pub(super) fn u64(&self, address: u64) -> Option<u64> {
        self.array(address).map(u64::from_ne_bytes)
    }

    /// A text that ends with NUL.
    pub(super) fn text(&self, address: u64) -> Option<String> {
        let mut bytes = [0; MAX_TEXT];
        // It may be the last thing before memory that cannot be read.
        let length = self.memory.read_some(address, &mut bytes);
        let end = bytes[..length].iter().position(|byte| *byte == 0)?;
        String::from_utf8(bytes[..end].to_vec()).ok()
    }
}
