//! Expected values are those of JMeter 5.6.3.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::assertions::testing::verdict;
use crate::testing::{element, sample};

const BODY: &str = r#"{"a":[1,2.5,null,{"k":"v"}],"b":"x/y","n":null,"e":[],"o":{"z":1,"k":2.0},"f":1.50,"big":1e21,"t":true}"#;

/// Body (empty: the one above), path, expected value, settings; what is said.
type Case = (&'static str, [&'static str; 3], &'static str);

/// Settings: `c` compare, `n` null, `i` invert, `p` no pattern.
const CASES: &[Case] = &[
    ("", ["b", "", ""], "ok"),
    (
        "",
        ["nope", "", ""],
        "fail: JMESPATH nope expected to exist",
    ),
    ("", ["e", "", ""], "ok"),
    ("", ["n", "", ""], "fail: JMESPATH n expected to exist"),
    ("", ["b", "x/y", "c"], "ok"),
    ("", ["b", "x/y", "cp"], "ok"),
    ("", ["b", "x.*", "c"], "ok"),
    (
        "",
        ["b", "x.*", "cp"],
        "error: Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [Source: (String)\"x.*\"; line: 1, column: 2]",
    ),
    (
        "",
        ["b", "\"x/y\"", "c"],
        "fail: Value expected to match \"x/y\"",
    ),
    ("", ["b", "\"x/y\"", "cp"], "ok"),
    ("", ["b", "y", "c"], "fail: Value expected to match y"),
    (
        "",
        ["b", "y", "cp"],
        "error: Unrecognized token 'y': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [Source: (String)\"y\"; line: 1, column: 2]",
    ),
    ("", ["b", "", "cn"], "fail: Value expected to be null"),
    ("", ["n", "", "cn"], "ok"),
    (
        "",
        ["b[", "", ""],
        "error: Unable to compile expression \"b[\"",
    ),
    (
        "{a",
        ["b", "", ""],
        "error: Unexpected character ('a' (code 97)): was expecting double-quote to start field name\n at [Source: (String)\"{a\"; line: 1, column: 3]",
    ),
    ("", ["b", "", "i"], "fail: JMESPATH b expected not to exist"),
    ("", ["nope", "", "i"], "ok"),
    ("", ["e", "", "i"], "fail: JMESPATH e expected not to exist"),
    ("", ["n", "", "i"], "ok"),
    (
        "",
        ["b", "x/y", "ci"],
        "fail: Value expected not to match x/y",
    ),
    (
        "",
        ["b", "x/y", "cip"],
        "fail: Value expected not to be equal to x/y",
    ),
    (
        "",
        ["b", "x.*", "ci"],
        "fail: Value expected not to match x.*",
    ),
    ("", ["b", "x.*", "cip"], "ok"),
    ("", ["b", "\"x/y\"", "ci"], "ok"),
    (
        "",
        ["b", "\"x/y\"", "cip"],
        "fail: Value expected not to be equal to \"x/y\"",
    ),
    ("", ["b", "y", "ci"], "ok"),
    ("", ["b", "y", "cip"], "ok"),
    ("", ["b", "", "cni"], "ok"),
    ("", ["n", "", "cni"], "fail: Value expected not to be null"),
    ("", ["b[", "", "i"], "ok"),
    ("{a", ["b", "", "i"], "ok"),
    ("", ["a", "[1,2.5,null,{\"k\":\"v\"}]", "cp"], "ok"),
    ("", ["a", "[1, 2.5, null, {\"k\":\"v\"}]", "cp"], "ok"),
    ("", ["o", "{\"k\":2.0,\"z\":1}", "cp"], "ok"),
    ("", ["f", "1.5", "cp"], "ok"),
    ("", ["f", "1.50", "cp"], "ok"),
    ("", ["big", "1e21", "cp"], "ok"),
    ("", ["big", "1.0E21", "c"], "ok"),
    ("", ["length(a)", "4", "cp"], "ok"),
    (
        "",
        ["length(a)", "4.0", "cp"],
        "fail: Value expected to be equal to 4.0",
    ),
    ("", ["t", "true", "c"], "ok"),
    (
        "",
        ["sum([f,f])", "3", "cp"],
        "fail: Value expected to be equal to 3",
    ),
    ("", ["sum([f,f])", "3.0", "c"], "ok"),
    (
        "",
        ["o.k", "2", "cp"],
        "fail: Value expected to be equal to 2",
    ),
    ("", ["", "", ""], "error: Unable to compile expression \"\""),
    (
        "",
        ["b", "[x", "c"],
        "error: Invalid expression: [x\nUnmatched [] in expression.",
    ),
];

#[test]
fn messages_are_those_of_jmeter() {
    for (body, [path, expected, settings], said) in CASES {
        let truth = |letter| {
            if settings.contains(letter) {
                "true"
            } else {
                "false"
            }
        };
        let properties = [
            ("JMES_PATH", *path),
            ("EXPECTED_VALUE", *expected),
            ("JSONVALIDATION", truth('c')),
            ("EXPECT_NULL", truth('n')),
            ("INVERT", truth('i')),
            (
                "ISREGEX",
                if settings.contains('p') {
                    "false"
                } else {
                    "true"
                },
            ),
        ];
        let body = if body.is_empty() { BODY } else { body };
        let found = verdict(&element("JMESPathAssertion", &properties), &sample(body));
        // What is wrong with an expression is said in other words than ANTLR's.
        let found = found.split(": syntax error").next().unwrap();
        assert_eq!(found, *said, "{body} {path} {expected} {settings}");
    }
}

#[test]
fn an_empty_body_fails() {
    let found = verdict(
        &element("JMESPathAssertion", &[("JMES_PATH", "a")]),
        &sample(""),
    );
    assert_eq!(found, "fail: Response was null");
}
