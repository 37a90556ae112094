//! Expected values are those of JMeter 5.6.3.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::testing::after;
use crate::context::testing::TestContext;
use crate::testing::keyed;

type Pairs = [(&'static str, &'static str)];

const BODY: &str = r#"{"a":[1,2.5,null,{"k":"v"}],"b":"x/y","n":null,"e":[]}"#;

fn extracted(
    body: &str,
    [names, paths, numbers, defaults]: [&str; 4],
    concatenate: bool,
    vars: &Pairs,
) -> String {
    let mut properties = vec![
        ("referenceNames", names),
        ("jsonPathExprs", paths),
        ("match_numbers", numbers),
        ("defaultValues", defaults),
    ];
    if concatenate {
        properties.push(("compute_concat", "true"));
    }
    let properties = keyed("JSONPostProcessor.", &properties);
    after(
        "JSONPostProcessor",
        &properties,
        body,
        TestContext::with(vars),
    )
}

#[test]
fn variables_are_those_of_jmeter() {
    for (settings, left) in [
        (["v", "$.b", "1", "D"], "v=x/y|v_matchNr=1"),
        (["v", "$.b", "0", "D"], "v=x/y"),
        (["v", "$.b", "", "D"], "v=x/y"),
        (["v", "$.b", "5", "D"], "v=x/y|v_matchNr=1"),
        (["v", "$.b", "1", ""], "v=x/y|v_matchNr=1"),
        (["v", "$.a[*]", "9", "D"], "v=D|v_matchNr=4"),
        (
            ["v", "$.a", "1", "D"],
            r#"v=[1,2.5,null,{"k":"v"}]|v_matchNr=1"#,
        ),
        (["v", "$.n", "1", "D"], "v=D|v_matchNr=1"),
        (["v", "$.nope", "1", "D"], "v=D|v_matchNr=0"),
        (
            ["v;w", "$.b; $.a[0]", "1;1", "D;E"],
            "v=x/y|v_matchNr=1|w=1|w_matchNr=1",
        ),
        (
            [" v ;w", "$.nope;$.a[0]", "1", "D;E"],
            "v=D|v_matchNr=0|w=1",
        ),
        (["v", "$.b.length()", "1", "D"], "v=D"),
        (["v", "$.[", "1", "D"], "v=D"),
        (
            ["v;w", "$.b;$.a[0]", "1;1", "D"],
            "FAILS java.lang.ArrayIndexOutOfBoundsException: Index 1 out of bounds for length 1",
        ),
        (
            ["v;w", "$.b;$.a[0]", "1", "D;"],
            "FAILS Mismatch between number of variables, json expressions and default values",
        ),
        (
            ["v", "$.b", "x", "D"],
            "FAILS java.lang.NumberFormatException: For input string: \"x\"",
        ),
        (
            [";", ";", "1", ";"],
            "FAILS java.lang.ArrayIndexOutOfBoundsException: Index 0 out of bounds for length 0",
        ),
    ] {
        assert_eq!(extracted(BODY, settings, false, &[]), left, "{settings:?}");
    }
}

#[test]
fn all_matches_can_be_put_together() {
    let of = |path, default| extracted(BODY, ["v", path, "-1", default], true, &[]);
    assert_eq!(of("$.b", "D"), "v_1=x/y|v_ALL=x/y|v_matchNr=1");
    assert_eq!(
        of("$.a[*]", "D"),
        r#"v_1=1|v_2=2.5|v_3=D|v_4={"k":"v"}|v_ALL=1,2.5,D,{"k":"v"}|v_matchNr=4"#
    );
    assert_eq!(of("$.nope", ""), "v=|v_ALL=|v_matchNr=0");
}

#[test]
fn old_variables_are_taken_away_as_far_as_they_go() {
    let old = [
        ("v_1", "old"),
        ("v_2", "o"),
        ("v_7", "stay"),
        ("v_matchNr", "9"),
        ("v", "keep"),
    ];
    assert_eq!(
        extracted(BODY, ["v", "$.a[*]", "-1", "D"], false, &old),
        r#"v=keep|v_1=1|v_2=2.5|v_3=D|v_4={"k":"v"}|v_7=stay|v_matchNr=4"#
    );
    let old = [("v_1", "old"), ("v_ALL", "x")];
    let left = extracted(BODY, ["v", "$.a[*]", "2", "D"], false, &old);
    assert_eq!(left, "v=2.5|v_ALL=x|v_matchNr=4");
}

#[test]
fn bodies_that_are_no_json() {
    for (body, left) in [
        ("{\"a\"", "v=D"),
        ("  ", "v=D"),
        ("null", "v=D"),
        ("plain", "v=D|v_matchNr=0"),
    ] {
        let old = [("v_matchNr", "3")];
        assert_eq!(extracted(body, ["v", "$.a", "1", "D"], false, &old), left);
    }
}

#[test]
fn a_variable_is_read_in_place_of_samples() {
    let properties = [
        ("referenceNames", "v"),
        ("jsonPathExprs", "$.x"),
        ("match_numbers", "1"),
        ("defaultValues", "D"),
    ];
    let mut properties = keyed("JSONPostProcessor.", &properties);
    properties.push(("Sample.scope".into(), "variable".into()));
    properties.push(("Scope.variable".into(), "w".into()));
    let of = |vars: &Pairs| {
        after(
            "JSONPostProcessor",
            &properties,
            BODY,
            TestContext::with(vars),
        )
    };
    assert_eq!(of(&[("w", "{\"x\":7}")]), "v=7|v_matchNr=1|w={\"x\":7}");
    assert_eq!(of(&[]), "v=D");
}
