//! Plans as data files: good ones are read without a problem, bad ones give exactly the
//! problems written beside them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{files, good_plans};
use std::time::Duration;

use plimsoll_plan::model::{Choice, Load, StepKind, UserStage};
use plimsoll_plan::{CompileOptions, Problem, compile, parse_yaml};
use plimsoll_text::{Lang, render};
use proptest::prelude::*;

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

#[test]
fn examples_compile() {
    for path in files("../../examples") {
        let source = std::fs::read_to_string(&path).unwrap();
        let (plan, _) = parse_yaml(&source, "").unwrap();
        let options = CompileOptions {
            folder: path.parent().unwrap().to_path_buf(),
            ..CompileOptions::default()
        };
        if let Err(problems) = compile(&plan, &options) {
            panic!("{}:\n{}", path.display(), told(&problems));
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

/// Whatever the text: a response, no panic, and every problem has a place, a text in both
/// languages, and a remedy.
fn must_end(source: &str) {
    let problems = match parse_yaml(source, "plan.yaml") {
        Ok((_, warnings)) => warnings,
        Err(problems) => {
            assert!(!problems.is_empty());
            problems
        }
    };
    for problem in &problems {
        assert!(problem.at.line > 0 && problem.at.column > 0, "{problem:?}");
        assert!(problem.remedy.is_some(), "{problem:?}");
    }
    assert_texts(&problems);
}

proptest! {
    #[test]
    fn any_text_gets_a_result(source in "\\PC{0,200}") {
        must_end(&source);
    }

    #[test]
    fn any_yaml_like_text_gets_a_result(
        source in "([a-z]{1,4}|[:,?&*!|>'\"#%@{}\\[\\]-]|\\$\\{|\n|  |: |- |\t|<<|x-a|steps|get){0,60}"
    ) {
        must_end(&source);
    }

    /// Pieces of good plans moved, doubled and cut.
    #[test]
    fn broken_plans_get_a_result(
        plan in 0_usize..100,
        edits in prop::collection::vec((any::<u32>(), any::<u32>(), 0_u8..4), 1..6),
    ) {
        let plans = good_plans();
        let source = std::fs::read_to_string(&plans[plan % plans.len()]).unwrap();
        let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
        for (from, to, edit) in edits {
            let (from, to) = (from as usize % lines.len(), to as usize % lines.len());
            match edit {
                0 => lines.swap(from, to),
                1 => {
                    let line = lines[from].clone();
                    lines.insert(to, line);
                }
                2 => {
                    lines.remove(from);
                }
                _ => {
                    let cut = lines[from].char_indices().nth(to % 8).map_or(0, |(at, _)| at);
                    lines[from].replace_range(..cut, "");
                }
            }
            if lines.is_empty() {
                return Ok(());
            }
        }
        must_end(&lines.join("\n"));
    }

    /// Known keys with values they do not expect.
    #[test]
    fn wrong_values_get_a_result(
        entries in prop::collection::vec(("(users|rate|duration|hold|stages|spike|think|data|save|check|auth|tls|goals|guards|variables|counters|setup|scenarios|before|after|pauses|dns|headers|on-error|x-y)",
            "(1|0|-5|a|1s|5/s|null|\\[\\]|\\{\\}|\\[1\\]|\\{a: b\\}|\\[\\{users: 1\\}\\]|\\{rate: 1/s, at: 1s, for: 1s\\}|\\$x|999999999999999999999|1e999|\\{json: \\$\\})"), 0..6),
        steps in "(get|post|repeat|if|while|choose|think|set|js|percent|once|for-each|sample): (1|/|a|\\[\\]|\\{\\}|null|\\[\\{get: /\\}\\])",
    ) {
        let lines = entries.iter().map(|(key, value)| format!("{key}: {value}\n"));
        let source: String = lines.collect();
        must_end(&format!("{source}steps: [{{{steps}}}]\n"));
    }
}

#[test]
fn deep_nesting_is_refused() {
    for open in ["[", "{a: ", "- ", "? "] {
        must_end(&open.repeat(100_000));
    }
    // Each alias adds the depth of what it stands for.
    let mut source = String::from("x-0: &a0 [1]\n");
    for n in 1..200 {
        source += &format!("x-{n}: &a{n} [*a{}]\n", n - 1);
    }
    must_end(&source);
}

#[test]
fn text_without_a_plan_is_refused() {
    for source in [
        "",
        " ",
        "#",
        "---",
        "...",
        "\u{feff}",
        "\0",
        "a: 1\0b: 2",
        "%YAML 1.2",
    ] {
        must_end(source);
    }
    let problems = parse_yaml("name: x\n# a\0b\nsteps: [{get: /}]\n", "").unwrap_err();
    assert_eq!(listed(&problems), "2:4 plan-yaml-character\n");
}

#[test]
fn a_long_plan_is_refused() {
    let source = format!("name: {}\n", "x".repeat(9 << 20));
    let problems = parse_yaml(&source, "").unwrap_err();
    assert_eq!(problems[0].message.id, "plan-too-long");
}

#[test]
fn anchors_and_merge_keys_are_put_in() {
    let source = "
target: http://127.0.0.1
x-usual: &usual {timeout: 5s, headers: {A: 1}}
x-more: &more {label: merged, timeout: 9s}
steps:
  - <<: [*usual, *more]
    get: /
    redirects: 2
";
    let (plan, _) = parse_yaml(source, "").unwrap();
    let StepKind::Http(request) = &plan.scenarios[0].body.steps[0].kind else {
        panic!()
    };
    assert_eq!(request.settings.timeout.unwrap().as_secs(), 5);
    assert_eq!(request.label.as_ref().unwrap().raw, "merged");
    assert_eq!(request.headers.len(), 1);
}

fn load_of(source: &str) -> Load {
    let (plan, _) = parse_yaml(source, "").unwrap_or_else(|p| panic!("{}", told(&p)));
    plan.scenarios[0].load.clone()
}

#[test]
fn loads_mean_what_they_say() {
    let secs = Duration::from_secs;
    let stage = |users, ramp, hold| UserStage {
        users,
        ramp: secs(ramp),
        hold: secs(hold),
    };
    let steps = "steps: [{get: /}]\n";
    let Load::Users(users) = load_of(&format!(
        "{steps}users: 5\nramp-up: 10s\nduration: 60s\nramp-down: 5s\n"
    )) else {
        panic!()
    };
    assert_eq!(users.stages, [stage(5, 10, 45), stage(0, 5, 0)]);
    assert!(users.ends_with_stages);

    let Load::Users(users) = load_of(&format!(
        "{steps}users: 5\nhold: 60s\nspike: {{at: 20s, for: 10s, users: 50}}\n"
    )) else {
        panic!()
    };
    assert_eq!(
        users.stages,
        [stage(5, 0, 20), stage(50, 0, 10), stage(5, 0, 30)]
    );

    let Load::Users(users) = load_of(&format!("{steps}users: 5\niterations: 3\n")) else {
        panic!()
    };
    assert_eq!(
        (users.iterations_per_user, users.ends_with_stages),
        (Some(3), false)
    );

    let Load::Arrivals(arrivals) = load_of(&format!(
        "{steps}stages: [{{rate: 10/s, for: 1m}}, {{rate: 10/s..100/s, for: 30s}}, {{rate: 5/s, ramp: 5s, for: 1s}}]\n"
    )) else {
        panic!()
    };
    let ends: Vec<(f64, f64, u64)> = arrivals
        .stages
        .iter()
        .map(|s| {
            (
                s.from.as_per_second(),
                s.to.as_per_second(),
                s.lasts.as_secs(),
            )
        })
        .collect();
    assert_eq!(
        ends,
        [
            (10.0, 10.0, 60),
            (10.0, 100.0, 30),
            (100.0, 5.0, 5),
            (5.0, 5.0, 1)
        ]
    );

    let Load::Arrivals(arrivals) = load_of(&format!("{steps}rate: 3/s\ntotal-iterations: 10\n"))
    else {
        panic!()
    };
    assert_eq!(arrivals.arrivals_total, Some(10));
    assert!(arrivals.stages[0].lasts >= Duration::from_millis(3_333));
}

#[test]
fn scenarios_share_the_plans_load_by_weight() {
    let source = "
users: 10
hold: 1m
scenarios:
  many: {weight: 3, steps: [{get: /a}]}
  few: {steps: [{get: /b}]}
";
    let (plan, _) = parse_yaml(source, "").unwrap();
    assert_eq!(plan.scenarios.len(), 1);
    let StepKind::Choose { by, branches } = &plan.scenarios[0].body.steps[0].kind else {
        panic!()
    };
    assert!(matches!(by, Choice::MixOfIterations));
    assert_eq!(
        branches.iter().map(|b| b.weight).collect::<Vec<_>>(),
        [3, 1]
    );
    let kept = source.replace("hold: 1m", "hold: 1m\nusers-keep-scenario: true");
    let (plan, _) = parse_yaml(&kept, "").unwrap();
    let StepKind::Choose { by, .. } = &plan.scenarios[0].body.steps[0].kind else {
        panic!()
    };
    assert!(matches!(by, Choice::MixOfUsers));
    // Arrivals have no users that could keep anything, and neither has a plan of one scenario.
    let alone = "users: 1\nusers-keep-scenario: true\nsteps: [{get: /a}]\n".to_owned();
    for wrong in [kept.replace("users: 10", "rate: 10/s"), alone] {
        let problems = parse_yaml(&wrong, "").unwrap_err();
        assert!(
            problems
                .iter()
                .any(|p| p.message.id == "plan-keep-without-mix"),
            "{problems:?}"
        );
    }
    let open = source.replace("users: 10", "rate: 10/s");
    let (plan, _) = parse_yaml(&open, "").unwrap();
    let StepKind::Choose { by, .. } = &plan.scenarios[0].body.steps[0].kind else {
        panic!()
    };
    assert!(matches!(by, Choice::MixOfIterations));
}

#[test]
fn full_width_punctuation_is_named() {
    for (source, expected) in [
        (
            "target: http://127.0.0.1\nusers：5\nsteps: [{get: /}]\n",
            "2:6 a full-width colon",
        ),
        (
            "target：http://127.0.0.1\nusers: 5\nsteps: [{get: /}]\n",
            "1:7 a full-width colon",
        ),
        (
            "target: http://127.0.0.1\nsteps:\n  - get：/\n",
            "3:8 a full-width colon",
        ),
        (
            "target: http://127.0.0.1\nsteps:\n  - get: /\n    timeout：5s\n",
            "4:12 a full-width colon",
        ),
        (
            "target: http://127.0.0.1\nsteps: [{get: /， timeout: 5s}]\n",
            "2:16 a full-width comma",
        ),
        (
            "target: http://127.0.0.1\nsteps: [{get: “/{a}”}]\n",
            "2:15 a full-width quote",
        ),
        (
            "target: http://127.0.0.1\nsteps:\n  - get: /\n\u{3000}\u{3000}  timeout: 5s\n",
            "4:1 a full-width blank",
        ),
    ] {
        let problems = parse_yaml(source, "").unwrap_err();
        let named = problems
            .iter()
            .find(|it| it.message.id == "plan-yaml-full-width");
        let named = named.unwrap_or_else(|| panic!("{source}{}", listed(&problems)));
        let (line, column) = (named.at.line, named.at.column);
        let text = plimsoll_text::render(plimsoll_text::Lang::En, &named.message);
        let found = format!("{line}:{column} {text}");
        assert!(found.starts_with(expected), "{source}{found}");
    }
    // In a text or a comment it is nobody's business.
    let fine = "target: http://127.0.0.1 # 地址：本机\nsteps:\n  - get: /?q=价格：1，2\n    label: “首页”\n";
    assert!(parse_yaml(fine, "").is_ok());
}

#[test]
fn a_tab_is_named_where_it_stands() {
    for (source, place) in [
        ("target: http://127.0.0.1\nsteps:\n\t- get: /\n", "3:1"),
        (
            "target: http://127.0.0.1\nsteps:\n  - get: /\n\ttimeout: 5s\n",
            "4:1",
        ),
        (
            "target: http://127.0.0.1\nsteps:\n  - get: /\n  \ttimeout: 5s\n",
            "4:3",
        ),
    ] {
        let problems = parse_yaml(source, "").unwrap_err();
        assert_eq!(
            listed(&problems),
            format!("{place} plan-yaml-tab\n"),
            "{source}"
        );
    }
}
