#![allow(clippy::unwrap_used, clippy::expect_used)]
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{ExtractorProgram, Part, Program, ScriptDef, Slot};
use plimsoll_text::{Lang, render};

use super::*;
use crate::extract::tests::{JSON, JSON_HEAD, view};
use crate::functions::tests::TestUser;
use crate::variables::tests::program;

fn bind(of: CheckOfProgram, test: TestProgram) -> BoundCheck {
    bind_check(&CheckProgram {
        of,
        test,
        at: Span::default(),
    })
    .unwrap()
}

fn is(op: Comparison, with: &str) -> TestProgram {
    TestProgram::Compare(op, Template::text(with))
}

fn not(test: TestProgram) -> TestProgram {
    TestProgram::Not(Box::new(test))
}

fn json(path: &str) -> CheckOfProgram {
    CheckOfProgram::Value(ExtractorProgram::JsonPath(path.into()))
}

fn body() -> CheckOfProgram {
    CheckOfProgram::Value(ExtractorProgram::Body)
}

/// The reason why the check fails on the shop's response; empty when it holds.
fn reason(of: CheckOfProgram, test: TestProgram) -> String {
    let check = bind(of, test);
    let mut user = TestUser::new(&Program::default());
    match check.run(&view(JSON_HEAD, JSON), &mut user.ctx()) {
        Ok(()) => String::new(),
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::CheckFailed);
            let chinese = render(Lang::Zh, &error.message);
            assert!(chinese.chars().any(|c| c > '\u{4e00}') && !chinese.contains("test-"));
            render(Lang::En, &error.message)
        }
    }
}

#[test]
fn statuses() {
    let statuses = |ranges: &[(u16, u16)]| TestProgram::StatusIn(ranges.to_vec());
    assert_eq!(
        reason(CheckOfProgram::Status, statuses(&[(404, 404), (200, 299)])),
        ""
    );
    assert_eq!(
        reason(CheckOfProgram::Status, statuses(&[(201, 201), (300, 399)])),
        "the status must be 201, 300–399, but is: 200"
    );
    assert_eq!(
        reason(CheckOfProgram::Status, not(statuses(&[(500, 599)]))),
        ""
    );
    assert!(reason(CheckOfProgram::Status, not(statuses(&[(200, 200)]))).contains("not hold"));
    assert_eq!(
        reason(CheckOfProgram::Status, is(Comparison::Less, "400")),
        ""
    );
}

#[test]
fn values_are_numbers_when_both_are() {
    assert_eq!(
        reason(json("$.items[0].price"), is(Comparison::Equal, "10.50")),
        ""
    );
    assert_eq!(reason(json("$.total"), is(Comparison::Greater, "9")), "");
    assert_eq!(
        reason(json("$.total"), is(Comparison::AtMost, "9")),
        "JSONPath $.total must be at most 9, but is: 13.5"
    );
    assert_eq!(
        reason(json("$.user.name"), is(Comparison::Equal, "李雷")),
        "JSONPath $.user.name must be equal to \"李雷\", but is: 王芳"
    );
    let many = CheckOfProgram::Count(ExtractorProgram::JsonPath("$.items[*]".into()));
    assert_eq!(reason(many.clone(), is(Comparison::Equal, "2")), "");
    assert!(reason(many, is(Comparison::AtLeast, "3")).contains("number of matches"));
    // A path to one array counts its elements; to anything else, what it finds.
    for (path, count) in [
        ("$.items", "2"),
        ("$.none", "0"),
        ("$.user", "1"),
        ("$.total", "1"),
    ] {
        let of = CheckOfProgram::Count(ExtractorProgram::JsonPath(path.into()));
        assert_eq!(reason(of, is(Comparison::Equal, count)), "", "{path}");
    }
}

#[test]
fn what_is_not_there() {
    assert_eq!(reason(json("$.user"), TestProgram::Exists), "");
    assert_eq!(reason(json("$.error"), not(TestProgram::Exists)), "");
    assert_eq!(
        reason(json("$.error"), TestProgram::Exists),
        "JSONPath $.error must exist, but there is none"
    );
    assert!(reason(json("$.error"), is(Comparison::Equal, "")).ends_with("there is none"));
    assert!(reason(json("$.error"), is(Comparison::NotEqual, "x")).ends_with("there is none"));
    assert_eq!(reason(json("$.error"), not(is(Comparison::Equal, "x"))), "");
    assert!(!reason(json("$.user"), not(TestProgram::Exists)).is_empty());
}

#[test]
fn headers_texts_sizes_and_times() {
    let header = |name: &str| CheckOfProgram::Value(ExtractorProgram::Header(name.into()));
    assert_eq!(
        reason(header("Content-Type"), is(Comparison::Contains, "json")),
        ""
    );
    assert!(reason(header("etag"), TestProgram::Exists).contains("the header etag"));
    assert_eq!(
        reason(body(), is(Comparison::Matches, r#""sku":"[A-Z]-\d""#)),
        ""
    );
    assert_eq!(reason(body(), not(is(Comparison::Contains, "error"))), "");
    let long = reason(body(), is(Comparison::Contains, "sold out"));
    assert!(
        long.starts_with("the body must contain \"sold out\", but is: {\"token\""),
        "{long}"
    );
    assert!(!long.contains('\n'));
    let size = JSON.len().to_string();
    assert_eq!(
        reason(CheckOfProgram::SizeBytes, is(Comparison::Equal, &size)),
        ""
    );
    assert!(reason(CheckOfProgram::SizeBytes, is(Comparison::Greater, "1e6")).contains(&size));
    assert_eq!(
        reason(CheckOfProgram::TimeMs, is(Comparison::AtMost, "12.345")),
        ""
    );
    assert_eq!(
        reason(CheckOfProgram::TimeMs, is(Comparison::Less, "10")),
        "the service time in milliseconds must be less than 10, but is: 12.345"
    );
}

#[test]
fn what_cannot_be_looked_at_fails_with_the_reason() {
    let check = bind(json("$.id"), not(TestProgram::Exists));
    let mut user = TestUser::new(&Program::default());
    let error = check
        .run(&view(b"", b"<html>"), &mut user.ctx())
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::CheckFailed);
    assert!(
        error
            .to_string()
            .contains("JSONPath $.id cannot be checked: the body is not JSON"),
        "{error}"
    );
}

#[test]
fn long_responses_are_shortened_and_secrets_blotted_out() {
    let mut user = TestUser::new(&program(&["secret_key"]));
    user.vars.set(Slot(0), "hunter2");
    let secret = Part::Slot {
        slot: Slot(0),
        literal: "".into(),
    };
    let with = TestProgram::Compare(
        Comparison::Equal,
        Template {
            parts: vec![secret],
        },
    );
    let check = bind(body(), with);
    let long = format!("{}hunter2{}", "甲".repeat(195), "x".repeat(100_000));
    let error = check
        .run(&view(b"", long.as_bytes()), &mut user.ctx())
        .unwrap_err()
        .to_string();
    assert!(
        !error.contains("hunter2") && error.matches("***").count() == 2,
        "{error}"
    );
    assert!(error.ends_with("甲***xx…"), "{error}");
    assert!(check.run(&view(b"", b"hunter2"), &mut user.ctx()).is_ok());
}

#[test]
fn the_first_check_that_fails_is_told() {
    let mut program = Program::default();
    let script = |source: &str| ScriptDef {
        source: source.into(),
        expression: true,
        at: Span { line: 7, column: 1 },
    };
    program.scripts = vec![
        script("response.json().items.length === 2"),
        script("response.status === 404"),
        script("response.json().nothing.there"),
    ];
    let scripted = |number| {
        bind(
            CheckOfProgram::Script(ScriptId(number)),
            TestProgram::Truthy,
        )
    };
    let mut user = TestUser::new(&program);
    let response = view(JSON_HEAD, JSON);
    let mut run = |checks: &[BoundCheck]| {
        let mut ctx = user.ctx();
        ctx.response = Some(&response);
        run_checks(checks, &response, &mut ctx)
    };
    run(&[scripted(0)]).unwrap();
    let status = bind(
        CheckOfProgram::Status,
        TestProgram::StatusIn(vec![(500, 500)]),
    );
    let error = run(&[scripted(0), scripted(1), status]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value of the script must be true, but is: false"
    );
    let error = run(&[scripted(2)]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::ScriptFailed);
    assert!(error.to_string().contains("line 7"), "{error}");
    assert!(run(&[]).is_ok());
}

#[test]
fn patterns_are_checked_before_the_run() {
    let at = Span { line: 9, column: 4 };
    let bad = |of, test| bind_check(&CheckProgram { of, test, at }).err().unwrap();
    assert_eq!(bad(body(), is(Comparison::Matches, "(")).at, at);
    assert_eq!(bad(json("$["), TestProgram::Exists).at, at);
    // A pattern of variables is only known later.
    let pattern = Template {
        parts: vec![Part::Slot {
            slot: Slot(0),
            literal: "${pattern}".into(),
        }],
    };
    let mut user = TestUser::new(&crate::variables::tests::program(&["pattern"]));
    user.vars.set(Slot(0), "(");
    let check = bind(body(), TestProgram::Compare(Comparison::Matches, pattern));
    let error = check.run(&view(b"", b"x"), &mut user.ctx()).unwrap_err();
    assert!(error.to_string().contains("regular expression"), "{error}");
}
