//! What lines of the error log are about.

/// Words of a line and what it is about then; the first that is found counts.
const CLASSES: &[(&str, &str)] = &[
    ("(99: Cannot assign requested address)", "no_local_port"),
    ("(99: Address not available)", "no_local_port"),
    ("worker_connections are not enough", "worker_connections"),
    ("no live upstreams", "no_live_upstreams"),
    ("(24: Too many open files)", "too_many_open_files"),
    ("(23: Too many open files in system)", "too_many_open_files"),
    (
        "(110: Connection timed out) while connecting to upstream",
        "upstream_connect_timed_out",
    ),
    (
        "(110: Connection timed out) while reading",
        "upstream_timed_out",
    ),
    ("upstream timed out", "upstream_timed_out"),
    ("(111: Connection refused)", "upstream_refused"),
    ("(104: Connection reset by peer)", "connection_reset"),
    (
        "upstream prematurely closed connection",
        "upstream_closed_early",
    ),
    ("(113: No route to host)", "no_route"),
    ("(101: Network is unreachable)", "no_route"),
    (
        "(11: Resource temporarily unavailable)",
        "resource_unavailable",
    ),
    ("limiting requests", "limiting_requests"),
    ("delaying request", "limiting_requests"),
    ("limiting connections", "limiting_connections"),
    ("is buffered to a temporary file", "buffered_to_disk"),
    ("upstream sent too big header", "upstream_header_too_big"),
    ("client intended to send too large body", "body_too_large"),
    ("could not be resolved", "host_not_resolved"),
    ("host not found", "host_not_resolved"),
    ("(28: No space left on device)", "disk_full"),
    ("(13: Permission denied)", "permission_denied"),
    ("exited on signal", "worker_died"),
    ("could not allocate", "out_of_memory"),
    ("(12: Cannot allocate memory)", "out_of_memory"),
    ("no memory", "out_of_memory"),
    ("lua entry thread aborted", "lua_error"),
    ("[lua]", "lua"),
    ("SSL_do_handshake() failed", "tls_handshake"),
    ("(32: Broken pipe)", "broken_pipe"),
    ("client prematurely closed connection", "client_closed"),
    ("(2: No such file or directory)", "file_not_found"),
];

/// A line of the error log.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrorLogLine<'a> {
    /// `error`, `crit` …
    pub(super) level: &'a str,
    /// What it is about.
    pub(super) class: &'static str,
    /// When it was written, by the clock on the wall of its time zone, as if that were UTC.
    pub(super) local_unix_s: Option<i64>,
}

/// Levels of nginx, so that no other word becomes an attribute.
const LEVELS: &[&str] = &[
    "debug", "info", "notice", "warn", "error", "crit", "alert", "emerg",
];

/// Reads `2026/11/22 03:04:05 [error] 12#12: *3 what, client: …`. None: the continuation of
/// a line, or something else.
pub(super) fn parse(line: &str) -> Option<ErrorLogLine<'_>> {
    let (before, rest) = line.split_once('[')?;
    let (level, text) = rest.split_once(']')?;
    let level = LEVELS.iter().find(|known| **known == level)?;
    let class = CLASSES.iter().find(|(words, _)| text.contains(words));
    Some(ErrorLogLine {
        level,
        class: class.map_or("other", |(_, class)| class),
        local_unix_s: local_seconds(before.trim_end()),
    })
}

/// `2026/11/22 03:04:05` as seconds since 1970, taken as UTC.
fn local_seconds(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(' ')?;
    let mut date = date.splitn(3, '/').map(|part| part.parse::<i64>().ok());
    let mut time = time.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let sound = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    sound.then(|| days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// Days since 1970-01-01 of the Gregorian calendar: years begin in March, so that a leap day
/// is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

/// The moment of a line that was written just before `now`: time zones differ from UTC by
/// whole quarters of an hour.
pub(super) fn moment_unix_ns(local_unix_s: i64, now_unix_ns: u64) -> u64 {
    const QUARTER: i64 = 900;
    let now = i64::try_from(now_unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    let offset = (local_unix_s - now + QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    let moment_s = u64::try_from(local_unix_s - offset).unwrap_or(0);
    moment_s.saturating_mul(1_000_000_000)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_the_field() {
        for (text, level, class) in [
            (
                "2026/11/22 03:04:05 [crit] 12#12: *7 connect() to 127.0.0.1:81 failed (99: Cannot \
                 assign requested address) while connecting to upstream, client: 127.0.0.1",
                "crit",
                "no_local_port",
            ),
            (
                "2026/11/22 03:04:05 [error] 1#1: *1 upstream timed out (110: Connection timed out) \
                 while connecting to upstream",
                "error",
                "upstream_connect_timed_out",
            ),
            (
                "2026/11/22 03:04:05 [error] 1#1: *1 upstream timed out (110: Connection timed out) \
                 while reading response header from upstream",
                "error",
                "upstream_timed_out",
            ),
            (
                "2026/11/22 03:04:05 [alert] 1#1: 768 worker_connections are not enough",
                "alert",
                "worker_connections",
            ),
            (
                "2026/11/22 03:04:05 [error] 1#1: *2 no live upstreams while connecting",
                "error",
                "no_live_upstreams",
            ),
            (
                "2026/11/22 03:04:05 [warn] 1#1: something new",
                "warn",
                "other",
            ),
        ] {
            let read = parse(text).unwrap();
            assert_eq!((read.level, read.class), (level, class));
            assert_eq!(read.local_unix_s, Some(1_795_316_645));
        }
        assert_eq!(parse("stack traceback:"), None);
        assert_eq!(parse("[x] y"), None);
    }

    #[test]
    fn moments_by_any_time_zone() {
        let now = 1_795_316_646_500_000_000;
        for hours in [-11.0, -3.5, 0.0, 5.75, 8.0, 14.0] {
            #[expect(clippy::cast_possible_truncation, reason = "whole quarters of an hour")]
            let local = 1_795_316_645 + (hours * 3_600.0) as i64;
            assert_eq!(moment_unix_ns(local, now), 1_795_316_645_000_000_000);
        }
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2024, 2, 29) + 1, days(2024, 3, 1));
    }

    proptest! {
        #[test]
        fn any_line_is_taken(line in "[0-9/: ]*(\\[[a-z]*\\])?.*", now in any::<u64>()) {
            if let Some(ErrorLogLine { local_unix_s: Some(at), .. }) = parse(&line) {
                let _ = moment_unix_ns(at, now);
            }
        }
    }
}
