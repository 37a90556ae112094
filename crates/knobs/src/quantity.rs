//! Numbers with their units, as programs write them.

use crate::knob::Spelling;

/// A number without a fraction where it has none.
pub(crate) fn plain(number: f64) -> String {
    // Formatting never writes an exponent.
    format!("{number}")
}

/// Whether two numbers are the same but for rounding.
pub(crate) fn same_number(a: f64, b: f64) -> bool {
    // Of what is infinite any number is but a small part.
    match a.is_finite() && b.is_finite() {
        true => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0),
        false => a == b,
    }
}

/// A number as it is written, with what its unit measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Amount {
    /// Without a unit.
    Plain(f64),
    Bytes(f64),
    Milliseconds(f64),
}

/// The number of `512`, `512m` or `20s`; `m` alone is of bytes.
pub(crate) fn amount(text: &str, spelling: Spelling) -> Option<Amount> {
    let plain = || finite(text).map(Amount::Plain);
    let size = || bytes(text, spelling).map(Amount::Bytes);
    let time = || milliseconds(text, Spelling::Plain).map(Amount::Milliseconds);
    plain().or_else(size).or_else(time)
}

pub(crate) fn finite(text: &str) -> Option<f64> {
    // `inf`, `nan` and exponents are words of nobody's configuration.
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let number = text
        .chars()
        .all(digits)
        .then(|| text.parse::<f64>().ok())??;
    number.is_finite().then_some(number)
}

/// Number and unit of `512m`.
fn parts(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((finite(number.trim())?, unit.trim()))
}

pub(crate) fn bytes(text: &str, spelling: Spelling) -> Option<f64> {
    let (number, unit) = parts(text)?;
    let unit = unit.to_ascii_lowercase();
    let (letter, rest) = unit.split_at(unit.len().min(1));
    let power = match letter {
        "" => {
            return Some(match spelling {
                Spelling::PostgresSize(unit) => number * f64::from(unit),
                _ => number,
            });
        }
        "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let base = match (spelling, rest) {
        (Spelling::RedisSize, "") => 1000.0_f64,
        (_, "" | "b" | "ib") => 1024.0,
        _ => return None,
    };
    Some(number * base.powi(power))
}

/// `1500ms`, `20s`, `1m30s`, `PT20S`; a number alone has the spelling's unit.
pub(crate) fn milliseconds(text: &str, spelling: Spelling) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let iso = lower.strip_prefix("pt");
    let mut rest = iso.unwrap_or(&lower).trim();
    let mut total = 0.0;
    let (mut first, whole) = (true, rest);
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        let unit_end = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let (unit, next) = behind.split_at(unit_end);
        let one = match unit {
            "" if first && number == whole && spelling == Spelling::Seconds => 1000.0,
            "" if first && number == whole => 1.0,
            "ns" => 1e-6,
            "us" => 1e-3,
            "ms" => 1.0,
            "s" | "sec" => 1000.0,
            "m" | "min" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total += finite(number.trim())? * one;
        first = false;
        rest = next.trim_start();
    }
    (!first).then_some(total)
}

/// Bytes with the greatest unit of which they are whole ones.
pub(crate) fn sized(number: f64, units: [&str; 3]) -> String {
    let mut shown = (number, "");
    for (power, unit) in (1..).zip(units) {
        let of = number / 1024.0_f64.powi(power);
        if of.fract() == 0.0 && of != 0.0 {
            shown = (of, unit);
        }
    }
    format!("{}{}", plain(shown.0), shown.1)
}

pub(crate) fn duration(number: f64) -> String {
    match number % 1000.0 == 0.0 && number != 0.0 {
        true => format!("{}s", plain(number / 1000.0)),
        false => format!("{}ms", plain(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_infinite_is_no_number_of_ours() {
        let infinite = f64::INFINITY;
        for other in [0.0, 1.0, f64::MAX, -infinite] {
            assert!(!same_number(infinite, other) && !same_number(other, infinite));
        }
        assert!(same_number(infinite, infinite) && same_number(0.1 + 0.2, 0.3));
    }
}
