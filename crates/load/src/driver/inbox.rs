//! Where bytes come in.

/// Bytes read at once.
const BYTES: usize = 64 * 1024;

/// Where the bytes of a load thread's connections come in. One serves all of them: nobody waits
/// between a read and the use of its bytes.
pub struct Inbox(Box<[u8]>);

/// What is asked of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// Most bytes; those that there is no room for are left for later.
    pub most: usize,
    /// The kernel's own receive time.
    pub timed: bool,
}

/// What a read brought; the bytes are in the inbox until the next read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// Bytes; 0: the other side closed.
    pub bytes: usize,
    /// How long before the return of the read the kernel had the last of the bytes, ns.
    pub kernel_lag_ns: Option<u64>,
}

impl Received {
    /// No bytes.
    pub const NOTHING: Self = Self {
        bytes: 0,
        kernel_lag_ns: None,
    };
}

impl Default for Inbox {
    fn default() -> Self {
        Self(vec![0; BYTES].into())
    }
}

impl Inbox {
    /// Room for the bytes of a read.
    #[inline]
    pub(super) fn room(&mut self, most: usize) -> &mut [u8] {
        let most = most.min(self.0.len());
        &mut self.0[..most]
    }

    /// What a read brought.
    #[inline]
    pub(super) fn bytes(&self, received: Received) -> &[u8] {
        &self.0[..received.bytes]
    }
}
