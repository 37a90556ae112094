//! What a knob may be.

use serde::{Deserialize, Serialize};

/// What a knob may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// A number.
    Number {
        /// The least.
        from: f64,
        /// The most.
        to: f64,
        /// The distance of two values, counted from the least.
        step: f64,
        /// Distances are ratios.
        by_ratio: bool,
        /// What stands behind the number.
        unit: String,
    },
    /// One of these.
    Choice(Vec<String>),
}

/// Why a range is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainError {
    /// Not `FROM..TO` of two numbers, the first below the second.
    Range,
    /// No number above 0, or more than the range is wide.
    Step,
    /// By ratio, with a least of 0 or below.
    RatioOfNothing,
    /// Numbers so large that whole ones cannot be told apart.
    TooLarge,
}

/// From here on a number in 64 bits is not exact to the last unit.
const LARGEST: f64 = (1_u64 << 53) as f64;

impl DomainError {
    /// The id of the text that says it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Range => "tune-bad-range",
            Self::Step => "tune-bad-step",
            Self::RatioOfNothing => "tune-ratio-of-nothing",
            Self::TooLarge => "tune-range-too-large",
        }
    }
}

impl Domain {
    /// Numbers with a step.
    #[must_use]
    pub fn numbers(from: f64, to: f64, step: f64, by_ratio: bool, unit: &str) -> Self {
        Self::Number {
            from,
            to,
            step,
            by_ratio,
            unit: unit.to_owned(),
        }
    }

    /// Reads `8..200`, with a step and a unit.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(
        range: &str,
        step: Option<&str>,
        by_ratio: bool,
        unit: &str,
    ) -> Result<Self, DomainError> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let (from, to) = range.split_once("..").ok_or(DomainError::Range)?;
        let from = number(from).ok_or(DomainError::Range)?;
        let to = number(to).ok_or(DomainError::Range)?;
        if from >= to {
            return Err(DomainError::Range);
        }
        if from.abs() >= LARGEST || to.abs() >= LARGEST {
            return Err(DomainError::TooLarge);
        }
        let whole = from.fract() == 0.0 && to.fract() == 0.0;
        let usual = if whole { 1.0 } else { (to - from) / 100.0 };
        let step = match step {
            Some(text) => number(text).ok_or(DomainError::Step)?,
            None => usual,
        };
        if step <= 0.0 || step > to - from {
            return Err(DomainError::Step);
        }
        if by_ratio && from <= 0.0 {
            return Err(DomainError::RatioOfNothing);
        }
        Ok(Self::numbers(from, to, step, by_ratio, unit))
    }

    /// As a person reads it: `8..400 step 4`, or the values.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Number {
                from,
                to,
                step,
                unit,
                ..
            } if *step == 1.0 => format!("{from}{unit}..{to}{unit}"),
            Self::Number {
                from,
                to,
                step,
                unit,
                ..
            } => format!("{from}{unit}..{to}{unit} step {step}"),
            Self::Choice(values) => values.join(", "),
        }
    }

    /// The value that lies at a share of the way, 0 to 1.
    #[must_use]
    pub fn at(&self, share: f64) -> String {
        let share = share.clamp(0.0, 1.0);
        match self {
            Self::Number {
                from, to, by_ratio, ..
            } => {
                let raw = match by_ratio {
                    true => from * (to / from).powf(share),
                    false => from + share * (to - from),
                };
                self.nearest(raw).unwrap_or_default()
            }
            Self::Choice(values) => {
                let at = (share * values.len() as f64) as usize;
                let value = values.get(at.min(values.len().saturating_sub(1)));
                value.cloned().unwrap_or_default()
            }
        }
    }

    /// The allowed value next to a number, in its text.
    #[must_use]
    pub fn nearest(&self, raw: f64) -> Option<String> {
        let Self::Number {
            from,
            to,
            step,
            unit,
            ..
        } = self
        else {
            return None;
        };
        // The most may lie between two steps; it is allowed all the same.
        let steps = ((raw - from) / step).round().max(0.0);
        let mut value = from + steps * step;
        if value > *to || raw >= *to {
            value = *to;
        }
        Some(format!("{}{unit}", shortest(value)))
    }

    /// The finite number of a text of this domain.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<f64> {
        let Self::Number { unit, .. } = self else {
            return None;
        };
        let text = text.trim();
        let digits = text.strip_suffix(unit.as_str()).unwrap_or(text);
        digits.trim().parse().ok().filter(|n: &f64| n.is_finite())
    }

    /// Where a value lies, 0 to 1, of a number; none where it lies nowhere.
    #[must_use]
    pub fn share(&self, text: &str) -> Option<f64> {
        let Self::Number {
            from, to, by_ratio, ..
        } = self
        else {
            return None;
        };
        let value = self.number(text)?;
        match by_ratio {
            // Nothing, and what stands for no limit, are no ratio of anything.
            true => (value > 0.0).then(|| (value / from).ln() / (to / from).ln()),
            false => Some((value - from) / (to - from)),
        }
    }

    /// Whether two texts are the same value: whole numbers exactly, others but for what their last digits leave open.
    #[must_use]
    pub fn same(&self, a: &str, b: &str) -> bool {
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) if a.fract() == 0.0 && b.fract() == 0.0 => a == b,
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => a.trim() == b.trim(),
        }
    }

    /// The value as this domain writes it, if it allows it; a number outside is none of its values.
    #[must_use]
    pub fn allowed(&self, text: &str) -> Option<String> {
        match self {
            Self::Choice(values) => values.iter().find(|value| *value == text.trim()).cloned(),
            Self::Number { from, to, .. } => {
                let value = self.number(text)?;
                let inside = (*from..=*to).contains(&value);
                inside.then(|| self.nearest(value)).flatten()
            }
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Number { from, to, step, .. } => {
                (((to - from) / step).ceil() as usize).saturating_add(1)
            }
            Self::Choice(values) => values.len(),
        }
    }
}

/// A number without digits that say nothing.
fn shortest(value: f64) -> String {
    let rounded = match value.fract() == 0.0 {
        true => value,
        false => (value * 1e9).round() / 1e9,
    };
    // Without the sign of a zero.
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_read() {
        let threads = Domain::parse("8..200", None, true, "").unwrap();
        assert_eq!(
            (threads.at(0.0), threads.at(1.0)),
            ("8".into(), "200".into())
        );
        assert_eq!(threads.at(0.5), "40");
        let heap = Domain::parse("256..1024", Some("256"), false, "m").unwrap();
        assert_eq!(heap.at(0.4), "512m");
        assert_eq!(heap.count(), 4);
        assert_eq!(heap.allowed("700m").unwrap(), "768m");
        assert_eq!(heap.allowed("2048m"), None);
        for (text, step, error) in [
            ("8", None, DomainError::Range),
            ("9..8", None, DomainError::Range),
            ("a..b", None, DomainError::Range),
            ("1..inf", None, DomainError::Range),
            ("1..9007199254740993", None, DomainError::TooLarge),
            (
                "-9223372036854775808..9223372036854775807",
                None,
                DomainError::TooLarge,
            ),
            ("1..9", Some("0"), DomainError::Step),
            ("1..9", Some("x"), DomainError::Step),
        ] {
            assert_eq!(Domain::parse(text, step, false, ""), Err(error), "{text}");
        }
        let most = Domain::parse("1..9007199254740991", None, false, "").unwrap();
        assert_eq!(most.at(1.0), "9007199254740991");
        let ratio = Domain::parse("0..9", None, true, "");
        assert_eq!(ratio, Err(DomainError::RatioOfNothing));
    }

    #[test]
    fn what_has_no_end_is_no_number() {
        let domain = Domain::numbers(0.0, u64::MAX as f64, 1.0, false, "");
        for text in ["infinity", "-inf", "nan"] {
            assert_eq!(domain.number(text), None, "{text}");
            assert!(
                domain.same(text, text) && !domain.same(text, "1024"),
                "{text}"
            );
        }
        assert!(domain.count() > 1 << 40);
    }

    proptest! {
        #[test]
        fn whole_numbers_are_written_as_they_are_and_told_apart(number in 0..1_i64 << 53) {
            let domain = Domain::numbers(0.0, (1_i64 << 53) as f64, 1.0, false, "");
            let text = number.to_string();
            prop_assert_eq!(domain.nearest(number as f64), Some(text.clone()));
            prop_assert!(domain.same(&text, &text) && !domain.same(&text, &(number - 1).to_string()));
        }

        #[test]
        fn every_value_lies_in_the_range_and_where_it_says(
            from in -1000.0..1000.0_f64, wide in 0.5..5000.0_f64, share in 0.0..1.0_f64, ratio: bool,
        ) {
            let from = if ratio { from.abs() + 0.1 } else { from };
            let domain = Domain::numbers(from, from + wide, wide / 7.0, ratio, "k");
            let text = domain.at(share);
            let value = domain.number(&text).unwrap();
            prop_assert!(value >= from - 1e-6 && value <= from + wide + 1e-6, "{text}");
            let back = domain.at(domain.share(&text).unwrap());
            prop_assert!(domain.same(&back, &text), "{text} {back}");
        }
    }
}
