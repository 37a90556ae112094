//! Plans that cannot be compiled, and what is said of them.

use super::plans::*;
use crate::model::*;

#[test]
fn all_mistakes_are_told_in_order_and_in_both_languages() {
    let at = |line| Span { line, column: 1 };
    let mut request = http("x");
    request.url = Text {
        raw: "http://h/${nope}".to_owned(),
        at: at(9),
    };
    let bad = Extractor::Regex {
        pattern: "(".to_owned(),
        group: 1,
        in_headers: false,
    };
    request.save = vec![Extract {
        how: bad,
        at: at(3),
        ..save("v", Which::Nth(1), None)
    }];
    request.headers = vec![(
        Text {
            raw: "a b".to_owned(),
            at: at(4),
        },
        Text::of("1"),
    )];
    let plan = plan(vec![step(StepKind::Http(Box::new(request)))]);
    let problems = problems(&plan);
    let ids: Vec<&str> = problems.iter().map(|p| p.message.id.as_str()).collect();
    assert_eq!(
        ids,
        ["compile-regex", "compile-header-name", "compile-undefined"]
    );
    for problem in &problems {
        for lang in [plimsoll_text::Lang::En, plimsoll_text::Lang::Zh] {
            for message in std::iter::once(&problem.message).chain(&problem.remedy) {
                let text = plimsoll_text::render(lang, message);
                assert!(!text.contains("compile-") && !text.contains('{'), "{text}");
            }
        }
    }
}

/// Every message of the compiler has a text in every language.
#[test]
fn every_message_has_its_texts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/compile");
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let sources = paths.filter(|path| path.is_file());
    let sources = sources.map(|path| std::fs::read_to_string(path).unwrap());
    let ids = regex::Regex::new(r#""(compile-[a-z-]+(?:\.remedy)?)""#).unwrap();
    let mut found = 0;
    for source in sources {
        for (_, [id]) in ids
            .captures_iter(&source)
            .map(|captures| captures.extract())
        {
            for lang in [plimsoll_text::Lang::En, plimsoll_text::Lang::Zh] {
                let message = plimsoll_text::Message::new(id);
                assert_ne!(plimsoll_text::render(lang, &message), id, "{lang:?}");
            }
            found += 1;
        }
    }
    assert!(found > 40, "{found}");
}

#[test]
fn loops_that_would_spin_are_refused() {
    let forever = |steps| {
        let kind = StepKind::Repeat {
            times: None,
            index: None,
            body: block(steps),
        };
        plan(vec![step(kind)])
    };
    assert_eq!(ids(&forever(vec![set("x", "1")])), ["compile-spins"]);
    assert_eq!(ids(&forever(vec![])), ["compile-spins"]);
    compiled(&forever(reqs("a")));
    compiled(&forever(vec![if_true(
        "true",
        vec![act(Action::Break)],
        vec![],
    )]));
}

#[test]
fn meetings_must_be_possible_and_agree() {
    let meet = |users, timeout: Option<u64>| {
        let timeout = timeout.map(std::time::Duration::from_secs);
        let at = Span::default();
        step(StepKind::Rendezvous(Rendezvous {
            name: "m".to_owned(),
            users,
            timeout,
            at,
        }))
    };
    let loaded = |users, steps| {
        let mut plan = plan(steps);
        let Load::Users(load) = &mut plan.scenarios[0].load else {
            panic!()
        };
        load.stages[0].users = users;
        plan
    };
    assert_eq!(
        ids(&loaded(2, vec![meet(3, None)])),
        ["compile-rendezvous-never"]
    );
    compiled(&loaded(3, vec![meet(3, None), meet(3, None)]));
    compiled(&loaded(2, vec![meet(3, Some(1))]));
    assert_eq!(
        ids(&loaded(3, vec![meet(2, None), meet(3, None)])),
        ["compile-rendezvous-differs"]
    );
    assert_eq!(
        compiled(&loaded(3, vec![meet(0, None), meet(0, None)]))
            .shared
            .len(),
        1
    );
}

#[test]
fn choices_need_a_weight_and_shares_a_percentage() {
    let branch = Branch {
        weight: 0,
        value: None,
        body: block(reqs("a")),
    };
    let kind = StepKind::Choose {
        by: Choice::Random,
        branches: vec![branch],
    };
    assert_eq!(ids(&plan(vec![step(kind)])), ["compile-no-weight"]);
    let (percent, shared_by) = (Text::of("101"), SharedBy::User);
    let kind = StepKind::Percent {
        percent,
        shared_by,
        body: block(reqs("a")),
    };
    assert_eq!(ids(&plan(vec![step(kind)])), ["compile-not-a-percentage"]);
    let times = Some(Text::of("-1"));
    let kind = StepKind::Repeat {
        times,
        index: None,
        body: block(reqs("a")),
    };
    assert_eq!(ids(&plan(vec![step(kind)])), ["compile-not-a-count"]);
}

#[test]
fn what_is_not_there_yet_is_named() {
    let mut body = block(reqs("a"));
    body.scope.elements = vec![Element {
        class: "X".to_owned(),
        ..Element::default()
    }];
    assert_eq!(
        ids(&plan(vec![step(StepKind::Block(body))])),
        ["compile-element"]
    );
}

#[test]
fn deep_plans_do_not_break_the_stack() {
    let mut steps = reqs("a");
    for _ in 0..500 {
        steps = vec![step(StepKind::Block(block(steps)))];
    }
    assert_eq!(ids(&plan(steps)), ["compile-too-deep"]);
}

#[test]
fn a_plan_needs_a_scenario() {
    assert_eq!(ids(&Plan::default()), ["compile-no-scenario"]);
}

#[test]
fn goals_of_unknown_labels_are_told() {
    let goal = |text: &str| GoalSpec {
        goal: text.parse().unwrap(),
        abort_after: None,
        at: Span::default(),
    };
    let mut plan = plan(reqs("cart order"));
    plan.goals = vec![
        goal("cart:p95 < 1 s"),
        goal("oder:p95 < 1 s"),
        goal("errors < 1 %"),
    ];
    let warnings = compiled(&plan).warnings;
    assert_eq!(warnings.len(), 1);
    let english = plimsoll_text::render(plimsoll_text::Lang::En, &warnings[0].message);
    assert!(english.contains("oder"), "{english}");
    assert_eq!(
        warnings[0].remedy.as_ref().unwrap().id,
        "compile-did-you-mean"
    );
    // A label made of variables may turn out to be any.
    plan.variables = vec![variable("u", "${uuid()}")];
    plan.scenarios[0].body.steps.push(req("x${u}"));
    assert!(compiled(&plan).warnings.is_empty());
}

#[test]
fn a_warm_up_leaves_something_to_measure() {
    let found = |load: &str| {
        let text = format!("target: http://127.0.0.1:1\n{load}\nsteps: [{{get: /}}]\n");
        let (plan, _) = crate::parse_yaml(&text, "p.yaml").unwrap();
        match crate::compile(&plan, &crate::CompileOptions::default()) {
            Ok(_) => Vec::new(),
            Err(problems) => problems
                .into_iter()
                .map(|problem| problem.message.id)
                .collect(),
        }
    };
    let too_long = ["compile-warm-up-too-long"];
    assert_eq!(found("users: 2\nduration: 3s\nwarm-up: 5s"), too_long);
    assert_eq!(found("users: 2\nduration: 3s\nwarm-up: 3s"), too_long);
    assert_eq!(found("rate: 5/s\nduration: 3s\nwarm-up: 4s"), too_long);
    assert_eq!(found("users: 2\nduration: 3s\nwarm-up: 2s"), [""; 0]);
    // How long these take is not known.
    assert_eq!(found("users: 2\niterations: 9\nwarm-up: 50s"), [""; 0]);
}
