//! Expected values are those of JMeter 5.6.3.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::assertions::testing::verdict;
use crate::testing::{element, sample};

const BODY: &str = r#"{"a":[1,2.5,null,{"k":"v"}],"b":"x/y","n":null,"e":[],"o":{"z":1,"k":2.0},"f":1.50,"big":1e21,"t":true}"#;

/// Body (empty: the one above), path, expected value, settings; what is said.
type Case = (&'static str, [&'static str; 3], &'static str);

/// Settings: `c` compare, `n` null, `i` invert, `p` no pattern.
const CASES: &[Case] = &[
    ("", ["$.b", "", ""], "ok"),
    (
        "",
        ["$.nope", "", ""],
        "fail: No results for path: $['nope']",
    ),
    (
        "",
        ["$.a[*].nope", "q", ""],
        "fail: JSONPath '$.a[*].nope' is indefinite and the extracted Value is an empty Array. Please use an assertion value, to be sure to get a correct result. Expected value was 'q'",
    ),
    ("", ["$.n", "", ""], "ok"),
    ("", ["$.e", "", ""], "ok"),
    ("", ["$.b", "x/y", "c"], "ok"),
    ("", ["$.b", "x/y", "cp"], "ok"),
    ("", ["$.b", "x.*", "c"], "ok"),
    (
        "",
        ["$.b", "x.*", "cp"],
        "fail: Value in json path '$.b' expected to be 'x.*', but found 'x/y'",
    ),
    (
        "",
        ["$.b", ".", "c"],
        "fail: Value in json path '$.b' expected to match regexp '.', but it did not match: 'x/y'",
    ),
    (
        "",
        ["$.b", ".", "cp"],
        "fail: Value in json path '$.b' expected to be '.', but found 'x/y'",
    ),
    (
        "",
        ["$.b", "\"x/y\"", "c"],
        "fail: Value in json path '$.b' expected to match regexp '\"x/y\"', but it did not match: 'x/y'",
    ),
    ("", ["$.b", "\"x/y\"", "cp"], "ok"),
    (
        "",
        ["$.b", "", "cn"],
        "fail: Value in json path '$.b' expected to be null, but found 'x/y'",
    ),
    ("", ["$.n", "", "cn"], "ok"),
    ("", ["$.n", "null", "c"], "ok"),
    ("", ["$.n", "null", "cp"], "ok"),
    (
        "",
        ["$.b", "", "i"],
        "fail: Failed that JSONPath not exists: $.b",
    ),
    ("", ["$.nope", "", "i"], "ok"),
    ("", ["$.a[*].nope", "q", "i"], "ok"),
    (
        "",
        ["$.n", "", "i"],
        "fail: Failed that JSONPath not exists: $.n",
    ),
    (
        "",
        ["$.e", "", "i"],
        "fail: Failed that JSONPath not exists: $.e",
    ),
    (
        "",
        ["$.b", "x/y", "ci"],
        "fail: Failed that JSONPath $.b not matches x/y",
    ),
    (
        "",
        ["$.b", "x/y", "cip"],
        "fail: Failed that JSONPath $.b not matches x/y",
    ),
    (
        "",
        ["$.b", "x.*", "ci"],
        "fail: Failed that JSONPath $.b not matches x.*",
    ),
    ("", ["$.b", "x.*", "cip"], "ok"),
    ("", ["$.b", ".", "ci"], "ok"),
    ("", ["$.b", ".", "cip"], "ok"),
    ("", ["$.b", "\"x/y\"", "ci"], "ok"),
    (
        "",
        ["$.b", "\"x/y\"", "cip"],
        "fail: Failed that JSONPath $.b not matches \"x/y\"",
    ),
    ("", ["$.b", "", "cni"], "ok"),
    (
        "",
        ["$.n", "", "cni"],
        "fail: Failed that JSONPath $.n not matches null",
    ),
    (
        "",
        ["$.n", "null", "ci"],
        "fail: Failed that JSONPath $.n not matches null",
    ),
    (
        "",
        ["$.n", "null", "cip"],
        "fail: Failed that JSONPath $.n not matches null",
    ),
    ("", ["$.a", "1", "c"], "ok"),
    ("", ["$.a", "1", "cp"], "ok"),
    (
        "",
        ["$.a", "9", "cp"],
        "fail: Value in json path '$.a' expected to be '9', but found '[1,2.5,null,{\"k\":\"v\"}]'",
    ),
    ("", ["$.a", "[1,2.5,null,{\"k\":\"v\"}]", "cp"], "ok"),
    ("", ["$.a", "\\[1,2.5.*", "c"], "ok"),
    ("", ["$.e", "[]", "c"], "ok"),
    ("", ["$.e", "[]", "cp"], "ok"),
    (
        "",
        ["$.e", "x", "c"],
        "fail: Value in json path '$.e' expected to match regexp 'x', but it did not match: '[]'",
    ),
    ("", ["$.o", "{\"z\":1,\"k\":2.0}", "cp"], "ok"),
    ("", ["$.o", "{\"k\":2.0,\"z\":1}", "cp"], "ok"),
    ("", ["$.o", "\\{\"z.*", "c"], "ok"),
    ("", ["$.f", "1.5", "c"], "ok"),
    ("", ["$.f", "1.5", "cp"], "ok"),
    ("", ["$.f", "1.50", "cp"], "ok"),
    ("", ["$.big", "1000000000000000000000.0", "c"], "ok"),
    ("", ["$.t", "true", "c"], "ok"),
    ("", ["$.t", "true", "cp"], "ok"),
    (
        "",
        ["$.t", "True", "cp"],
        "fail: Value in json path '$.t' expected to be 'True', but found 'true'",
    ),
    (
        "",
        ["$.f", "1", "cp"],
        "fail: Value in json path '$.f' expected to be '1', but found '1.5'",
    ),
    ("", ["$.a[*]", "2.5", "cp"], "ok"),
    ("", ["$.a[?(@.k)].k", "v", "c"], "ok"),
    ("", ["$.a[?(@.k)].k", "[\"v\"]", "cp"], "ok"),
    (
        "",
        ["$.b", "[x", "c"],
        "fail: Invalid expression: [x\nUnmatched [] in expression.",
    ),
    (
        "",
        ["$.b", "x/", "c"],
        "fail: Value in json path '$.b' expected to match regexp 'x/', but it did not match: 'x/y'",
    ),
    ("", ["$.a[*]", "null", "c"], "ok"),
    ("", ["$.a.length()", "4", "c"], "ok"),
    ("", ["$.a.length()", "4", "cp"], "ok"),
    (
        "",
        ["$.b", "", "cp"],
        "fail: Value in json path '$.b' expected to be '', but found 'x/y'",
    ),
    (
        "",
        ["$.b", "", "c"],
        "fail: Value in json path '$.b' expected to match regexp '', but it did not match: 'x/y'",
    ),
    (
        "",
        ["$.nope[*]", "x", "c"],
        "fail: Missing property in path $['nope']",
    ),
    (
        "",
        ["$.a[?(@.zz)]", "x", "c"],
        "fail: Value in json path '$.a[?(@.zz)]' expected to match regexp 'x', but it did not match: '[]'",
    ),
    (
        "",
        ["$.a[0", "x", "c"],
        "fail: Could not parse token starting at position 3. Expected ?, ', 0-9, * ",
    ),
    (
        "{\"a",
        ["$.b", "", ""],
        "fail: net.minidev.json.parser.ParseException: Unexpected End Of File position 3: null",
    ),
    ("null", ["$.b", "", ""], "fail: json can not be null"),
    ("", ["", "", ""], "fail: path can not be null or empty"),
    (
        "plain",
        ["$.b", "", ""],
        "fail: Expected to find an object with property ['b'] in path $ but found 'java.lang.String'. This is not a json object according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JsonSmartJsonProvider'.",
    ),
    ("plain", ["$.b", "", "i"], "ok"),
    ("", ["$.a[*]", "", "cn"], "ok"),
    (
        "",
        ["$.e", "", "cn"],
        "fail: Value in json path '$.e' expected to be null, but found '[]'",
    ),
    (
        "",
        ["$.b", "", "cnp"],
        "fail: Value in json path '$.b' expected to be null, but found 'x/y'",
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
            ("JSON_PATH", *path),
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
        let found = verdict(&element("JSONPathAssertion", &properties), &sample(body));
        assert_eq!(found, *said, "{body} {path} {expected} {settings}");
    }
}

#[test]
fn an_empty_body_fails() {
    let found = verdict(
        &element("JSONPathAssertion", &[("JSON_PATH", "$.a")]),
        &sample(""),
    );
    assert_eq!(found, "fail: Response was null");
}
