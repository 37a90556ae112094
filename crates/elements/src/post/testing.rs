//! Elements for tests of post-processors, and what they leave behind.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::assertions::testing::{element, sample};
use crate::context::Fault;
use crate::context::testing::TestContext;
use crate::json::path::tests::plain;
use crate::registry::{Bound, bind};
use crate::result::SampleResult;

/// Names with what they all begin with.
pub(crate) fn keyed(prefix: &str, properties: &[(&str, &str)]) -> Vec<(String, String)> {
    let keyed = |(name, value): &(&str, &str)| (format!("{prefix}{name}"), (*value).to_owned());
    properties.iter().map(keyed).collect()
}

/// Lets a post-processor work on a sample.
pub(crate) fn process(
    class: &str,
    properties: &[(String, String)],
    cx: &mut TestContext,
    sample: &mut SampleResult,
) -> Result<(), Fault> {
    let borrowed: Vec<(&str, &str)> = properties.iter().map(|(k, v)| (&**k, &**v)).collect();
    match bind(&element(class, &borrowed)).unwrap() {
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
        said.push(format!("ASSERTION {}", found.message));
    }
    said.join("|")
}

/// A sub-sample.
pub(crate) fn part(body: &str) -> SampleResult {
    sample(body)
}

/// Runs a file of cases: a body after `BODY`; then properties (`name=value`, apart by `;;`),
/// a tab, and the variables that JMeter 5.6.3 leaves. Properties begin with `prefix`.
pub(crate) fn run_cases(class: &str, prefix: &str, cases: &str) {
    let (mut body, mut wrong, mut checked) = (String::new(), Vec::new(), 0);
    for line in cases.lines() {
        let (first, second) = line.split_once('\t').unwrap();
        let second = plain(second);
        if first == "BODY" {
            body = second;
            continue;
        }
        checked += 1;
        let given = first.split(";;").filter_map(|pair| pair.split_once('='));
        let given = given.map(|(name, value)| (format!("{prefix}{name}"), plain(value)));
        let mut properties: Vec<(String, String)> = given.collect();
        // Of two the first counts.
        properties.extend(keyed(prefix, &[("refname", "v"), ("default", "D")]));
        let left = after(class, &properties, &body, TestContext::with(&[]));
        if left != second {
            wrong.push(format!(
                "{body}\n {first}\n leaves {left}\n not    {second}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong of {checked}",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(checked > 0);
}
