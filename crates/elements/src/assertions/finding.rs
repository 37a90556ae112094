//! What an assertion finds, as JMeter words it.

use plimsoll_plan::program::Template;

use crate::context::{Context, Fault};
use crate::result::AssertionResult;

/// A finding that is none yet: the assertion holds.
pub(super) fn holds(name: &Template, cx: &mut dyn Context) -> Result<AssertionResult, Fault> {
    Ok(AssertionResult {
        name: cx.text(name)?.into_owned(),
        ..AssertionResult::default()
    })
}

/// The same with an empty message, from which JMeter's assertions on JSON and with XPath begin:
/// result files show it even if they hold.
pub(super) fn holds_with_message(
    name: &Template,
    cx: &mut dyn Context,
) -> Result<AssertionResult, Fault> {
    Ok(AssertionResult {
        message: Some(String::new()),
        ..holds(name, cx)?
    })
}

/// The assertion does not hold.
pub(super) fn failure(found: AssertionResult, message: impl Into<String>) -> AssertionResult {
    AssertionResult {
        failure: true,
        error: false,
        message: Some(message.into()),
        ..found
    }
}

/// A failure or none, with the same message: JMeter's XPath assertions say what they looked for
/// even if they hold.
pub(super) fn verdict(found: AssertionResult, failure: bool, message: String) -> AssertionResult {
    AssertionResult {
        failure,
        message: Some(message),
        ..found
    }
}

/// The assertion could not be checked.
pub(super) fn error(found: AssertionResult, message: impl Into<String>) -> AssertionResult {
    AssertionResult {
        failure: false,
        error: true,
        message: Some(message.into()),
        ..found
    }
}

/// There was nothing to look at.
pub(super) fn failure_for_null(found: AssertionResult) -> AssertionResult {
    failure(found, "Response was null")
}

/// A whole number as Java's `MessageFormat` writes it in English: with commas.
pub(super) fn grouped(number: i64) -> String {
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
