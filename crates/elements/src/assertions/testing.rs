//! Assertions at work in tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_plan::program::ElementProgram;

use crate::context::testing::TestContext;
use crate::registry::{Bound, bind};
use crate::result::{AssertionResult, SampleResult};
use crate::testing::{borrowed, check_table, element, properties, sample};

/// What an assertion finds in a sample.
pub(crate) fn assert_on(
    element: &ElementProgram,
    cx: &mut TestContext,
    sample: &mut SampleResult,
) -> AssertionResult {
    let Some(Bound::Assertion(assertion)) = bind(element) else {
        panic!("{} is no assertion", element.class);
    };
    sample.success |= assertion.assumes_success(cx).unwrap();
    assertion
        .check(cx, sample)
        .unwrap_or_else(|fault| AssertionResult {
            error: true,
            message: Some(fault.to_string()),
            ..AssertionResult::default()
        })
}

/// What an assertion says of a sample: `ok`, or `fail: …`, `error: …`, `both: …`.
pub(crate) fn verdict(element: &ElementProgram, sample: &SampleResult) -> String {
    let mut sample = sample.clone();
    said(&assert_on(
        element,
        &mut TestContext::with(&[]),
        &mut sample,
    ))
}

/// A finding in words.
pub(crate) fn said(found: &AssertionResult) -> String {
    match (found.failure, found.error) {
        (false, false) => "ok".to_owned(),
        (true, false) => format!("fail: {}", found.text()),
        (false, true) => format!("error: {}", found.text()),
        (true, true) => format!("both: {}", found.text()),
    }
}

/// Checks a table of verdicts: properties whose names begin with `prefix`, and what is said.
pub(crate) fn check_verdicts(class: &str, prefix: &str, table: &str) {
    check_table(table, 1, |body, given, _| {
        let properties = properties(prefix, given);
        vec![verdict(
            &element(class, &borrowed(&properties)),
            &sample(body),
        )]
    });
}
