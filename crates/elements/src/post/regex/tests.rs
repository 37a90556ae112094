//! Expected values are those of JMeter 5.6.3.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::testing::{after, process};
use crate::context::testing::TestContext;
use crate::result::SampleResult;
use crate::testing::{keyed, sample};

type Pairs = [(&'static str, &'static str)];

fn extracted(body: &str, properties: &Pairs, vars: &Pairs) -> String {
    let properties = keyed("RegexExtractor.", properties);
    after("RegexExtractor", &properties, body, TestContext::with(vars))
}

/// Body, pattern, template, match number, default, old variables; what is left.
type Case = (
    &'static str,
    [&'static str; 4],
    &'static Pairs,
    &'static str,
);

const CASES: &[Case] = &[
    (
        "a=1 b=2",
        [r"(\w)=(\d)", "$1$", "1", "D"],
        &[],
        "v=a|v_g=2|v_g0=a=1|v_g1=a|v_g2=1",
    ),
    (
        "a=1 b=2",
        [r"(\w)=(\d)", "$2$-$1$-$0$", "2", ""],
        &[],
        "v=2-b-b=2|v_g=2|v_g0=b=2|v_g1=b|v_g2=2",
    ),
    (
        "a=1 b=2",
        [r"(\w)=(\d)", "$1$", "-1", "D"],
        &[],
        "v=D|v_1=a|v_1_g=2|v_1_g0=a=1|v_1_g1=a|v_1_g2=1|v_2=b|v_2_g=2|v_2_g0=b=2|v_2_g1=b|v_2_g2=2|v_matchNr=2",
    ),
    (
        "a=1 b=2",
        [r"(\w)=(\d)", "$1$", "3", "D"],
        &[("v_g", "2"), ("v_g0", "x"), ("v_g1", "y"), ("v_g2", "z")],
        "v=D",
    ),
    (
        "none",
        [r"(\w)=(\d)", "$1$", "-1", "D"],
        &[
            ("v_matchNr", "2"),
            ("v_1", "x"),
            ("v_1_g", "1"),
            ("v_1_g0", "y"),
            ("v_1_g1", "q"),
            ("v_2", "z"),
        ],
        "v=D|v_matchNr=0",
    ),
    (
        "none",
        [r"(\w)=(\d)", "$1$", "1", ""],
        &[("v", "old")],
        "v=old",
    ),
    (
        "ab",
        ["(x)?(b)", "$1$$2$$3$", "1", ""],
        &[("v_g1", "old")],
        "v=nullbnull|v_g=2|v_g0=b|v_g2=b",
    ),
    ("ab", ["b", "", "1", ""], &[], "v=|v_g=0|v_g0=b"),
    (
        "ab",
        ["b", "a$b $0$ $x$ $1", "1", ""],
        &[],
        "v=a$b b $x$ $1|v_g=0|v_g0=b",
    ),
    ("ab", ["[b", "$0$", "1", "D"], &[], "v=D"),
    (
        "ab",
        ["b", "$0$", "1", ""],
        &[("v_matchNr", "x")],
        "v=b|v_g=0|v_g0=b",
    ),
    (
        "ab",
        ["a", "$0$", "-1", ""],
        &[("v_g", "1"), ("v_g0", "a"), ("v_g1", "b"), ("v", "keep")],
        "v=keep|v_1=a|v_1_g=0|v_1_g0=a|v_matchNr=1",
    ),
];

#[test]
fn variables_are_those_of_jmeter() {
    for (body, [regex, template, number, default], vars, left) in CASES {
        let properties = [
            ("regex", *regex),
            ("template", *template),
            ("match_number", *number),
            ("default", *default),
            ("refname", "v"),
        ];
        assert_eq!(
            extracted(body, &properties, vars),
            *left,
            "{regex} {template} {number}"
        );
    }
}

#[test]
fn an_empty_default_must_be_asked_for() {
    let properties = [
        ("regex", "x"),
        ("refname", "v"),
        ("default_empty_value", "true"),
    ];
    assert_eq!(extracted("none", &properties, &[("v", "old")]), "v=");
}

#[test]
fn any_match_is_one_of_them() {
    let properties = [("regex", "."), ("refname", "v"), ("template", "$0$")];
    let mut seen = std::collections::BTreeSet::new();
    let mut cx = TestContext::with(&[]);
    for _ in 0..64 {
        let properties = keyed("RegexExtractor.", &properties);
        process("RegexExtractor", &properties, &mut cx, &mut sample("abc")).unwrap();
        seen.insert(cx.vars["v"].to_string());
    }
    assert_eq!(seen.into_iter().collect::<String>(), "abc");
}

fn everywhere() -> SampleResult {
    let mut whole = sample("body &lt;b&gt;");
    whole.request_headers = "X-A: request".to_owned();
    whole.response_headers = "HTTP/1.1 200 OK\nX-A: response".to_owned();
    whole.url = Some("http://host/path".to_owned());
    whole.parts = vec![sample("one"), sample("two")];
    whole.parts[0].parts = vec![sample("deep")];
    whole
}

#[test]
fn each_field_can_be_looked_at() {
    for (field, regex, value) in [
        ("false", "b.*", "body &lt;b&gt;"),
        ("", "b.*", "body &lt;b&gt;"),
        ("unescaped", "<.>", "<b>"),
        ("as_document", "b.d.", "body"),
        ("true", "X-A: .*", "X-A: response"),
        ("request_headers", "X-A: .*", "X-A: request"),
        ("URL", ".*", "http://host/path"),
        ("code", "2..", "200"),
        ("message", ".*", "OK"),
    ] {
        let properties = [
            ("regex", regex),
            ("refname", "v"),
            ("template", "$0$"),
            ("match_number", "1"),
            ("useHeaders", field),
        ];
        let mut cx = TestContext::with(&[]);
        let properties = keyed("RegexExtractor.", &properties);
        process("RegexExtractor", &properties, &mut cx, &mut everywhere()).unwrap();
        assert_eq!(&*cx.vars["v"], value, "{field}");
    }
}

#[test]
fn each_scope_has_its_samples() {
    for (scope, all) in [
        ("parent", "body"),
        ("children", "one two deep"),
        ("all", "body one two deep"),
        ("variable", "in"),
        ("nonsense", ""),
    ] {
        let properties = [
            ("regex", r"^\w+"),
            ("refname", "v"),
            ("template", "$0$"),
            ("match_number", "-1"),
        ];
        let mut properties = keyed("RegexExtractor.", &properties);
        properties.push(("Sample.scope".into(), scope.into()));
        properties.push(("Scope.variable".into(), "w".into()));
        let mut cx = TestContext::with(&[("w", "in it")]);
        process("RegexExtractor", &properties, &mut cx, &mut everywhere()).unwrap();
        let values = (1..9).filter_map(|at| cx.vars.get(&format!("v_{at}")).map(|v| &**v));
        assert_eq!(values.collect::<Vec<_>>().join(" "), all, "{scope}");
    }
}

/// An extractor whose properties begin as its class's do.
fn extractor(properties: &[(&str, &str)]) -> Box<dyn crate::leaf::PostProcessor> {
    let properties = keyed("RegexExtractor.", properties);
    let borrowed: Vec<(&str, &str)> = properties.iter().map(|(k, v)| (&**k, &**v)).collect();
    let element = crate::testing::element("RegexExtractor", &borrowed);
    match crate::registry::bind(&element) {
        Some(crate::registry::Bound::Post(post)) => post,
        _ => panic!("no post-processor"),
    }
}

#[test]
fn patterns_with_variables_follow_them() {
    let post = extractor(&[
        ("regex", "a${w}"),
        ("refname", "v"),
        ("template", "$0$"),
        ("match_number", "1"),
    ]);
    let mut cx = TestContext::with(&[("w", "b")]);
    for (w, found) in [("b", "ab"), ("c", "ac"), ("c", "ac"), ("b", "ab")] {
        crate::context::Context::set(&mut cx, "w", w);
        post.process(&mut cx, &mut sample("ab ac")).unwrap();
        assert_eq!(&*cx.vars["v"], found);
    }
}

#[test]
fn templates_with_variables_stay_as_each_user_first_found_them() {
    let post = extractor(&[
        ("regex", "a(${x})"),
        ("refname", "v"),
        ("template", "${w}-$1$"),
        ("match_number", "1"),
    ]);
    let mut users = [("1", "b"), ("2", "c")].map(|(w, x)| TestContext::with(&[("w", w), ("x", x)]));
    for (user, found) in users.iter_mut().zip(["1-b", "2-c"]) {
        post.process(user, &mut sample("ab ac")).unwrap();
        assert_eq!(&*user.vars["v"], found);
    }
    for (user, found) in users.iter_mut().zip(["1-d", "2-d"]) {
        crate::context::Context::set(user, "w", "9");
        crate::context::Context::set(user, "x", "d");
        post.process(user, &mut sample("ad")).unwrap();
        assert_eq!(&*user.vars["v"], found);
    }
}
