//! The profile of a Throughput Shaping Timer: stretches of time with a rate at their beginning and end.

/// Most stretches; more come only from a mistake in a property.
const MOST_ROWS: usize = 100_000;

/// Rates over time.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RateProfile(Vec<RateRow>);

/// A stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RateRow {
    /// A second.
    from: f64,
    to: f64,
    lasts_s: u64,
}

impl RateProfile {
    pub(super) fn push(&mut self, from: f64, to: f64, lasts_s: i64) {
        let lasts_s = u64::try_from(lasts_s).unwrap_or(0);
        self.0.push(RateRow { from, to, lasts_s });
    }

    /// The rate in the second that begins so many seconds after the first; none beyond the end. A stretch's
    /// last moment belongs to it, and so a profile of N seconds has N + 1 of them (`getRPSForSecond`).
    pub(super) fn rate(&self, elapsed_s: u64) -> Option<f64> {
        let mut within_s = elapsed_s;
        for row in &self.0 {
            if within_s <= row.lasts_s {
                #[expect(clippy::cast_precision_loss)] // Seconds of a test.
                let share = within_s as f64 / row.lasts_s as f64;
                let rate = row.from + share * (row.to - row.from);
                return Some(if rate.is_finite() {
                    rate.max(0.0)
                } else {
                    row.from.max(0.0)
                });
            }
            within_s -= row.lasts_s;
        }
        None
    }

    /// How long it lasts.
    pub(super) fn duration_s(&self) -> u64 {
        let all = self.0.iter().map(|row| row.lasts_s);
        all.fold(0, u64::saturating_add)
    }

    /// As a property has it: `const(rate, time) line(from, to, time) step(from, to, by, time)`; and what is not
    /// understood.
    pub(super) fn parse(text: &str) -> (Self, Vec<String>) {
        let (mut profile, mut wrong) = (Self::default(), Vec::new());
        for chunk in text.split(')') {
            if profile.chunk(chunk).is_none() && !chunk.trim().is_empty() {
                wrong.push(chunk.trim().to_owned());
            }
        }
        (profile, wrong)
    }

    fn chunk(&mut self, chunk: &str) -> Option<()> {
        let parts: Vec<&str> = chunk.split(['(', ',']).map(str::trim).collect();
        let number = |at: usize| parts.get(at)?.parse::<i32>().ok();
        let time = |at: usize| seconds(parts.get(at)?);
        match parts.first()?.to_ascii_lowercase().as_str() {
            "const" => self.push(number(1)?.into(), number(1)?.into(), time(2)?),
            "line" => self.push(number(1)?.into(), number(2)?.into(), time(3)?),
            "step" => {
                let (from, to, lasts_s) = (number(1)?, number(2)?, time(4)?);
                let by = number(3)?.checked_mul(if from > to { -1 } else { 1 })?;
                if by == 0 {
                    return None;
                }
                let mut level = from;
                // The plugin's own way: downwards the last level is left out.
                while if by > 0 { level <= to } else { level > to } && self.0.len() < MOST_ROWS {
                    self.push(level.into(), level.into(), lasts_s);
                    level = level.checked_add(by)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// Seconds of `1d2h3m4s` or a plain number (`getSecondsForShortString`).
fn seconds(text: &str) -> Option<i64> {
    let (mut sum, mut number) = (0_i64, String::new());
    for c in text.chars() {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        let unit_s = match c.to_ascii_lowercase() {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => return None,
        };
        sum = sum.checked_add(number.parse::<i64>().ok()?.checked_mul(unit_s)?)?;
        number.clear();
    }
    match number.is_empty() {
        true => Some(sum),
        false => sum.checked_add(number.parse().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_rise_over_a_stretch() {
        let mut profile = RateProfile::default();
        profile.push(0.0, 10.0, 10);
        profile.push(5.0, 5.0, 2);
        let rates: Vec<_> = (0..14).map(|s| profile.rate(s)).collect();
        let wanted = [
            0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 5.0, 5.0,
        ];
        assert_eq!(rates[..13], wanted.map(Some));
        assert_eq!((rates[13], profile.duration_s()), (None, 12));
        assert_eq!(RateProfile::default().rate(0), None);
    }

    #[test]
    fn properties_are_read_and_what_is_wrong_is_named() {
        let (profile, wrong) = RateProfile::parse("const(5, 1m) LINE(1,9,1h30s)step(3,1,1,2)  ");
        let row = |from, to, lasts_s| RateRow { from, to, lasts_s };
        assert_eq!(wrong, [""; 0]);
        let wanted = [
            row(5.0, 5.0, 60),
            row(1.0, 9.0, 3630),
            row(3.0, 3.0, 2),
            row(2.0, 2.0, 2),
        ];
        assert_eq!(profile.0, wanted);
        for text in [
            "const(x,1)",
            "const(1,1y)",
            "step(1,9,0,1)",
            "step(1,2147483647,1,1",
            "other(1)",
            "const(1",
        ] {
            let (_, wrong) = RateProfile::parse(text);
            assert!(wrong.len() == 1 || text.starts_with("step(1,2"), "{text}");
        }
        assert_eq!(
            (seconds(""), seconds("99999999999999999d")),
            (Some(0), None)
        );
    }
}
