//! Quantities as settings are written: a number, with or without a unit behind it.

/// Units of one kind, in small letters, with what each is worth.
pub type Units = &'static [(&'static str, f64)];

const KIB: f64 = 1024.0;
const SIZES: Units = &[
    ("", 1.0),
    ("b", 1.0),
    ("k", KIB),
    ("kb", KIB),
    ("kib", KIB),
    ("m", KIB * KIB),
    ("mb", KIB * KIB),
    ("mib", KIB * KIB),
    ("g", KIB * KIB * KIB),
    ("gb", KIB * KIB * KIB),
    ("gib", KIB * KIB * KIB),
    ("t", KIB * KIB * KIB * KIB),
    ("tb", KIB * KIB * KIB * KIB),
    ("tib", KIB * KIB * KIB * KIB),
];
const TIMES: Units = &[
    ("", 1.0),
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("w", 604_800.0),
];

/// Kinds of units. `2m` alone may be of each: quantities that stand together are of the first kind that has all of
/// their units.
pub const KINDS: [Units; 2] = [SIZES, TIMES];

/// What a text is worth in units of a kind; none where it is no such quantity.
#[must_use]
pub fn quantity(text: &str, units: Units) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.strip_prefix(digits)?;
    let worth = units.iter().find(|(name, _)| *name == unit)?.1;
    let number = digits.trim().parse::<f64>().ok()?;
    Some(number * worth)
}
