//! What the JVM companion does within a run. Without a companion (`make companion`) these
//! tests only see that the run says so.

use plimsoll_load::engine::{RunError, run};
use plimsoll_plan::compile::{CompileOptions, compile};
use plimsoll_plan::model::*;

use crate::support::*;

/// Runs a plan that needs the companion; none when there is none here.
fn run_beside(plan: &Plan) -> Option<Seen> {
    let program = compile(plan, &CompileOptions::default()).unwrap();
    let mut seen = Seen::default();
    match run(&std::sync::Arc::new(program), &options(), &mut seen) {
        Ok(_) => Some(seen),
        Err(RunError::Bind(mistakes)) => {
            assert!(plimsoll_companion::find().is_err(), "{mistakes:?}");
            assert!(mistakes[0].message.id.starts_with("jmeter-companion"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn script(class: &str, source: &str) -> Element {
    let properties = [
        ("scriptLanguage", "groovy"),
        ("cacheKey", "true"),
        ("script", source),
    ];
    element(class, "script", &properties)
}

#[test]
fn functions_of_the_companion_work_in_labels_conditions_and_variables() {
    let add = step(StepKind::If {
        condition: Condition::IsTrue(Text::of("${__groovy(vars.get('n') == '2')}")),
        then: Block {
            steps: vec![sample(java(
                "then ${__groovy(1 + 1)} ${__counter(TRUE)}",
                &[],
            ))],
            ..Block::default()
        },
        otherwise: Block::default(),
    });
    let mut plan = plan(vec![group("g", 1, 2, vec![add])]);
    plan.variables.push(Variable {
        name: "n".to_owned(),
        value: Text::of("${__groovy(4 / 2 as int)}"),
        env: None,
        secret: false,
        once_per_run: true,
        at: Span::default(),
    });
    if let Some(seen) = run_beside(&plan) {
        assert_eq!(seen.order(), ["then 2 1", "then 2 2"], "{:?}", seen.log());
    }
}

#[test]
fn a_script_names_the_file_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| format!("{}/{name}", folder.path().display());
    for number in 1..3 {
        let rows = format!("user,other\nof-{number}-a,x\nof-{number}-b,y\n");
        std::fs::write(path(&format!("rows{number}.csv")), rows).unwrap();
    }
    let body = vec![sample(java("${user} ${x}", &[]))];
    let mut of_users = group("own", 2, 2, body);
    let own = path("rows${__groovy(ctx.getThreadNum() + 1)}.csv");
    of_users.body.scope.data.push(rows("own", &own, &[]));
    let constant = path("${__BeanShell(\"rows\" + 1)}.csv");
    let named = rows("named", &constant, &["x"]);
    of_users.body.scope.data.push(named);
    let plan = plan(vec![of_users]);
    let program = compile(&plan, &CompileOptions::default()).unwrap();
    // Nobody runs a script before the run begins, so that nothing is said of its file.
    let jmeter = plimsoll_jmeter::JMeterOptions::default();
    let access = plimsoll_access::Access::of_user();
    let missing = plimsoll_load::engine::check(&program, Some(&jmeter), &access);
    assert_eq!(missing.unwrap(), []);
    if let Some(seen) = run_beside(&plan) {
        let mut order = seen.order();
        order.sort();
        let users: Vec<_> = order.iter().filter_map(|it| it.split(' ').next()).collect();
        let all = ["of-1-a", "of-1-b", "of-2-a", "of-2-b"];
        assert_eq!(users, all, "{:?}", seen.log());
        let mut shared: Vec<_> = order.iter().filter_map(|it| it.split(' ').nth(1)).collect();
        shared.sort_unstable();
        assert_eq!(
            shared,
            ["of-1-a", "of-1-b", "user", "user"],
            "one list for all"
        );
    }
}

#[test]
fn scripts_change_variables_results_and_the_flow() {
    let mut first = sampler(java("first", &[("ResultData", "hello ${who}")]));
    let before = script("JSR223PreProcessor", "vars.put('who', 'world')");
    first.before.push(Processor::Element(before));
    let after = "vars.put('seen', prev.getResponseDataAsString()); \
                 prev.setSuccessful(false); prev.setResponseMessage('no')";
    first
        .after
        .push(Processor::Element(script("JSR223PostProcessor", after)));
    let stop = "SampleResult.setResponseMessage(vars.get('seen')); \
                ctx.getThread().stop(); SampleResult.setStopThread(true)";
    let steps = vec![
        step(StepKind::Sample(Box::new(first))),
        sample(script("JSR223Sampler", stop)),
        sample(java("never", &[])),
    ];
    if let Some(seen) = run_beside(&plan(vec![group("g", 1, 3, steps)])) {
        let rows = seen.rows();
        assert_eq!(seen.order(), ["first", "script"], "{:?}", seen.log());
        assert!(!rows[0].ok);
        assert_eq!(rows[0].message, "no");
        assert_eq!(rows[1].message, "hello world");
    }
}

#[test]
fn a_function_in_a_label_may_look_at_its_own_sampler() {
    let label = "${__groovy(ctx.getCurrentSampler().getName().length() > 0)}";
    let steps = vec![sample(java(label, &[]))];
    if let Some(seen) = run_beside(&plan(vec![group("g", 1, 1, steps)])) {
        assert_eq!(seen.order(), ["true"], "{:?}", seen.log());
    }
}

/// A backend listener with a sender that is not native is JMeter's own, in the companion.
#[test]
fn a_backend_listener_that_is_not_native_gets_the_samples() {
    let receiver = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = receiver.local_addr().unwrap().port().to_string();
    let package = "org.apache.jmeter.visualizers.backend.graphite";
    let (client, sender) = (
        format!("{package}.GraphiteBackendListenerClient"),
        format!("{package}.PickleGraphiteMetricsSender"),
    );
    let arguments = [
        ("graphiteMetricsSender", sender.as_str()),
        ("graphiteHost", "127.0.0.1"),
        ("graphitePort", &port),
        ("rootMetricsPrefix", "pickled."),
        ("summaryOnly", "true"),
        ("samplersList", ""),
        ("percentiles", "90"),
    ];
    let argument = |(name, value): (&str, &str)| {
        let both = [("Argument.name", name), ("Argument.value", value)];
        ElementValue::Element(Box::new(element("Argument", name, &both)))
    };
    let mut list = element("Arguments", "", &[]);
    let all = ElementValue::List(arguments.map(argument).into());
    list.properties
        .push(("Arguments.arguments".to_owned(), all));
    let mut listener = element(
        "BackendListener",
        "backend",
        &[("classname", client.as_str()), ("QUEUE_SIZE", "10")],
    );
    let list = ElementValue::Element(Box::new(list));
    listener.properties.push(("arguments".to_owned(), list));
    let mut plan = plan(vec![group("g", 1, 3, vec![sample(java("a", &[]))])]);
    plan.scope.elements.push(listener);
    let took = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let (mut from, _) = receiver.accept().unwrap();
        std::io::Read::read_to_end(&mut from, &mut bytes).unwrap();
        bytes
    });
    if run_beside(&plan).is_some() {
        let bytes = took.join().unwrap();
        let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        assert!(has(b"pickled.all.a.count") && has(b"pickled.test.startedT"));
    }
}
