//! Wall-clock times as text, in UTC.

/// An instant as RFC 3339 with milliseconds, e.g. `2026-01-02T03:04:05.678Z`.
#[must_use]
pub fn rfc3339(unix_ns: u64) -> String {
    let ((year, month, day), [h, m, s, millis]) = civil(unix_ns);
    format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{millis:03}Z")
}

/// An instant as it begins a run's name: `20260102-030405-678`.
pub(crate) fn stamp(unix_ns: u64) -> String {
    let ((year, month, day), [h, m, s, millis]) = civil(unix_ns);
    format!("{year:04}{month:02}{day:02}-{h:02}{m:02}{s:02}-{millis:03}")
}

fn civil(unix_ns: u64) -> ((u64, u64, u64), [u64; 4]) {
    let seconds = unix_ns / 1_000_000_000;
    let millis = unix_ns / 1_000_000 % 1_000;
    let clock = [
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60,
        millis,
    ];
    (civil_from_days(seconds / 86_400), clock)
}

/// Gregorian date of a day number since 1970-01-01, after Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms".
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = match shifted_month < 10 {
        true => shifted_month + 3,
        false => shifted_month - 9,
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
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
        assert_eq!(stamp(1_772_593_445_678_000_000), "20260304-030405-678");
    }
}
