//! Assertions. One file a class, one line in [`ENTRIES`].

mod compare;
mod duration;
mod jmespath;
mod json_path;
mod json_value;
mod md5;
mod response;
mod size;
#[cfg(test)]
pub(crate) mod testing;
mod xml;
mod xpath;
mod xpath2;

use plimsoll_plan::program::Template;

use crate::context::{Context, Fault};
use crate::registry::Entry;
use crate::result::{AssertionResult, SampleResult};

/// Says whether a sample holds. It looks at one sample; the engine takes it through the samples
/// of its scope.
pub trait Assertion: Send + Sync {
    /// What it finds in this sample, without its sub-samples.
    ///
    /// # Errors
    /// When a property cannot be evaluated; the sample fails with it.
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault>;

    /// Whether a sample counts as a success before it is looked at ("ignore status").
    ///
    /// # Errors
    /// When a property cannot be evaluated.
    fn assumes_success(&self, cx: &mut dyn Context) -> Result<bool, Fault> {
        let _ = cx;
        Ok(false)
    }
}

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry {
        class: "CompareAssertion",
        bind: compare::bind,
    },
    Entry {
        class: "DurationAssertion",
        bind: duration::bind,
    },
    Entry {
        class: "JMESPathAssertion",
        bind: jmespath::bind,
    },
    Entry {
        class: "JSONPathAssertion",
        bind: json_path::bind,
    },
    Entry {
        class: "MD5HexAssertion",
        bind: md5::bind,
    },
    Entry {
        class: "ResponseAssertion",
        bind: response::bind,
    },
    Entry {
        class: "SizeAssertion",
        bind: size::bind,
    },
    Entry {
        class: "XMLAssertion",
        bind: xml::bind,
    },
    Entry {
        class: "XPath2Assertion",
        bind: xpath2::bind,
    },
    Entry {
        class: "XPathAssertion",
        bind: xpath::bind,
    },
];

/// A finding that is none yet: the assertion holds.
fn holds(name: &Template, cx: &mut dyn Context) -> Result<AssertionResult, Fault> {
    Ok(AssertionResult {
        name: cx.text(name)?.into_owned(),
        ..AssertionResult::default()
    })
}

/// The same with an empty message, from which JMeter's assertions on JSON and with XPath begin:
/// result files show it even if they hold.
fn holds_with_message(name: &Template, cx: &mut dyn Context) -> Result<AssertionResult, Fault> {
    Ok(AssertionResult {
        message: Some(String::new()),
        ..holds(name, cx)?
    })
}

/// The assertion does not hold.
fn failure(found: AssertionResult, message: impl Into<String>) -> AssertionResult {
    AssertionResult {
        failure: true,
        error: false,
        message: Some(message.into()),
        ..found
    }
}

/// A failure or none, with the same message: JMeter's XPath assertions say what they looked for
/// even if they hold.
fn verdict(found: AssertionResult, failure: bool, message: String) -> AssertionResult {
    AssertionResult {
        failure,
        message: Some(message),
        ..found
    }
}

/// The assertion could not be checked.
fn error(found: AssertionResult, message: impl Into<String>) -> AssertionResult {
    AssertionResult {
        failure: false,
        error: true,
        message: Some(message.into()),
        ..found
    }
}

/// There was nothing to look at.
fn failure_for_null(found: AssertionResult) -> AssertionResult {
    failure(found, "Response was null")
}

/// A whole number as Java's `MessageFormat` writes it in English: with commas.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    //! What JMeter 5.6.3's result files have of assertions that hold.

    use super::testing::assert_on;
    use crate::context::testing::TestContext;
    use crate::testing::{element, sample};

    #[test]
    fn some_have_a_message_even_if_they_hold() {
        let xml = "<a><b/></a>";
        for (class, properties, body, message) in [
            ("DurationAssertion", &[][..], "x", None),
            ("XMLAssertion", &[], xml, None),
            (
                "JSONPathAssertion",
                &[("JSON_PATH", "$.a")],
                "{\"a\":1}",
                Some(""),
            ),
            (
                "JMESPathAssertion",
                &[("JMES_PATH", "a")],
                "{\"a\":1}",
                Some(""),
            ),
            ("XPathAssertion", &[("XPath.xpath", "//b")], xml, Some("")),
            (
                "XPathAssertion",
                &[("XPath.xpath", "//c"), ("XPath.negate", "true")],
                xml,
                Some("No Nodes Matched //c"),
            ),
            (
                "XPathAssertion",
                &[("XPath.xpath", "1=1")],
                xml,
                Some("No Nodes Matched for 1=1"),
            ),
            (
                "XPath2Assertion",
                &[("XPath.xpath", "//b")],
                xml,
                Some("No Nodes Matched for //b"),
            ),
            ("XPath2Assertion", &[("XPath.xpath", "")], xml, Some("")),
        ] {
            let mut cx = TestContext::with(&[]);
            let found = assert_on(&element(class, properties), &mut cx, &mut sample(body));
            assert!(!found.failure && !found.error, "{class} {found:?}");
            assert_eq!(found.message.as_deref(), message, "{class} {properties:?}");
        }
    }
}
