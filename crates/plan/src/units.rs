//! Durations, sizes and rates as people write them. Exact: no floating point on the way.

use std::time::Duration;

use crate::model::Rate;

/// A decimal number without sign or exponent: its digits as one integer, and how many of
/// them stand after the point.
fn decimal(text: &str) -> Option<(u128, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        return None;
    }
    if whole.len() + fraction.len() > 20 {
        return None;
    }
    let all = format!("{whole}{fraction}").parse().ok()?;
    Some((all, u32::try_from(fraction.len()).ok()?))
}

/// Splits `1.5s` into `1.5` and the rest `s`.
fn number_and_rest(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    text.split_at(end)
}

fn scaled(number: &str, unit: u128) -> Option<u128> {
    let (digits, decimals) = decimal(number)?;
    Some(digits.checked_mul(unit)? / 10u128.pow(decimals))
}

/// A time such as `500ms`, `1.5s`, `10m`, `1h30m`, `2d`; `0` needs no unit.
///
/// Units: `ns`, `us` or `µs`, `ms`, `s`, `m` or `min`, `h`, `d`; parts add up. `None` for
/// anything else, and for more than 1,000 days.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    const DAY_NS: u128 = 86_400_000_000_000;
    let mut rest = text.trim();
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total_ns: u128 = 0;
    while !rest.is_empty() {
        let (number, tail) = number_and_rest(rest);
        let tail = tail.trim_start();
        let unit_end = tail
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let unit_ns = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => DAY_NS,
            _ => return None,
        };
        total_ns = total_ns.checked_add(scaled(number, unit_ns)?)?;
        rest = tail.trim_start();
    }
    if total_ns > 1_000 * DAY_NS {
        return None;
    }
    Some(Duration::from_nanos(u64::try_from(total_ns).ok()?))
}

/// A number of bytes such as `512`, `64KB`, `1.5MiB`: `KB`, `MB`, `GB` are powers of 1,000,
/// `KiB`, `MiB`, `GiB` of 1,024; `B` may be written or not. Case does not matter.
#[must_use]
pub fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = number_and_rest(text.trim());
    let unit_bytes = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        _ => return None,
    };
    u64::try_from(scaled(number, unit_bytes)?).ok()
}

/// A rate such as `100/s`, `600/min`, `0.5/s`, `5000/h`, or `3/7ms`, exact and in lowest
/// terms.
#[must_use]
pub fn parse_rate(text: &str) -> Option<Rate> {
    let (number, unit) = text.split_once('/')?;
    let (digits, decimals) = decimal(number.trim())?;
    let unit_ns: u128 = match unit.trim() {
        "s" | "sec" | "second" => 1_000_000_000,
        "m" | "min" | "minute" => 60_000_000_000,
        "h" | "hour" => 3_600_000_000_000,
        time => parse_duration(time)?.as_nanos(),
    };
    if unit_ns == 0 {
        return None;
    }
    let per_ns = unit_ns.checked_mul(10u128.pow(decimals))?;
    let divisor = gcd(digits, per_ns).max(1);
    Some(Rate {
        arrivals: u64::try_from(digits / divisor).ok()?,
        per_ns: u64::try_from(per_ns / divisor).ok()?,
    })
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The time in which a rate brings so many arrivals, rounded up; `None` for a rate of zero
/// and for times that do not fit.
#[must_use]
pub fn time_for(rate: Rate, arrivals: u64) -> Option<Duration> {
    let needed = u128::from(arrivals) * u128::from(rate.per_ns);
    let per = u128::from(rate.arrivals);
    if per == 0 {
        return None;
    }
    Some(Duration::from_nanos(
        u64::try_from(needed.div_ceil(per)).ok()?,
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let ms = |n| Some(Duration::from_millis(n));
        assert_eq!(parse_duration("500ms"), ms(500));
        assert_eq!(parse_duration("1.5s"), ms(1_500));
        assert_eq!(parse_duration("10m"), ms(600_000));
        assert_eq!(parse_duration("1h30m"), ms(5_400_000));
        assert_eq!(parse_duration("1h 30 min"), ms(5_400_000));
        assert_eq!(parse_duration("0"), ms(0));
        assert_eq!(parse_duration("1µs"), Some(Duration::from_micros(1)));
        for wrong in [
            "",
            "30",
            "s",
            "1.s",
            ".5s",
            "-1s",
            "1e3s",
            "5 parsecs",
            "99999d",
            "1h30",
        ] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("64KB"), Some(64_000));
        assert_eq!(parse_size("1.5 MiB"), Some(1_572_864));
        assert_eq!(parse_size("1TB"), None);
        assert_eq!(parse_size("99999999999999999999GB"), None);
    }

    #[test]
    fn rates_are_exact() {
        let rate = |arrivals, per_ns| Some(Rate { arrivals, per_ns });
        assert_eq!(parse_rate("100/s"), rate(1, 10_000_000));
        assert_eq!(parse_rate("0.5/s"), rate(1, 2_000_000_000));
        assert_eq!(parse_rate("600/min"), rate(1, 100_000_000));
        assert_eq!(parse_rate("0/s"), rate(0, 1));
        assert_eq!(parse_rate("7 / h"), rate(7, 3_600_000_000_000));
        assert_eq!(parse_rate("3/7ms"), rate(3, 7_000_000));
        assert_eq!(parse_rate("3/0ms"), None);
        assert_eq!(parse_rate("100"), None);
        assert_eq!(parse_rate("100/fortnight"), None);
        let time = time_for(parse_rate("3/s").unwrap(), 10).unwrap();
        assert_eq!(time, Duration::from_nanos(3_333_333_334));
    }
}
