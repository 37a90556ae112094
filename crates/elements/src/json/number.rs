//! Numbers of JSON, as Java has them.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::functions::numbers::java_double;

/// A number. Its kind shows in how it is written and in equality.
#[derive(Debug, Clone, PartialEq)]
pub enum Number<'t> {
    /// `Integer` or `Long`.
    Int(i64),
    /// `BigInteger`: its digits.
    Big(Cow<'t, str>),
    /// `Double`.
    Double(f64),
    /// `BigDecimal`: as written, since a double would lose digits.
    Decimal(Cow<'t, str>),
}

/// Longest number with a fraction that json-smart always reads as a double.
const LONGEST_DOUBLE: usize = 18;

impl<'t> Number<'t> {
    /// A whole number from its digits, with a sign perhaps.
    #[must_use]
    pub fn whole(text: &'t str) -> Self {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if let Ok(number) = text.parse() {
            return Self::Int(number);
        }
        match digits.trim_start_matches('0') {
            "" => Self::Int(0),
            digits if text.starts_with('-') => Self::Big(format!("-{digits}").into()),
            digits => Self::Big(digits.into()),
        }
    }

    /// A number with a fraction or an exponent.
    #[must_use]
    pub fn fraction(text: &'t str) -> Self {
        let number = text.parse().unwrap_or(f64::NAN);
        if text.len() > LONGEST_DOUBLE && java_double(number) != text {
            return Self::Decimal(text.into());
        }
        Self::Double(number)
    }

    /// Its value, as near as a double comes.
    #[must_use]
    pub fn value(&self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss)] // Told so.
            Self::Int(number) => *number as f64,
            Self::Big(text) | Self::Decimal(text) => text.parse().unwrap_or(f64::NAN),
            Self::Double(number) => *number,
        }
    }

    /// How it stands to another.
    #[must_use]
    pub fn compare(&self, other: &Number<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(one), Number::Int(other)) => Some(one.cmp(other)),
            _ => self.value().partial_cmp(&other.value()),
        }
    }

    /// Equal in kind and value.
    #[must_use]
    pub fn equals(&self, other: &Number<'_>) -> bool {
        let small = |number: i64| i32::try_from(number).is_ok();
        match (self, other) {
            (Self::Int(one), Number::Int(other)) => one == other && small(*one) == small(*other),
            (Self::Double(one), Number::Double(other)) => one.to_bits() == other.to_bits(),
            (Self::Big(one), Number::Big(other)) | (Self::Decimal(one), Number::Decimal(other)) => {
                one == other
            }
            _ => false,
        }
    }

    /// As Java writes it.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Int(number) => number.to_string().into(),
            Self::Big(text) | Self::Decimal(text) => Cow::Borrowed(text),
            Self::Double(number) => java_double(*number).into(),
        }
    }

    pub(super) fn into_owned<'o>(self) -> Number<'o> {
        match self {
            Self::Int(number) => Number::Int(number),
            Self::Double(number) => Number::Double(number),
            Self::Big(text) => Number::Big(text.into_owned().into()),
            Self::Decimal(text) => Number::Decimal(text.into_owned().into()),
        }
    }

    pub(super) fn java_class(&self) -> &'static str {
        match self {
            Self::Int(number) if i32::try_from(*number).is_ok() => "java.lang.Integer",
            Self::Int(_) => "java.lang.Long",
            Self::Big(_) => "java.math.BigInteger",
            Self::Double(number) if number.is_nan() => "java.lang.Float",
            Self::Double(_) => "java.lang.Double",
            Self::Decimal(_) => "java.math.BigDecimal",
        }
    }
}

/// `DecimalFormat` of JMeter's JSON assertion: no exponent, one digit after the point at least.
#[must_use]
pub fn plain_double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "\u{221E}"
        } else {
            "-\u{221E}"
        }
        .to_owned();
    }
    let text = format!("{number}");
    match text.contains('.') {
        true => text,
        false => text + ".0",
    }
}
