//! What lines of the error log are about.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Words of a line and what it is about then; the first that is found counts. Errors of the kernel are numbers (errno(3)).
const CLASSES: &[(&str, &str)] = &[
    ("(99)", "no_local_port"),
    ("worker_connections are not enough", "worker_connections"),
    ("no live upstreams", "no_live_upstreams"),
    ("(24)", "too_many_open_files"),
    ("(23)", "too_many_open_files"),
    (
        "(110) while connecting to upstream",
        "upstream_connect_timed_out",
    ),
    ("(110) while reading", "upstream_timed_out"),
    ("upstream timed out", "upstream_timed_out"),
    ("(111)", "upstream_refused"),
    ("(104)", "connection_reset"),
    (
        "upstream prematurely closed connection",
        "upstream_closed_early",
    ),
    ("(113)", "no_route"),
    ("(101)", "no_route"),
    ("(11)", "resource_unavailable"),
    ("limiting requests", "limiting_requests"),
    ("delaying request", "limiting_requests"),
    ("limiting connections", "limiting_connections"),
    ("is buffered to a temporary file", "buffered_to_disk"),
    ("upstream sent too big header", "upstream_header_too_big"),
    ("client intended to send too large body", "body_too_large"),
    ("could not be resolved", "host_not_resolved"),
    ("host not found", "host_not_resolved"),
    ("(28)", "disk_full"),
    ("(13)", "permission_denied"),
    ("exited on signal", "worker_died"),
    ("could not allocate", "out_of_memory"),
    ("(12)", "out_of_memory"),
    ("no memory", "out_of_memory"),
    ("lua entry thread aborted", "lua_error"),
    ("[lua]", "lua"),
    ("SSL_do_handshake() failed", "tls_handshake"),
    ("(32)", "broken_pipe"),
    ("client prematurely closed connection", "client_closed"),
    ("(2)", "file_not_found"),
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
    let numbered = numbered(text);
    let class = CLASSES.iter().find(|(words, _)| numbered.contains(words));
    Some(ErrorLogLine {
        level,
        class: class.map_or("other", |(_, class)| class),
        local_unix_s: local_seconds(before.trim_end()),
    })
}

/// A line with the kernel's errors as numbers alone: `(24: Too many open files)` as `(24)`. Libraries have other words for
/// the same.
fn numbered(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('(') {
        plain.push_str(before);
        plain.push('(');
        rest = after;
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let end = after
            .find(')')
            .filter(|_| digits > 0 && after[digits..].starts_with(": "));
        if let Some(end) = end {
            plain.push_str(&after[..digits]);
            rest = &after[end..];
        }
    }
    plain.push_str(rest);
    plain
}

/// `2026/11/22 03:04:05` as seconds since 1970, taken as UTC.
fn local_seconds(text: &str) -> Option<i64> {
    let local = DateTime::strptime("%Y/%m/%d %H:%M:%S", text).ok()?;
    let at = TimeZone::UTC.to_timestamp(local).ok()?.as_second();
    (at >= 0).then_some(at)
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
            // As another library of C has it.
            (
                "2026/11/22 03:04:05 [crit] 1#1: accept4() failed (24: No file descriptors available)",
                "crit",
                "too_many_open_files",
            ),
            (
                "2026/11/22 03:04:05 [error] 1#1: *1 upstream timed out (110: Operation timed out) \
                 while connecting to upstream",
                "error",
                "upstream_connect_timed_out",
            ),
            (
                "2026/11/22 03:04:05 [error] 1#1: *1 connect() failed (113: Host is unreachable) (x",
                "error",
                "no_route",
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
        assert_eq!(local_seconds("1970/01/01 00:00:00"), Some(0));
        let day = |text: &str| local_seconds(text).unwrap() / 86_400;
        assert_eq!(day("2024/02/29 00:00:00") + 1, day("2024/03/01 23:59:59"));
        assert_eq!(local_seconds("1969/12/31 23:59:59"), None);
        assert_eq!(local_seconds("2023/02/29 00:00:00"), None);
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
