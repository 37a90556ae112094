//! The time.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::{Args, EvalError, Sink};

/// RFC 3339 with milliseconds, e.g. `2026-11-21T20:36:18.123Z` or `…+08:00`.
const RFC_3339: &str = "%Y-%m-%dT%H:%M:%S%.3f";

pub(super) fn now(args: &mut Args<'_, '_, '_>, out: &mut dyn Sink) -> Result<(), EvalError> {
    let format = args.get(0)?.filter(|format| !format.is_empty());
    let zone = args.get(1)?.unwrap_or_default();
    let utc = match zone.trim() {
        "" | "utc" | "UTC" => true,
        "local" => false,
        _ => return Err(args.wrong(1, &zone, "function-wants-zone")),
    };
    let zone = if utc {
        TimeZone::UTC
    } else {
        TimeZone::system()
    };
    // A clock beyond the year 9999 shows the start of the calendar.
    let now = Timestamp::from_nanosecond(i128::from((args.ctx.unix_ns)())).unwrap_or_default();
    let now = Zoned::new(now, zone);
    let mut text = String::new();
    let written = match &format {
        Some(format) => write!(text, "{}", now.strftime(format.as_bytes())),
        None if utc => write!(text, "{}Z", now.strftime(RFC_3339)),
        None => write!(text, "{}{}", now.strftime(RFC_3339), now.strftime("%:z")),
    };
    match (written, format) {
        (Err(_), Some(format)) => Err(args.wrong(0, &format, "function-wants-strftime")),
        _ => {
            out.put(&text);
            Ok(())
        }
    }
}

pub(super) fn timestamp(args: &mut Args<'_, '_, '_>, out: &mut dyn Sink) -> Result<(), EvalError> {
    let unit = args.text(0)?;
    let ns_per_unit = match unit.trim() {
        "" | "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "us" => 1_000,
        "ns" => 1,
        _ => return Err(args.wrong(0, &unit, "function-wants-time-unit")),
    };
    out.put(&((args.ctx.unix_ns)() / ns_per_unit).to_string());
    Ok(())
}
