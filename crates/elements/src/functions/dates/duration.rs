//! `java.time.Duration.parse` (Java SE 17 API): `P2DT3H4M5.5S`, with signs.

/// Nanoseconds of a duration; none when the text is not one.
pub(super) fn parse(text: &str) -> Option<i128> {
    let (negative, rest) = signed(text);
    let rest = rest.strip_prefix(['P', 'p'])?;
    let (days, clock) = match rest.split_once(['T', 't']) {
        Some((_, "")) => return None,
        Some((days, clock)) => (days, clock),
        None => (rest, ""),
    };
    let mut total = 0;
    let mut any = false;
    if !days.is_empty() {
        total += whole(days.strip_suffix(['D', 'd'])?)?.checked_mul(86_400_000_000_000)?;
        any = true;
    }
    let mut rest = clock;
    for (letter, nanos) in [('H', 3_600_000_000_000), ('M', 60_000_000_000)] {
        if let Some(at) = rest.to_ascii_uppercase().find(letter) {
            total += whole(&rest[..at])?.checked_mul(nanos)?;
            rest = &rest[at + 1..];
            any = true;
        }
    }
    if !rest.is_empty() {
        total += seconds(rest.strip_suffix(['S', 's'])?)?;
        any = true;
    }
    any.then_some(if negative { -total } else { total })
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn whole(text: &str) -> Option<i128> {
    let digits = signed(text).1;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse::<i64>().ok().map(i128::from)
}

/// Seconds with up to nine digits behind a point.
fn seconds(text: &str) -> Option<i128> {
    let (before, after) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let negative = before.starts_with('-');
    let digits_only = after.bytes().all(|b| b.is_ascii_digit());
    if after.len() > 9 || !digits_only {
        return None;
    }
    let fraction: i128 = format!("{after:0<9}").parse().ok()?;
    let fraction = if negative { -fraction } else { fraction };
    Some(whole(before)? * 1_000_000_000 + fraction)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn durations_are_read_as_java_reads_them() {
        let ms = |text: &str| parse(text).map(|nanos| nanos / 1_000_000);
        assert_eq!(ms("P2D"), Some(172_800_000));
        assert_eq!(ms("-P1DT2H"), Some(-93_600_000));
        assert_eq!(ms("PT-1.5S"), Some(-1500));
        assert_eq!(ms("PT-0.5S"), Some(-500));
        assert_eq!(ms("pt1h-2m3s"), Some(3_600_000 - 120_000 + 3000));
        assert_eq!(ms("P-1DT+2M"), Some(-86_400_000 + 120_000));
        assert_eq!(parse("PT0.000000001S"), Some(1));
        for wrong in [
            "",
            "P",
            "PT",
            "P1",
            "1D",
            "P1M",
            "PT1M1H",
            "PTxS",
            "PT1.0000000001S",
            "P1DT",
            "P1.5D",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
