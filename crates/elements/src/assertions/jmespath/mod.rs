//! `JMESPathAssertion`: what a JMESPath expression finds.

#[cfg(test)]
mod tests;

use super::finding::{error, failure, failure_for_null, holds_with_message};
use super::json_value::WantedValue;
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::Fields;
use crate::json::{Jmes, Json, parse_strict};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};

struct JmesPathAssertion {
    wanted: WantedValue,
    expression: Compiled<Jmes>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let expression = fields.field("JMES_PATH");
    Bound::Assertion(Box::new(JmesPathAssertion {
        wanted: WantedValue::of(fields),
        expression: Compiled::new(expression, fields.0.site, 0, |text, _| Jmes::new(text)),
    }))
}

impl Assertion for JmesPathAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds_with_message(&self.wanted.name, cx)?;
        let body = sample.text();
        if body.is_empty() {
            return Ok(failure_for_null(found));
        }
        let inverted = self.wanted.inverted.truth(cx, false)?;
        let ready = self.expression.ready(cx)?;
        let value = ready.as_ref().map_err(String::clone);
        let value = value.and_then(|expression| expression.search(&parse_strict(&body)?));
        let value = match value {
            Ok(value) => self.is_expected(&value, cx)?,
            Err(reason) => Err(reason),
        };
        Ok(match value {
            Ok(is_expected) if is_expected == inverted => {
                let message = self.message(inverted, cx)?;
                failure(found, message)
            }
            // What goes wrong is welcome to an inverted assertion.
            Err(reason) if !inverted => error(found, reason),
            Ok(_) | Err(_) => found,
        })
    }
}

impl JmesPathAssertion {
    fn is_expected(
        &self,
        value: &Json<'_>,
        cx: &mut dyn Context,
    ) -> Result<Result<bool, String>, Fault> {
        let is_null = matches!(value, Json::Null);
        if !self.wanted.compares.truth(cx, false)? {
            return Ok(Ok(!is_null));
        }
        if self.wanted.is_null.truth(cx, false)? {
            return Ok(Ok(is_null));
        }
        let text = value.jackson_text();
        if self.wanted.is_pattern.truth(cx, true)? {
            return self.wanted.matches(cx, &text);
        }
        let expected = self.wanted.expected.text(cx)?;
        if *text == *expected {
            return Ok(Ok(true));
        }
        Ok(parse_strict(&expected).map(|expected| expected.equals(value)))
    }

    fn message(&self, inverted: bool, cx: &mut dyn Context) -> Result<String, Fault> {
        let not = if inverted { " not" } else { "" };
        if !self.wanted.compares.truth(cx, false)? {
            let path = self.expression.field().text(cx)?;
            return Ok(format!("JMESPATH {path} expected{not} to exist"));
        }
        if self.wanted.is_null.truth(cx, false)? {
            return Ok(format!("Value expected{not} to be null"));
        }
        let relation = match self.wanted.is_pattern.truth(cx, true)? {
            true => "match",
            false => "be equal to",
        };
        let expected = self.wanted.expected.text(cx)?;
        Ok(format!("Value expected{not} to {relation} {expected}"))
    }
}
