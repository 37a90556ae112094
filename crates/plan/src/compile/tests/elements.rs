//! Elements, their packages, and texts in JMeter's grammar.

use super::plans::*;
use crate::CompileOptions;
use crate::functions::Function;
use crate::model::*;
use crate::program::{ElementId, Op, Package, Part, Program, Template, ValueProgram};

fn element(class: &str, name: &str) -> Element {
    Element {
        class: class.to_owned(),
        name: Text::of(name),
        ..Element::default()
    }
}

fn with(mut element: Element, key: &str, value: &str) -> Element {
    let value = ElementValue::Text(Text::of(value));
    element.properties.push((key.to_owned(), value));
    element
}

fn sampler(kind: SamplerKind) -> Sampler {
    Sampler {
        label: Text::default(),
        kind,
        before: Vec::new(),
        after: Vec::new(),
        checks: Vec::new(),
        at: Span::default(),
    }
}

fn sample(name: &str) -> Step {
    let kind = SamplerKind::Element(element("HTTPSamplerProxy", name));
    step(StepKind::Sample(Box::new(sampler(kind))))
}

fn jmeter(steps: Vec<Step>) -> Plan {
    let mut plan = plan(steps);
    plan.undefined = Undefined::KeepLiteral;
    plan
}

/// One element of each kind, their names with this ending.
fn scope(end: &str) -> Scope {
    let named = |class: &str, name: &str| element(class, &format!("{name}{end}"));
    let checked = |name: &str| Check {
        of: CheckOf::Element(named("ResponseAssertion", name)),
        test: Test::Truthy,
        at: Span::default(),
    };
    Scope {
        elements: vec![
            named("HeaderManager", "c"),
            named("ResultCollector", "l"),
            named("CookieManager", "d"),
        ],
        before: vec![
            Processor::Element(named("UserParameters", "b")),
            Processor::Element(named("HTMLParser", "p")),
        ],
        pauses: vec![ScopePause::Element(named("ConstantTimer", "t"))],
        after: vec![Processor::Element(named("RegexExtractor", "a"))],
        checks: vec![checked("x"), checked("y")],
        ..Scope::default()
    }
}

fn names(program: &Program, ids: &[ElementId]) -> String {
    let name = |id: &ElementId| {
        let element = &program.elements[id.0 as usize];
        element.name.as_text().unwrap().to_owned()
    };
    ids.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn shown(program: &Program, package: &Package) -> String {
    let Package {
        sampler,
        configs,
        before,
        timers,
        after,
        assertions,
        listeners,
    } = package;
    let sampler: Vec<ElementId> = sampler.iter().copied().collect();
    let lists = [
        &sampler, configs, before, timers, after, assertions, listeners,
    ];
    let lists: Vec<String> = lists.iter().map(|ids| names(program, ids)).collect();
    lists.join(" / ")
}

fn packages(program: &Program) -> Vec<String> {
    let packages = program.packages.iter();
    packages.map(|package| shown(program, package)).collect()
}

#[test]
fn packages_hold_what_is_in_scope_in_jmeters_order() {
    let mut inner = block(vec![sample("s1"), sample("s2")]);
    inner.scope = scope("2");
    let mut plan = jmeter(vec![step(StepKind::Block(inner))]);
    plan.scope = scope("0");
    plan.scenarios[0].body.scope = scope("1");
    let program = compiled(&plan);
    let rest = "c2 d2 c1 d1 c0 d0 / b1 p1 b0 p0 b2 p2 / t2 t1 t0 / a1 a0 a2 / \
                x1 y1 x0 y0 x2 y2 / l2 l1 l0";
    assert_eq!(
        packages(&program),
        [format!("s1 / {rest}"), format!("s2 / {rest}")]
    );
    // Each element once, each with a place of its own.
    assert_eq!(program.elements.len(), 2 + 3 * 9);
    let mut sites: Vec<u32> = program.elements.iter().map(|e| e.site.0).collect();
    sites.sort_unstable();
    sites.dedup();
    assert_eq!(sites.len(), program.elements.len());
    assert!(sites.iter().all(|site| *site < program.sites));
}

#[test]
fn properties_within_properties_are_compiled() {
    let argument = with(element("Argument", "x"), "Argument.value", "${v}${__UUID}");
    let mut request = element("HTTPSamplerProxy", "s");
    let list = ElementValue::List(vec![ElementValue::Element(Box::new(argument))]);
    request.properties.push(("arguments".to_owned(), list));
    let kind = SamplerKind::Element(request);
    let program = compiled(&jmeter(vec![step(StepKind::Sample(Box::new(sampler(
        kind,
    ))))]));
    let ValueProgram::Element(argument) = &program.elements[0].list("arguments")[0] else {
        panic!()
    };
    let parts = &argument.text("Argument.value").unwrap().parts;
    let [Part::Slot { literal, .. }, Part::Call(call)] = parts.as_slice() else {
        panic!("{parts:?}")
    };
    assert_eq!(&**literal, "${v}");
    assert_eq!(
        (call.function, &*call.raw),
        (Function::JMeter("__UUID"), "${__UUID}")
    );
    assert!(argument.site != program.elements[0].site && call.site != argument.site);
}

#[test]
fn transactions_have_a_package_of_their_own() {
    let mut inner = block(vec![sample("s")]);
    inner.scope = scope("1");
    let kind = StepKind::Transaction {
        label: Text::of("t"),
        include_pauses: false,
        as_parent: true,
        body: inner,
    };
    let mut plan = jmeter(vec![step(kind)]);
    plan.scope = scope("0");
    let program = compiled(&plan);
    assert_eq!(packages(&program)[0], " /  /  /  /  / x1 y1 x0 y0 / l1 l0");
    let package = program.scenarios[0].ops.iter().find_map(|op| match op {
        Op::TransactionStart { package, .. } => *package,
        _ => None,
    });
    assert_eq!(package.unwrap().0, 0);
    // Nothing in scope: no package.
    let program = compiled(&jmeter(vec![transaction("t", vec![sample("s")])]));
    assert!(program.packages.len() == 1 && program.packages[0].sampler.is_some());
}

#[test]
fn flow_actions_wait_for_what_comes_before() {
    let pause = sampler(SamplerKind::Flow {
        pause_ms: Some(Text::of("100")),
        action: Some(Action::Break),
    });
    let mut body = block(vec![step(StepKind::Sample(Box::new(pause)))]);
    body.scope = scope("1");
    let program = compiled(&jmeter(vec![step(StepKind::Repeat {
        times: Some(Text::of("2")),
        index: None,
        body,
    })]));
    assert_eq!(packages(&program), [" / c1 d1 / b1 p1 / t1 /  /  / "]);
    let kinds: Vec<&Op> = program.scenarios[0].ops.iter().collect();
    let think = kinds.iter().position(|op| matches!(op, Op::Think(_)));
    let sample = kinds.iter().position(|op| matches!(op, Op::Sample(_)));
    assert!(sample < think);
    let rest = &kinds[think.unwrap() + 1..];
    assert!(
        matches!(rest, [Op::SetLastOk, Op::Jump(_), ..]),
        "{program}"
    );
}

#[test]
fn on_pass_works_where_the_scope_is_entered() {
    let mut body = block(vec![sample("s")]);
    body.scope.on_pass = vec![element("CounterConfig", "n")];
    let program = compiled(&jmeter(vec![step(StepKind::Block(body))]));
    let ops = &program.scenarios[0].ops;
    assert!(
        matches!(ops.as_slice(), [Op::Element(_), Op::Sample(_), ..]),
        "{program}"
    );
}

/// Operations as text, one a line.
fn ops(plan: &Plan) -> String {
    let program = compiled(plan);
    let text = program.to_string();
    let at = text.find("\nscenario").unwrap();
    text[at..].lines().skip(2).collect::<Vec<_>>().join("\n")
}

#[test]
fn elements_may_ask_for_changes_of_flow() {
    let mut body = block(vec![sample("s")]);
    body.scope.after = vec![Processor::Element(element("JSR223PostProcessor", "j"))];
    let asked = ops(&jmeter(vec![transaction(
        "t",
        vec![step(StepKind::Block(body.clone()))],
    )]));
    for action in [
        "StopRunNow",
        "StopRun",
        "StopScenario",
        "StopUser",
        "NextIteration",
        "Continue",
        "Break",
    ] {
        assert!(asked.contains(&format!("asked to {action} ")), "{asked}");
    }
    // Moves of the flow end the transaction and count as a success; a user that stops leaves nothing.
    let ends = ["  transaction ends", "  transaction is left"];
    let ends = ends.iter().map(|what| asked.matches(what).count());
    assert_eq!(ends.sum::<usize>(), 4, "{asked}");
    assert_eq!(asked.matches("last ok = true").count(), 2, "{asked}");
    body.scope.after = vec![Processor::Element(element("RegexExtractor", "r"))];
    let quiet = ops(&jmeter(vec![step(StepKind::Block(body))]));
    assert!(!quiet.contains("asked"), "{quiet}");
}

#[test]
fn result_actions_and_the_rule_of_the_scenario() {
    let action = |code| with(element("ResultAction", "r"), "OnError.action", code);
    let mut body = block(vec![sample("s")]);
    body.scope.after = vec![
        Processor::Element(action("5")),
        Processor::Element(action("2")),
    ];
    let mut plan = jmeter(vec![step(StepKind::Block(body.clone()))]);
    plan.scenarios[0].on_error = OnError::Act(Action::NextIteration);
    let text = ops(&plan);
    assert!(!text.contains("after:"), "{text}");
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(place("StopRun") < place("last ok = true"), "{text}");
    assert_eq!(text.matches("unless not last ok").count(), 3, "{text}");
    // One that holds for a transaction which is itself the sample does nothing.
    let kind = StepKind::Transaction {
        label: Text::of("t"),
        include_pauses: false,
        as_parent: true,
        body,
    };
    let text = ops(&jmeter(vec![step(kind)]));
    assert!(!text.contains("unless"), "{text}");
}

fn text_of(plan: &Plan) -> Template {
    compiled(plan).elements[0].name.clone()
}

#[test]
fn what_elements_may_set_is_no_constant() {
    let plan_with = |after: Element| {
        let mut body = block(vec![sample("${a}-${b}")]);
        body.scope.after = vec![Processor::Element(after)];
        let mut plan = jmeter(vec![step(StepKind::Block(body))]);
        plan.variables = vec![variable("a", "1"), variable("b", "2")];
        plan
    };
    let name = |after| {
        let plan = plan_with(after);
        let program = compiled(&plan);
        let mut elements = program.elements.iter();
        elements
            .find(|e| e.class == "HTTPSamplerProxy")
            .unwrap()
            .name
            .clone()
    };
    let regex = with(
        element("RegexExtractor", "r"),
        "RegexExtractor.refname",
        "b",
    );
    let parts = name(regex).parts;
    assert!(
        matches!(parts.as_slice(), [Part::Text(t), Part::Slot { .. }] if &**t == "1-"),
        "{parts:?}"
    );
    assert_eq!(
        name(element("ResponseAssertion", "r")).as_text(),
        Some("1-2")
    );
    let parts = name(element("JSR223PostProcessor", "r")).parts;
    assert_eq!(parts.len(), 3, "{parts:?}");
    // A function that saves does so too.
    let saving = with(element("ResponseAssertion", "r"), "x", "${__Random(1,2,a)}");
    let parts = name(saving).parts;
    assert!(
        matches!(parts.as_slice(), [Part::Slot { .. }, Part::Text(_)]),
        "{parts:?}"
    );
}

/// Which texts keep JMeter 5.6.3 from starting a plan, by trial.
#[test]
fn calls_with_which_jmeter_starts_no_plan_are_refused() {
    for (text, id) in [
        ("${__Random(1)}", "compile-jmeter-argument-count"),
        ("${__strLen}", "compile-jmeter-argument-count"),
        ("${__V(${__strLen()})}", "compile-jmeter-argument-count"),
        ("a${__time(x", "compile-jmeter-unclosed"),
        ("${__time(", "compile-jmeter-unclosed"),
        ("${__strLen(a)b}", "compile-jmeter-unclosed"),
        ("${__strLen(a}", "compile-jmeter-unclosed"),
    ] {
        let problems = problems(&jmeter(vec![sample(text)]));
        assert_eq!(problems[0].message.id, id, "{text}");
    }
    for text in [
        "${__nope()}",
        "${__nope(",
        "${abc",
        "${__time",
        "${__time}",
        "__strLen()",
        "\\${__strLen()}",
        "${strLen()}",
        "${__strLen ()}",
        "${__strLen(a,b)}",
        "${__strLen(a}b)}",
        "x${",
        "${}",
    ] {
        let warnings = compiled(&jmeter(vec![sample(text)])).warnings;
        assert!(warnings.is_empty(), "{text}: {warnings:?}");
    }
    let deep = format!("{}1{}", "${__V(".repeat(40), ")}".repeat(40));
    let warnings = compiled(&jmeter(vec![sample(&deep)])).warnings;
    assert_eq!(warnings[0].message.id, "compile-bad-arguments");
}

#[test]
fn our_own_functions_are_none_in_jmeters_texts() {
    let plan = jmeter(vec![sample("${uuid()}")]);
    let parts = text_of(&plan).parts;
    assert!(matches!(parts.as_slice(), [Part::Slot { .. }]), "{parts:?}");
}

#[test]
fn hosts_of_http_elements_are_known_when_they_are_fixed_or_of_properties() {
    let http = |domain: &str, path: &str| {
        let request = with(
            element("HTTPSamplerProxy", "s"),
            "HTTPSampler.domain",
            domain,
        );
        let request = with(request, "HTTPSampler.path", path);
        let kind = SamplerKind::Element(request);
        step(StepKind::Sample(Box::new(sampler(kind))))
    };
    let mut plan = jmeter(vec![
        http("Example.test", "/"),
        http("", "http://other.test:81/x"),
        http("${host}", "/x/${y}"),
        http("${__P(h,localhost)}", "/"),
        http("${found}", "/"),
        http("", "${__P(base)}/x"),
        http("", "/${x}"),
    ]);
    plan.variables = vec![variable("host", "${__property(name)}")];
    let program = compiled(&plan);
    assert_eq!(program.allowed_hosts, ["example.test", "other.test"]);
    assert_eq!(
        program.host_templates.len(),
        3,
        "{:?}",
        program.host_templates
    );
    assert!(program.recorded_setup);
}

fn sampled(element: Element) -> Step {
    step(StepKind::Sample(Box::new(sampler(SamplerKind::Element(
        element,
    )))))
}

#[test]
fn while_asks_at_the_end_and_at_the_head_with_one_and_the_same_call() {
    let kind = StepKind::While {
        condition: Condition::Not(Box::new(Condition::IsFalse(Text::of(
            "${__counter(FALSE)}",
        )))),
        limit: None,
        index: None,
        body: block(vec![sampled(element("DebugSampler", "d"))]),
    };
    let program = compiled(&jmeter(vec![step(kind)]));
    let checks: Vec<String> = program.scenarios[0]
        .ops
        .iter()
        .filter(|op| matches!(op, Op::JumpUnless { .. }))
        .map(|op| format!("{op:?}"))
        .collect();
    assert_eq!(checks.len(), 2, "{program}");
    assert_eq!(checks[0], checks[1]);
    assert!(
        matches!(program.scenarios[0].ops[1], Op::JumpUnless { to: 5, .. }),
        "{program}"
    );
}

#[test]
fn for_each_counts_from_its_start_index() {
    let items = Items::Matches {
        prefix: Text::of("${p}id"),
        separator: true,
        after: Some(Text::of("2")),
        until: Some(Text::of("4")),
    };
    let kind = StepKind::ForEach {
        items,
        variable: "v".to_owned(),
        index: Some("i".to_owned()),
        body: block(vec![req("${i}${v}")]),
    };
    let mut plan = jmeter(vec![step(kind)]);
    plan.variables = vec![variable("p", "x")];
    let program = compiled(&plan);
    let mut machine = super::machine::Machine::new(&program);
    for number in 1..9 {
        machine.put(&format!("xid_{number}"), &format!("={number}"));
    }
    assert_eq!(machine.run(2), "2=3 3=4 | 2=3 3=4");
}

#[test]
fn critical_sections_of_jmeter() {
    let inner = critical("a", vec![req("x")]);
    let plan = jmeter(vec![
        critical("", vec![req("n")]),
        critical("a", vec![inner]),
        critical("${made}", vec![req("y")]),
    ]);
    let mut machine_plan = plan;
    machine_plan.variables = vec![variable("made", "b")];
    let program = compiled(&machine_plan);
    assert!(program.warnings.is_empty());
    let mut machine = super::machine::Machine::new(&program);
    assert_eq!(machine.run(1), "n [a [a x a] a] [b y b]");
}

#[test]
fn for_each_looks_at_its_start_where_the_pass_around_it_begins() {
    let each = |after: &str| {
        let items = Items::Matches {
            prefix: Text::of("id"),
            separator: true,
            after: Some(Text::of(after)),
            until: Some(Text::of("${until}")),
        };
        step(StepKind::ForEach {
            items,
            variable: "v".to_owned(),
            index: None,
            body: block(vec![req("${v}"), set("until", "9")]),
        })
    };
    let mut plan = jmeter(vec![set("start", "2"), each("${start}"), set("until", "3")]);
    plan.variables = vec![variable("start", "1"), variable("until", "2")];
    let program = compiled(&plan);
    let mut machine = super::machine::Machine::new(&program);
    for number in 1..5 {
        machine.put(&format!("id_{number}"), &format!("i{number}"));
    }
    // The end is looked at in each pass, the start not where the loop begins.
    assert_eq!(machine.run(2), "i2 i3 i4 | i3 i4");
}

#[test]
fn interleave_across_threads_begins_at_the_users_number() {
    for (by, steps) in [
        (Choice::InTurnFromUser, "b c"),
        (Choice::InTurnByRequestFromUser, "b c"),
    ] {
        let plan = jmeter(vec![choose(by, vec![reqs("a"), reqs("b"), reqs("c")])]);
        let program = compiled(&plan);
        let mut machine = super::machine::Machine::new(&program);
        machine.user = 1;
        assert_eq!(machine.run(2), steps.replace(' ', " | "));
    }
}

#[test]
fn interleave_looks_for_a_child_with_something_to_sample() {
    let empty = || vec![if_true("${no}", reqs("never"), vec![])];
    let plan = jmeter(vec![in_turn(vec![reqs("a"), empty(), reqs("c")]), req("x")]);
    let program = compiled(&plan);
    let run = |n| super::machine::Machine::new(&program).run(n);
    assert_eq!(run(4), "a x | c x | a x | c x");
    // All are empty: nothing, and no end of looking.
    let plan = jmeter(vec![in_turn(vec![empty(), empty()]), req("x")]);
    let program = compiled(&plan);
    assert_eq!(super::machine::Machine::new(&program).run(2), "x | x");
}

#[test]
fn backend_listeners_to_hosts_that_nobody_allowed_are_told_of() {
    let warnings_of = |name: &str, value: &str, allowed: &[&str]| {
        let argument = with(element("Argument", "x"), "Argument.name", name);
        let argument = with(argument, "Argument.value", value);
        let rows = ElementValue::List(vec![ElementValue::Element(Box::new(argument))]);
        let mut arguments = element("Arguments", "");
        let property = ("Arguments.arguments".to_owned(), rows);
        arguments.properties.push(property);
        let mut listener = element("BackendListener", "l");
        let arguments = ElementValue::Element(Box::new(arguments));
        listener
            .properties
            .push(("arguments".to_owned(), arguments));
        let mut plan = jmeter(vec![sample("s")]);
        plan.scope.elements = vec![listener];
        let options = CompileOptions {
            allow_hosts: allowed.iter().map(|host| (*host).to_owned()).collect(),
            ..CompileOptions::default()
        };
        let warnings = compiled_with(&plan, &options).warnings;
        warnings
            .into_iter()
            .map(|it| it.message.id)
            .collect::<Vec<_>>()
    };
    let told = ["compile-backend-host"];
    for (name, value) in [
        ("influxdbUrl", "http://Influx.test:8086/write?db=jmeter"),
        ("influxdbUrl", "influx.test:8089"),
        ("graphiteHost", "influx.test"),
    ] {
        assert_eq!(warnings_of(name, value, &["other.test"]), told, "{value}");
        for allowed in ["influx.test", "influx.test:8086"] {
            assert!(warnings_of(name, value, &[allowed]).is_empty(), "{value}");
        }
    }
    // What is not known before the run is told of then.
    assert!(warnings_of("graphiteHost", "${host}", &[]).is_empty());
    assert!(warnings_of("application", "influx.test", &[]).is_empty());
}
