//! Keys, of which only a hash is kept.

/// FNV-1a of 64 bits, without difference of upper and lower case.
pub(super) struct PartHash(u64);

impl PartHash {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let byte = u64::from(byte.to_ascii_lowercase());
            self.0 = (self.0 ^ byte).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(super) fn of(bytes: &[u8]) -> u64 {
        let mut hash = Self::new();
        hash.add(bytes);
        hash.0
    }

    pub(super) fn value(&self) -> u64 {
        self.0
    }
}
