//! `RandomVariableConfig`: a random number in a variable, each time the scope is entered.

use std::sync::{Mutex, PoisonError};

use plimsoll_plan::program::SiteId;
use plimsoll_plan::share::Share;

use super::number::{NumberFormat, whole};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::functions::numbers::JavaRandom;
use crate::leaf::{Bound, PassListener};

struct RandomVariable {
    least: Field,
    most: Field,
    seed: Field,
    name: Field,
    format: NumberFormat,
    per_user: bool,
    site: SiteId,
}

/// Numbers from `least`, so many as `range`.
struct NumberRange {
    random: JavaRandom,
    taken: u64,
    least: i64,
    range: i32,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Pass(Box::new(RandomVariable {
        least: fields.field("minimumValue"),
        most: fields.field("maximumValue"),
        seed: fields.field("randomSeed"),
        name: fields.field("variableName"),
        format: NumberFormat::new(fields.field("outputFormat")),
        per_user: fields.fixed_truth("perThread", false),
        site: fields.0.site,
    }))
}

impl PassListener for RandomVariable {
    fn pass(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        let value = if self.per_user {
            if keep::own::<Option<NumberRange>>(cx, self.site, || None).is_none() {
                let numbers = self.begin(cx)?;
                *keep::own(cx, self.site, || None) = Some(numbers);
            }
            let numbers = keep::own::<Option<NumberRange>>(cx, self.site, || None);
            numbers.as_mut().and_then(NumberRange::next)
        } else {
            let shared = keep::shared(cx, self.site, || Mutex::new(None::<NumberRange>));
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.is_none() {
                *shared = Some(self.begin(cx)?);
            }
            let share = cx.thread().share;
            shared.as_mut().and_then(|numbers| numbers.next_of(share))
        };
        let Some(value) = value else { return Ok(()) };
        self.format.set(&self.name, value, cx)
    }
}

impl RandomVariable {
    /// The numbers from the first one on: what the properties say later does not count.
    fn begin(&self, cx: &mut dyn Context) -> Result<NumberRange, Fault> {
        let least = whole(&self.least, cx)?;
        let most = match self.most.is_there() {
            true => whole(&self.most, cx)?,
            false => 1,
        };
        let range = if least > most {
            cx.log(&format!(
                "ERROR maximum({most}) must be >= minimum({least})"
            ));
            0
        } else {
            // As many as Java's generator can draw from.
            let range = i128::from(most) - i128::from(least) + 1;
            i32::try_from(range).unwrap_or(i32::MAX)
        };
        let seed = self.seed.text(cx)?;
        let seed = match seed.parse() {
            Ok(seed) => seed,
            Err(_) => {
                if !seed.is_empty() {
                    cx.log(&format!("WARN Cannot parse random seed: '{seed}'"));
                }
                cx.random_bits().cast_signed()
            }
        };
        let random = JavaRandom::new(seed);
        Ok(NumberRange {
            random,
            taken: 0,
            least,
            range,
        })
    }
}

impl NumberRange {
    /// The next one that is this share's of the load.
    fn next_of(&mut self, share: Share) -> Option<i64> {
        for _ in 0..share.skipped_before(self.taken) {
            self.next();
        }
        self.taken = self.taken.saturating_add(1);
        self.next()
    }

    fn next(&mut self) -> Option<i64> {
        (self.range > 0).then(|| self.least + i64::from(self.random.below(self.range)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::context::testing::TestContext;
    use crate::pre::testing::passes;

    #[test]
    fn a_seed_gives_the_numbers_that_jmeter_gives() {
        // Java 17: new Random(42).nextInt(10), from 100 on.
        for per_user in ["false", "true"] {
            let variable = [
                ("minimumValue", "100"),
                ("maximumValue", "109"),
                ("randomSeed", "42"),
                ("variableName", "r"),
                ("outputFormat", "n0000"),
                ("perThread", per_user),
            ];
            let mut cx = TestContext::with(&[]);
            let values = passes("RandomVariableConfig", &variable, &mut cx, "r", 4);
            assert_eq!(values, ["n0100", "n0103", "n0108", "n0104"]);
        }
    }

    #[test]
    fn all_numbers_come_and_wrong_ends_give_none() {
        let variable = [
            ("minimumValue", "-1"),
            ("maximumValue", "1"),
            ("variableName", "r"),
        ];
        let mut cx = TestContext::with(&[]);
        let mut values = passes("RandomVariableConfig", &variable, &mut cx, "r", 100);
        values.sort();
        values.dedup();
        assert_eq!(values, ["-1", "0", "1"]);
        let variable = [
            ("minimumValue", "2"),
            ("maximumValue", "1"),
            ("variableName", "r"),
        ];
        let mut cx = TestContext::with(&[("r", "as it was")]);
        assert_eq!(
            passes("RandomVariableConfig", &variable, &mut cx, "r", 1),
            ["as it was"]
        );
        assert_eq!(cx.logged.len(), 1);
        let wide = [
            ("minimumValue", "0"),
            ("maximumValue", "9223372036854775807"),
            ("variableName", "r"),
        ];
        let mut cx = TestContext::with(&[]);
        let values = passes("RandomVariableConfig", &wide, &mut cx, "r", 20);
        assert!(
            values
                .iter()
                .all(|value| value.parse::<i64>().unwrap() < i64::from(i32::MAX))
        );
    }
}
