//! `MD5HexAssertion`: the body has a known digest.

use md5::{Digest, Md5};
use plimsoll_plan::program::Template;

use super::finding::{failure, failure_for_null, holds};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};

struct Md5Assertion {
    name: Template,
    digest: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Assertion(Box::new(Md5Assertion {
        name: fields.0.name.clone(),
        // Not a size: JMeter's name for it.
        digest: fields.field("MD5HexAssertion.size"),
    }))
}

impl Assertion for Md5Assertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        if sample.body.is_empty() {
            return Ok(failure_for_null(found));
        }
        let wanted = self.digest.text(cx)?;
        if wanted.is_empty() {
            return Ok(failure(found, "MD5Hex to test against is empty"));
        }
        let digest = Md5::digest(&sample.body);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if digest.eq_ignore_ascii_case(&wanted) {
            return Ok(found);
        }
        let message =
            format!("Error asserting MD5 sum : got {digest} but should have been {wanted}");
        Ok(failure(found, message))
    }
}

#[cfg(test)]
mod tests {
    //! Expected values are those of JMeter 5.6.3.
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::assertions::testing::verdict;
    use crate::testing::{element, sample};

    #[test]
    fn messages_are_those_of_jmeter() {
        let said = |body, wanted| {
            let properties = [("MD5HexAssertion.size", wanted)];
            verdict(&element("MD5HexAssertion", &properties), &sample(body))
        };
        assert_eq!(said("hello", "5d41402abc4b2a76b9719d911017c592"), "ok");
        assert_eq!(said("hello", "5D41402ABC4B2A76B9719D911017C592"), "ok");
        assert_eq!(
            said("hello", "x"),
            "fail: Error asserting MD5 sum : got 5d41402abc4b2a76b9719d911017c592 but should have been x"
        );
        assert_eq!(said("hello", ""), "fail: MD5Hex to test against is empty");
        assert_eq!(said("", "x"), "fail: Response was null");
    }
}
