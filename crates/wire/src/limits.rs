//! How much is kept.

/// How much is kept at most; beyond it fewer connections are followed.
#[derive(Debug, Clone, Copy)]
pub struct WireLimits {
    /// Connections, those that have ended too, and pairs of ends of datagrams.
    pub connections: usize,
    /// Exchanges of all of them; what else is kept of them counts by its size.
    pub exchanges: usize,
}

impl Default for WireLimits {
    /// Some 40 MB at most.
    fn default() -> Self {
        Self {
            connections: 50_000,
            exchanges: 500_000,
        }
    }
}
