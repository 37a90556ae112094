//! Java's numbers: how it reads and writes them, and its random numbers of a seed.

use crate::context::Fault;

/// Java's `Long.parseLong`.
///
/// # Errors
/// Java's own words for a text that is no number.
pub(crate) fn long(text: &str) -> Result<i64, Fault> {
    text.parse().map_err(|_| refused(text))
}

/// Java's `Integer.parseInt`.
///
/// # Errors
/// Java's own words for a text that is no number.
pub(crate) fn int(text: &str) -> Result<i32, Fault> {
    text.parse().map_err(|_| refused(text))
}

/// A property as a number, as JMeter reads it: what is none is 0.
pub(crate) fn double_or_zero(text: &str) -> f64 {
    double(text).unwrap_or(0.0)
}

/// Java's `Double.parseDouble`, without its hexadecimal form: space around it is no matter,
/// `d` or `f` may stand behind it.
pub(crate) fn double(text: &str) -> Option<f64> {
    let text = super::args::trim(text);
    let text = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    match text.trim_start_matches(['+', '-']) {
        "NaN" | "Infinity" => text.parse().ok(),
        // Rust reads `inf` and `nan`; Java does not.
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => text.parse().ok(),
        _ => None,
    }
}

fn refused(text: &str) -> Fault {
    Fault::new(format!(
        "java.lang.NumberFormatException: For input string: \"{text}\""
    ))
}

/// Java's `Double.toString`: the shortest digits, with an exponent below 10^-3 and from 10^7.
pub(crate) fn java_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    match in_java_words(value.abs()) {
        true => format!("{value:?}"),
        false => with_exponent(&format!("{value:E}")),
    }
}

/// Java's `Float.toString`, since version 19 the shortest digits.
pub(crate) fn java_float(value: f32) -> String {
    match in_java_words(f64::from(value.abs())) {
        true => format!("{value:?}"),
        false => with_exponent(&format!("{value:E}")),
    }
}

/// Whether Java writes a number of this size without an exponent.
fn in_java_words(size: f64) -> bool {
    size == 0.0 || (1e-3..1e7).contains(&size)
}

fn with_exponent(text: &str) -> String {
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text.to_owned(),
    }
}

/// Java's `Long.decode`: a sign, then `0x`, `0X` or `#` for base 16, a leading `0` for base 8.
pub(crate) fn decode(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = ["0x", "0X", "#"]
        .iter()
        .find_map(|prefix| digits.strip_prefix(prefix));
    let (radix, digits) = match (hex, digits.strip_prefix('0')) {
        (Some(hex), _) => (16, hex),
        (None, Some(octal)) if !octal.is_empty() => (8, octal),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    i64::try_from(if negative { -value } else { value }).ok()
}

/// `java.util.Random`: a linear congruential generator of 48 bits, whose numbers are part of
/// Java's specification (Java SE 17 API, `java.util.Random`).
#[derive(Debug, Clone)]
pub struct JavaRandom(u64);

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    /// The generator of a seed.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self((seed.cast_unsigned() ^ MULTIPLIER) & MASK)
    }

    /// Up to 32 bits, with their sign.
    #[expect(clippy::cast_possible_truncation)] // As specified.
    fn bits(&mut self, count: u32) -> i32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.0 >> (48 - count)) as i32
    }

    /// `nextInt(bound)`: from 0 to below `bound`, which must be above 0.
    #[expect(clippy::cast_possible_truncation)] // The product of two 31-bit numbers, >> 31.
    pub(crate) fn below(&mut self, bound: i32) -> i32 {
        let mut bits = self.bits(31);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(bits)) >> 31) as i32;
        }
        loop {
            let value = bits % bound;
            // Above the last whole multiple of the bound the sum is past the largest i32.
            if bits
                .checked_sub(value)
                .and_then(|low| low.checked_add(bound - 1))
                .is_some()
            {
                return value;
            }
            bits = self.bits(31);
        }
    }

    /// `nextDouble()`: in [0, 1).
    #[expect(clippy::cast_precision_loss)] // 53 bits fit.
    pub fn unit(&mut self) -> f64 {
        let high = i64::from(self.bits(26)) << 27;
        (high + i64::from(self.bits(27))) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_java_reads_them() {
        assert_eq!(decode("65"), Some(65));
        assert_eq!(decode("0x42"), Some(0x42));
        assert_eq!(decode("-#ff"), Some(-255));
        assert_eq!(decode("067"), Some(0o67));
        assert_eq!(decode("0"), Some(0));
        assert_eq!(decode("x"), None);
        assert_eq!(decode("+-1"), None);
        assert_eq!(decode("-9223372036854775808"), Some(i64::MIN));
        assert!(long(" 1").is_err());
        assert_eq!(int("+7"), Ok(7));
        assert_eq!(double(" 1.5d "), Some(1.5));
        assert_eq!(double("-.5e3"), Some(-500.0));
        assert_eq!(double("-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(double("inf"), None);
        assert_eq!(double(""), None);
    }

    #[test]
    fn a_seed_gives_the_numbers_that_java_gives() {
        // Java 17: new Random(42).nextInt(10) ten times; new Random(1).nextDouble() twice.
        let mut random = JavaRandom::new(42);
        let ten: Vec<i32> = (0..10).map(|_| random.below(10)).collect();
        assert_eq!(ten, [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]);
        let mut random = JavaRandom::new(1);
        assert!((random.unit() - 0.730_878_190_703_290_9).abs() < 1e-15);
        assert!((random.unit() - 0.410_080_811_492_201_66).abs() < 1e-15);
        // new Random(9).nextInt(2000000000): a bound with many refusals.
        let mut random = JavaRandom::new(9);
        let three: Vec<i32> = (0..3).map(|_| random.below(2_000_000_000)).collect();
        assert_eq!(three, [1_568_009_989, 542_735_596, 1_645_908_748]);
        let mut random = JavaRandom::new(7);
        assert!((0..100).all(|_| (0..16).contains(&random.below(16))));
    }
}
