//! `SizeAssertion`: how long the response or a part of it is.

use plimsoll_plan::program::Template;

use super::finding::{failure, grouped, holds};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{ElementScope, ScopeValue};

struct SizeAssertion {
    name: Template,
    scope: ElementScope,
    test_field: Field,
    allowed_bytes: Field,
    operator: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Assertion(Box::new(SizeAssertion {
        name: fields.0.name.clone(),
        scope: ElementScope::of_assertion(fields),
        test_field: fields.field("Assertion.test_field"),
        allowed_bytes: fields.field("SizeAssertion.size"),
        operator: fields.field("SizeAssertion.operator"),
    }))
}

impl Assertion for SizeAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        let size = match self.scope.which(cx)? {
            ScopeValue::Variable(name) => {
                let value = cx.get(&name);
                match value.as_deref().and_then(|value| value.parse::<i64>().ok()) {
                    Some(size) => size,
                    None => {
                        let value = value.as_deref().unwrap_or("null");
                        let message = format!("Error parsing variable name: {name} value: {value}");
                        return Ok(failure(found, message));
                    }
                }
            }
            _ => self.size_of(cx, sample)?,
        };
        let allowed = self.allowed_bytes.text(cx)?;
        let Ok(allowed) = allowed.parse::<i64>() else {
            return Err(Fault::new(format!(
                "java.lang.NumberFormatException: For input string: \"{allowed}\""
            )));
        };
        let (is_so, words) = match self.operator.whole(cx, 0)? {
            1 => (size == allowed, "been equal to"),
            2 => (size != allowed, "not been equal to"),
            3 => (size > allowed, "been greater than"),
            4 => (size < allowed, "been less than"),
            5 => (size >= allowed, "been greater or equal to"),
            6 => (size <= allowed, "been less than or equal to"),
            _ => (false, "ERROR - invalid condition"),
        };
        if is_so {
            return Ok(found);
        }
        let message = format!(
            "The result was the wrong size: It was {} bytes, but should have {words} {} bytes.",
            grouped(size),
            grouped(allowed)
        );
        Ok(failure(found, message))
    }
}

impl SizeAssertion {
    fn size_of(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<i64, Fault> {
        let body_bytes = match sample.body_bytes {
            0 => sample.body.len() as u64,
            bytes => bytes,
        };
        let size = match &*self.test_field.text(cx)? {
            // Java counts UTF-16 units.
            "SizeAssertion.response_code" => sample.code.encode_utf16().count() as u64,
            "SizeAssertion.response_message" => sample.message.encode_utf16().count() as u64,
            "SizeAssertion.response_headers" => sample.header_bytes,
            "SizeAssertion.response_data" => body_bytes,
            _ => match sample.header_bytes + body_bytes {
                0 => sample.received_bytes,
                bytes => bytes,
            },
        };
        Ok(i64::try_from(size).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    //! Expected values are those of JMeter 5.6.3.
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::assertions::testing::verdict;
    use crate::testing::{element, sample};

    fn said(size: &str, operator: &str, field: &str) -> String {
        let properties = [
            ("SizeAssertion.size", size),
            ("SizeAssertion.operator", operator),
            ("Assertion.test_field", field),
        ];
        verdict(&element("SizeAssertion", &properties), &sample("hello"))
    }

    #[test]
    fn messages_are_those_of_jmeter() {
        let body = "SizeAssertion.response_data";
        for (size, operator, is, wanted) in [
            ("4", "1", "been equal to", "4"),
            ("5", "2", "not been equal to", "5"),
            ("1234567", "3", "been greater than", "1,234,567"),
            ("1", "4", "been less than", "1"),
            ("6", "5", "been greater or equal to", "6"),
            ("1", "6", "been less than or equal to", "1"),
            ("1", "7", "ERROR - invalid condition", "1"),
        ] {
            let text = format!(
                "fail: The result was the wrong size: It was 5 bytes, but should have {is} {wanted} bytes."
            );
            assert_eq!(said(size, operator, body), text);
        }
        for (size, operator) in [
            ("5", "1"),
            ("4", "2"),
            ("4", "3"),
            ("6", "4"),
            ("5", "5"),
            ("5", "6"),
        ] {
            assert_eq!(said(size, operator, body), "ok", "{operator} {size}");
        }
    }

    #[test]
    fn each_field_has_its_size() {
        for (field, size) in [
            ("SizeAssertion.response_network_size", "5"),
            ("", "5"),
            ("SizeAssertion.response_code", "3"),
            ("SizeAssertion.response_message", "2"),
            ("SizeAssertion.response_headers", "0"),
        ] {
            assert_eq!(said(size, "1", field), "ok", "{field}");
        }
    }

    #[test]
    fn what_is_no_number_is_said() {
        let text = "error: java.lang.NumberFormatException: For input string: \"x\"";
        assert_eq!(said("x", "1", ""), text);
        let properties = [
            ("SizeAssertion.size", "2"),
            ("SizeAssertion.operator", "1"),
            ("Assertion.scope", "variable"),
            ("Scope.variable", "q"),
        ];
        let found = verdict(&element("SizeAssertion", &properties), &sample("hello"));
        assert_eq!(found, "fail: Error parsing variable name: q value: null");
    }
}
