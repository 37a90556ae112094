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

const YES: [&str; 4] = ["true", "on", "yes", "enabled"];
const NO: [&str; 4] = ["false", "off", "no", "disabled"];
/// Programs show times without a unit in one of these.
const BARE_TIMES: [f64; 3] = [1.0, 1e-3, 1e-6];

/// Whether a program that shows `shown` may have been given `written`: it may write the same value otherwise (`64k` as
/// 65536, `on` as 1, `2m` as 120s, in quotes).
#[must_use]
pub fn reads_as(written: &str, shown: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim();
        let unquoted = text.trim_matches(['"', '\'']);
        unquoted.trim().to_ascii_lowercase()
    };
    let (written, shown) = (bare(written), bare(shown));
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let is_same_quantity = KINDS.iter().any(|units| {
        let both = quantity(&written, units).zip(quantity(&shown, units));
        both.is_some_and(|(a, b)| same(a, b))
    });
    let in_bare_time = || {
        let both = quantity(&written, TIMES).zip(shown.parse::<f64>().ok());
        let has_unit = written.ends_with(|c: char| c.is_ascii_alphabetic());
        let is_same = |(a, b)| BARE_TIMES.iter().any(|worth| same(a, b * worth));
        has_unit && both.is_some_and(is_same)
    };
    written == shown
        || is_same_quantity
        || in_bare_time()
        || truth(&written).is_some_and(|it| truth(&shown) == Some(it))
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        text if YES.contains(&text) => Some(true),
        text if NO.contains(&text) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_be_shown_in_another_form() {
        for (written, shown) in [
            ("512k", "524288"),
            ("2m", "2097152"),
            ("2m", "120s"),
            ("30s", "30000"),
            ("64", "64.0"),
            ("64", "0064"),
            ("64", "\"64\""),
            ("true", "1"),
            ("true", "on"),
            ("off", "0"),
            ("INFO", "info\n"),
        ] {
            assert!(reads_as(written, shown), "{written} {shown}");
        }
        for (written, shown) in [
            ("64", "65"),
            ("512k", "512"),
            ("true", "0"),
            ("64", ""),
            ("on", "off"),
            ("info", "warn"),
            ("2m", "121s"),
        ] {
            assert!(!reads_as(written, shown), "{written} {shown}");
        }
    }
}
