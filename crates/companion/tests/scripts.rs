//! Scripts and functions in the companion.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Tester, element, groovy, options, run, shared, site, start};
use plimsoll_companion::{Companion, Work, WorkOutcome};
use plimsoll_elements::{EvaluatedValue, SampleResult};
use plimsoll_plan::model::Action;

#[test]
fn functions_have_their_values() {
    let Some(companion) = start(&[("answer", "42")]) else {
        return;
    };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        user.variables.insert("a".into(), "2".into());
        assert_eq!(user.function("__groovy", 1, &["1 + 1"]).await, "2");
        let sum = "vars.get('a').toInteger() + props.get('answer').toInteger()";
        assert_eq!(user.function("__groovy", 2, &[sum]).await, "44");
        // The text of an argument is computed already: nothing in it is looked at again.
        let literal = "'${a}\\\\,' + ctx.getThread().getThreadName()";
        assert_eq!(
            user.function("__groovy", 3, &[literal]).await,
            "${a}\\,group 1-1"
        );
        assert_eq!(user.function("__BeanShell", 4, &["1+2", "b"]).await, "3");
        assert_eq!(user.variables["b"], "3");
        assert_eq!(
            user.function("__jexl3", 5, &["vars.get('b') * 2"]).await,
            "6"
        );
        assert_eq!(user.function("__threadNum", 6, &[]).await, "1");
        user.iteration = 4;
        let context = "[ctx.threadNum, ctx.threadGroup.name, ctx.threadGroup.numThreads, \
                       ctx.threadGroup.numberOfThreads, vars.iteration, threadName, \
                       org.apache.jmeter.threads.JMeterContextService.numberOfThreads, \
                       ctx.samplingStarted, ctx.currentSampler].join('|')";
        assert_eq!(
            user.function("__groovy", 7, &[context]).await,
            "0|group|1|1|4|group 1-1|1|true|null"
        );
    });
}

#[test]
fn an_unknown_function_and_a_broken_script_are_told() {
    let Some(companion) = start(&[]) else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let work = Work::Function {
            name: "__nobody",
            site: plimsoll_plan::program::SiteId(1),
            args: &[],
        };
        let WorkOutcome::Failed(why) = user.call(&work).await.outcome else {
            panic!("it has no value");
        };
        assert!(why.contains("unknown function __nobody"), "{why}");
        // As in JMeter: the log tells, the value is empty, and the user goes on.
        let broken = user.function("__groovy", 2, &["1 / 0"]).await;
        assert_eq!(broken, "");
        assert_eq!(user.function("__groovy", 3, &["'on'"]).await, "on");
        let log = companion.take_log();
        let told = log
            .iter()
            .find(|line| line.text.contains("Division by zero"));
        assert_eq!(told.expect("the log tells").level, "WARN");
    });
}

#[test]
fn variables_go_both_ways_and_objects_stay() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        user.variables.insert("old".into(), "1".into());
        let script = "vars.put('new', 'n'); vars.remove('old'); \
                      vars.putObject('list', [1, 2, 3]); 'x'";
        user.function("__groovy", 1, &[script]).await;
        assert_eq!(user.variables["new"], "n");
        assert!(!user.variables.contains_key("old"));
        assert_eq!(user.variables["list"], "[1, 2, 3]");
        let sum = "vars.getObject('list').sum() + ',' + vars.get('old')";
        assert_eq!(user.function("__groovy", 2, &[sum]).await, "6,null");
        // The engine's own changes reach it, also that a variable is gone.
        user.variables.insert("new".into(), "m".into());
        user.variables.remove("list");
        let both = "'' + vars.get('new') + vars.getObject('list')";
        assert_eq!(user.function("__groovy", 3, &[both]).await, "mnull");
        // Another user has its own.
        let mut other = Tester::new(&companion, "group 1-2");
        assert_eq!(other.function("__groovy", 3, &[both]).await, "nullnull");
    });
}

#[test]
fn properties_are_shared_by_all() {
    let Some(options) = options(&[("kept", "k"), ("gone", "g")]) else {
        return;
    };
    let properties = options.properties.clone();
    let companion = Companion::start(options).unwrap();
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let script = "props.put('made', 'm'); props.remove('gone'); \
                      props.setProperty('kept', props.getProperty('kept') + '2')";
        user.function("__groovy", 1, &[script]).await;
        assert_eq!(properties.get("made").as_deref(), Some("m"));
        assert_eq!(properties.get("kept").as_deref(), Some("k2"));
        assert_eq!(properties.get("gone"), None);
        properties.set("made", "by the engine");
        properties.remove("kept");
        let mut other = Tester::new(&companion, "group 1-2");
        let read = "props.get('made') + '/' + props.get('kept')";
        assert_eq!(
            other.function("__groovy", 2, &[read]).await,
            "by the engine/null"
        );
    });
}

fn result() -> SampleResult {
    let mut part = SampleResult::new("part");
    part.ok();
    part.body = b"inner".to_vec();
    SampleResult {
        http: true,
        success: true,
        code: "200".into(),
        message: "OK".into(),
        body: "h\u{e9}llo".into(),
        encoding: Some("UTF-8".into()),
        response_headers: "HTTP/1.1 200 OK\nX-One: 1\n".into(),
        url: Some("http://localhost/a?b=c".into()),
        method: "GET".into(),
        start_unix_ms: 1_000,
        end_unix_ms: 1_030,
        elapsed_ms: 30,
        latency_ms: 20,
        connect_ms: 5,
        parts: vec![part],
        ..SampleResult::new("page")
    }
}

#[test]
fn the_previous_result_is_seen_and_changed() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        user.previous = Some(result());
        let read = "[prev.class.simpleName, prev.responseDataAsString, prev.time, prev.latency, \
                    prev.connectTime, prev.URL, prev.subResults[0].sampleLabel, \
                    prev.responseCode].join('|')";
        assert_eq!(
            user.function("__groovy", 1, &[read]).await,
            "HTTPSampleResult|h\u{e9}llo|30|20|5|http://localhost/a?b=c|part|200"
        );
        let post = groovy(
            "JSR223PostProcessor",
            "prev.setSuccessful(false); prev.setSampleLabel('renamed'); \
             prev.getSubResults()[0].setResponseCode('404')",
        );
        user.call(&Work::Post(site(2, &post))).await;
        let mut wanted = result();
        wanted.success = false;
        wanted.label = "renamed".into();
        wanted.parts[0].code = "404".into();
        let mut found = user.previous.clone().unwrap();
        // Java counts the errors itself, and says which bytes there are.
        found.errors = 0;
        found.parts[0].errors = 0;
        found.body_bytes = 0;
        found.received_bytes = 0;
        found.parts[0].body_bytes = 0;
        found.parts[0].received_bytes = 0;
        assert_eq!(found, wanted);
        // A new body, and a part of its own.
        let script = "prev.setResponseData('new', 'UTF-8'); prev.addSubResult(\
                      org.apache.jmeter.samplers.SampleResult.createTestSample(5, 9), false); \
                      prev.setIgnore()";
        let post = groovy("JSR223PostProcessor", script);
        user.call(&Work::Post(site(3, &post))).await;
        let found = user.previous.clone().unwrap();
        assert_eq!(found.body, b"new");
        assert_eq!(found.parts.len(), 2);
        assert_eq!(found.parts[0].body, b"inner");
        assert_eq!(found.parts[1].elapsed_ms, 4);
        assert!(found.ignored);
        // What was agreed on is not sent, and not told, again.
        let returned = user
            .call(&Work::Post(site(4, &groovy("JSR223PostProcessor", "1"))))
            .await;
        assert!(returned.result.is_none());
        assert_eq!(user.previous.clone().unwrap(), found);
    });
}

#[test]
fn every_kind_of_jsr223_element_works() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let pre = groovy("JSR223PreProcessor", "vars.put('pre', Label + args.length)");
        assert_eq!(
            user.call(&Work::Pre(site(1, &pre))).await.outcome,
            WorkOutcome::Done
        );
        assert_eq!(user.variables["pre"], "JSR223PreProcessor0");
        let timer = groovy("JSR223Timer", "return 250");
        let delay = user.call(&Work::Timer(site(2, &timer))).await.outcome;
        assert_eq!(delay, WorkOutcome::DelayMs(250));
        let sampler = groovy(
            "JSR223Sampler",
            "SampleResult.setResponseHeaders('a: b'); SampleResult.setResponseCode('201'); 'body'",
        );
        let sampled = user
            .try_call(&Work::Sample, Some(site(3, &sampler)))
            .await
            .unwrap();
        let WorkOutcome::Sample(Some(result)) = sampled.outcome else {
            panic!("{:?}", sampled.outcome);
        };
        assert_eq!(
            (result.label.as_str(), result.code.as_str()),
            ("JSR223Sampler", "201")
        );
        assert_eq!((result.text().as_ref(), result.success), ("body", true));
        assert_eq!(result.thread_name, "group 1-1");
        user.previous = Some(*result);
        let assertion = groovy(
            "JSR223Assertion",
            "if (prev.responseCode == '201') AssertionResult.setFailure(true); \
             AssertionResult.setFailureMessage('no ' + prev.responseCode)",
        );
        user.call(&Work::Assertion(site(4, &assertion))).await;
        let previous = user.previous.as_ref().unwrap();
        assert!(!previous.success);
        assert_eq!(previous.assertions.len(), 1);
        assert_eq!(previous.assertions[0].text(), "no 201");
        assert!(previous.assertions[0].failure);
        let listener = groovy(
            "JSR223Listener",
            "vars.put('heard', sampleEvent.threadGroup + sampleResult.sampleLabel)",
        );
        user.call(&Work::Listener(site(5, &listener))).await;
        assert_eq!(user.variables["heard"], "groupJSR223Sampler");
    });
}

#[test]
fn bean_shell_works() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let pre = element(
            "BeanShellPreProcessor",
            "bsh",
            &[
                (
                    "script",
                    "vars.put(\"bsh\", Parameters + ctx.getThreadNum());",
                ),
                ("parameters", "p"),
            ],
        );
        user.call(&Work::Pre(site(1, &pre))).await;
        assert_eq!(user.variables["bsh"], "p0");
        let sampler = element(
            "BeanShellSampler",
            "sampler",
            &[(
                "BeanShellSampler.query",
                "ResponseMessage=\"m\"; return \"shell\";",
            )],
        );
        let sampled = user
            .try_call(&Work::Sample, Some(site(2, &sampler)))
            .await
            .unwrap();
        let WorkOutcome::Sample(Some(result)) = sampled.outcome else {
            panic!("{:?}", sampled.outcome);
        };
        assert_eq!(
            (result.text().as_ref(), result.message.as_str()),
            ("shell", "m")
        );
    });
}

#[test]
fn a_script_changes_the_sampler_for_the_sample_to_come() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let mut sampler = element(
            "HTTPSamplerProxy",
            "page",
            &[
                ("HTTPSampler.domain", "localhost"),
                ("HTTPSampler.path", "/a"),
            ],
        );
        let arguments = element("Arguments", "", &[]);
        sampler.properties.push((
            "HTTPsampler.Arguments".into(),
            EvaluatedValue::Element(arguments),
        ));
        let quiet = groovy("JSR223PreProcessor", "vars.put('path', sampler.path)");
        let result = user
            .try_call(&Work::Pre(site(1, &quiet)), Some(site(9, &sampler)))
            .await;
        assert!(result.unwrap().sampler.is_none());
        assert_eq!(user.variables["path"], "/a");
        let change = groovy(
            "JSR223PreProcessor",
            "sampler.setPath('/b'); sampler.addArgument('k', 'v')",
        );
        let result = user
            .try_call(&Work::Pre(site(2, &change)), Some(site(9, &sampler)))
            .await;
        let changed = result.unwrap().sampler.expect("it was changed");
        assert_eq!(changed.class, "HTTPSamplerProxy");
        assert_eq!(changed.text("HTTPSampler.path"), "/b");
        let Some(EvaluatedValue::List(items)) = changed
            .element("HTTPsampler.Arguments")
            .unwrap()
            .get("Arguments.arguments")
        else {
            panic!("{changed:?}");
        };
        let EvaluatedValue::Element(item) = &items[0] else {
            panic!("{items:?}");
        };
        assert_eq!(
            (item.text("Argument.name"), item.text("Argument.value")),
            ("k", "v")
        );
        // Scripts of the same sample see the change; the next sample begins with the plan's
        // own sampler again.
        let result = user
            .try_call(&Work::Pre(site(1, &quiet)), Some(site(9, &sampler)))
            .await;
        assert!(result.unwrap().sampler.is_none());
        assert_eq!(user.variables["path"], "/b");
        user.forget_sampler(9);
        let result = user
            .try_call(&Work::Pre(site(1, &quiet)), Some(site(9, &sampler)))
            .await;
        assert!(result.unwrap().sampler.is_none());
        assert_eq!(user.variables["path"], "/a");
    });
}

#[test]
fn scripts_ask_for_changes_of_flow() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        user.previous = Some(result());
        let set = "import org.apache.jmeter.threads.JMeterContext.TestLogicalAction; ";
        let cases = [
            (
                "ctx.setStartNextThreadLoop(true)".to_owned(),
                vec![Action::NextIteration],
            ),
            (
                format!("{set} ctx.setTestLogicalAction(TestLogicalAction.BREAK_CURRENT_LOOP)"),
                vec![Action::Break],
            ),
            (
                format!(
                    "{set} prev.setTestLogicalAction(\
                     TestLogicalAction.START_NEXT_ITERATION_OF_CURRENT_LOOP)"
                ),
                vec![Action::Continue],
            ),
            (
                "prev.setStopThread(true)".to_owned(),
                vec![Action::StopUser],
            ),
            ("ctx.getThread().stop()".to_owned(), vec![Action::StopUser]),
            (
                "ctx.getEngine().askThreadsToStop()".to_owned(),
                vec![Action::StopRun],
            ),
            (
                "prev.setStopTestNow(true)".to_owned(),
                vec![Action::StopRunNow],
            ),
            (
                "ctx.getEngine().stopTest()".to_owned(),
                vec![Action::StopRunNow],
            ),
            (
                "org.apache.jmeter.engine.StandardJMeterEngine.stopEngine()".to_owned(),
                vec![Action::StopRun],
            ),
            ("1".to_owned(), vec![]),
        ];
        for (number, (script, wanted)) in cases.into_iter().enumerate() {
            let post = groovy("JSR223PostProcessor", &script);
            let place = u32::try_from(number).unwrap();
            let returned = user.call(&Work::Post(site(place, &post))).await;
            assert_eq!(returned.actions, wanted, "{script}");
        }
        let throws = "throw new org.apache.jorphan.util.JMeterStopTestException('enough')";
        let post = groovy("JSR223PostProcessor", throws);
        let returned = user.call(&Work::Post(site(99, &post))).await;
        assert!(matches!(returned.outcome, WorkOutcome::Failed(_)));
        assert_eq!(returned.actions, [Action::StopRun]);
    });
}

#[test]
fn scripts_write_to_the_log_and_to_the_output() {
    let Some(companion) = start(&[]) else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let script = "log.info('said to the log'); OUT.println('said aloud')";
        user.function("__groovy", 1, &[script]).await;
        let mut lines = Vec::new();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let said = |lines: &[plimsoll_companion::LogLine], level: &str, text: &str| {
            lines
                .iter()
                .any(|line| line.level == level && line.text.contains(text))
        };
        // The lines come through a pipe, beside the responses.
        while !(said(&lines, "INFO", "said to the log") && said(&lines, "", "said aloud")) {
            assert!(std::time::Instant::now() < deadline, "{lines:?}");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            lines.extend(companion.take_log());
        }
    });
}

#[test]
fn a_pass_and_the_scope_of_an_assertion() {
    let Some(companion) = shared() else { return };
    run(async {
        let mut user = Tester::new(&companion, "group 1-1");
        let counter = element(
            "CounterConfig",
            "counter",
            &[
                ("CounterConfig.start", "5"),
                ("CounterConfig.incr", "2"),
                ("CounterConfig.name", "c"),
                ("CounterConfig.per_user", "true"),
            ],
        );
        for wanted in ["5", "7"] {
            user.call(&Work::Pass(site(1, &counter))).await;
            assert_eq!(user.variables["c"], wanted);
            user.iteration += 1;
        }
        user.previous = Some(result());
        let children = element(
            "DurationAssertion",
            "duration",
            &[
                ("Assertion.scope", "children"),
                ("DurationAssertion.duration", "0"),
            ],
        );
        let mut size = element(
            "SizeAssertion",
            "size",
            &[
                ("Assertion.scope", "children"),
                ("Assertion.test_field", "SizeAssertion.response_data"),
                ("SizeAssertion.size", "4"),
                ("SizeAssertion.operator", "1"),
            ],
        );
        size.name = "size".into();
        user.call(&Work::Assertion(site(2, &children))).await;
        user.call(&Work::Assertion(site(3, &size))).await;
        let previous = user.previous.as_ref().unwrap();
        assert!(
            previous.parts[0]
                .assertions
                .iter()
                .any(|found| found.failure)
        );
        assert!(!previous.success);
        assert_eq!(
            previous.assertions.last().unwrap().text(),
            "One or more sub-samples failed"
        );
    });
}
