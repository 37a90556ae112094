//! Plans as data files: good ones are read without a problem, bad ones give exactly the
//! problems written beside them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{files, good_plans};
use plimsoll_plan::{Problem, parse_yaml};
use plimsoll_text::{Lang, render};

/// `line:column id` for each problem.
fn listed(problems: &[Problem]) -> String {
    let lines = problems.iter().map(|problem| {
        format!(
            "{}:{} {}\n",
            problem.at.line, problem.at.column, problem.message.id
        )
    });
    lines.collect()
}

fn told(problems: &[Problem]) -> String {
    let mut out = String::new();
    for problem in problems {
        let text = render(Lang::En, &problem.message);
        let remedy = problem
            .remedy
            .as_ref()
            .map(|m| render(Lang::En, m))
            .unwrap_or_default();
        out += &format!(
            "  {}:{} {text} | {remedy}\n",
            problem.at.line, problem.at.column
        );
    }
    out
}

/// Every text exists in every language: a missing one would show its id.
fn assert_texts(problems: &[Problem]) {
    for problem in problems {
        for message in std::iter::once(&problem.message).chain(&problem.remedy) {
            for lang in Lang::ALL {
                let text = render(lang, message);
                assert!(!text.contains("plan-"), "{text}");
            }
        }
    }
}

#[test]
fn good_plans_are_read() {
    for path in good_plans() {
        let source = std::fs::read_to_string(&path).unwrap();
        match parse_yaml(&source, "plan.yaml") {
            Ok((_, warnings)) => {
                assert!(
                    warnings.is_empty(),
                    "{}:\n{}",
                    path.display(),
                    told(&warnings)
                );
            }
            Err(problems) => panic!("{}:\n{}", path.display(), told(&problems)),
        }
    }
}

/// With `UPDATE_EXPECTED=1` the expectations are written; the diff is then to be read.
#[test]
fn bad_plans_give_the_problems_written_beside_them() {
    for path in files("tests/plans/bad") {
        let source = std::fs::read_to_string(&path).unwrap();
        let problems = match parse_yaml(&source, "plan.yaml") {
            Ok((_, warnings)) => warnings,
            Err(problems) => problems,
        };
        let expected = path.with_extension("txt");
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&expected, listed(&problems)).unwrap();
        }
        let expected = std::fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(
            listed(&problems),
            expected,
            "{}:\n{}",
            path.display(),
            told(&problems)
        );
        assert!(!problems.is_empty(), "{}", path.display());
        assert_texts(&problems);
    }
}
