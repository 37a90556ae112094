//! The memory of a process, whoever reads it.

/// What lies at addresses of a process that may run on meanwhile.
pub trait Memory {
    /// Fills the buffer with what lies there; false where all of it cannot be read.
    fn read(&self, address: u64, into: &mut [u8]) -> bool;

    /// Fills the buffer as far as memory can be read; gives how many bytes.
    fn read_some(&self, address: u64, into: &mut [u8]) -> usize {
        match self.read(address, into) {
            true => into.len(),
            false => 0,
        }
    }
}

/// Words and texts in it.
pub(crate) trait MemoryWords: Memory {
    fn array<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.read(address, &mut bytes).then_some(bytes)
    }

    fn u64(&self, address: u64) -> Option<u64> {
        self.array(address).map(u64::from_le_bytes)
    }

    fn u32(&self, address: u64) -> Option<u32> {
        self.array(address).map(u32::from_le_bytes)
    }

    fn bytes(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.read(address, &mut bytes).then_some(bytes)
    }

    /// A field: the pointer at an offset from an address; none where it is null.
    fn pointer(&self, address: u64, offset: u64) -> Option<u64> {
        let pointer = self.u64(address.checked_add(offset)?)?;
        (pointer != 0).then_some(pointer)
    }
}

impl<M: Memory + ?Sized> MemoryWords for M {}
