//! How a watcher works.

use std::time::Duration;

use crate::clock::WallClock;

/// How a watcher works.
#[derive(Debug, Clone, Copy)]
pub struct WatcherOptions {
    /// A look that takes longer counts as failed.
    pub look_limit: Duration,
    /// A capture that takes longer counts as failed.
    pub capture_limit: Duration,
    /// Captures kept, in bytes altogether.
    pub max_capture_bytes: usize,
    /// Share of one core that a collector may cost before its period is stretched.
    pub max_cpu_share: f64,
    /// The clock that all times are on.
    pub clock: WallClock,
}

impl Default for WatcherOptions {
    fn default() -> Self {
        Self {
            look_limit: Duration::from_secs(5),
            capture_limit: Duration::from_secs(30),
            max_capture_bytes: 32 << 20,
            max_cpu_share: 0.005,
            clock: WallClock::start(),
        }
    }
}
