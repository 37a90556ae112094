//! The virtual clock.

use tokio::time::Instant;

/// A second, ns.
pub(super) const S: u64 = 1_000_000_000;

/// What has passed since the world began.
pub(super) fn since_ns(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap()
}
