//! The time of day.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_store::rfc3339;

/// Since 1970-01-01 UTC.
pub(crate) fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// The same, whole seconds.
pub(crate) fn now_s() -> u64 {
    since_epoch().as_secs()
}

/// The same in words, UTC.
pub(crate) fn now_text() -> String {
    rfc3339(u64::try_from(since_epoch().as_nanos()).unwrap_or(u64::MAX))
}

/// A moment in words, UTC.
pub(crate) fn text_of(unix_s: u64) -> String {
    rfc3339(unix_s.saturating_mul(1_000_000_000))
}
