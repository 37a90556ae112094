//! Elements and samples for tests of assertions and post-processors.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use plimsoll_plan::program::{ElementProgram, SiteId, Template, ValueProgram};

use crate::context::testing::TestContext;
use crate::registry::{Bound, bind};
use crate::result::{AssertionResult, SampleResult};

/// An element with these properties. `${x}` in a value is a variable.
pub(crate) fn element(class: &str, properties: &[(&str, &str)]) -> ElementProgram {
    let property = |(name, value): &(&str, &str)| {
        let value = ValueProgram::Text(template(value));
        ((*name).into(), value)
    };
    ElementProgram {
        class: class.to_owned(),
        name: Template::text("the name"),
        properties: properties.iter().map(property).collect(),
        site: SiteId(1),
        at: plimsoll_plan::model::Span::default(),
    }
}

/// A text; one variable in it at most.
pub(crate) fn template(text: &str) -> Template {
    use plimsoll_plan::program::{Part, Slot};
    let Some((before, rest)) = text.split_once("${") else {
        return Template::text(text);
    };
    let (name, after) = rest.split_once('}').unwrap();
    let slot = Part::Slot {
        slot: Slot(0),
        literal: format!("${{{name}}}").into(),
    };
    let mut parts = vec![Part::Text(before.into()), slot, Part::Text(after.into())];
    parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
    Template { parts }
}

/// The list of texts that a property holds.
pub(crate) fn texts(texts: &[&str]) -> ValueProgram {
    let texts = texts.iter().map(|text| ValueProgram::Text(template(text)));
    ValueProgram::List(texts.collect())
}

/// A sample with this body.
pub(crate) fn sample(body: &str) -> SampleResult {
    let mut sample = SampleResult::new("label");
    sample.ok();
    sample.body = body.as_bytes().to_vec();
    sample
}

/// What an assertion finds in a sample.
pub(crate) fn assert_on(
    element: &ElementProgram,
    cx: &mut TestContext,
    sample: &mut SampleResult,
) -> AssertionResult {
    let Some(Bound::Assertion(assertion)) = bind(element).unwrap() else {
        panic!("{} is no assertion", element.class);
    };
    sample.success |= assertion.assumes_success(cx).unwrap();
    assertion
        .check(cx, sample)
        .unwrap_or_else(|fault| AssertionResult {
            error: true,
            message: fault.to_string(),
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
        (true, false) => format!("fail: {}", found.message),
        (false, true) => format!("error: {}", found.message),
        (true, true) => format!("both: {}", found.message),
    }
}

/// Runs a file of cases: a body after `BODY`; then properties (`name=value`, apart by `;;`),
/// a tab, and what JMeter 5.6.3 says. Properties begin with `prefix`.
pub(crate) fn run_cases(class: &str, prefix: &str, cases: &str) {
    use crate::json::path::tests::plain;
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
        let given: Vec<(String, String)> = given
            .map(|(name, value)| (format!("{prefix}{name}"), plain(value)))
            .collect();
        let borrowed: Vec<(&str, &str)> = given.iter().map(|(k, v)| (&**k, &**v)).collect();
        let said = verdict(&element(class, &borrowed), &sample(&body));
        if said != second {
            wrong.push(format!("{body}\n {first}\n says {said}\n not  {second}"));
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
