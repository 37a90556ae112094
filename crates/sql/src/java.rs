//! Values as Java writes them.

/// A floating-point number as `Double.toString` writes it: with a fraction always, with an
/// exponent below 0.001 and from 10,000,000 on.
#[must_use]
pub fn double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e7).contains(&size) {
        return scientific(&format!("{value:e}"));
    }
    fraction(value.to_string())
}

/// As [`double`], of 32 bits.
#[must_use]
pub fn float(value: f32) -> String {
    let size = value.abs();
    if value.is_finite() && size != 0.0 && !(1e-3..1e7).contains(&size) {
        return scientific(&format!("{value:e}"));
    }
    if value.is_finite() {
        return fraction(value.to_string());
    }
    double(f64::from(value))
}

fn scientific(rust: &str) -> String {
    let (digits, exponent) = rust.split_once('e').unwrap_or((rust, "0"));
    format!("{}E{exponent}", fraction(digits.to_owned()))
}

fn fraction(mut text: String) -> String {
    if !text.contains('.') {
        text.push_str(".0");
    }
    text
}

/// A date with time, from its seconds and its fraction, as `java.sql.Timestamp` writes it:
/// always with a fraction, without zeros at its end.
#[must_use]
pub fn timestamp(seconds: &str, fraction: &str) -> String {
    let fraction = fraction.trim_end_matches('0');
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    format!("{seconds}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_java_writes_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e7, "1.0E7"),
            (1.25e-5, "1.25E-5"),
            (0.0, "0.0"),
            (9_999_999.0, "9999999.0"),
            (f64::INFINITY, "Infinity"),
        ] {
            assert_eq!(double(value), text);
        }
        assert_eq!(float(3.4), "3.4");
        assert_eq!(float(1e10), "1.0E10");
    }

    #[test]
    fn timestamps_have_a_fraction() {
        assert_eq!(
            timestamp("2024-01-01 10:00:00", ""),
            "2024-01-01 10:00:00.0"
        );
        assert_eq!(
            timestamp("2024-01-01 10:00:00", "120000"),
            "2024-01-01 10:00:00.12"
        );
    }
}
