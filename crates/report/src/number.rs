//! Numbers as people read them. Exports for programs do not use these.

/// A count with a comma between groups of three.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with about three significant digits and never fewer than its whole part.
pub(crate) fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let places = match value.abs() {
        v if v < 0.0005 => 0,
        v if v < 0.9995 => 3,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    if places == 0 {
        let rounded = value.round();
        let whole = count(rounded.abs() as u64);
        return if rounded < 0.0 {
            format!("-{whole}")
        } else {
            whole
        };
    }
    format!("{value:.places$}")
}

/// A rate of events in a second.
pub(crate) fn rate(value: f64) -> String {
    match value.abs() {
        v if (99.95..9_999.5).contains(&v) => {
            let tenths = (value * 10.0).round() as i64;
            let whole = count(tenths.unsigned_abs() / 10);
            format!("{whole}.{}", tenths.unsigned_abs() % 10)
        }
        _ => figure(value),
    }
}

/// Four significant digits.
#[must_use]
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let places = (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A share of 0 to 1 in percent; never 0 for what is not, nor 100.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p <= 0.0 => "0".to_owned(),
        p if p < 0.01 => "<0.01".to_owned(),
        p if p < 99.995 => format!("{p:.2}"),
        p if p < 100.0 => ">99.99".to_owned(),
        _ => "100".to_owned(),
    }
}

/// Bytes in a second as KB/s of 1,024 bytes, as JMeter has them.
pub(crate) fn kilobytes(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        bytes as f64 / 1024.0 / seconds
    } else {
        0.0
    }
}

/// A length of time: `0.35 s`, `42 s`, `10 min`, `1 h 05 min`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..=119 if seconds < 10.0 => format!("{} s", trimmed(seconds)),
        0..=119 => format!("{whole} s"),
        120..=7_199 if whole.is_multiple_of(60) => format!("{} min", whole / 60),
        120..=7_199 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3_600, whole / 60 % 60),
    }
}

/// Two places at most, without zeros at the end.
pub(crate) fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A value with as many digits as it takes to see that it is not the limit.
pub(crate) fn told_apart(value: f64, limit: f64) -> String {
    let texts = (1..=6).map(|places| (format!("{value:.places$}"), format!("{limit:.places$}")));
    let mut texts = texts.skip_while(|(value, limit)| value == limit);
    let differs = texts.next().map(|(value, _)| value);
    // Then it is at the limit.
    differs.unwrap_or_else(|| trimmed(value))
}

/// A size in memory.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} KB", b / 1e3),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [0.0, 0.071, 0.9996, 9.996, 72.34, 99.96, 723.4, 1_058.2].map(figure),
            ["0", "0.071", "1.00", "10.0", "72.3", "100", "723", "1,058"]
        );
        assert_eq!(
            [310.24, 25_312.7, 0.5, 1_999.96].map(rate),
            ["310.2", "25,313", "0.500", "2,000.0"]
        );
        assert_eq!(
            [0.0, 0.000_01, 0.005, 0.999_99, 1.0].map(percent),
            ["0", "<0.01", "0.50", ">99.99", "100"]
        );
        assert_eq!(
            [0.35, 8.0, 42.2, 600.0, 601.0, 8.0 * 3_600.0].map(duration),
            [
                "0.35 s",
                "8 s",
                "42 s",
                "10 min",
                "10 min 01 s",
                "8 h 00 min"
            ]
        );
        assert_eq!(figure(f64::NAN), "–");
        assert_eq!(figure(-1_500.0), "-1,500");
    }

    #[test]
    fn a_value_beyond_its_limit_is_not_shown_as_the_limit() {
        assert_eq!(told_apart(90.04, 90.0), "90.04");
        assert_eq!(told_apart(90.3, 90.0), "90.3");
        assert_eq!(told_apart(5.000_02, 5.0), "5.00002");
        assert_eq!(told_apart(90.0, 90.0), "90");
    }

    #[test]
    fn four_digits_are_shown() {
        let shown = [0.0, 0.012_345, 12.5, 886.04, 12_345.6].map(short);
        assert_eq!(shown, ["0", "0.01235", "12.5", "886", "12346"]);
    }
}
