//! Numbers as they are shown.

/// Off by less of itself, a number is told whole.
const NEARLY_WHOLE: f64 = 0.05;

/// A number as it is shown: with one digit behind the point.
pub(crate) fn tenths(value: f64) -> f64 {
    // The sum of nothing is -0, which nobody wants to read.
    (value * 10.0).round() / 10.0 + 0.0
}

/// A number as it is shown: with two digits behind the point.
pub(crate) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

/// A mean of a number of things as it is shown: whole where it is nearly so.
pub(crate) fn counted(value: f64) -> f64 {
    let whole = value.round();
    match (value - whole).abs() <= NEARLY_WHOLE * whole {
        true => whole,
        false => tenths(value),
    }
}

/// A share as it is shown.
pub(crate) fn percent(share: f64) -> f64 {
    (share * 100.0).round() + 0.0
}

/// Bytes as they are shown, in millions.
pub(crate) fn megabytes(bytes: f64) -> f64 {
    hundredths(bytes / 1e6)
}
