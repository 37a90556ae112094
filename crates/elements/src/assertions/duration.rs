//! `DurationAssertion`: the sample did not take too long.

use plimsoll_plan::program::Template;

use super::finding::{failure, grouped, holds};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};

struct DurationAssertion {
    name: Template,
    allowed_ms: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Assertion(Box::new(DurationAssertion {
        name: fields.0.name.clone(),
        allowed_ms: fields.field("DurationAssertion.duration"),
    }))
}

impl Assertion for DurationAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        let allowed_ms = self.allowed_ms.whole(cx, 0)?;
        let elapsed_ms = i64::try_from(sample.elapsed_ms).unwrap_or(i64::MAX);
        if allowed_ms <= 0 || elapsed_ms <= allowed_ms {
            return Ok(found);
        }
        let message = format!(
            "The operation lasted too long: It took {} milliseconds, but should not have lasted longer than {} milliseconds.",
            grouped(elapsed_ms),
            grouped(allowed_ms)
        );
        Ok(failure(found, message))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::assertions::testing::verdict;
    use crate::testing::{element, sample};

    #[test]
    fn only_longer_samples_fail() {
        let mut sample = sample("");
        sample.elapsed_ms = 1234;
        let said = |allowed: &str| {
            let properties = [("DurationAssertion.duration", allowed)];
            verdict(&element("DurationAssertion", &properties), &sample)
        };
        for allowed in ["1234", "2000", "0", "-1", "", "x"] {
            assert_eq!(said(allowed), "ok", "{allowed}");
        }
        assert_eq!(
            said("1233"),
            "fail: The operation lasted too long: It took 1,234 milliseconds, but should not have lasted longer than 1,233 milliseconds."
        );
    }
}
