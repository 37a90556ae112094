//! `com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion` (jpgc-json 2.7), from which JMeter's own
//! was made: values are compared as texts, and messages do not name the path.

use super::finding::{failure, failure_for_null, holds_with_message};
use super::json_value::{WantedValue, is_any};
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::json::{Json, Path, PathError, of_yaml, parse};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};

struct PluginAssertion {
    wanted: WantedValue,
    /// `YAML`: the body is that.
    format: Field,
    path: Compiled<Path>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let path = fields.field("JSON_PATH");
    Bound::Assertion(Box::new(PluginAssertion {
        wanted: WantedValue::of(fields),
        format: fields.field("INPUT_FORMAT"),
        path: Compiled::new(path, fields.0.site, 0, |path, _| Path::new(path)),
    }))
}

impl Assertion for PluginAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds_with_message(&self.wanted.name, cx)?;
        let body = sample.text();
        if body.is_empty() {
            return Ok(failure_for_null(found));
        }
        let wrong = self.wrong(&body, cx)?;
        match (wrong, self.wanted.inverted.truth(cx, false)?) {
            (None, false) | (Some(_), true) => Ok(found),
            (Some(message), false) => Ok(failure(found, message)),
            (None, true) => {
                let path = self.path.field().text(cx)?.into_owned();
                Ok(failure(found, self.wanted.inverted_message(&path, cx)?))
            }
        }
    }
}

impl PluginAssertion {
    /// Why the body does not hold, if it does not.
    fn wrong(&self, body: &str, cx: &mut dyn Context) -> Result<Option<String>, Fault> {
        let ready = self.path.ready(cx)?;
        let path = match &*ready {
            Ok(path) => path,
            Err(reason) => return Ok(Some(reason.clone())),
        };
        let document = match &*self.format.text(cx)? {
            "YAML" => of_yaml(body),
            _ => parse(body),
        };
        let document = document.map_err(PathError::Bad);
        let value = match document.as_ref() {
            Ok(document) => path.read(document),
            Err(error) => Err(error.clone()),
        };
        let value = match value {
            Ok(value) => value,
            Err(error) => return Ok(Some(error.message().to_owned())),
        };
        if !self.wanted.compares.truth(cx, false)? {
            return Ok(None);
        }
        match self.is_wanted(&value, cx)? {
            Ok(true) => Ok(None),
            Ok(false) => self.difference(&value, cx).map(Some),
            Err(reason) => Ok(Some(reason)),
        }
    }

    /// Whether the value is the one wanted, or an array with it.
    fn is_wanted(
        &self,
        value: &Json<'_>,
        cx: &mut dyn Context,
    ) -> Result<Result<bool, String>, Fault> {
        let wants_null = self.wanted.is_null.truth(cx, false)?;
        let is_empty = matches!(value, Json::Array(items) if items.is_empty());
        if is_empty && self.wanted.expected.text(cx)? == "[]" {
            return Ok(Ok(true));
        }
        is_any(value, wants_null, |value| {
            let text = value.shown();
            Ok(match self.wanted.is_pattern.truth(cx, true)? {
                true => self.wanted.matches(cx, &text)?,
                false => Ok(text == self.wanted.expected.text(cx)?),
            })
        })
    }

    fn difference(&self, value: &Json<'_>, cx: &mut dyn Context) -> Result<String, Fault> {
        let expected = self.wanted.expected.text(cx)?;
        Ok(if self.wanted.is_null.truth(cx, false)? {
            format!(
                "Value expected to be null, but found '{}'",
                value.java_text()
            )
        } else if self.wanted.is_pattern.truth(cx, true)? {
            format!(
                "Value expected to match regexp '{expected}', but it did not match: '{}'",
                value.shown()
            )
        } else {
            format!(
                "Value expected to be '{expected}', but found '{}'",
                value.shown()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::assertions::testing::verdict;
    use crate::testing::{borrowed, element, properties, sample};

    fn said(given: &str, body: &str) -> String {
        let class = "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion";
        let properties = properties("", given);
        verdict(&element(class, &borrowed(&properties)), &sample(body))
    }

    #[test]
    fn values_are_compared_as_texts() {
        let body = r#"{"a":"x1","n":12,"z":null,"l":["p","q",null],"e":[],"o":{"k":1}}"#;
        for (given, wanted) in [
            ("JSON_PATH=$.a", "ok"),
            ("JSON_PATH=$..none", "ok"),
            (
                "JSON_PATH=$.a;;JSONVALIDATION=true;;EXPECTED_VALUE=x\\d",
                "ok",
            ),
            (
                "JSON_PATH=$.a;;JSONVALIDATION=true;;ISREGEX=false;;EXPECTED_VALUE=x1",
                "ok",
            ),
            (
                "JSON_PATH=$.n;;JSONVALIDATION=true;;ISREGEX=false;;EXPECTED_VALUE=12",
                "ok",
            ),
            (
                "JSON_PATH=$.o;;JSONVALIDATION=true;;ISREGEX=false;;EXPECTED_VALUE={\"k\":1}",
                "ok",
            ),
            (
                "JSON_PATH=$.l;;JSONVALIDATION=true;;ISREGEX=false;;EXPECTED_VALUE=q",
                "ok",
            ),
            (
                "JSON_PATH=$.e;;JSONVALIDATION=true;;EXPECTED_VALUE=[]",
                "ok",
            ),
            ("JSON_PATH=$.z;;JSONVALIDATION=true;;EXPECT_NULL=true", "ok"),
            ("JSON_PATH=$.l;;JSONVALIDATION=true;;EXPECT_NULL=true", "ok"),
            (
                "JSON_PATH=$.a;;JSONVALIDATION=true;;EXPECTED_VALUE=y",
                "fail: Value expected to match regexp 'y', but it did not match: 'x1'",
            ),
            (
                "JSON_PATH=$.n;;JSONVALIDATION=true;;ISREGEX=false;;EXPECTED_VALUE=13",
                "fail: Value expected to be '13', but found '12'",
            ),
            (
                "JSON_PATH=$.a;;JSONVALIDATION=true;;EXPECT_NULL=true",
                "fail: Value expected to be null, but found 'x1'",
            ),
            (
                "JSON_PATH=$.a;;INVERT=true",
                "fail: Failed that JSONPath not exists: $.a",
            ),
            (
                "JSON_PATH=$.a;;INVERT=true;;JSONVALIDATION=true;;EXPECTED_VALUE=x1",
                "fail: Failed that JSONPath $.a not matches x1",
            ),
            (
                "JSON_PATH=$.z;;INVERT=true;;JSONVALIDATION=true;;EXPECT_NULL=true",
                "fail: Failed that JSONPath $.z not matches null",
            ),
            ("JSON_PATH=$.none;;INVERT=true", "ok"),
        ] {
            assert_eq!(said(given, body), wanted, "{given}");
        }
        assert_eq!(said("JSON_PATH=$.a", ""), "fail: Response was null");
        assert!(said("JSON_PATH=$.none", body).starts_with("fail: "));
        assert!(said("JSON_PATH=$.a", "no json {").starts_with("fail: "));
        assert_eq!(said("JSON_PATH=$.a;;INVERT=true", "no json {"), "ok");
    }
}
