//! Packages of JMeter elements, run by the engine.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod access;
mod companion;
mod http;
mod samplers;
mod shares;
mod support;

use std::time::Duration;

use plimsoll_plan::model::*;
use plimsoll_stats::LabelKind;
use support::*;

#[test]
fn samplers_run_in_their_order_with_labels_made_at_run_time() {
    let steps = vec![
        sample(java(
            "first ${__threadNum}",
            &[("ResponseMessage", "hello ${unknown}")],
        )),
        sample(java(
            "second",
            &[
                ("Label", "another"),
                ("Status", "KO"),
                ("ResponseCode", "E7"),
            ],
        )),
    ];
    let seen = run_plan(&plan(vec![group("g", 1, 2, steps)]));
    let rows = seen.rows();
    assert_eq!(seen.order(), ["first 1", "another", "first 1", "another"]);
    assert_eq!(rows[0].message, "hello ${unknown}");
    assert!(rows[0].ok && !rows[1].ok);
    assert_eq!((rows[1].code.as_str(), rows[3].iteration), ("E7", 1));
    assert_eq!(seen.count("first 1", LabelKind::Request), 2);
}

#[test]
fn a_transaction_that_is_a_sample_has_its_requests_as_parts() {
    let steps = vec![transaction(
        "all",
        true,
        vec![
            sample(java("a", &[])),
            sample(java("b", &[("Status", "KO"), ("ResponseCode", "500")])),
            transaction("inner", true, vec![sample(java("c", &[]))]),
        ],
    )];
    let seen = run_plan(&plan(vec![group("g", 1, 1, steps)]));
    let rows = seen.rows();
    assert_eq!(seen.order(), ["a", "b", "c", "inner", "all"]);
    let all = &rows[4];
    assert_eq!(
        all.message,
        "Number of samples in transaction : 3, number of failing samples : 1"
    );
    assert_eq!(
        (all.code.as_str(), all.ok, all.kind),
        ("500", false, LabelKind::Request)
    );
    assert_eq!(rows[3].kind, LabelKind::SubRequest);
    assert_eq!(rows[0].kind, LabelKind::SubRequest);
    assert_eq!(seen.count("all", LabelKind::Request), 1);
}

#[test]
fn a_transaction_beside_its_samples_is_a_sample_more() {
    let steps = vec![transaction(
        "all",
        false,
        vec![sample(java("a", &[])), sample(java("b", &[]))],
    )];
    let seen = run_plan(&plan(vec![group("g", 1, 1, steps)]));
    let rows = seen.rows();
    assert_eq!(seen.order(), ["a", "b", "all"]);
    assert_eq!(
        rows[2].message,
        "Number of samples in transaction : 2, number of failing samples : 0"
    );
    assert_eq!(
        (rows[2].code.as_str(), rows[2].kind),
        ("200", LabelKind::Transaction)
    );
    assert_eq!(rows[0].kind, LabelKind::Request);
}

#[test]
fn debug_samplers_show_variables_and_the_last_samples_success() {
    let shows = [("displayJMeterVariables", "true")];
    let mut debug = sampler(element("DebugSampler", "show", &shows));
    let pattern = [
        ("RegexExtractor.refname", "found"),
        ("RegexExtractor.regex", "last_sample_ok=(\\w+)"),
        ("RegexExtractor.template", "$1$"),
        ("RegexExtractor.match_number", "1"),
        ("RegexExtractor.useHeaders", "false"),
    ];
    let extract = element("RegexExtractor", "take", &pattern);
    debug.after.push(Processor::Element(extract));
    let steps = vec![
        sample(java("fails", &[("Status", "KO")])),
        step(StepKind::Sample(Box::new(debug))),
        sample(java("then ${found} ${__jm__g__idx}", &[])),
    ];
    let seen = run_plan(&plan(vec![group("g", 1, 1, steps)]));
    assert_eq!(seen.order(), ["fails", "show", "then false 0"]);
}

#[test]
fn assertions_fail_a_sample_and_say_why() {
    let mut checked = sampler(java("checked", &[("ResultData", "hello")]));
    let mut assertion = element(
        "ResponseAssertion",
        "says bye",
        &[
            ("Assertion.test_field", "Assertion.response_data"),
            ("Assertion.test_type", "16"),
        ],
    );
    let strings = ElementValue::List(vec![ElementValue::Text(Text::of("bye"))]);
    assertion
        .properties
        .push(("Asserion.test_strings".to_owned(), strings));
    checked.checks.push(Check {
        of: CheckOf::Element(assertion),
        test: Test::Exists,
        at: Span::default(),
    });
    let steps = vec![step(StepKind::Sample(Box::new(checked)))];
    let seen = run_plan(&plan(vec![group("g", 1, 1, steps)]));
    let row = &seen.rows()[0];
    assert!(!row.ok);
    assert_eq!(row.failure, "Test failed: text expected to contain /bye/");
}

#[test]
fn timers_wait_before_the_sampler_and_are_no_part_of_it() {
    let mut group = group("g", 1, 3, vec![sample(java("a", &[]))]);
    for delay in ["20", "30"] {
        let timer = element("ConstantTimer", "wait", &[("ConstantTimer.delay", delay)]);
        group.body.scope.pauses.push(ScopePause::Element(timer));
    }
    let begin = std::time::Instant::now();
    let seen = run_plan(&plan(vec![group]));
    assert!(begin.elapsed().as_millis() >= 150, "{:?}", begin.elapsed());
    assert!(seen.rows().iter().all(|row| row.service_ms < 20));
}

/// A result file with a few columns.
fn collector(path: &std::path::Path) -> Element {
    let mut config = element("SampleSaveConfiguration", "", &[]);
    let on = [
        "label",
        "code",
        "message",
        "success",
        "threadName",
        "fieldNames",
    ];
    let off = [
        "time",
        "latency",
        "timestamp",
        "dataType",
        "encoding",
        "assertions",
        "subresults",
        "responseData",
        "samplerData",
        "xml",
        "responseHeaders",
        "requestHeaders",
        "responseDataOnError",
        "saveAssertionResultsFailureMessage",
        "bytes",
        "sentBytes",
        "url",
        "threadCounts",
        "idleTime",
        "connectTime",
    ];
    for (names, value) in [(&on[..], "true"), (&off[..], "false")] {
        for name in names {
            let value = ElementValue::Text(Text::of(value));
            config.properties.push(((*name).to_owned(), value));
        }
    }
    let path = path.to_str().unwrap();
    let mut collector = element("ResultCollector", "file", &[("filename", path)]);
    let config = ElementValue::Element(Box::new(config));
    collector.properties.push(("saveConfig".to_owned(), config));
    collector
}

#[test]
fn listeners_are_told_of_samples_and_of_transactions_as_jmeter_tells_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.jtl");
    let steps = vec![
        sample(java("alone", &[])),
        transaction("whole", true, vec![sample(java("part", &[]))]),
        transaction(
            "beside",
            false,
            vec![sample(java("own", &[("Status", "KO")]))],
        ),
    ];
    let mut plan = plan(vec![group("Thread Group", 1, 1, steps)]);
    plan.scope.elements.push(collector(&path));
    run_plan(&plan);
    let text = std::fs::read_to_string(&path).unwrap();
    let wanted = "\
label,responseCode,responseMessage,threadName,success
alone,200,,Thread Group 1-1,true
whole,200,\"Number of samples in transaction : 1, number of failing samples : 0\",Thread Group 1-1,true
own,200,,Thread Group 1-1,false
beside,,\"Number of samples in transaction : 1, number of failing samples : 1\",Thread Group 1-1,false
";
    assert_eq!(text, wanted);
}

#[test]
fn users_that_wait_for_others_in_vain_sample_at_the_end_of_their_group() {
    let meets = |users: &str| {
        let size = [("groupSize", users)];
        ScopePause::Element(element("SyncTimer", "all", &size))
    };
    let ends = |mut group: Scenario, users: &str| {
        group.body.scope.pauses.push(meets(users));
        group.end_after = Some(Duration::from_millis(700));
        group
    };
    let waits = || vec![sample(java("x", &[]))];
    // More than there are; all but one; all, of whom one leaves before.
    let seen = run_plan(&plan(vec![ends(group("g", 2, 3, waits()), "5")]));
    let rows = seen.rows();
    assert_eq!(rows.len(), 2, "one each, when the time is over: {rows:?}");
    let seen = run_plan(&plan(vec![ends(group("g", 3, 1, waits()), "2")]));
    assert_eq!(seen.rows().len(), 3);
    // Without an end nobody waits for those who will not come.
    let mut endless = group("g", 2, 1, waits());
    endless.body.scope.pauses.push(meets("5"));
    assert_eq!(run_plan(&plan(vec![endless])).rows().len(), 2);
}

#[test]
fn setup_and_teardown_groups_are_loads_of_their_own_around_the_main_one() {
    let one = |label: &str| vec![sample(java(label, &[("Status", "KO")]))];
    let mut plan = plan(vec![group("main", 2, 1, one("main ${__threadNum}"))]);
    plan.setup = vec![
        group("set", 2, 1, one("set")),
        group("set too", 1, 1, one("set")),
    ];
    plan.teardown = vec![group("tear", 1, 1, one("tear ${__groupName}"))];
    let (seen, ended) = run_with(&plan, &options());
    let rows = seen.rows();
    let waves: Vec<&str> = rows.iter().map(|row| &row.label[..3]).collect();
    assert_eq!(waves, ["set", "set", "set", "mai", "mai", "tea"]);
    assert!(!ended.setup_failed && !ended.stopped);
    assert_eq!(seen.count("set", LabelKind::Request), 3);
}

#[test]
fn a_group_that_stops_the_test_leaves_the_groups_after_it_out() {
    let stops = |name: &str| {
        let mut group = group(name, 1, 5, vec![sample(java(name, &[("Status", "KO")]))]);
        group.on_error = OnError::Act(Action::StopRun);
        group.body.scope.on_error = Some(group.on_error);
        group
    };
    // What is stopped in its setUp groups never began: nothing is torn down then.
    for (in_setup, skips, wanted) in [
        (true, true, vec!["set"]),
        (true, false, vec!["set"]),
        (false, true, vec!["main"]),
        (false, false, vec!["main", "tear"]),
    ] {
        let mut plan = plan(vec![stops("main")]);
        plan.setup = if in_setup {
            vec![stops("set")]
        } else {
            Vec::new()
        };
        plan.teardown = vec![stops("tear")];
        plan.skip_teardown_when_stopped = skips;
        let (seen, ended) = run_with(&plan, &options());
        assert_eq!(seen.order(), wanted);
        assert!(ended.stopped);
    }
}
