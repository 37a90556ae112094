//! Post-processors at work in tests, and what they leave behind.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::context::Fault;
use crate::context::testing::TestContext;
use crate::registry::{Bound, bind};
use crate::result::SampleResult;
use crate::testing::{borrowed, check_table, element, keyed, properties, sample};

/// Lets a post-processor work on a sample.
pub(crate) fn process(
    class: &str,
    properties: &[(String, String)],
    cx: &mut TestContext,
    sample: &mut SampleResult,
) -> Result<(), Fault> {
    match bind(&element(class, &borrowed(properties))) {
        Some(Bound::Post(post)) => post.process(cx, sample),
        _ => panic!("{class} is no post-processor"),
    }
}

/// The variables after a post-processor worked on a body: `name=value|…`, by name; and what
/// went wrong.
pub(crate) fn after(
    class: &str,
    properties: &[(String, String)],
    body: &str,
    mut cx: TestContext,
) -> String {
    let mut sample = sample(body);
    let failed = process(class, properties, &mut cx, &mut sample).err();
    let vars = cx
        .vars
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let mut said: Vec<String> = vars.collect();
    said.extend(failed.map(|fault| format!("FAILS {fault}")));
    for found in &sample.assertions {
        said.push(format!("ASSERTION {}", found.text()));
    }
    said.join("|")
}

/// Checks a table of variables: properties whose names begin with `prefix`, and what is left.
pub(crate) fn check_variables(class: &str, prefix: &str, table: &str) {
    check_table(table, 1, |body, given, _| {
        let mut properties = properties(prefix, given);
        // Of two the first counts.
        properties.extend(keyed(prefix, &[("refname", "v"), ("default", "D")]));
        vec![after(class, &properties, body, TestContext::with(&[]))]
    });
}
