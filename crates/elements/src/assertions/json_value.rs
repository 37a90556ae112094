//! What the JSON and JMESPath assertions have in common: their properties.

use plimsoll_plan::program::Template;

use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::json::Json;
use crate::pattern::{Dialect, Pattern};

/// The properties but for the path.
pub(super) struct WantedValue {
    pub(super) name: Template,
    /// The value is compared, not only looked for.
    pub(super) compares: Field,
    pub(super) expected: Field,
    /// The expected value, when it is a pattern.
    pub(super) pattern: Compiled<Pattern>,
    pub(super) is_null: Field,
    pub(super) inverted: Field,
    pub(super) is_pattern: Field,
}

impl WantedValue {
    pub(super) fn of(fields: Fields<'_>) -> Self {
        let compile = |pattern: &str, cx: &dyn Context| Pattern::new(pattern, Dialect::of(cx));
        let expected = fields.field("EXPECTED_VALUE");
        Self {
            name: fields.0.name.clone(),
            compares: fields.field("JSONVALIDATION"),
            // The path is the first.
            pattern: Compiled::new(expected.clone(), fields.0.site, 1, compile),
            expected,
            is_null: fields.field("EXPECT_NULL"),
            inverted: fields.field("INVERT"),
            is_pattern: fields.field("ISREGEX"),
        }
    }

    /// What an inverted assertion says where the path holds.
    pub(super) fn inverted_message(
        &self,
        path: &str,
        cx: &mut dyn Context,
    ) -> Result<String, Fault> {
        Ok(if !self.compares.truth(cx, false)? {
            format!("Failed that JSONPath not exists: {path}")
        } else if self.is_null.truth(cx, false)? {
            format!("Failed that JSONPath {path} not matches null")
        } else {
            let expected = self.expected.text(cx)?;
            format!("Failed that JSONPath {path} not matches {expected}")
        })
    }

    /// Whether the pattern stands for all of a text.
    ///
    /// # Errors
    /// What is wrong with the pattern, in JMeter's words.
    pub(super) fn matches(
        &self,
        cx: &mut dyn Context,
        text: &str,
    ) -> Result<Result<bool, String>, Fault> {
        let ready = self.pattern.ready(cx)?;
        Ok(match &*ready {
            Ok(pattern) => Ok(pattern.matches(text)),
            Err(reason) => {
                let pattern = self.expected.text(cx)?;
                Err(format!("Invalid expression: {pattern}\n{reason}"))
            }
        })
    }
}

/// Whether a value, or one of an array, is the one wanted; `equals` says so of those that are not the null
/// that is wanted.
///
/// # Errors
/// What is wrong with what is wanted.
pub(super) fn is_any(
    value: &Json<'_>,
    wants_null: bool,
    mut equals: impl FnMut(&Json<'_>) -> Result<Result<bool, String>, Fault>,
) -> Result<Result<bool, String>, Fault> {
    let items = match value {
        Json::Array(items) => items.as_slice(),
        _ => &[],
    };
    for value in items.iter().chain([value]) {
        if wants_null && matches!(value, Json::Null) {
            return Ok(Ok(true));
        }
        let equal = equals(value)?;
        if equal != Ok(false) {
            return Ok(equal);
        }
    }
    Ok(Ok(false))
}
