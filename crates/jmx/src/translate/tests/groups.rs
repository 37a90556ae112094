use std::time::Duration;

use super::*;
use plimsoll_plan::model::{
    Action, ArrivalLoad, Load, OnError, Order, Scenario, Spacing, UserLoad, UserStage,
};

fn scenario(class: &str, written: &[(&str, &str)], more: &str) -> Scenario {
    let properties: String = written
        .iter()
        .map(|(name, value)| format!("<stringProp name='{name}'>{value}</stringProp>"))
        .collect();
    let inner = format!("<{class} testname='tg'>{properties}{more}</{class}><hashTree/>");
    given(&inner).plan().scenarios.remove(0)
}

fn users(scenario: &Scenario) -> &UserLoad {
    match &scenario.load {
        Load::Users(load) => load,
        other => panic!("{other:?}"),
    }
}

fn arrivals(scenario: &Scenario) -> &ArrivalLoad {
    match &scenario.load {
        Load::Arrivals(load) => load,
        other => panic!("{other:?}"),
    }
}

fn seconds(stages: &[UserStage]) -> Vec<(u32, f64, f64)> {
    stages
        .iter()
        .map(|it| (it.users, it.ramp.as_secs_f64(), it.hold.as_secs_f64()))
        .collect()
}

#[test]
fn thread_groups() {
    let written = [
        ("ThreadGroup.num_threads", "5"),
        ("ThreadGroup.ramp_time", "10"),
        ("ThreadGroup.scheduler", "true"),
        ("ThreadGroup.delay", "2"),
        ("ThreadGroup.duration", "60"),
        ("ThreadGroup.on_sample_error", "stopthread"),
        ("ThreadGroup.same_user_on_next_iteration", "false"),
    ];
    let found = scenario("ThreadGroup", &written, &loops("-1"));
    assert_eq!(found.name, "tg");
    assert_eq!(found.start_delay, Duration::from_secs(2));
    assert_eq!(found.end_after, Some(Duration::from_secs(60)));
    assert_eq!(found.on_error, OnError::Act(Action::StopUser));
    assert!(!found.same_user_each_iteration);
    let load = users(&found);
    assert_eq!(seconds(&load.stages), [(5, 10.0, 0.0)]);
    assert_eq!(
        (load.iterations_per_user, load.ends_with_stages),
        (None, false)
    );
    let off = [
        ("ThreadGroup.num_threads", "1"),
        ("ThreadGroup.scheduler", "false"),
        ("ThreadGroup.delay", "2"),
        ("ThreadGroup.duration", "60"),
    ];
    let found = scenario("ThreadGroup", &off, &loops("7"));
    assert_eq!((found.start_delay, found.end_after), (Duration::ZERO, None));
    assert_eq!(users(&found).iterations_per_user, Some(7));
    assert!(found.same_user_each_iteration);
}

#[test]
fn thread_groups_that_do_nothing_are_told_of() {
    let of = |written: &str| {
        let inner = group("").replace("'ThreadGroup.num_threads'>1<", written);
        given(&inner).problems()
    };
    assert_eq!(of("'ThreadGroup.num_threads'>0<"), ["jmeter-no-threads"]);
    let forever = group("").replace(
        "</ThreadGroup>",
        "<boolProp name='ThreadGroup.scheduler'>true</boolProp></ThreadGroup>",
    );
    assert_eq!(given(&forever).problems(), ["jmeter-no-duration"]);
    assert_eq!(
        given(&sampler("s")).problems(),
        ["jmeter-outside-of-thread-groups"]
    );
}

#[test]
fn the_plan_and_its_kinds_of_group() {
    let of = |class: &str| {
        group("")
            .replace("ThreadGroup testname", &format!("{class} testname"))
            .replace("</ThreadGroup>", &format!("</{class}>"))
    };
    let inner = of("PostThreadGroup") + &group("") + &of("SetupThreadGroup");
    let mut given = given(&inner);
    let plan = given.plan();
    assert_eq!(
        (plan.setup.len(), plan.scenarios.len(), plan.teardown.len()),
        (1, 1, 1)
    );
    assert_eq!((plan.order, plan.name.as_str()), (Order::Together, "plan"));
    assert!(plan.skip_teardown_when_stopped && !plan.functional);
    given.attributes = "<boolProp name='TestPlan.serialize_threadgroups'>true</boolProp>\
        <boolProp name='TestPlan.tearDown_on_shutdown'>true</boolProp>\
        <boolProp name='TestPlan.functional_mode'>true</boolProp>";
    let plan = given.plan();
    assert_eq!(plan.order, Order::InOrder);
    assert!(!plan.skip_teardown_when_stopped && plan.functional);
    given.attributes = "<stringProp name='TestPlan.user_define_classpath'>a.jar, b,</stringProp>";
    assert_eq!(given.translate().unwrap().classpath, ["a.jar", "b"]);
}

#[test]
fn open_model() {
    let schedule = "rate(1/s) random_arrivals(10 s) rate(5/s) even_arrivals(1 min)";
    let found = scenario(
        "OpenModelThreadGroup",
        &[
            ("OpenModelThreadGroup.schedule", schedule),
            ("OpenModelThreadGroup.random_seed", "-7"),
        ],
        "",
    );
    let load = arrivals(&found);
    assert_eq!(load.stages.len(), 2);
    assert!(load.exact_counts && load.new_users);
    assert_eq!(load.seed, Some(-7));
    assert_eq!(load.stages[0].spacing, Some(Spacing::Poisson));
    assert_eq!(load.stages[1].spacing, Some(Spacing::Constant));
    assert_eq!(load.stages[0].to.as_per_second(), 5.0);
    assert_eq!(found.grace, Duration::ZERO);
    let inner = el(
        "OpenModelThreadGroup",
        "o",
        &[("OpenModelThreadGroup.schedule", "rate(")],
        "",
    );
    assert!(
        given(&inner)
            .problems()
            .contains(&"jmeter-schedule".to_owned())
    );
}

#[test]
fn stepping_and_ultimate() {
    let written = [
        ("ThreadGroup.num_threads", "5"),
        ("Threads initial delay", "3"),
        ("Start users count", "2"),
        ("Start users count burst", "0"),
        ("Start users period", "30"),
        ("Stop users count", "4"),
        ("Stop users period", "1"),
        ("flighttime", "60"),
        ("rampUp", "5"),
    ];
    let found = scenario(
        "kg.apc.jmeter.threads.SteppingThreadGroup",
        &written,
        &loops("-1"),
    );
    assert_eq!(found.start_delay, Duration::from_secs(3));
    assert_eq!(
        seconds(&users(&found).stages),
        [
            (2, 5.0, 30.0),
            (4, 5.0, 30.0),
            (5, 2.5, 60.0),
            (1, 0.0, 1.0),
            (0, 0.0, 0.0)
        ]
    );
    let row = "<collectionProp name='1'><stringProp name='1'>3</stringProp><stringProp name='2'>0</stringProp>\
        <stringProp name='3'>6</stringProp><stringProp name='4'>${__P(hold,10)}</stringProp><stringProp name='5'>3</stringProp></collectionProp>";
    let table = format!("<collectionProp name='ultimatethreadgroupdata'>{row}</collectionProp>");
    let found = scenario(
        "kg.apc.jmeter.threads.UltimateThreadGroup",
        &[],
        &(table + &loops("-1")),
    );
    assert_eq!(
        seconds(&users(&found).stages),
        [(3, 6.0, 0.0), (3, 0.0, 10.0), (0, 3.0, 0.0)]
    );
    assert!(users(&found).ends_with_stages);
}

/// How many iterations a thread has, and whether a new one follows it.
fn threads(scenario: &Scenario) -> (Option<u64>, bool) {
    let load = users(scenario);
    (load.iterations_per_user, load.new_users)
}

#[test]
fn concurrency_and_arrivals() {
    let class = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
    let written = [
        ("TargetLevel", "10"),
        ("RampUp", "20"),
        ("Steps", "2"),
        ("Hold", "60"),
        ("Unit", "S"),
    ];
    let found = scenario(class, &written, "");
    assert_eq!(
        seconds(&users(&found).stages),
        [(5, 0.0, 10.0), (10, 0.0, 10.0), (10, 0.0, 60.0)]
    );
    // A thread that ends is followed by a new one.
    assert_eq!(threads(&found), (None, true));
    let limited = [("TargetLevel", "10"), ("Hold", "60"), ("Iterations", "3")];
    assert_eq!(threads(&scenario(class, &limited, "")), (Some(3), true));
    let class = "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup";
    let written = [
        ("TargetLevel", "120"),
        ("RampUp", "1"),
        ("Steps", ""),
        ("Hold", "2"),
        ("Unit", "M"),
        ("ConcurrencyLimit", "50"),
        ("ArrivalsLimit", "9"),
    ];
    let found = scenario(class, &written, "");
    let load = arrivals(&found);
    let stages: Vec<_> = load
        .stages
        .iter()
        .map(|it| {
            (
                it.from.as_per_second(),
                it.to.as_per_second(),
                it.lasts.as_secs(),
            )
        })
        .collect();
    // Without steps none comes while they ramp up.
    assert_eq!(stages, [(0.0, 0.0, 60), (2.0, 2.0, 119)]);
    assert_eq!((load.max_in_flight, load.arrivals_total), (50, Some(9)));
    let row = |a, b, c| {
        format!(
            "<collectionProp name='1'><stringProp name='1'>{a}</stringProp><stringProp name='2'>{b}</stringProp><stringProp name='3'>{c}</stringProp></collectionProp>"
        )
    };
    let table = format!(
        "<collectionProp name='Schedule'>{}{}</collectionProp>",
        row(1, 3, 5),
        row(3, 3, 7)
    );
    let class = "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup";
    let found = scenario(class, &[("Unit", "S")], &table);
    let stages: Vec<_> = arrivals(&found)
        .stages
        .iter()
        .map(|it| (it.to.as_per_second(), it.lasts.as_secs()))
        .collect();
    assert_eq!(stages, [(3.0, 5), (3.0, 7)]);
}

#[test]
fn units_and_numbers_of_the_plugin() {
    let class = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
    let of = |target: &str, hold: &str, unit: &str| {
        let written = [("TargetLevel", target), ("Hold", hold), ("Unit", unit)];
        seconds(&users(&scenario(class, &written, "")).stages)
    };
    for unit in ["", "X", "s", "S", " M"] {
        assert_eq!(of("2", "3", unit), [(2, 0.0, 0.0), (2, 0.0, 3.0)], "{unit}");
    }
    assert_eq!(of("2", "3", "M"), [(2, 0.0, 0.0), (2, 0.0, 180.0)]);
    // Times are whole seconds.
    assert_eq!(of("2", "1.5", "S"), [(2, 0.0, 0.0), (2, 0.0, 2.0)]);
    assert_eq!(of("2", "0.4", "S"), [(2, 0.0, 0.0), (2, 0.0, 0.0)]);
    let runs = |group: &str| {
        let found = given(group).translate();
        found.is_ok_and(|found| !found.plan.scenarios.is_empty())
    };
    // What is no whole number is none.
    for target in ["1.7", "2 ", " 2", "x", "", "-2", "0", "99999999999"] {
        let written = [("TargetLevel", target), ("Hold", "3"), ("Unit", "S")];
        assert!(!runs(&el(class, "g", &written, &sampler("a"))), "{target}");
    }
    let class = "kg.apc.jmeter.threads.UltimateThreadGroup";
    for (cell, expected) in [("1", true), ("1.5", false), ("1 ", false), ("", false)] {
        let table = format!(
            "<collectionProp name='ultimatethreadgroupdata'><collectionProp name='0'>\
             <stringProp name='1'>{cell}</stringProp><stringProp name='2'>0</stringProp>\
             <stringProp name='3'>0</stringProp><stringProp name='4'>1</stringProp>\
             <stringProp name='5'>0</stringProp></collectionProp></collectionProp>"
        );
        let below = sampler("a");
        let group = format!("<{class} testname='g'>{table}</{class}><hashTree>{below}</hashTree>");
        assert_eq!(runs(&group), expected, "{cell}");
    }
}

#[test]
fn a_number_of_users_that_follows_a_shaping_timer_is_its_most() {
    let class = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
    let timer = |name: &str| {
        el(
            "kg.apc.jmeter.timers.VariableThroughputTimer",
            name,
            &[],
            "",
        )
    };
    let of = |target: &str, below: &str| {
        let written = [("TargetLevel", target), ("Hold", "9"), ("Unit", "S")];
        let inner = el(class, "g", &written, &(sampler("a") + below));
        let given = given(&inner);
        (given.problems(), given.translate().ok())
    };
    let (problems, found) = of("${__tstFeedback(t,1,${__P(n,20)},0.1)}", &timer("t"));
    assert_eq!(problems, ["jmeter-feedback-users"]);
    let scenario = &found.unwrap().plan.scenarios[0];
    assert_eq!(
        seconds(&users(scenario).stages),
        [(20, 0.0, 0.0), (20, 0.0, 9.0)]
    );
    // Without an end, or without its timer, only the run could tell.
    for (target, below) in [
        ("${__tstFeedback(t,1)}", timer("t")),
        ("${__tstFeedback(t,1,0)}", timer("t")),
        ("${__tstFeedback(t,1,x)}", timer("t")),
        ("${__tstFeedback(t,1,20)}", timer("other")),
        ("${__tstFeedback(t,1,20)", timer("t")),
    ] {
        let (problems, found) = of(target, &below);
        assert!(found.is_none(), "{target}");
        assert!(
            !problems.contains(&"jmeter-feedback-users".to_owned()),
            "{target}"
        );
    }
}
