//! `ResponseAssertion`: patterns or texts in what was received or sent.

mod difference;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use plimsoll_plan::program::Template;

use super::finding::{error, failure, failure_for_null, holds};
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::document;
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::pattern::{Dialect, Pattern};
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{ElementScope, ScopeValue};

/// Bits of `Assertion.test_type`.
mod bits {
    pub(super) const MATCH: i64 = 1;
    pub(super) const CONTAINS: i64 = 2;
    pub(super) const NOT: i64 = 4;
    pub(super) const EQUALS: i64 = 8;
    pub(super) const SUBSTRING: i64 = 16;
    pub(super) const OR: i64 = 32;
}

struct ResponseAssertion {
    name: Template,
    scope: ElementScope,
    test_field: Field,
    test_type: Field,
    assume_success: Field,
    custom_message: Field,
    wanted: Vec<Compiled<Pattern>>,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let site = fields.0.site;
    // The name of the list is JMeter's, with its slip.
    let texts = fields
        .texts("Asserion.test_strings")
        .into_iter()
        .enumerate();
    Bound::Assertion(Box::new(ResponseAssertion {
        name: fields.0.name.clone(),
        scope: ElementScope::of_assertion(fields),
        test_field: fields.field("Assertion.test_field"),
        test_type: fields.field("Assertion.test_type"),
        assume_success: fields.field("Assertion.assume_success"),
        custom_message: fields.field("Assertion.custom_message"),
        wanted: texts
            .map(|(number, text)| Compiled::new(text, site, number, compile))
            .collect(),
    }))
}

fn compile(pattern: &str, cx: &dyn Context) -> Result<Pattern, String> {
    Pattern::new(pattern, Dialect::of(cx))
}

impl Assertion for ResponseAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        let test = ResponseTest {
            kind: self.test_type.whole(cx, bits::CONTAINS)?,
            field: self.test_field.text(cx)?,
            scope: self.scope.which(cx)?,
        };
        let looked_at = test.looked_at(cx, sample);
        if looked_at.is_empty() {
            return Ok(match test.has(bits::NOT) {
                true => found,
                false => failure_for_null(found),
            });
        }
        let mut messages = Vec::new();
        for wanted in &self.wanted {
            let text = wanted.field().text(cx)?;
            let passes = match test.finds(cx, &looked_at, wanted, &text)? {
                Ok(finds) => finds != test.has(bits::NOT),
                Err(bad) => return Ok(error(found, bad_configuration(cx, &text, &bad))),
            };
            match (passes, test.has(bits::OR)) {
                (true, true) => return Ok(found),
                (true, false) => {}
                (false, true) => messages.push(test.message(cx, &text, &looked_at)),
                (false, false) => {
                    let custom = self.custom_message.text(cx)?;
                    return Ok(failure(
                        found,
                        match custom.is_empty() {
                            true => test.message(cx, &text, &looked_at),
                            false => custom.into_owned(),
                        },
                    ));
                }
            }
        }
        if !test.has(bits::OR) {
            return Ok(found);
        }
        let custom = self.custom_message.text(cx)?;
        Ok(failure(
            found,
            match custom.is_empty() {
                // Each ends with a tab; of none at all one tab is left, as in JMeter.
                true => messages.join("\t") + "\t",
                false => custom.into_owned(),
            },
        ))
    }

    fn assumes_success(&self, cx: &mut dyn Context) -> Result<bool, Fault> {
        self.assume_success.truth(cx, false)
    }
}

fn bad_configuration(cx: &dyn Context, pattern: &str, reason: &str) -> String {
    match Dialect::of(cx) {
        Dialect::Perl5 => format!(
            "Bad test configuration org.apache.oro.text.MalformedCachePatternException: Invalid expression: {pattern}\n{reason}"
        ),
        Dialect::Java => format!(
            "Bad test configuration java.util.regex.PatternSyntaxException: {reason} near index 0\n{pattern}"
        ),
    }
}

/// What is tested, for one sample.
struct ResponseTest<'a> {
    kind: i64,
    field: Cow<'a, str>,
    scope: ScopeValue<'a>,
}

impl ResponseTest<'_> {
    fn has(&self, bit: i64) -> bool {
        self.kind & bit != 0
    }

    /// The text looked at; empty when there is none.
    fn looked_at<'s>(&self, cx: &mut dyn Context, sample: &'s SampleResult) -> Cow<'s, str> {
        if let ScopeValue::Variable(name) = &self.scope {
            let value = cx.get(name);
            return value.map_or(Cow::Borrowed(""), |value| Cow::Owned(value.to_string()));
        }
        let text = match &*self.field {
            "Assertion.response_data" => return sample.text(),
            "Assertion.response_data_as_document" => return document::text_of(sample),
            "Assertion.request_data" => return sample.request_text(),
            "Assertion.response_code" => &sample.code,
            "Assertion.response_message" => &sample.message,
            "Assertion.response_headers" => &sample.response_headers,
            "Assertion.request_headers" => &sample.request_headers,
            _ => sample.url.as_deref().unwrap_or_default(),
        };
        Cow::Borrowed(text)
    }

    fn finds(
        &self,
        cx: &mut dyn Context,
        looked_at: &str,
        wanted: &Compiled<Pattern>,
        text: &str,
    ) -> Result<Result<bool, String>, Fault> {
        if !self.has(bits::CONTAINS) {
            if self.has(bits::EQUALS) {
                return Ok(Ok(looked_at == text));
            }
            if self.has(bits::SUBSTRING) {
                return Ok(Ok(memchr::memmem::find(
                    looked_at.as_bytes(),
                    text.as_bytes(),
                )
                .is_some()));
            }
        }
        let ready = wanted.ready(cx)?;
        Ok(match &*ready {
            Ok(pattern) if self.has(bits::CONTAINS) => Ok(pattern.is_in(looked_at)),
            Ok(pattern) => Ok(pattern.matches(looked_at)),
            Err(bad) => Err(bad.clone()),
        })
    }

    fn message(&self, cx: &dyn Context, wanted: &str, looked_at: &str) -> String {
        let what = match (&self.scope, &*self.field) {
            (ScopeValue::Variable(name), _) => format!("variable({name})"),
            (_, field) => match field {
                "Assertion.response_data" => "text",
                "Assertion.response_code" => "code",
                "Assertion.response_message" => "message",
                "Assertion.request_headers" => "request headers",
                "Assertion.request_data" => "request data",
                "Assertion.response_headers" => "headers",
                "Assertion.response_data_as_document" => "document",
                _ => "URL",
            }
            .to_owned(),
        };
        const NOT: i64 = bits::NOT;
        let relation = match self.kind {
            bits::CONTAINS | bits::SUBSTRING => "expected to contain",
            kind if kind == NOT | bits::CONTAINS || kind == NOT | bits::SUBSTRING => {
                "expected not to contain"
            }
            bits::MATCH => "expected to match",
            kind if kind == NOT | bits::MATCH => "expected not to match",
            bits::EQUALS => "expected to equal",
            kind if kind == NOT | bits::EQUALS => "expected not to equal",
            // With "or" JMeter says no more than this.
            _ => "expected something using",
        };
        let shown = match self.has(bits::EQUALS) {
            true => Cow::Owned(difference::shown(
                looked_at,
                wanted,
                &difference::DifferenceMarks::of(cx),
            )),
            false => Cow::Borrowed(wanted),
        };
        format!("Test failed: {what} {relation} /{shown}/")
    }
}
