//! `JSONPathAssertion`: what a JsonPath finds.

#[cfg(test)]
mod tests;

use super::finding::{failure, failure_for_null, holds_with_message};
use super::json_value::{WantedValue, is_any};
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::Fields;
use crate::json::{Json, Path, PathError, parse};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};

struct JsonPathAssertion {
    wanted: WantedValue,
    path: Compiled<Path>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let path = fields.field("JSON_PATH");
    Bound::Assertion(Box::new(JsonPathAssertion {
        wanted: WantedValue::of(fields),
        path: Compiled::new(path, fields.0.site, 0, |path, _| Path::new(path)),
    }))
}

impl Assertion for JsonPathAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds_with_message(&self.wanted.name, cx)?;
        let body = sample.text();
        if body.is_empty() {
            return Ok(failure_for_null(found));
        }
        let ready = self.path.ready(cx)?;
        let wrong = match &*ready {
            Ok(path) => self.wrong(path, &body, cx)?,
            Err(reason) => Some(reason.clone()),
        };
        if !self.wanted.inverted.truth(cx, false)? {
            return Ok(match wrong {
                Some(message) => failure(found, message),
                None => found,
            });
        }
        if wrong.is_some() {
            return Ok(found);
        }
        let path = self.path.field().text(cx)?.into_owned();
        let message = self.wanted.inverted_message(&path, cx)?;
        Ok(failure(found, message))
    }
}

impl JsonPathAssertion {
    /// Why the body does not hold, if it does not.
    fn wrong(
        &self,
        path: &Path,
        body: &str,
        cx: &mut dyn Context,
    ) -> Result<Option<String>, Fault> {
        let value = parse(body).map_err(PathError::Bad);
        let value = match value
            .as_ref()
            .map_err(PathError::clone)
            .and_then(|body| path.read(body))
        {
            Ok(value) => value,
            Err(error) => return Ok(Some(error.message().to_owned())),
        };
        let written = self.path.field().text(cx)?.into_owned();
        let expected = self.wanted.expected.text(cx)?;
        if !self.wanted.compares.truth(cx, false)? {
            let is_empty = matches!(&value, Json::Array(items) if items.is_empty());
            return Ok((is_empty && !path.is_definite()).then(|| {
                format!(
                    "JSONPath '{written}' is indefinite and the extracted Value is an empty Array. Please use an assertion value, to be sure to get a correct result. Expected value was '{expected}'"
                )
            }));
        }
        let is_null = self.wanted.is_null.truth(cx, false)?;
        let is_pattern = self.wanted.is_pattern.truth(cx, true)?;
        match self.is_expected(&value, is_null, is_pattern, &expected, cx)? {
            Ok(true) => return Ok(None),
            Ok(false) => {}
            Err(reason) => return Ok(Some(reason)),
        }
        Ok(Some(if is_null {
            format!(
                "Value in json path '{written}' expected to be null, but found '{}'",
                value.java_text()
            )
        } else if is_pattern {
            format!(
                "Value in json path '{written}' expected to match regexp '{expected}', but it did not match: '{}'",
                value.shown()
            )
        } else {
            format!(
                "Value in json path '{written}' expected to be '{expected}', but found '{}'",
                value.shown()
            )
        }))
    }

    /// Whether the value is the one wanted, or an array with it.
    fn is_expected(
        &self,
        value: &Json<'_>,
        is_null: bool,
        is_pattern: bool,
        expected: &str,
        cx: &mut dyn Context,
    ) -> Result<Result<bool, String>, Fault> {
        if expected == "[]" && matches!(value, Json::Array(items) if items.is_empty()) {
            return Ok(Ok(true));
        }
        is_any(value, is_null, |value| {
            Ok(match is_pattern {
                true => self.wanted.matches(cx, &value.shown())?,
                // What cannot be read equals `null`, as in json-smart.
                false => Ok(parse(expected).unwrap_or(Json::Null).equals(value)),
            })
        })
    }
}
