//! Numbers as they are shown.

/// A number as it is shown: with one digit behind the point.
pub(crate) fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A number as it is shown: with two digits behind the point.
pub(crate) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A share as it is shown.
pub(crate) fn percent(share: f64) -> f64 {
    (share * 100.0).round()
}

/// Bytes as they are shown, in millions.
pub(crate) fn megabytes(bytes: f64) -> f64 {
    hundredths(bytes / 1e6)
}
