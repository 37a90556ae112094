//! Variables: what is put into the text, what is looked up, what is undefined.

use super::machine::{Machine, trace};
use super::plans::*;
use std::sync::Arc;

use crate::CompileOptions;
use crate::model::*;
use crate::program::{Part, Program, Template};

/// The URL of the first request.
fn url(program: &Program) -> &Template {
    &program.requests[0].url
}

fn with_url(url: &str, variables: Vec<Variable>) -> Plan {
    let mut request = http("a");
    request.url = Text::of(url);
    Plan {
        variables,
        ..plan(vec![step(StepKind::Http(Box::new(request)))])
    }
}

#[test]
fn what_never_changes_is_put_into_the_text() {
    let variables = vec![
        variable("host", "127.0.0.1:1"),
        variable("base", "http://${host}/v1"),
    ];
    let program = compiled(&with_url("${base}/x", variables));
    assert_eq!(url(&program).as_text(), Some("http://127.0.0.1:1/v1/x"));
    assert_eq!(program.allowed_hosts, ["127.0.0.1:1"]);
    assert!(program.slots.iter().all(|slot| slot.constant));
}

#[test]
fn what_may_change_is_looked_up() {
    let mut changed = with_url("http://h/${id}", vec![variable("id", "1")]);
    let scenario = &mut changed.scenarios[0];
    scenario.body.steps.push(set("id", "2"));
    let program = compiled(&changed);
    assert!(matches!(
        url(&program).parts[..],
        [Part::Text(_), Part::Slot { .. }]
    ));
    assert_eq!(Machine::new(&program).text(url(&program)), "http://h/1");

    // A function of the user is no constant either.
    let program = compiled(&with_url("http://h/${u}", vec![variable("u", "${uuid()}")]));
    assert_eq!(url(&program).as_text(), None);
}

#[test]
fn a_script_that_speaks_of_a_variable_may_change_it() {
    let with_script = |source: &str| {
        let mut plan = with_url("http://h/${id}", vec![variable("id", "1")]);
        let (language, at) = (Language::JavaScript, Span::default());
        let script = Script {
            language,
            source: source.to_owned(),
            at,
        };
        plan.scenarios[0]
            .body
            .steps
            .push(step(StepKind::Script(script)));
        compiled(&plan)
    };
    assert_eq!(url(&with_script("vars.id = 2")).as_text(), None);
    assert_eq!(
        url(&with_script("vars.idle = 2")).as_text(),
        Some("http://h/1")
    );
    let mut by_expression = with_url("http://h/${id}", vec![variable("id", "1")]);
    by_expression.scenarios[0]
        .body
        .steps
        .push(req("${= vars.id++ }"));
    assert_eq!(url(&compiled(&by_expression)).as_text(), None);
}

#[test]
fn a_scope_has_constants_of_its_own() {
    let scoped = |value: &str, name: &str| {
        let mut inner = block(reqs(name));
        inner.scope.variables = vec![variable("x", value)];
        step(StepKind::Block(inner))
    };
    let alone = plan(vec![scoped("1", "a${x}")]);
    let program = compiled(&alone);
    assert_eq!(
        program.requests[0].url.as_text(),
        Some("http://127.0.0.1:8080/a1")
    );
    // Two scopes set one variable: the last that was entered counts.
    let two = plan(vec![
        scoped("1", "a${x}"),
        scoped("2", "b${x}"),
        req("c${x}"),
    ]);
    assert_eq!(trace(&two, 2), "a1 b2 c2 | a1 b2 c2");
}

#[test]
fn values_come_from_options_then_the_environment_then_the_plan() {
    let plan = |name: &str| {
        let mut of_env = variable("v", "plan");
        of_env.env = Some("V".to_owned());
        with_url(&format!("http://h/{name}"), vec![of_env])
    };
    let value = |options: &CompileOptions| {
        let program = compiled_with(&plan("${v}"), options);
        url(&program).as_text().unwrap().to_owned()
    };
    let mut options = CompileOptions::default();
    assert_eq!(value(&options), "http://h/plan");
    options.env.insert("V".to_owned(), "env".to_owned());
    assert_eq!(value(&options), "http://h/env");
    options.set = vec![
        ("v".to_owned(), "first".to_owned()),
        ("v".to_owned(), "${set}".to_owned()),
    ];
    // As it is, braces and all; encoded as addresses are.
    assert_eq!(value(&options), "http://h/$%7Bset%7D");

    let undeclared = CompileOptions {
        set: vec![("new".to_owned(), "1".to_owned())],
        ..CompileOptions::default()
    };
    let program = compiled_with(&plan("${new}"), &undeclared);
    assert_eq!(url(&program).as_text(), Some("http://h/1"));
    let problems = crate::compile(&plan("${v}"), &undeclared).unwrap_err();
    assert_eq!(problems[0].message.id, "compile-set-unknown");
}

#[test]
fn a_target_that_is_no_address_is_refused_before_the_run_wherever_it_comes_from() {
    let mut of_env = variable("v", "");
    of_env.env = Some("V".to_owned());
    let mut plan = with_url("/hello", vec![of_env]);
    plan.scope.http.push(HttpSettings {
        target: Some(Text::of("${v}")),
        ..HttpSettings::default()
    });
    let ids = |value: &str| {
        let mut options = CompileOptions::default();
        options.env.insert("V".to_owned(), value.to_owned());
        let problems = crate::compile(&plan, &options).err().unwrap_or_default();
        let ids = problems.into_iter().map(|problem| problem.message.id);
        ids.collect::<Vec<_>>()
    };
    for wrong in ["", "127.0.0.1:8080", "h/base", "ftp://h", "http:/h", "//h"] {
        assert_eq!(ids(wrong), ["compile-bad-address"], "{wrong}");
    }
    for right in ["http://h", "https://h:1/base/"] {
        assert!(ids(right).is_empty(), "{right}");
    }
}

#[test]
fn the_environment_function_is_known_at_once() {
    let mut options = CompileOptions::default();
    options.env.insert("HOST".to_owned(), "h".to_owned());
    let program = compiled_with(
        &with_url("http://${env(HOST)}/${env(X, y)}", vec![]),
        &options,
    );
    assert_eq!(url(&program).as_text(), Some("http://h/y"));
    assert_eq!(
        ids(&with_url("http://h/${env(NONE)}", vec![])),
        ["compile-no-environment"]
    );
}

#[test]
fn undefined_variables_are_found_with_their_neighbours() {
    let mut request = http("x");
    request.save = vec![
        save("token", Which::Nth(1), None),
        save("ids", Which::All, None),
    ];
    let mut plan = plan(vec![step(StepKind::Http(Box::new(request)))]);
    for name in ["a${token}", "b${ids_1}", "c${ids_matchNr}"] {
        plan.scenarios[0].body.steps.push(req(name));
    }
    compiled(&plan);
    for wrong in ["d${tokne}", "e${ids}", "f${nothing_like_it}"] {
        plan.scenarios[0].body.steps.push(req(wrong));
    }
    let problems = problems(&plan);
    let said: Vec<String> = problems
        .iter()
        .map(|p| {
            let english = |m| plimsoll_text::render(plimsoll_text::Lang::En, m);
            format!(
                "{} {}",
                english(&p.message),
                english(p.remedy.as_ref().unwrap())
            )
        })
        .collect();
    assert!(
        said.iter().all(|text| text.contains("is not defined")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|text| text.contains("tokne") && text.contains("Did you mean: token"))
    );
    assert!(
        said.iter()
            .any(|text| text.contains("nothing_like_it") && text.contains("Defined are: token"))
    );
    assert!(said.iter().any(|text| text.contains("“ids”")));
}

#[test]
fn a_value_uses_only_what_stands_above_it() {
    let variables = vec![
        variable("a", "${b}"),
        variable("b", "1"),
        variable("c", "${b}"),
    ];
    let problems = problems(&with_url("http://h/", variables));
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].remedy.as_ref().unwrap().id,
        "compile-variable-later"
    );
}

#[test]
fn imported_plans_keep_what_is_undefined() {
    let mut plan = plan(vec![req("a${nope}-${fn(1)}-${__x}${x}")]);
    plan.undefined = Undefined::KeepLiteral;
    plan.variables = vec![variable("x", "1")];
    assert_eq!(trace(&plan, 1), "a${nope}-${fn(1)}-${__x}1");
    // A script may set it while the plan runs.
    let (language, at) = (Language::JavaScript, Span::default());
    let script = Script {
        language,
        source: "vars.nope = 1".to_owned(),
        at,
    };
    plan.scenarios[0]
        .body
        .steps
        .push(step(StepKind::Script(script)));
    let program = compiled(&plan);
    let mut machine = Machine::new(&program);
    assert_eq!(machine.run(1), "a${nope}-${fn(1)}-${__x}1 script0");
    machine.put("nope", "!");
    assert_eq!(machine.run(1), "a!-${fn(1)}-${__x}1 script0");
}

#[test]
fn faults_of_texts_have_a_place() {
    let mut plan = with_url("http://h/", vec![]);
    let raw = "http://h/${x".to_owned();
    let StepKind::Http(request) = &mut plan.scenarios[0].body.steps[0].kind else {
        panic!()
    };
    request.url = Text {
        raw,
        at: Span { line: 7, column: 5 },
    };
    let problems = problems(&plan);
    assert_eq!(problems[0].message.id, "compile-unclosed");
    assert_eq!(
        problems[0].at,
        Span {
            line: 7,
            column: 14
        }
    );
}

#[test]
fn functions_are_checked() {
    let ids_of = |text: &str| ids(&with_url(&format!("http://h/{text}"), vec![]));
    assert_eq!(ids_of("${rnadom(1,2)}"), ["compile-unknown-function"]);
    assert_eq!(ids_of("${random(1)}"), ["compile-argument-count"]);
    assert_eq!(ids_of("${random(2,1)}"), ["compile-wrong-argument"]);
    assert_eq!(ids_of("${random(a,1)}"), ["compile-wrong-argument"]);
    assert_eq!(ids_of("${timestamp(h)}"), ["compile-wrong-argument"]);
    assert_eq!(
        ids_of("${counter(a,1)}${counter(a,2)}"),
        ["compile-counter-differs"]
    );
    compiled(&with_url(
        "http://h/${counter(a,1)}${counter(a)}${random(1,2)}",
        vec![],
    ));
}

#[test]
fn shared_things_are_there_only_when_used_and_once() {
    assert!(compiled(&with_url("http://h/", vec![])).shared.is_empty());
    let program = compiled(&with_url(
        "http://h/${counter(a)}${counter(a)}${counter(b)}",
        vec![],
    ));
    assert_eq!(program.shared.len(), 2);
}

#[test]
fn once_per_run_is_marked() {
    let mut fixed = variable("v", "${uuid()}");
    fixed.once_per_run = true;
    let program = compiled(&with_url("http://h/${v}", vec![fixed]));
    assert!(program.slots[0].once_per_run);
}

#[test]
fn secrets_pass_on_and_stay_out_of_labels() {
    let mut key = variable("key", "s3cret");
    key.secret = true;
    let mut request = http("x");
    request.label = Some(Text::of("call ${auth} ${key}"));
    let mut plan = plan(vec![
        step(StepKind::Http(Box::new(request))),
        set("t", "${key}"),
    ]);
    plan.variables = vec![key, variable("auth", "Bearer ${key}")];
    let mut second = http("y${key}");
    second.label = None;
    plan.scenarios[0]
        .body
        .steps
        .push(step(StepKind::Http(Box::new(second))));
    let program = compiled(&plan);
    assert!(program.slots.iter().all(|slot| slot.secret));
    let labels: Vec<&str> = program
        .labels
        .iter()
        .map(|label| label.name.as_str())
        .collect();
    assert_eq!(labels, ["call ${auth} ${key}", "GET /y${key}"]);
    assert_eq!(
        program.requests[1].url.as_text(),
        Some("http://127.0.0.1:8080/ys3cret")
    );
}

#[test]
fn columns_are_those_of_the_plan_or_of_the_file() {
    let mut plan = plan(reqs("a${user}"));
    plan.variables = vec![variable("user", "nobody")];
    let mut data = super::controllers::data();
    data.columns = Vec::new();
    data.has_header = true;
    plan.scenarios[0].body.scope.data = vec![data];
    // The file tells them.
    let mut options = CompileOptions {
        folder: "plans".into(),
        columns_of: Some(Arc::new(|_, path| {
            assert_eq!(path, std::path::Path::new("plans/d.csv"));
            Some(vec!["user".to_owned(), "age".to_owned()])
        })),
        ..CompileOptions::default()
    };
    let program = compiled_with(&plan, &options);
    assert_eq!(
        Machine::new(&program).run(1),
        "auser0",
        "the row wins over the value"
    );
    plan.scenarios[0].body.steps.push(req("b${usr}"));
    assert!(crate::compile(&plan, &options).is_err());
    // It cannot be read: what nothing else explains is left to the loader.
    options.columns_of = Some(Arc::new(|_, _| None));
    let program = compiled_with(&plan, &options);
    assert_eq!(Machine::new(&program).run(1), "anobody busr0");
}
