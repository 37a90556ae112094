//! Wall-clock times as text, in UTC.

use jiff::Timestamp;

/// An instant as RFC 3339 with milliseconds, e.g. `2026-01-02T03:04:05.678Z`.
#[must_use]
pub fn rfc3339(unix_ns: u64) -> String {
    written(unix_ns, "%Y-%m-%dT%H:%M:%S.%3fZ")
}

/// An instant as it begins a run's name: `20260102-030405-678`.
pub(crate) fn stamp(unix_ns: u64) -> String {
    written(unix_ns, "%Y%m%d-%H%M%S-%3f")
}

fn written(unix_ns: u64, format: &str) -> String {
    // 64 bits of nanoseconds end in the year 2554, jiff's calendar in 9999.
    let at = Timestamp::from_nanosecond(unix_ns.into()).unwrap_or_default();
    at.strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_399_999_000_000), "2000-02-28T23:59:59.999Z");
        assert_eq!(rfc3339(951_782_400_000_000_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(
            rfc3339(1_772_593_445_678_999_999),
            "2026-03-04T03:04:05.678Z"
        );
        assert_eq!(rfc3339(u64::MAX), "2554-07-21T23:34:33.709Z");
        assert_eq!(stamp(1_772_593_445_678_000_000), "20260304-030405-678");
    }
}
