//! Expected values are those of JMeter 5.6.3.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::assertions::testing::{assert_on, said, verdict};
use crate::context::testing::TestContext;
use crate::testing::{element, sample, texts};
use plimsoll_plan::program::ElementProgram;

fn assertion(kind: &str, wanted: &[&str], more: &[(&str, &str)]) -> ElementProgram {
    let mut properties = vec![
        ("Assertion.test_field", "Assertion.response_data"),
        ("Assertion.test_type", kind),
    ];
    properties.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    properties.extend_from_slice(more);
    let mut element = element("ResponseAssertion", &properties);
    let list = ("Asserion.test_strings".into(), texts(wanted));
    element.properties.push(list);
    element
}

const CASES: &[(&str, &str, &[&str], &str)] = &[
    ("hello world", "2", &["wor.d"], "ok"),
    (
        "hello world",
        "2",
        &["nope"],
        "fail: Test failed: text expected to contain /nope/",
    ),
    (
        "hello world",
        "6",
        &["wor"],
        "fail: Test failed: text expected not to contain /wor/",
    ),
    (
        "hello",
        "1",
        &["hel"],
        "fail: Test failed: text expected to match /hel/",
    ),
    ("hello", "1", &["hel.*"], "ok"),
    (
        "hello",
        "5",
        &["hello"],
        "fail: Test failed: text expected not to match /hello/",
    ),
    (
        "hello",
        "8",
        &["hallo"],
        "fail: Test failed: text expected to equal /\n\n****** received  : h[[[e]]]llo\n\n****** comparison: h[[[a]]]llo\n\n/",
    ),
    (
        "hello",
        "12",
        &["hello"],
        "fail: Test failed: text expected not to equal /\n\n****** received  : hello[[[]]]\n\n****** comparison: hello[[[]]]\n\n/",
    ),
    ("hello", "16", &["l"], "ok"),
    (
        "hello",
        "16",
        &["x."],
        "fail: Test failed: text expected to contain /x./",
    ),
    (
        "hello",
        "20",
        &["l"],
        "fail: Test failed: text expected not to contain /l/",
    ),
    (
        "hello",
        "34",
        &["a", "b"],
        "fail: Test failed: text expected something using /a/\tTest failed: text expected something using /b/\t",
    ),
    ("hello", "34", &["a", "hel"], "ok"),
    (
        "hello",
        "48",
        &["x", "y"],
        "fail: Test failed: text expected something using /x/\tTest failed: text expected something using /y/\t",
    ),
    ("hello", "34", &[], "fail: \t"),
    ("hello", "2", &[], "ok"),
    ("", "2", &["a"], "fail: Response was null"),
    ("", "6", &["a"], "ok"),
    (
        "hello",
        "2",
        &["[a"],
        "error: Bad test configuration org.apache.oro.text.MalformedCachePatternException: Invalid expression: [a\nUnmatched [] in expression.",
    ),
    (
        "hello",
        "38",
        &["hel", "lo"],
        "fail: Test failed: text expected something using /hel/\tTest failed: text expected something using /lo/\t",
    ),
    (
        "hello",
        "40",
        &["x"],
        "fail: Test failed: text expected something using /\n\n****** received  : [[[hello]]]\n\n****** comparison: [[[x    ]]]\n\n/\t",
    ),
    (
        "abc",
        "8",
        &["abcdef"],
        "fail: Test failed: text expected to equal /\n\n****** received  : abc[[[   ]]]\n\n****** comparison: abc[[[def]]]\n\n/",
    ),
    (
        "aXbXc",
        "8",
        &["aYYbYc"],
        "fail: Test failed: text expected to equal /\n\n****** received  : a[[[XbX ]]]c\n\n****** comparison: a[[[YYbY]]]c\n\n/",
    ),
    (
        "aXa",
        "8",
        &["aa"],
        "fail: Test failed: text expected to equal /\n\n****** received  : a[[[Xa]]]\n\n****** comparison: a[[[a ]]]\n\n/",
    ),
    ("hello", "0", &["hello"], "ok"),
];

#[test]
fn messages_are_those_of_jmeter() {
    for (body, kind, wanted, said) in CASES {
        let found = verdict(&assertion(kind, wanted, &[]), &sample(body));
        assert_eq!(found, *said, "{body} {kind} {wanted:?}");
    }
}

#[test]
fn long_texts_are_cut_around_the_difference() {
    let long = |middle: &str| "x".repeat(150) + middle + &"y".repeat(150);
    let found = verdict(&assertion("8", &[&long("B")], &[]), &sample(&long("A")));
    let (x, y) = ("x".repeat(100), "y".repeat(100));
    let part = |middle: &str| format!("...{x}[[[{middle}]]]{y}...");
    let (a, b) = (part("A"), part("B"));
    let lines = format!("\n\n****** received  : {a}\n\n****** comparison: {b}\n\n");
    assert_eq!(
        found,
        format!("fail: Test failed: text expected to equal /{lines}/")
    );
}

#[test]
fn a_message_of_ones_own_takes_the_place() {
    let mine = [("Assertion.custom_message", "mine")];
    for kind in ["2", "34"] {
        let found = verdict(&assertion(kind, &["x"], &mine), &sample("hello"));
        assert_eq!(found, "fail: mine");
    }
}

#[test]
fn each_field_has_its_name() {
    let mut sample = sample("body");
    sample.request_headers = "a".to_owned();
    sample.response_headers = "a".to_owned();
    sample.sampler_data = Some("a".to_owned());
    sample.url = Some("http://h/".to_owned());
    for (field, name) in [
        ("Assertion.response_data", "text"),
        ("Assertion.response_data_as_document", "document"),
        ("Assertion.sample_label", "URL"),
        ("Assertion.response_code", "code"),
        ("Assertion.response_message", "message"),
        ("Assertion.response_headers", "headers"),
        ("Assertion.request_headers", "request headers"),
        ("Assertion.request_data", "request data"),
    ] {
        let element = assertion("2", &["nope"], &[("Assertion.test_field", field)]);
        let text = format!("fail: Test failed: {name} expected to contain /nope/");
        assert_eq!(verdict(&element, &sample), text);
    }
}

#[test]
fn a_variable_is_looked_at_in_place_of_the_sample() {
    let scope = [("Assertion.scope", "variable"), ("Scope.variable", "v")];
    let element = assertion("16", &["x"], &scope);
    assert_eq!(verdict(&element, &sample("x")), "fail: Response was null");
    let mut cx = TestContext::with(&[("v", "abc")]);
    let found = assert_on(&element, &mut cx, &mut sample("x"));
    let text = "fail: Test failed: variable(v) expected to contain /x/";
    assert_eq!(said(&found), text);
}

#[test]
fn a_failed_status_can_be_ignored() {
    let ignore = [("Assertion.assume_success", "true")];
    for (properties, success) in [(&[][..], false), (&ignore[..], true)] {
        let mut sample = sample("hello");
        sample.success = false;
        let element = assertion("2", &["hello"], properties);
        assert_on(&element, &mut TestContext::with(&[]), &mut sample);
        assert_eq!(sample.success, success);
    }
}
