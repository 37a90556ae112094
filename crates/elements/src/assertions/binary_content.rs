//! `eu.luminis.jmeter.assertions.BinaryContentAssertion` (jmeter-websocket-samplers 1.3.1): the body against bytes.

use plimsoll_plan::program::Template;

use super::finding::{failure, holds};
use crate::binary_text::{self, bytes_of, text_of};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};

struct BinaryContent {
    name: Template,
    how: Field,
    wanted: Field,
}

/// The plugin's word for a comparison, what it says of it, and what makes it true.
type Comparison = (&'static str, &'static str, fn(&[u8], &[u8]) -> bool);

const COMPARISONS: [Comparison; 6] = [
    ("Equals", "to equal", |body, wanted| body == wanted),
    ("Contains", "to contain", binary_text::holds),
    ("StartsWith", "to start with", <[u8]>::starts_with),
    ("NotEquals", "not to equal", |body, wanted| body != wanted),
    ("NotContains", "not to contain", |body, wanted| {
        !binary_text::holds(body, wanted)
    }),
    ("NotStartsWith", "not to start with", |body, wanted| {
        !body.starts_with(wanted)
    }),
];

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Assertion(Box::new(BinaryContent {
        name: fields.0.name.clone(),
        how: fields.field("comparisonType"),
        wanted: fields.field("compareValue"),
    }))
}

impl Assertion for BinaryContent {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        let wanted = bytes_of(&self.wanted.text(cx)?)
            .map_err(|why| Fault::new(format!("java.lang.NumberFormatException: {why}")))?;
        let how = self.how.text(cx)?;
        let how = if how.trim().is_empty() {
            "Contains"
        } else {
            &how
        };
        let known = COMPARISONS.iter().find(|(word, ..)| *word == how);
        let Some((_, said, is_true)) = known else {
            let what = "eu.luminis.jmeter.assertions.BinaryContentAssertion.ComparisonType";
            let why = format!("java.lang.IllegalArgumentException: No enum constant {what}.{how}");
            return Err(Fault::new(why));
        };
        if is_true(&sample.body, &wanted) {
            return Ok(found);
        }
        let all = |bytes: &[u8]| text_of(bytes, usize::MAX, "");
        let message = format!(
            "Response expected {said} {}\nResponse was: {}",
            all(&wanted),
            all(&sample.body)
        );
        Ok(failure(found, message))
    }
}

#[cfg(test)]
mod tests {
    use crate::assertions::testing::verdict;
    use crate::testing::{element, sample};

    #[test]
    fn bodies_are_compared_as_the_plugin_does() {
        let said = |how: &str, wanted: &str| {
            let properties = [("comparisonType", how), ("compareValue", wanted)];
            let class = "eu.luminis.jmeter.assertions.BinaryContentAssertion";
            verdict(&element(class, &properties), &sample("abc"))
        };
        for (how, good, bad) in [
            ("Equals", "616263", "6162"),
            ("Contains", "0x62 0x63", "0x64"),
            ("", "62", ""),
            ("StartsWith", "61 62", "62"),
            ("NotEquals", "6162", "616263"),
            ("NotContains", "64", "63"),
            ("NotStartsWith", "62", "61"),
        ] {
            assert_eq!(said(how, good), "ok", "{how}");
            assert!(
                said(how, bad).starts_with("fail: Response expected"),
                "{how}"
            );
        }
        assert_eq!(
            said("NotEquals", "616263"),
            "fail: Response expected not to equal 0x61 0x62 0x63\nResponse was: 0x61 0x62 0x63"
        );
    }
}
