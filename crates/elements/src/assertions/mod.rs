//! Assertions. One file a class, one line in [`ENTRIES`].

mod duration;
mod response;
mod size;
#[cfg(test)]
pub(crate) mod testing;

use plimsoll_plan::program::Template;

use crate::context::{Context, Fault};
use crate::registry::Entry;
use crate::result::{AssertionResult, SampleResult};
use crate::scope::Scope;

/// Says whether a sample holds. It looks at one sample; [`apply`] takes it through the samples
/// of its scope.
pub trait Assertion: Send + Sync {
    /// What it finds in this sample, without its sub-samples.
    ///
    /// # Errors
    /// When a property cannot be evaluated; the sample fails with it.
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault>;

    /// What it is applied to; none: the sample itself.
    fn scope(&self) -> Option<&Scope> {
        None
    }

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
        class: "DurationAssertion",
        bind: duration::bind,
    },
    Entry {
        class: "ResponseAssertion",
        bind: response::bind,
    },
    Entry {
        class: "SizeAssertion",
        bind: size::bind,
    },
];

/// How deep sub-samples of sub-samples are looked at, as in JMeter.
const DEEPEST: u32 = 3;

/// Takes an assertion through the samples of its scope: adds what it finds to each, and lets
/// those fail that do not hold.
///
/// # Errors
/// [`Fault::Remote`]; all else that goes wrong becomes an error of the sample, as in JMeter.
pub fn apply(
    assertion: &dyn Assertion,
    cx: &mut dyn Context,
    sample: &mut SampleResult,
) -> Result<(), Fault> {
    let (main, parts) = match assertion.scope() {
        Some(scope) => {
            let which = scope.which(cx)?;
            (which.has_main(), which.has_parts())
        }
        None => (true, false),
    };
    if main {
        one(assertion, cx, sample)?;
    }
    if parts {
        below(assertion, cx, sample, DEEPEST)?;
    }
    Ok(())
}

fn one(
    assertion: &dyn Assertion,
    cx: &mut dyn Context,
    sample: &mut SampleResult,
) -> Result<(), Fault> {
    if assertion.assumes_success(cx)? {
        sample.success = true;
    }
    let found = match assertion.check(cx, sample) {
        Ok(found) => found,
        Err(Fault::Failed(reason)) => {
            cx.log(&reason);
            AssertionResult {
                name: "Assertion failed! See log file.".to_owned(),
                failure: false,
                error: true,
                message: reason,
            }
        }
        Err(fault) => return Err(fault),
    };
    sample.success &= !(found.failure || found.error);
    sample.assertions.push(found);
    Ok(())
}

fn below(
    assertion: &dyn Assertion,
    cx: &mut dyn Context,
    sample: &mut SampleResult,
    level: u32,
) -> Result<(), Fault> {
    let mut failed = None;
    for part in &mut sample.parts {
        one(assertion, cx, part)?;
        let name = part.assertions.last().map(|found| found.name.clone());
        if level > 0 {
            below(assertion, cx, part, level - 1)?;
        }
        if !part.success {
            failed = name;
        }
    }
    // A sample that succeeded fails when one of its parts does.
    if let Some(name) = failed
        && sample.success
    {
        sample.success = false;
        let found = AssertionResult {
            name,
            ..AssertionResult::default()
        };
        sample
            .assertions
            .push(failure(found, "One or more sub-samples failed"));
    }
    Ok(())
}

/// A finding that is none yet: the assertion holds.
fn holds(name: &Template, cx: &mut dyn Context) -> Result<AssertionResult, Fault> {
    Ok(AssertionResult {
        name: cx.text(name)?.into_owned(),
        ..AssertionResult::default()
    })
}

/// The assertion does not hold.
fn failure(found: AssertionResult, message: impl Into<String>) -> AssertionResult {
    AssertionResult {
        failure: true,
        error: false,
        message: message.into(),
        ..found
    }
}

/// The assertion could not be checked.
fn error(found: AssertionResult, message: impl Into<String>) -> AssertionResult {
    AssertionResult {
        failure: false,
        error: true,
        message: message.into(),
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
