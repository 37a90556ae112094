//! The time.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::args::Args;
use super::context::EvalError;
use super::sink::TextSink;

/// RFC 3339 with milliseconds, e.g. `2026-11-21T20:36:18.123Z` or `…+08:00`.
const RFC_3339: &str = "%Y-%m-%dT%H:%M:%S%.3f%:z";
const RFC_3339_UTC: &str = "%Y-%m-%dT%H:%M:%S%.3fZ";

pub(super) fn now(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
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
    let text = match &format {
        // Not by `Display`, which shows a wrong format as it is.
        Some(format) => jiff::fmt::strtime::format(format.as_bytes(), &now),
        None => jiff::fmt::strtime::format(if utc { RFC_3339_UTC } else { RFC_3339 }, &now),
    };
    match text {
        Ok(text) => out.put(&text),
        Err(_) => {
            let format = format.unwrap_or_default();
            return Err(args.wrong(0, &format, "function-wants-strftime"));
        }
    }
    Ok(())
}

pub(super) fn timestamp(
    args: &mut Args<'_, '_, '_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
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
